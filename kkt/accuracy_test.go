package kkt_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// TestAccuracy: accelerations that need be known to 1e-6 only are, after fewer
// corrections, and the bits of those that are refined as far as can be come back
// with 0. True pivots of a mast of 200 stages are next to those of redundant rows, and one correction is not enough whatever the kernels
// of the processor round.
func TestAccuracy(t *testing.T) {
	const enough = 1e-6
	p := newPlan(t, generate(t, "scissor", 200, 1), order.Auto)
	st, n := p.Initial(), 6*p.Mechanism().NumBodies()
	want, got := make([]float64, n), make([]float64, n)
	s := p.NewSolver()
	require.NoError(t, s.Solve(st))
	s.AccelerationsTo(want)
	full := s.Refinement()

	s.SetAccuracy(enough)
	require.NoError(t, s.Solve(st))
	s.AccelerationsTo(got)
	require.Less(t, s.Refinement().Steps, full.Steps)
	require.LessOrEqual(t, s.Refinement().Error, enough)
	require.LessOrEqual(t, s.Inconsistency(), enough)
	check.CloseVec(t, got, want, enough, check.MaxAbs(want), "accelerations")

	s.SetAccuracy(0)
	require.NoError(t, s.Solve(st))
	s.AccelerationsTo(got)
	require.Equal(t, want, got)
	require.Equal(t, full, s.Refinement())
	for _, wrong := range []float64{-1, 2 * kkt.AccurateTol, math.NaN()} {
		require.PanicsWithValue(t, "kkt: option out of range", func() { s.SetAccuracy(wrong) })
	}
}

// TestAccuracyIsKept: accelerations are as near to the refined ones as was asked for, relative to the largest one, in all families and at
// several sizes, whatever their redundant rows and however large the loads are that cancel. No number is known better than
// the rounding of gravity.
func TestAccuracyIsKept(t *testing.T) {
	check.Long(t)
	const gravity = 9.81
	for _, c := range []struct {
		family string
		sizes  []int
	}{
		{"hoberman", []int{5, 11, 20, 44, 80}}, {"hoberman-sphere", []int{3, 5}}, {"scissor", []int{10, 40, 80, 200, 400}}, {"miura", []int{4, 8, 12}},
		{"delta", []int{10, 26}}, {"jansen", []int{2, 6}}, {"excavator", []int{2, 10}}, {"revolute-net", []int{3, 8}}, {"ladder", []int{10, 100}},
		{"ball-net", []int{6, 16, 24, 30}}, {"nfourbar", []int{10, 100}}, {"grid", []int{5, 12}}, {"chain", []int{10, 100}}, {"tree", []int{40}},
		{"stewart", []int{3}}, {"random", []int{20, 60}}, {"biped", []int{1, 4}},
	} {
		for _, size := range c.sizes {
			p := newPlan(t, generate(t, c.family, size, 1), order.Auto)
			st, n := p.Initial(), 6*p.Mechanism().NumBodies()
			want, got := make([]float64, n), make([]float64, n)
			s := p.NewSolver()
			require.NoError(t, s.Solve(st))
			s.AccelerationsTo(want)
			steps := s.Refinement().Steps
			for _, enough := range []float64{1e-6, 1e-8, 1e-10, 1e-12} {
				s.SetAccuracy(enough)
				require.NoError(t, s.Solve(st))
				s.AccelerationsTo(got)
				scale := check.MaxAbs(want)
				check.CloseVec(t, got, want, max(enough, 0x1p-52*gravity/scale), scale, "%s %d, asked for %g", c.family, size, enough)
				require.LessOrEqual(t, s.Refinement().Steps, steps, "%s %d, asked for %g", c.family, size, enough)
			}
		}
	}
}

// netTol is how far accelerations may be apart in orders of elimination, relative to the largest one: some roundings. Where the
// refinement ends by the last ratio of two corrections alone, they are up to 6e-14 apart.
const netTol = 3e-15

// TestNearlyDependentRows: nets of balls whose rows nearly depend on each other
// have the same accelerations in every order of elimination, as residuals have
// twice the digits there. With residuals in doubles they agree to 2e-11 and 1e-9.
func TestNearlyDependentRows(t *testing.T) {
	for _, size := range []int{24, 28, 30} {
		var want []float64
		for _, o := range []order.Ordering{order.NestedDissection, order.Banded, order.MinDegree, order.LeafFirst} {
			p := newPlan(t, generate(t, "ball-net", size, 1), o)
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			require.LessOrEqual(t, s.Refinement().Error, 1e-15)
			got := make([]float64, 6*p.Mechanism().NumBodies())
			if s.AccelerationsTo(got); want == nil {
				want = got
				continue
			}
			check.CloseVec(t, got, want, netTol, check.MaxAbs(want), "accelerations of %d × %d in order %v", size, size, o)
		}
	}
}

// TestCorrectingFactor is there after a Solve until the system is another one, and says whether rows count as redundant.
func TestCorrectingFactor(t *testing.T) {
	for family, redundant := range map[string]bool{"scissor": true, "stewart": false} {
		p := newPlan(t, generate(t, family, 3, 1), order.Auto)
		s := p.NewSolver()
		there, _, _ := s.Corrector().Factor()
		require.False(t, there)
		x := make([]float64, p.Layout().Pattern.Dim())
		require.PanicsWithValue(t, "kkt: no factor", func() { s.Corrector().SolveErrorsTo(x, x, nil, p.Initial()) })
		require.NoError(t, s.Solve(p.Initial()))
		there, weak, _ := s.Corrector().Factor()
		require.True(t, there)
		require.Equal(t, redundant, weak, family)
		s.Corrector().Drop()
		there, _, _ = s.Corrector().Factor()
		require.False(t, there)
	}
}

