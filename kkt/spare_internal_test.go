package kkt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func leanModel(t testing.TB, family string, n int) *mechanism.Mechanism {
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	return compiled(t, m)
}

func compiled(t testing.TB, m *model.Model) *mechanism.Mechanism {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// leanFamilies are mechanisms with spare rows.
var leanFamilies = []struct {
	name string
	n    int
	tol  float64 // of accelerations, beside the whole system
}{
	{"scissor", 10, 1e-12}, {"scissor", 60, 1e-9}, {"hoberman", 8, 1e-11}, {"hoberman", 30, 1e-8}, {"miura", 4, 1e-12}, {"miura", 8, 1e-11},
	{"delta", 15, 1e-10}, {"hoberman-sphere", 2, 1e-10}, {"revolute-net", 5, 1e-11},
}

// TestLean: a solution without the spare rows agrees with the solution of the whole system, all rows hold, and the same rows count as
// redundant.
func TestLean(t *testing.T) {
	for _, c := range check.Some(leanFamilies, 4) {
		p := NewPlan(leanModel(t, c.name, c.n), Options{})
		require.NotNil(t, p.lean, c.name)
		s, whole := p.NewSolver(), p.NewSolver()
		whole.keepSpare()
		st, n := p.Initial(), 6*p.mech.NumBodies()
		require.NoError(t, s.Solve(st))
		require.NoError(t, whole.Solve(st))
		require.True(t, s.whole.isLean(), "%s %d", c.name, c.n)
		got, want := make([]float64, n), make([]float64, n)
		s.AccelerationsTo(got)
		whole.AccelerationsTo(want)
		check.CloseVec(t, got, want, c.tol, check.MaxAbs(want), "accelerations of %s %d", c.name, c.n)
		require.LessOrEqual(t, s.Inconsistency(), exactTol)
		require.False(t, s.Refinement().Worst.Spare, "%s %d: spare rows hold to rounding", c.name, c.n)
		a, err := s.Report()
		require.NoError(t, err)
		require.LessOrEqual(t, a.BackwardError, 1e-13)
		b, err := whole.Report()
		require.NoError(t, err)
		require.Equal(t, b.Rank, a.Rank)
		require.Equal(t, b.RedundantRows, a.RedundantRows)
		require.Equal(t, b.NearSingular, a.NearSingular)
		require.Equal(t, a.Redundant, p.lean.newLeanOn(nil).spare(), "%s %d", c.name, c.n)
	}
}

// TestLeanHasNoHistory: the bits of a solution depend neither on the states before, among them one that the lean system does not do for,
// nor on the number of threads.
func TestLeanHasNoHistory(t *testing.T) {
	check.Long(t)
	for _, c := range leanFamilies {
		mech := leanModel(t, c.name, c.n)
		p, q := NewPlan(mech, Options{}), NewPlan(mech, Options{Threads: 3})
		st, n := p.Initial(), 6*mech.NumBodies()
		want, got := make([]float64, n), make([]float64, n)
		s, other := p.NewSolver(), q.NewSolver()
		require.NoError(t, s.Solve(st))
		s.AccelerationsTo(want)
		_ = s.Solve(torn(st)) // may not converge
		require.False(t, s.whole.isLean(), c.name)
		require.NoError(t, s.Solve(st))
		require.True(t, s.whole.isLean(), c.name)
		s.AccelerationsTo(got)
		require.Equal(t, want, got, c.name)
		require.NoError(t, other.Solve(st))
		other.AccelerationsTo(got)
		require.Equal(t, want, got, c.name)
	}
}

// TestLeanCorrectedAtOnce: a solution that needs a correction has the same bits whether rows are judged one by one before it or not, on any
// number of threads. The plan finds which is the rule.
func TestLeanCorrectedAtOnce(t *testing.T) {
	rule := 0
	families := slices.Clone(leanFamilies)
	families[0].name, families[0].n = "miura", 16 // bodies with fronts of their own
	for _, c := range families {
		mech := leanModel(t, c.name, c.n)
		var want []float64
		for _, threads := range []int{1, 3} {
			p := NewPlan(mech, Options{Threads: threads})
			found := p.lean.corrected
			for _, corrected := range []bool{false, true} {
				p.lean.corrected = corrected
				s, got := p.NewSolver(), make([]float64, 6*mech.NumBodies())
				require.NoError(t, s.Solve(p.Initial()))
				s.AccelerationsTo(got)
				if want == nil {
					want = got
				}
				require.Equal(t, want, got, "%s %d, %v", c.name, c.n, corrected)
				require.Equal(t, found, s.Refinement().Steps > 0, "%s %d", c.name, c.n)
			}
			if found {
				rule++
			}
		}
	}
	require.Greater(t, rule, len(leanFamilies))
}

// torn returns a state near st that violates the joints by 1e-7, and tornBy by a given size.
func torn(st *mechanism.State) *mechanism.State { return tornBy(st, 1e-7) }

func tornBy(st *mechanism.State, size float64) *mechanism.State {
	out, rng := st.Clone(), rand.New(rand.NewPCG(1, 2))
	for i := range out.Bodies {
		turn := spatial.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}
		out.Bodies[i].Rotation = out.Bodies[i].Rotation.Integrate(turn, size)
	}
	return out
}

