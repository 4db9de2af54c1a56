package motion_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// reduced returns the reduced motion of a model in the coordinates that are best at its state.
func reduced(t *testing.T, m *model.Model) (*motion.Reduced, *kkt.Plan) {
	t.Helper()
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	st := p.Initial()
	c := closing.NewCloser(p, closing.Options{})
	require.NoError(t, c.ClosePositions(st))
	require.NoError(t, c.ProjectVelocities(st))
	x, err := mobility.Independent(p, st, nil)
	require.NoError(t, err)
	require.Len(t, x.Freedoms, x.Mobility)
	r, err := motion.NewReduced(p, st, x.Freedoms)
	require.NoError(t, err)
	return r, p
}

// march integrates by the classical Runge–Kutta method, as one does who has nothing but At and AccelerationsTo.
func march(t *testing.T, r *motion.Reduced, until float64, steps int, see func()) error {
	t.Helper()
	n := len(r.Freedoms())
	x, y, sum, k := make([]float64, 2*n), make([]float64, 2*n), make([]float64, 2*n), make([]float64, 2*n)
	r.CoordinatesTo(x[:n], x[n:])
	t0 := r.State().Time
	h := (until - t0) / float64(steps)
	for s := range steps {
		now := t0 + float64(s)*h
		clear(sum)
		for i, c := range [...]float64{0, 0.5, 0.5, 1} {
			for j := range x {
				y[j] = x[j] + c*h*k[j]
			}
			if i == 0 {
				copy(y, x)
			}
			if err := r.At(now+c*h, y[:n], y[n:]); err != nil {
				return err
			}
			copy(k, y[n:])
			if err := r.AccelerationsTo(k[n:]); err != nil {
				return err
			}
			for j := range sum {
				sum[j] += [...]float64{1, 2, 2, 1}[i] * k[j] * h / 6
			}
		}
		for j := range x {
			x[j] += sum[j]
		}
		if err := r.At(now+h, x[:n], x[n:]); err != nil {
			return err
		}
		r.Accept()
		see()
	}
	return nil
}

// energyOf returns the energy at the state of r, J.
func energyOf(t *testing.T, p *kkt.Plan, r *motion.Reduced) float64 {
	t.Helper()
	k := p.Mechanism().NewKinematics()
	require.NoError(t, p.Mechanism().KinematicsTo(k, r.State()))
	e := p.Mechanism().EnergyAt(k, r.State())
	return e.Kinetic + e.Potential()
}

// fromFile returns a model.
func fromFile(t *testing.T, path string) *model.Model {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	m, err := model.Read(f, path)
	require.NoError(t, err)
	return m
}

// TestReducedOrder: the classical Runge–Kutta method on the reduced motion comes with order 4 to the full one, in open and closed
// mechanisms, with redundant rows, springs at angles, and a motion in time of which the coordinates know nothing.
func TestReducedOrder(t *testing.T) {
	generate := func(family string, n int) *model.Model {
		m, err := bench.Generate(family, n, 1)
		require.NoError(t, err)
		return m
	}
	arm := planar(t, spatial.Vec3{}, spatial.Vec3{1}, spatial.Vec3{2}, spatial.Vec3{3})
	arm.Joints = arm.Joints[:3] // a row of three
	driven(arm, "p0", 0, 0.5, 0.3)
	arm.Joints[2].Stiffness, arm.Joints[2].Damping = []float64{8}, []float64{0.5}
	loop := planar(t, spatial.Vec3{}, spatial.Vec3{0.3, 0.4}, spatial.Vec3{1.5, 1.1}, spatial.Vec3{1.4})
	for name, c := range map[string]struct {
		model *model.Model
		until float64
		steps int
	}{
		"arm":   {arm, 1, 60},
		"loop":  {loop, 1, 240},
		"chain": {generate("chain", 4), 0.5, 60},
	} {
		t.Run(name, func(t *testing.T) {
			_, p := reduced(t, c.model)
			full, err := runs.New(p, runs.Options{Tolerance: 1e-12, Start: sim.Close})
			require.NoError(t, err)
			require.NoError(t, full.Run(c.until))
			var off [2]float64
			for i, steps := range [...]int{c.steps, 2 * c.steps} {
				r, _ := reduced(t, c.model)
				require.NoError(t, march(t, r, c.until, steps, func() {}))
				for b := range r.State().Bodies {
					x, y := r.State().Bodies[b], full.State().Bodies[b]
					off[i] = max(off[i], x.Position.Sub(y.Position).Norm(), x.Omega.Sub(y.Omega).Norm())
				}
				for j := range p.Mechanism().NumJoints() { // angles over all turns
					a, _ := p.Mechanism().Coordinate(mechanism.Freedom{Joint: j}, full.State())
					b, _ := p.Mechanism().Coordinate(mechanism.Freedom{Joint: j}, r.State())
					off[i] = max(off[i], math.Abs(a-b))
				}
			}
			t.Logf("off by %.3g and %.3g", off[0], off[1])
			require.InDelta(t, 4, math.Log2(off[0]/off[1]), 0.5)
			require.Less(t, off[1], 1e-4)
		})
	}
}

