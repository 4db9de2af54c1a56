package motion

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// drifted is a closed state of a mechanism and one next to it that is off, with its errors.
type drifted struct {
	dyn                *Dynamics
	closed, off        *mechanism.State
	position, velocity float64
	a                  []float64
}

// newDrifted disturbs poses and velocities by about eps.
func newDrifted(t *testing.T, family string, n int, eps float64, o kkt.Options) *drifted {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	p, err := newPlan(m, o)
	require.NoError(t, err)
	d := &drifted{dyn: NewDynamics(p), closed: p.Initial(), a: make([]float64, 6*len(m.Bodies))}
	require.NoError(t, d.dyn.ClosePositions(d.closed))
	require.NoError(t, d.dyn.ProjectVelocities(d.closed))
	d.off = d.closed.Clone()
	rng := check.Rand(1)
	random := func() spatial.Vec3 {
		return spatial.Vec3{eps * rng.NormFloat64(), eps * rng.NormFloat64(), eps * rng.NormFloat64()}
	}
	for i := range d.off.Bodies {
		b := &d.off.Bodies[i]
		b.Position, b.Velocity, b.Omega = b.Position.Add(random()), b.Velocity.Add(random()), b.Omega.Add(random())
		b.Rotation = b.Rotation.Integrate(random(), 1)
	}
	d.position, d.velocity = plantest.Errors(t, d.dyn.drift.mech, d.off)
	return d
}

// apart returns the largest difference of a number of two states.
func apart(a, b *mechanism.State) (e float64) {
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		for j := range 3 {
			e = max(e, math.Abs(x.Position[j]-y.Position[j]), math.Abs(x.Velocity[j]-y.Velocity[j]), math.Abs(x.Omega[j]-y.Omega[j]))
		}
		for j := range 4 {
			e = max(e, math.Abs(x.Rotation[j]-y.Rotation[j]))
		}
	}
	return e
}

// byTheFactor projects a copy of the state that is off, and reports whether that took no other factorization.
func (d *drifted) byTheFactor(t *testing.T, boundP, boundV float64) (*mechanism.State, bool) {
	t.Helper()
	st := d.off.Clone()
	f := d.dyn.solver.Workspace().Factor() // with which any other way factors
	runs := f.Runs()
	off, err := d.dyn.ProjectDrift(st, boundP, boundV)
	require.NoError(t, err)
	position, velocity := off.In(1)
	require.Equal(t, d.position, position)
	require.Equal(t, d.velocity, velocity)
	return st, f.Runs() == runs
}

// asBefore is the same by ClosePositions and ProjectVelocities.
func (d *drifted) asBefore(t *testing.T) *mechanism.State {
	t.Helper()
	st := d.off.Clone()
	require.NoError(t, d.dyn.ClosePositions(st))
	require.NoError(t, d.dyn.ProjectVelocities(st))
	return st
}

const (
	driftEps   = 1e-8
	driftBound = 1e-10
)

// driftCases have spherical and revolute joints, redundant ones, all types, and couplings.
var driftCases = []struct {
	family string
	n      int
}{{"ladder", 60}, {"nfourbar", 30}, {"random", 45}, {"grid", 6}, {"stewart", 1}, {"gear-train", 20}, {"belt", 20}}

// TestProjectDriftByTheFactor: the factor of a pose nearby closes the joints, and where it does is where
// the two methods do to the second order, of the displacement and of the distance between the poses
// (which is 1e-5 in the second round).
func TestProjectDriftByTheFactor(t *testing.T) {
	for _, c := range driftCases {
		d := newDrifted(t, c.family, c.n, driftEps, kkt.Options{})
		want := d.asBefore(t)
		for _, far := range []float64{0, 1e-5} {
			at := d.closed.Clone()
			for i := range at.Bodies {
				at.Bodies[i].Rotation = at.Bodies[i].Rotation.Integrate(spatial.Vec3{far, 0, -far}, 1)
			}
			if far > 0 {
				require.NoError(t, d.dyn.ClosePositions(at), c.family)
			}
			require.NoError(t, d.dyn.Accelerations(d.a, at), c.family)
			got, alone := d.byTheFactor(t, driftBound, driftBound)
			require.True(t, alone, "%s, %g", c.family, far)
			position, velocity := plantest.Errors(t, d.dyn.drift.mech, got)
			require.LessOrEqual(t, position, driftLeft*driftBound, c.family)
			fit, err := d.dyn.drift.measure(got)
			require.NoError(t, err)
			require.LessOrEqual(t, velocity, driftLeft*driftBound+closing.RateTol*max(fit.speed, fit.turn), c.family)
			require.Greater(t, apart(d.off, want), driftEps, c.family)
			require.LessOrEqual(t, apart(got, want), 100*driftEps*(driftEps+far)+driftLeft*driftBound, "%s, %g", c.family, far)
		}
	}
}

// TestProjectDriftWithin: states within the bounds stay bit by bit, and so do poses well within their bound if only velocities are not.
func TestProjectDriftWithin(t *testing.T) {
	d := newDrifted(t, "ladder", 60, driftEps, kkt.Options{})
	require.NoError(t, d.dyn.Accelerations(d.a, d.closed))
	unit := d.dyn.drift.unit // which bounds of lengths are in
	got, alone := d.byTheFactor(t, d.position/unit, d.velocity/unit)
	require.True(t, alone)
	require.Equal(t, d.off, got)
	require.NotPanics(t, func() { d.dyn.Solver().ComAcceleration(0) }, "results are still there")
	got, alone = d.byTheFactor(t, d.position/unit/driftSmall, driftBound)
	require.True(t, alone)
	for i := range got.Bodies {
		require.Equal(t, d.off.Bodies[i].Position, got.Bodies[i].Position)
		require.Equal(t, d.off.Bodies[i].Rotation, got.Bodies[i].Rotation)
	}
	_, velocity := plantest.Errors(t, d.dyn.drift.mech, got)
	require.LessOrEqual(t, velocity, driftLeft*driftBound)
	require.PanicsWithValue(t, "kkt: no solution", func() { d.dyn.Solver().ComAcceleration(0) })
}

