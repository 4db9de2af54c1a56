package sim_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// platform is a run of a Stewart platform whose legs are held by a controller, at 1 kHz, where they are at the start.
type platform struct {
	in   *mechanism.Inputs
	legs []int // prismatic joints
	run  *sim.Simulation
	when []float64 // of the samples
}

// The gains damp a platform of 10 kg on six legs well in every direction. The integral learns the weight. With more of
// it the turn about the vertical, which the legs hold least, would swing up.
const (
	legStiffness = 8000.0
	legDamping   = 500.0
	legIntegral  = 20000.0
	legPeriod    = 1e-3
)

func newPlatform(t testing.TB, plan *kkt.Plan, implicit bool, o sim.Options) *platform {
	t.Helper()
	p := &platform{in: plan.Mechanism().NewInputs()}
	m := p.in.Mechanism()
	for j := range m.Joints {
		if m.Joints[j].Kind == joints.Prismatic {
			p.legs = append(p.legs, j)
			require.NoError(t, p.in.SetForce(j, 0, 0))
			require.NoError(t, p.in.SetDamping(j, 0, 0))
		}
	}
	st, k := plan.Initial(), m.NewKinematics()
	rest := make([]float64, len(p.legs))
	length := func(j int, st *mechanism.State) (q, qd float64) {
		var jk mechanism.JointKinematics
		var x, v [6]float64
		m.JointTo(&jk, j, k, st)
		m.Joints[j].CoordinatesTo(&x, &v, &jk)
		return x[0], v[0]
	}
	require.NoError(t, m.KinematicsTo(k, st))
	for i, j := range p.legs {
		rest[i], _ = length(j, st)
	}
	sum := make([]float64, len(p.legs))
	o.Controllers = []sim.Controller{{Name: "legs", Period: legPeriod, Memory: sum, Sample: func(st *mechanism.State) error {
		p.when = append(p.when, st.Time)
		if err := m.KinematicsTo(k, st); err != nil {
			return err
		}
		for i, j := range p.legs {
			q, qd := length(j, st)
			sum[i] += (q - rest[i]) * legPeriod
			if err := p.in.SetForce(j, 0, -legStiffness*(q-rest[i])-legDamping*qd-legIntegral*sum[i]); err != nil {
				return err
			}
		}
		return nil
	}}}
	own := plan.With(p.in)
	var stepper sim.Stepper
	if implicit {
		d := motion.NewNewton(own)
		o.Projector = d
		stepper = sim.NewGeneralizedAlpha(m, d, sim.GeneralizedAlphaOptions{Fixed: o.Step > 0, Tolerance: sim.Tolerance{Relative: 1e-6}})
	} else {
		d := motion.NewDynamics(own)
		o.Projector = d
		stepper = sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8})
	}
	p.run = sim.New(m, stepper, st, o)
	return p
}

func stewart(t testing.TB) *kkt.Plan {
	t.Helper()
	m, err := bench.Generate("stewart", 1, 1)
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return plan
}

// TestControllerHoldsAPlatform: sampled forces bring a moving Stewart platform to rest where it was, under gravity,
// with samples at exact multiples of the period.
func TestControllerHoldsAPlatform(t *testing.T) {
	plan := stewart(t)
	st := plan.Initial()
	p := newPlatform(t, plan, false, sim.Options{Projector: sim.NoProjector})
	until := 2.0
	if testing.Short() {
		until = 0.2
	}
	require.NoError(t, p.run.Run(until))
	for k, at := range p.when {
		require.Equal(t, float64(k)*legPeriod, at)
	}
	require.Len(t, p.when, int(math.Round(until/legPeriod)))
	top := 0
	moved := p.run.State().Bodies[top].Position.Sub(st.Bodies[top].Position).Norm()
	speed := p.run.State().Bodies[top].Velocity.Norm()
	t.Logf("after %v s: moved %.2e m, speed %.2e m/s, %+v", until, moved, speed, p.run.Stats())
	if !testing.Short() {
		assert.Less(t, moved, 1e-4)
		assert.Less(t, speed, 1e-3)
	}
	require.Less(t, moved, 0.1)
}