// TestReducedFlatPose: the parallelogram of docs/theory.md passes its flat pose on its branch. Its energy stays, though the coordinates
// do not tell the branches apart.
func TestReducedFlatPose(t *testing.T) {
	r, p := reduced(t, fromFile(t, "../docs/four-bar.model.json"))
	was := energyOf(t, p, r)
	worst := 0.0
	require.NoError(t, march(t, r, 2, 400, func() { worst = max(worst, math.Abs(energyOf(t, p, r)-was)) }))
	require.Less(t, worst, 1e-6, "of %v J", was)
	crank, _ := p.Mechanism().Coordinate(mechanism.Freedom{Joint: 0}, r.State())
	rocker, _ := p.Mechanism().Coordinate(mechanism.Freedom{Joint: 3}, r.State())
	require.Less(t, crank, -math.Pi) // it is past the pose
	require.InDelta(t, crank, rocker, 1e-8)
}

// TestReducedLeaps: coordinates that are far from where Accept was lead along the branch, over flat poses and several turns.
func TestReducedLeaps(t *testing.T) {
	p, err := rung.NewPlan(fromFile(t, "../docs/four-bar.model.json"), rung.Options{})
	require.NoError(t, err)
	mech := p.Mechanism()
	r, err := motion.NewReduced(p, p.Initial(), []mechanism.Freedom{{Joint: 0}})
	require.NoError(t, err)
	q, qd := make([]float64, 1), []float64{1}
	r.CoordinatesTo(q, qd)
	qd[0] = 1
	for x := -20.0; x < 20; x += 0.37 {
		require.NoError(t, r.At(0, []float64{q[0] + x}, qd))
		crank, _ := mech.Coordinate(mechanism.Freedom{Joint: 0}, r.State())
		rocker, rate := mech.Coordinate(mechanism.Freedom{Joint: 3}, r.State())
		require.InDelta(t, q[0]+x, crank, 1e-10)
		require.InDelta(t, crank, rocker, 1e-8)
		require.InDelta(t, qd[0], rate, 1e-8)
	}
}

// TestReducedTurns: the turns of an angle with a spring are counted over leaps.
func TestReducedTurns(t *testing.T) {
	m := planar(t, spatial.Vec3{}, spatial.Vec3{1}, spatial.Vec3{2})
	m.Joints = m.Joints[:2]
	m.Joints[0].Stiffness = []float64{2}
	r, p := reduced(t, m)
	q, rest := make([]float64, 2), make([]float64, 2)
	for _, x := range []float64{20, -30} {
		require.NoError(t, r.At(0, []float64{x, x}, rest))
		a, _ := p.Mechanism().Coordinate(mechanism.Freedom{Joint: 0}, r.State())
		require.InDelta(t, x, a, 1e-12)
		r.Accept()
		r.CoordinatesTo(q, rest)
		require.InDeltaSlice(t, []float64{x, x}, q, 1e-12)
	}
}