// TestLeftErrors: what a correction of velocities leaves is what the joints say of the corrected ones, also where rows were left out
// that it does not see; up to what poses are off by, times the correction. Of a reduced system nothing is known.
func TestLeftErrors(t *testing.T) {
	const (
		tol  = 1e-13 // rounding of sums of a hundred terms
		arms = 0.5   // how much farther off arms are in the system than where joints measure velocities, in units of what poses are off
	)
	for _, c := range []struct {
		family string
		n      int
		off    float64 // m
		known  bool
		least  float64 // of the largest error that is left
	}{{"miura", 10, 2e-9, true, 4e-9}, {"cam-train", 3, 0, true, 0}, {"nfourbar", 8, 0, false, 0}} {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		m, l := p.Mechanism(), p.Layout()
		st, k, r := p.Initial(), m.NewKinematics(), check.Rand(3)
		for i := range st.Bodies {
			for a := range 3 {
				st.Bodies[i].Position[a] += c.off * (r.Float64() - 0.5)
				st.Bodies[i].Velocity[a] += r.Float64() - 0.5
			}
		}
		require.NoError(t, m.KinematicsTo(k, st))
		measure := func() []float64 {
			e := make([]float64, l.Pattern.Dim())
			var delta, rate [6]float64
			for node := m.NumBodies(); node < l.Pattern.Len(); node++ {
				require.NoError(t, m.ConstraintErrorsTo(&delta, &rate, l.NodeConstraint(node), k, st))
				copy(e[l.Pattern.Off[node]:l.Pattern.Off[node+1]], rate[:])
			}
			return e
		}
		s := p.NewSolver()
		e := measure()
		x, left := make([]float64, len(e)), make([]float64, len(e))
		s.SetAccuracy(1e-6)
		require.NoError(t, s.Solve(st))
		require.Equal(t, c.known, s.Corrector().SolveErrorsTo(x, e, left, st), c.family)
		want := slices.Clone(x)
		require.NoError(t, s.Solve(st))
		s.Corrector().SolveErrorsTo(x, e, nil, st)
		n := 6 * m.NumBodies()
		require.Equal(t, want[:n], x[:n])
		if !c.known {
			continue
		}
		for i := range st.Bodies {
			st.Bodies[i].AddComVelocity(-1, (*[6]float64)(x[6*i:]), &k.Bodies[i].Com)
		}
		after := measure()
		check.CloseVec(t, left, after, tol*check.MaxAbs(e)+arms*c.off*check.MaxAbs(x[:n]), 1, "%s", c.family)
		require.GreaterOrEqual(t, check.MaxAbs(left), c.least, c.family)
	}
}

// TestKeepAllRows: a folded sheet whose faces are 2e-9 m off has rows that pass for redundant and are not quite. Corrections
// of velocities with the factor of a Solve leave errors in them; with all rows kept they leave next to none. Where
// no row is nearly redundant, both are the same.
func TestKeepAllRows(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		off    float64 // m
		blind  bool
	}{{"miura", 10, 2e-9, true}, {"stewart", 3, 0, false}} {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		m, l := p.Mechanism(), p.Layout()
		st, k, r := p.Initial(), m.NewKinematics(), check.Rand(3)
		for i := range st.Bodies {
			for a := range 3 {
				st.Bodies[i].Position[a] += c.off * (r.Float64() - 0.5)
				st.Bodies[i].Velocity[a] += r.Float64() - 0.5
			}
		}
		require.NoError(t, m.KinematicsTo(k, st))
		e, x := make([]float64, l.Pattern.Dim()), make([]float64, l.Pattern.Dim())
		measure := func(st *mechanism.State) (most float64) {
			var delta, rate [6]float64
			for node := m.NumBodies(); node < l.Pattern.Len(); node++ {
				require.NoError(t, m.ConstraintErrorsTo(&delta, &rate, l.NodeConstraint(node), k, st))
				copy(e[l.Pattern.Off[node]:l.Pattern.Off[node+1]], rate[:])
			}
			return check.MaxAbs(e)
		}
		s := p.NewSolver()
		require.PanicsWithValue(t, "kkt: no factor", func() { s.Corrector().KeepAllRows() })
		corrected := func() float64 {
			now := &mechanism.State{Time: st.Time, Bodies: slices.Clone(st.Bodies)}
			for range 3 {
				measure(now)
				s.Corrector().SolveErrorsTo(x, e, nil, now)
				for i := range now.Bodies {
					now.Bodies[i].AddComVelocity(-1, (*[6]float64)(x[6*i:]), &k.Bodies[i].Com)
				}
			}
			return measure(now)
		}
		s.SetAccuracy(1e-6)
		require.NoError(t, s.Solve(st))
		dropped := corrected()
		require.True(t, s.Corrector().KeepAllRows())
		there, _, _ := s.Corrector().Factor()
		require.True(t, there)
		kept := corrected()
		t.Logf("%s: %.2g and %.2g of %.2g m/s are left", c.family, dropped, kept, measure(st))
		if c.blind {
			require.Greater(t, dropped, 10*kept)
		}
		require.Less(t, kept, 5e-9)
		require.True(t, s.Corrector().KeepAllRows()) // once more is nothing
		require.Equal(t, kept, corrected())
	}
}