// TestLeanFails: where rows contradict each other, results have the bits that they have without a lean system.
func TestLeanFails(t *testing.T) {
	check.Long(t)
	for _, c := range leanFamilies {
		p := NewPlan(leanModel(t, c.name, c.n), Options{})
		s, whole := p.NewSolver(), p.NewSolver()
		whole.keepSpare()
		st, n := torn(p.Initial()), 6*p.mech.NumBodies()
		err := whole.Solve(st)
		require.Equal(t, err, s.Solve(st), c.name)
		require.False(t, s.whole.isLean(), c.name)
		if err != nil {
			continue
		}
		got, want := make([]float64, n), make([]float64, n)
		s.AccelerationsTo(got)
		whole.AccelerationsTo(want)
		require.Equal(t, want, got, c.name)
		require.Equal(t, whole.Refinement(), s.Refinement())
		require.Equal(t, whole.Inconsistency(), s.Inconsistency())
	}
}

// TestLeanNearSingularPoses: where the least pivot has fallen below leanPart of that at the model's state, the whole system is solved.
func TestLeanNearSingularPoses(t *testing.T) {
	for _, c := range leanFamilies {
		p := NewPlan(leanModel(t, c.name, c.n), Options{})
		s, st, least := p.NewSolver(), p.Initial(), p.lean.least
		for fallen, lean := range map[float64]bool{0.5 / leanPart: true, 2 / leanPart: false} {
			p.lean.least = fallen * least
			require.NoError(t, s.Solve(st))
			require.Equal(t, lean, s.whole.isLean(), "%s %d, %g", c.name, c.n, fallen)
		}
	}
}

// TestLeanNowhereElse: without redundant rows, with few of them, and where a plan would take long, there is no lean system.
func TestLeanNowhereElse(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
	}{{"ladder", 30}, {"chain", 20}, {"tree", 30}, {"grid", 4}, {"ball-net", 4}} {
		require.Nil(t, NewPlan(leanModel(t, c.name, c.n), Options{}).lean, c.name)
	}
	require.NotNil(t, NewPlan(leanModel(t, "scissor", 10), Options{Ordering: order.LeafFirst}).lean)
}

// TestLeanOfASingularPose: rows that depend on others at the pose of the model alone are not spare, whatever the bodies weigh.
func TestLeanOfASingularPose(t *testing.T) {
	for _, at := range []float64{0.3, math.Pi / 2} {
		for _, weight := range []float64{1e-14, 1, 1e14} {
			m, err := bench.NFourBar(3, at, 1)
			require.NoError(t, err)
			for i := range m.Bodies {
				b := &m.Bodies[i]
				I := &b.Inertia
				b.Mass, *I = b.Mass*weight, model.Inertia{
					XX: I.XX * weight, YY: I.YY * weight, ZZ: I.ZZ * weight, XY: I.XY * weight, XZ: I.XZ * weight, YZ: I.YZ * weight,
				}
			}
			p := NewPlan(compiled(t, m), Options{})
			y, st := p.layout.NewWeighted(), p.Initial()
			require.NoError(t, y.FillTo(st))
			l, err := p.chooseRows(t.Context(), p.symbolic.NewFactor(), y, 1)
			require.NoError(t, err)
			s := l.newLeanOn(nil)
			require.True(t, s.factorize(y.Matrix, nil, y.Scale, p.epsilon))
			require.Equal(t, at < 1, s.hasRankNearby(p, y, st), "%v, masses times %g", at, weight)
		}
	}
}

// TestSpareRowWithoutNumber: a spare row whose right side is NaN does not hold, whatever rows follow it.
func TestSpareRowWithoutNumber(t *testing.T) {
	p := NewPlan(leanModel(t, "scissor", 10), Options{})
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	l := s.whole.lean
	require.Greater(t, l.spare(), 1)
	right := append([]float64(nil), l.b...)
	for _, row := range l.row {
		copy(l.b, right)
		l.b[row] = math.NaN()
		require.True(t, math.IsNaN(l.worst(s.whole.x, 1).Ratio), "row %d", row)
	}
}