// TestReducedForgets: a pose depends on where Accept was, and not on the calls between, even those that have failed.
func TestReducedForgets(t *testing.T) {
	r, p := reduced(t, fromFile(t, "../docs/four-bar.model.json"))
	q, qd, qdd := make([]float64, 1), make([]float64, 1), make([]float64, 1)
	r.CoordinatesTo(q, qd)
	start := q[0]
	at := func(x float64) (float64, []mechanism.BodyState) {
		require.NoError(t, r.At(0.1, []float64{x}, []float64{-2}))
		require.NoError(t, r.AccelerationsTo(qdd))
		return qdd[0], slices.Clone(r.State().Bodies)
	}
	a, pose := at(start + 0.3)
	at(start - 0.8)
	require.Error(t, r.At(0.1, []float64{math.NaN()}, qd))
	b, again := at(start + 0.3)
	require.Equal(t, a, b)
	require.Equal(t, pose, again)
	// One that is made where another was accepted has its bits.
	r.Accept()
	st := r.Accepted().Clone()
	b, pose = at(start + 0.4)
	var err error
	r, err = motion.NewReduced(p, st, r.Freedoms())
	require.NoError(t, err)
	a, again = at(start + 0.4)
	require.Equal(t, a, b)
	require.Equal(t, pose, again)
	allocs := testing.AllocsPerRun(10, func() {
		require.NoError(t, r.At(0.1, []float64{start + 0.2}, qd))
		require.NoError(t, r.AccelerationsTo(qdd))
	})
	require.Zero(t, allocs)
}

// TestReducedRefuses: what has no independent coordinates, and coordinates that cannot be reached, are errors with the place.
func TestReducedRefuses(t *testing.T) {
	m := fromFile(t, "../docs/four-bar.model.json")
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	_, err = motion.NewReduced(p, p.Initial(), nil)
	require.ErrorIs(t, err, motion.ErrFree)
	_, err = motion.NewReduced(p, p.Initial(), []mechanism.Freedom{{Joint: 0}, {Joint: 3}})
	require.ErrorIs(t, err, mechanism.ErrFreedom)
	require.ErrorContains(t, err, "1 of the coordinates follow from the others")
	_, err = motion.NewReduced(p, p.Initial(), []mechanism.Freedom{{Joint: 0}, {Joint: 0}})
	require.ErrorContains(t, err, "given twice")

	open := p.Initial()
	open.Bodies[0].Position[0] += 1e-3
	var off *mechanism.ViolationError
	_, err = motion.NewReduced(p, open, []mechanism.Freedom{{Joint: 0}})
	require.ErrorAs(t, err, &off)

	// A crank-rocker whose rocker swings between two ends: behind them the joints do not close.
	loop := planar(t, spatial.Vec3{}, spatial.Vec3{0.3, 0.4}, spatial.Vec3{1.5, 1.1}, spatial.Vec3{1.4})
	p, err = rung.NewPlan(loop, rung.Options{})
	require.NoError(t, err)
	r, err := motion.NewReduced(p, p.Initial(), []mechanism.Freedom{{Joint: 3}})
	require.NoError(t, err)
	q, qd := make([]float64, 1), make([]float64, 1)
	r.CoordinatesTo(q, qd)
	for _, x := range []float64{2.5, -2.5} {
		var stuck *motion.StuckError
		require.ErrorAs(t, r.At(0, []float64{q[0] + x}, qd), &stuck)
		require.Equal(t, motion.DeadPosition, stuck.Why)
		require.NotEmpty(t, stuck.Joint)
	}
	require.ErrorIs(t, r.At(0, []float64{1e3}, qd), motion.ErrFar)
	require.ErrorContains(t, r.At(0, q, []float64{math.Inf(1)}), `joint "end"`)
	require.ErrorContains(t, r.At(math.NaN(), q, qd), "time NaN is not finite")
	require.NoError(t, r.At(0, q, qd))
}