// TestControllerResumes: a run that continues from a checkpoint between two samples gives the same bits, as outputs and
// memory of the controller are in it.
func TestControllerResumes(t *testing.T) {
	plan := stewart(t)
	for _, implicit := range []bool{false, true} {
		t.Run(fmt.Sprint("implicit ", implicit), func(t *testing.T) {
			stop, until := 0.0123, 0.025
			o := sim.Options{Projector: sim.NoProjector, Step: 0.0007} // not a part of the period
			whole := newPlatform(t, plan, implicit, o)
			require.NoError(t, whole.run.Run(stop))
			c, err := whole.run.Checkpoint()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "c.json")
			require.NoError(t, sim.WriteCheckpoint(path, c))
			require.NoError(t, whole.run.Run(until))

			c, err = sim.ReadCheckpoint(path)
			require.NoError(t, err)
			later := newPlatform(t, plan, implicit, o)
			require.NoError(t, later.run.Restore(c))
			require.NoError(t, later.run.Run(until))
			require.Equal(t, whole.run.State(), later.run.State())
			require.Equal(t, whole.in.Values(), later.in.Values())

			c.Controllers[0].Memory = c.Controllers[0].Memory[1:]
			require.ErrorIs(t, newPlatform(t, plan, implicit, o).run.Restore(c), sim.ErrCheckpoint)
			again, err := whole.run.Checkpoint()
			require.NoError(t, err)
			c.Controllers, c.Inputs = again.Controllers, c.Inputs[1:]
			require.ErrorIs(t, newPlatform(t, plan, implicit, o).run.Restore(c), sim.ErrCheckpoint)
		})
	}
}

// TestControllersOfGoroutines: 64 runs on one plan, each with its own
// controller and gravity, give the same bits as one after the other.
//
//rung:race
func TestControllersOfGoroutines(t *testing.T) {
	plan := stewart(t)
	run := func(i int) *mechanism.State {
		p := newPlatform(t, plan, i%4 == 0, sim.Options{Projector: sim.NoProjector, Step: 0.0005})
		if err := p.in.SetGravity(spatial.Vec3{0, float64(i) / 10, -9}); err != nil {
			t.Error(err)
		}
		if err := p.run.Run(0.003); err != nil {
			t.Error(err)
		}
		return p.run.State()
	}
	got := make([]*mechanism.State, 64)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() { got[i] = run(i) })
	}
	wait.Wait()
	for i := range got {
		require.Equal(t, run(i), got[i])
	}
}

var errSample = errors.New("sensor lost")

// TestControllerFails: an error of a sample ends the run, which calls it again later; other misuse panics or is said.
func TestControllerFails(t *testing.T) {
	r := newRig(t, slider(3, 0))
	failing := true
	o := sim.Options{Projector: sim.NoProjector, Step: 0.01, Controllers: []sim.Controller{{Name: "sensor", Period: 0.1, Sample: func(st *mechanism.State) error {
		if failing && st.Time > 0.15 {
			return errSample
		}
		return nil
	}}}}
	s := r.simulate(sim.DormandPrince(), 1e-8, o)
	err := s.Run(1)
	require.ErrorIs(t, err, errSample)
	require.EqualError(t, err, `sim: controller "sensor" at t = 0.2: sensor lost`)
	require.Equal(t, 0.2, s.State().Time)
	failing = false
	require.NoError(t, s.Run(1))

	o.Controllers[0].Period = 1e-30
	late := r.mech.Initial()
	late.Time = 1
	require.ErrorContains(t, sim.New(r.mech, r.rungeKutta(sim.DormandPrince(), 1e-8), late, o).Run(2), "period is below rounding")
	for _, bad := range []sim.Controller{{Period: 1}, {Period: -1, Sample: o.Controllers[0].Sample}, {Period: math.NaN(), Sample: o.Controllers[0].Sample}} {
		require.PanicsWithValue(t, "sim: controller without period or sample", func() {
			r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: sim.NoProjector, Controllers: []sim.Controller{bad}})
		})
	}
}

// air is the drag −c·|v|·v at the centre of mass of each of its bodies.
type air struct{ c float64 }

func (d air) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	for i := range at {
		v := at[i].Velocity
		w[i] = spatial.NewForce(spatial.Vec3{}, v.Scale(-d.c*v.Norm()))
	}
	return nil
}

// DerivativesTo: ∂F/∂v = −c·(|v|·1 + v·vᵀ/|v|).
func (d air) DerivativesTo(_, velocity []float64, at []mechanism.BodyMotion, _ float64) error {
	wide := 6 * len(at)
	for i := range at {
		v := at[i].Velocity
		speed := v.Norm()
		for r := range 3 {
			for c := range 3 {
				k := (6*i+3+r)*wide + 6*i + 3 + c
				if r == c {
					velocity[k] = -d.c * speed
				}
				if speed > 0 {
					velocity[k] -= d.c * v[r] * v[c] / speed
				}
			}
		}
	}
	return nil
}

