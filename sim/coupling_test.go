package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// spindle is a shaft that turns a wheel by gears and lifts a mass on a spring by a screw whose pitch falls with the
// angle. It has one freedom, the angle θ of the shaft.
type spindle struct {
	shaft, wheel, ratio  float64    // kg m², and of the wheel's speed
	mass, spring, gravty float64    // kg, N/m, m/s²
	lift                 [3]float64 // m, of the mass: a polynomial of θ
	omega                float64    // rad/s, at the start
}

var testSpindle = spindle{0.5, 0.002, -7.3, 2, 30, 9.81, [3]float64{0, 0.02, -1.5e-4}, 12}

func (s *spindle) model(t testing.TB) *model.Model {
	t.Helper()
	b := rung.NewBuilder("spindle").Gravity(0, 0, -s.gravty)
	axis := spatial.Vec3{0, 0, 1}
	body := func(name string, m, I float64, x float64) rung.Body {
		d, err := bodies.New(m, spatial.Vec3{}, spatial.Sym3{I, I, I})
		require.NoError(t, err)
		return b.Body(name, d, rung.At(x, 0, 0))
	}
	shaft, wheel, mass := body("shaft", 1, s.shaft, 0), body("wheel", 1, s.wheel, 1), body("mass", s.mass, 1, 2)
	a := b.Revolute("shaft", rung.World, shaft, spatial.Vec3{}, axis)
	w := b.Revolute("wheel", rung.World, wheel, spatial.Vec3{1, 0, 0}, axis)
	m := b.Prismatic("mass", rung.World, mass, spatial.Vec3{2, 0, 0}, axis)
	m.Stiffness = []float64{s.spring}
	b.Move(shaft, spatial.Vec3{}, axis.Scale(s.omega))
	b.Move(wheel, spatial.Vec3{}, axis.Scale(s.ratio*s.omega))
	b.Move(mass, axis.Scale(s.lift[1]*s.omega), spatial.Vec3{})
	b.Couple("gears", rung.Term{Joint: w, Factor: 1}, rung.Term{Joint: a, Factor: -s.ratio})
	b.Couple("screw", rung.Term{Joint: m, Factor: 1}).Follow(a, 0, s.lift[:]...)
	out, err := b.Model()
	require.NoError(t, err)
	return out
}

// angle integrates the equation of motion
//
//	(I + J·i² + m·p′²)·θ″ = −m·p′·p″·θ′² − p′·(k·p + m·g)
//
// by the classical Runge–Kutta method.
func (s *spindle) angle(until float64) (theta, omega float64) {
	rate := func(q, w float64) float64 {
		p, p1, p2 := s.lift[0]+q*(s.lift[1]+q*s.lift[2]), s.lift[1]+2*q*s.lift[2], 2*s.lift[2]
		return (-s.mass*p1*p2*w*w - p1*(s.spring*p+s.mass*s.gravty)) / (s.shaft + s.wheel*s.ratio*s.ratio + s.mass*p1*p1)
	}
	const n = 100_000
	h, q, w := until/n, 0.0, s.omega
	for range n {
		a1 := rate(q, w)
		a2 := rate(q+h/2*w, w+h/2*a1)
		a3 := rate(q+h/2*(w+h/2*a1), w+h/2*a2)
		a4 := rate(q+h*(w+h/2*a2), w+h*a3)
		q, w = q+h*w+h*h/6*(a1+a2+a3), w+h/6*(a1+2*a2+2*a3+a4)
	}
	return q, w
}

// TestSpindle compares runs over many turns of both shafts with the equation of motion of the one freedom.
func TestSpindle(t *testing.T) {
	check.Long(t)
	const until = 6.0
	theta, omega := testSpindle.angle(until)
	require.Greater(t, theta, 30.0)
	r := newImplicit(t, testSpindle.model(t))
	for name, c := range map[string]struct {
		stepper sim.Stepper
		tol     float64
		o       sim.Options
	}{
		"Dormand and Prince": {r.rungeKutta(sim.DormandPrince(), 1e-10), 1e-7, sim.Options{Projector: r.proj}},
		"fixed steps":        {r.rungeKutta(sim.RungeKutta4(), 1), 1e-5, sim.Options{Projector: r.proj, Step: 0.005}},
		"generalized-α":      {r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.9, Tolerance: sim.Tolerance{Relative: 1e-8}}), 1e-3, sim.Options{Projector: r.proj}},
		"constant steps":     {r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.9, Fixed: true}), 2e-3, sim.Options{Projector: r.proj, Step: 0.002}},
	} {
		s := sim.New(r.mech, c.stepper, r.mech.Initial(), c.o)
		require.NoError(t, s.Run(until), name)
		st := s.State()
		check.Close(t, st.Bodies[0].Omega[2], omega, 1, c.tol, "%s: speed", name)
		check.Close(t, st.Bodies[1].Omega[2], testSpindle.ratio*omega, 10, c.tol, "%s: wheel", name)
		check.Close(t, st.Angles[0], theta, 1, c.tol, "%s: angle", name)
		check.Close(t, st.Angles[1], testSpindle.ratio*theta, 10, c.tol, "%s: angle of the wheel", name)
		require.Less(t, s.Stats().Worst.Position, 1e-6, name)
	}
}

