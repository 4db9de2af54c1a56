package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// noting notes a try that repeats the one before.
type noting struct {
	*sim.RungeKutta
	from, to float64
	repeated int
	tries    int
}

func (n *noting) Try(st *mechanism.State, t float64) (float64, error) {
	if n.tries++; st.Time == n.from && t == n.to {
		n.repeated++
	}
	n.from, n.to = st.Time, t
	return n.RungeKutta.Try(st, t)
}

// camsOf is a cam train, which is regular in all poses.
func camsOf(t *testing.T) *rig {
	t.Helper()
	m, err := bench.Generate("cam-train", 2, 1)
	require.NoError(t, err)
	return dynamicsOf(t, m)
}

// TestRegularStepsStayOpen: in regular poses, steps that are only inaccurate become shorter and their stages stay open. Four steps in ten
// were tried with closed stages, each three times, and the run took four times as long.
func TestRegularStepsStayOpen(t *testing.T) {
	r := camsOf(t)
	s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj})
	require.NoError(t, s.Run(0.05))
	n := s.Stats()
	t.Logf("%+v", n)
	require.Positive(t, n.Rejected)
	require.Zero(t, n.Careful)
}

// TestClosedStepsAreNotRepeated: a step that was rejected with closed stages is not tried the same way again.
func TestClosedStepsAreNotRepeated(t *testing.T) {
	r := camsOf(t)
	k := &noting{RungeKutta: r.rungeKutta(sim.DormandPrince(), 1e-8), from: -1}
	s := sim.New(r.mech, k, r.mech.Initial(), sim.Options{Projector: r.proj, CloseStages: true, InitialStep: 1e-3})
	require.NoError(t, s.Run(0.02))
	t.Logf("%d tries, %+v", k.tries, s.Stats())
	require.Positive(t, s.Stats().Careful)
	require.Zero(t, k.repeated)
}

// TestOpenStepsAreAccurate: in regular poses each step that is taken with open stages is as accurate as the tolerance says: it ends
// within it of where a fine run from its start is then. So are steps whose stages are all closed.
func TestOpenStepsAreAccurate(t *testing.T) {
	check.Long(t)
	const tol, fine = 1e-6, 1e-11
	for _, c := range []struct {
		family string
		n      int
		until  float64
	}{{"cam-train", 2, 0.02}, {"valve-train", 2, 0.02}, {"ladder", 12, 0.5}, {"grid", 4, 0.3}, {"nfourbar", 8, 1}} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		r := dynamicsOf(t, m)
		for _, closed := range []bool{false, true} {
			worst, from := 0.0, r.mech.Initial()
			s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj, CloseStages: closed, OnStep: func(s *sim.Simulation) error {
				k := dynamicsOf(t, m).rungeKutta(sim.DormandPrince(), fine)
				exact := sim.New(r.mech, k, from, sim.Options{Projector: r.proj, InitialStep: 1e-5})
				if err := exact.Run(s.State().Time); err != nil {
					return err
				}
				worst = max(worst, r.apart(s.State(), exact.State(), from))
				from = s.State().Clone()
				return nil
			}})
			require.NoError(t, s.Run(c.until))
			n := s.Stats()
			t.Logf("%s, closed %t: error of a step at most %.2g of the tolerance; %+v", c.family, closed, worst/tol, n)
			if !closed {
				require.Zero(t, n.Careful, c.family)
			}
			require.LessOrEqual(t, worst, tol, "%s, closed %t", c.family, closed)
		}
	}
}

// apart returns the largest difference of two states in the measure of sim.Tolerance, for a step that has begun in from.
func (r *rig) apart(a, b, from *mechanism.State) (worst float64) {
	L := r.mech.TypicalLength()
	k := r.mech.NewKinematics()
	for i := range a.Bodies {
		var x, y, v [6]float64
		com := func(u *[6]float64, st *mechanism.State) (center [3]float64) {
			r.mech.BodyTo(&k.Bodies[i], st, i)
			st.Bodies[i].ComVelocityTo(u, &k.Bodies[i].Com)
			return st.Bodies[i].Position.Add(k.Bodies[i].Com)
		}
		p, q := com(&x, a), com(&y, b)
		com(&v, from)
		turn := a.Bodies[i].Rotation.Mul(b.Bodies[i].Rotation.Conj()).Log().Norm()
		worst = max(worst, turn, norm3(p, q)/L, norm3([3]float64(x[:3]), [3]float64(y[:3]))/(1+norm3([3]float64(v[:3]), [3]float64{})),
			norm3([3]float64(x[3:]), [3]float64(y[3:]))/(L*(1+norm3([3]float64(v[3:]), [3]float64{})/L)))
	}
	return worst
}

// norm3 returns the length of a − b.
func norm3(a, b [3]float64) float64 { return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]) }

// TestRedundantStepsClose: in a linkage that only its geometry makes movable rows are redundant at each pose. Rejected steps close their
// stages there, and the run is as accurate as one whose stages are all closed. So it is at coarse tolerances, where all stages of a step that is not closed
// have lost the redundant row and agree in a wrong motion, 600 times the tolerance off.
func TestRedundantStepsClose(t *testing.T) {
	check.Long(t)
	r := dynamicsOf(t, open(t, "golden", "bricard-6r.model.json"))
	run := func(tol float64, closed bool) (*mechanism.State, sim.Stats) {
		s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj, CloseStages: closed})
		require.NoError(t, s.Run(2))
		return s.State(), s.Stats()
	}
	exact, _ := run(1e-12, true)
	for _, tol := range []float64{1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8} {
		st, n := run(tol, false)
		closed, m := run(tol, true)
		off, bound := r.apart(st, exact, exact), r.apart(closed, exact, exact)
		t.Logf("tolerance %g: off by %.2g in %d steps, with closed stages by %.2g in %d, %+v", tol, off, n.Steps, bound, m.Steps, n)
		require.Positive(t, n.Careful)
		require.LessOrEqual(t, off, 1.2*bound)
	}
}