// TestDragBothWays: aerodynamic drag on a linkage gives the same motion by Dormand and Prince and by generalized-α, up
// to the global error that the tolerance allows the latter, of order two, without drag too.
func TestDragBothWays(t *testing.T) {
	check.Long(t)
	plan, err := rung.NewPlan(open(t, "golden", "four-bar.model.json"), kkt.Options{})
	require.NoError(t, err)
	const until = 1.0
	run := func(own bool) (end *mechanism.State, apart [2]float64) {
		in := plan.Mechanism().NewInputs()
		if own {
			_, err := in.AddForce("air", air{0.8}, 0, 1, 2)
			require.NoError(t, err)
		}
		p, mech := plan.With(in), in.Mechanism()
		d := motion.NewDynamics(p)
		explicit := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), p.Initial(), sim.Options{Projector: d})
		require.NoError(t, explicit.Run(until))
		for i, tol := range []float64{1e-5, 1e-8} {
			n := motion.NewNewton(p)
			implicit := sim.New(mech, sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: tol}}), p.Initial(), sim.Options{Projector: n})
			require.NoError(t, implicit.Run(until))
			apart[i] = distance(explicit.State(), implicit.State())
		}
		return explicit.State(), apart
	}
	free, freeApart := run(false)
	slow, apart := run(true)
	t.Logf("apart without drag %.1e, with drag %.1e", freeApart, apart)
	require.Greater(t, distance(free, slow), 0.05, "the air counts")
	for i := range apart {
		assert.Less(t, apart[i], 2*freeApart[i])
	}
	assert.Less(t, apart[1], apart[0]/50, "a thousandth of the tolerance")
}

// anchor is a spring and a damper of one's own, k·x + d·v on the centre of mass, with its derivatives or without.
type anchor struct{ k, d float64 }

func (a anchor) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	w[0] = spatial.NewForce(spatial.Vec3{}, at[0].Position.Add(at[0].Com).Scale(-a.k).Sub(at[0].Velocity.Scale(a.d)))
	return nil
}

type stiffAnchor struct{ anchor }

func (a stiffAnchor) DerivativesTo(pose, velocity []float64, _ []mechanism.BodyMotion, _ float64) error {
	for i := 3; i < 6; i++ {
		pose[7*i], velocity[7*i] = -a.k, -a.d
	}
	return nil
}

// TestStiffOwnForce: with derivatives a stiff force of one's own takes the steps of a spring of the model, which does
// the same; without them Newton's method does not converge until its steps are halved to what the force allows.
func TestStiffOwnForce(t *testing.T) {
	check.Long(t)
	const k, d, h = 1e8, 1e3, 0.01
	until := 1.0
	run := func(m *model.Model, add func(in *mechanism.Inputs)) (*sim.Simulation, error) {
		plan, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		in := plan.Mechanism().NewInputs()
		add(in)
		n, mech := motion.NewNewton(plan.With(in)), in.Mechanism()
		s := sim.New(mech, sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{Fixed: true}), plan.Initial(), sim.Options{Step: h, Projector: n})
		return s, s.Run(until)
	}
	force := func(f mechanism.OwnForce) func(in *mechanism.Inputs) {
		return func(in *mechanism.Inputs) {
			_, err := in.AddForce("anchor", f, 0)
			require.NoError(t, err)
		}
	}
	model, err := run(slider(k, d), func(*mechanism.Inputs) {})
	require.NoError(t, err)
	own, err := run(slider(0, 0), force(stiffAnchor{anchor{k, d}}))
	require.NoError(t, err)
	require.Equal(t, model.Stats().Steps, own.Stats().Steps)
	require.Less(t, distance(model.State(), own.State()), 1e-9)
	bare, err := run(slider(0, 0), force(anchor{k, d}))
	require.NoError(t, err)
	require.Greater(t, bare.Stats().Steps, 50*own.Stats().Steps)
}

// TestSplineRun: a prescribed spline is followed to its last time, at
// which the run ends with the name of the joint, unless it holds.
func TestSplineRun(t *testing.T) {
	m := slider(0, 0)
	rail := &model.Motion{Kind: model.Spline, Times: []float64{0, 0.4, 1}, Values: []float64{0.1, 0.3, 0.2}, Ends: joints.Clamped}
	m.Joints[0].Motion = []*model.Motion{rail}
	want := func(at float64) float64 { q, _, _ := rail.Prepared().At(at); return q }
	for _, step := range []float64{0, 0.05} {
		r := newRig(t, m)
		s := r.simulate(sim.DormandPrince(), 1e-9, sim.Options{Projector: r.proj, Step: step})
		require.NoError(t, s.Run(0.7))
		require.InDelta(t, want(0.7), s.State().Bodies[0].Position[2], 1e-9)
		err := s.Run(2)
		require.ErrorIs(t, err, mechanism.ErrMotionTime)
		var at *mechanism.Error
		require.ErrorAs(t, err, &at)
		require.Equal(t, "rail", at.Joint)
		require.InDelta(t, 1, s.State().Time, 0.051)
	}
	rail.Hold = true
	r := newImplicit(t, m)
	_, s := r.run(sim.GeneralizedAlphaOptions{}, alone(0.05))
	require.NoError(t, s.Run(2))
	require.InDelta(t, 0.2, s.State().Bodies[0].Position[2], 1e-9)
}