// TestSpindleStep: a step in which the wheel turns by a quarter of a turn is refused.
func TestSpindleStep(t *testing.T) {
	r := newRig(t, testSpindle.model(t))
	s := sim.New(r.mech, r.rungeKutta(sim.RungeKutta4(), 1), r.mech.Initial(), sim.Options{Projector: r.proj, Step: 0.02})
	err := s.Run(1)
	require.ErrorAs(t, err, new(*sim.HalfTurnError))
	require.ErrorContains(t, err, "wheel")
	require.ErrorContains(t, err, "coupled angles")
}

// TestSpindleCheckpoint continues from a checkpoint with the same bits, and refuses one of other couplings.
func TestSpindleCheckpoint(t *testing.T) {
	fresh := func(m *model.Model) *sim.Simulation {
		r := newRig(t, m)
		return r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj})
	}
	m := testSpindle.model(t)
	whole := fresh(m)
	require.NoError(t, whole.Run(1))
	c, err := whole.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, whole.Run(3))
	again := fresh(m)
	require.NoError(t, again.Restore(c))
	require.NoError(t, again.Run(3))
	require.Equal(t, whole.State(), again.State())
	m.Couplings[0].Offset += 1e-9
	require.Error(t, fresh(m).Restore(c))
}

// TestLawFingerprint: a law is told by what it says, not by where it is.
func TestLawFingerprint(t *testing.T) {
	print := func(law *couplings.Law) uint64 {
		m := testSpindle.model(t)
		k := &m.Couplings[1]
		k.Law, k.Polynomial = &model.CouplingLaw{Of: k.Of(), Law: *law}, nil
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		return sim.Fingerprint(mech)
	}
	formula := func(text string) *couplings.Law {
		return &couplings.Law{Kind: couplings.Function, Spans: make([]couplings.Span, 1), Expression: text}
	}
	table := couplings.Law{Spans: make([]couplings.Span, 1), X: []float64{0, 1, 2}, Values: []float64{0, 1, 3}}
	seen := map[uint64]bool{}
	for n, l := range []*couplings.Law{formula("0.02*x"), formula("0.03*x"), table.Clone(), table.Clone(), table.Clone()} {
		switch n {
		case 3:
			l.Values[2] = 4
		case 4:
			l.Ends = couplings.Natural
		}
		f := print(l)
		require.False(t, seen[f])
		require.Equal(t, f, print(l))
		seen[f] = true
	}
}

// TestMultiplierColumns: they come after the wrenches, and are the forces that the equations of motion want.
func TestMultiplierColumns(t *testing.T) {
	r := newImplicit(t, testSpindle.model(t))
	c := sim.NewColumns(r.mech, []int{1})
	c.AddWrenches(r.dyn, []int{0})
	c.AddMultipliers(r.dyn, []int{1, 0})
	names := c.Names()
	require.Len(t, names, c.Len())
	require.Equal(t, []string{"screw.multiplier", "gears.multiplier"}, names[len(names)-2:])
	st := r.mech.Initial()
	require.NoError(t, c.Fill(&sim.Row{State: st}))
	a := make([]float64, 18)
	require.NoError(t, r.dyn.Accelerations(a, st))
	s := &testSpindle
	n := len(c.Values)
	check.Close(t, c.Values[n-2], s.mass*(a[17]+s.gravty), 1, 1e-12, "force on the mass")
	check.Close(t, c.Values[n-1], s.wheel*a[8], 1, 1e-12, "torque on the wheel")
	require.Equal(t, c.Len()-2, len(names)-2)
}