// TestProjectDriftWithout: without a factor nearby, the result has the bits of the two methods.
func TestProjectDriftWithout(t *testing.T) {
	for _, c := range driftCases {
		d := newDrifted(t, c.family, c.n, driftEps, kkt.Options{})
		want := d.asBefore(t)
		for name, before := range map[string]func(){
			"nothing": func() {},
			"another time": func() {
				at := d.closed.Clone()
				at.Time++
				require.NoError(t, d.dyn.Accelerations(d.a, at))
			},
			"far": func() {
				at := d.closed.Clone()
				at.Bodies[0].Rotation = at.Bodies[0].Rotation.Integrate(spatial.Vec3{0, 2 * chordTurn, 0}, 1)
				_ = d.dyn.Accelerations(d.a, at) // may be inconsistent there
			},
		} {
			before()
			got, alone := d.byTheFactor(t, driftBound, driftBound)
			require.False(t, alone, "%s, %s", c.family, name)
			require.Equal(t, want, got, "%s, %s", c.family, name)
		}
		// A report takes the factor.
		require.NoError(t, d.dyn.Accelerations(d.a, d.closed))
		_, err := d.dyn.Solver().Report()
		require.NoError(t, err)
		got, alone := d.byTheFactor(t, driftBound, driftBound)
		require.False(t, alone)
		require.Equal(t, want, got)
	}
}

// TestProjectDriftByABadFactor: a factor that makes errors grow, or not fall enough, gives way
// to the two methods.
func TestProjectDriftByABadFactor(t *testing.T) {
	for _, c := range driftCases {
		d := newDrifted(t, c.family, c.n, driftEps, kkt.Options{})
		want := d.asBefore(t)
		for _, s := range []float64{-3, 0.5, 0.98} {
			require.NoError(t, d.dyn.Accelerations(d.a, d.closed))
			for i := range d.dyn.drift.mech.Bodies {
				E := &d.dyn.solver.Kinematics().Bodies[i].E // its corrections are s times as long
				for j := range E {
					E[j] *= s
				}
			}
			st := d.off.Clone()
			fit, err := d.dyn.drift.measure(st)
			require.NoError(t, err)
			require.False(t, d.dyn.correct(st, fit, driftBound, driftBound), "%s, %g", c.family, s)
			position, velocity := plantest.Errors(t, d.dyn.drift.mech, st)
			require.LessOrEqual(t, position, d.position*(1+1e-6), "%s, %g", c.family, s)
			require.LessOrEqual(t, velocity, 2*d.velocity, "%s, %g", c.family, s)
			_, err = d.dyn.ProjectDrift(st, driftBound, driftBound)
			require.NoError(t, err)
			position, velocity = plantest.Errors(t, d.dyn.drift.mech, st)
			require.LessOrEqual(t, position, driftBound, c.family)
			require.LessOrEqual(t, velocity, driftBound, c.family)
			require.LessOrEqual(t, apart(st, want), 1e-3*driftEps, "%s, %g", c.family, s)
		}
	}
}

// TestProjectDriftOnATeam: the same bits for any number of threads, of more bodies than one range has.
//
//rung:race
func TestProjectDriftOnATeam(t *testing.T) {
	var want *mechanism.State
	for _, threads := range []int{1, 3} {
		d := newDrifted(t, "ladder", 2*driftRange+100, driftEps, kkt.Options{Threads: threads})
		require.NoError(t, d.dyn.Accelerations(d.a, d.closed))
		got, alone := d.byTheFactor(t, driftBound, driftBound)
		require.True(t, alone)
		if want == nil {
			want = got
		}
		require.Equal(t, want, got)
	}
}

// TestProjectDriftSteps: no allocation, by the factor and without.
func TestProjectDriftSteps(t *testing.T) {
	for _, c := range driftCases {
		d := newDrifted(t, c.family, c.n, driftEps, kkt.Options{})
		st := d.off.Clone()
		var err error
		for _, factor := range []bool{true, false} {
			require.Zero(t, testing.AllocsPerRun(20, func() {
				copy(st.Bodies, d.off.Bodies)
				if factor {
					err = d.dyn.Accelerations(d.a, d.closed)
				}
				if _, e := d.dyn.ProjectDrift(st, driftBound, driftBound); e != nil {
					err = e
				}
			}), c.family)
			require.NoError(t, err, c.family)
		}
	}
}

// TestProjectDriftMisuse checks panics and errors for invalid states.
func TestProjectDriftMisuse(t *testing.T) {
	d := newDrifted(t, "ladder", 60, driftEps, kkt.Options{})
	require.PanicsWithValue(t, "motion: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _, _ = d.dyn.ProjectDrift(&mechanism.State{}, 1, 1) })
	st := d.off.Clone()
	st.Bodies[7].Omega[1] = math.NaN()
	_, err := d.dyn.ProjectDrift(st, 1, 1)
	require.ErrorIs(t, err, mechanism.ErrNotFinite)
	require.ErrorContains(t, err, d.dyn.drift.mech.BodyName(7))
	st = d.off.Clone()
	st.Time = math.Inf(1)
	_, err = d.dyn.ProjectDrift(st, 1, 1)
	require.ErrorIs(t, err, mechanism.ErrNotFinite)
}
