package factor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// nearSingular are two bodies of two rows and unit blocks, each held by two rows
// of its own joint that differ by the angle d from being parallel:
//
//	x₁ = c₁,  x₁·cos d + x₂·sin d = c₂.
//
// It returns the matrix, a right side, and the +1 part of the solution.
func nearSingular(d float64) (m *sparse.Matrix, b, want []float64) {
	p := sparse.NewPattern([]int8{2, 2, 2, 2}, []int8{1, 1, -1, -1}, []int32{0, 0, 0, 1, 2}, []int32{0, 1})
	m = sparse.NewMatrix(p)
	copy(m.Dia, []float64{1, 0, 0, 1, 1, 0, 0, 1})
	sin, cos := math.Sincos(d)
	copy(m.Val, []float64{1, 0, cos, sin, 1, 0, cos, sin})
	// x = (0, 1) and (1, 0), with loads that only the multipliers feel.
	want = []float64{0, 1, 1, 0}
	return m, []float64{3, -1, 2, 5, 0, sin, 1, cos}, want
}

// Refinement reaches the accuracy that it predicts, and stops when it does not
// get further.
func TestRefineNearSingular(t *testing.T) {
	const (
		slack = 10 // of the predicted error
		floor = 4e-16
	)
	for _, d := range []float64{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5} {
		t.Run(fmt.Sprintf("d=%g", d), func(t *testing.T) {
			m, b, want := nearSingular(d)
			scale := scales(t, m)
			f := factored(t, m, order.Of(m.Pattern, order.Natural), scale, epsilon, factor.Everywhere)
			x, r := make([]float64, len(b)), make([]float64, len(b))
			f.SolveTo(x, b)
			first := distance(x, want)
			ref := f.SolveRefinedTo(x, r, b, m, 0)
			last := distance(x, want)
			// Rounding of the rows themselves moves x₂ by one unit over d.
			assert.LessOrEqual(t, last, slack*ref.Error+floor/d)
			if d >= 1e-4 {
				assert.LessOrEqual(t, ref.Error, 1e-15)
			}
			if first > 1e-12 {
				assert.Less(t, last, 0.1*first)
			}
			assert.Positive(t, ref.Steps)
			requireResidualIs(t, m, b, x, r)
		})
	}
}

// A slow mode that the right side hardly excites: the first corrections are
// small, but the contraction tells that they will not shrink as fast.
func TestRefineHeedsContraction(t *testing.T) {
	const (
		small = 1e-9 // of the excitation of the slow mode
		tol   = 1e-14
	)
	m, _, _ := nearSingular(1e-5)
	copy(m.Val, []float64{1, 0, 0, 1}) // body 0 is held well
	b := []float64{3, -1, 2 * small, 5 * small, 0.5, 0.25, 0, small * math.Sin(1e-5)}
	want := []float64{0.5, 0.25, 0, small}
	f := factored(t, m, order.Of(m.Pattern, order.Natural), scales(t, m), epsilon, factor.Everywhere)
	require.Greater(t, f.Contraction, 1e-3)
	x, r := make([]float64, len(b)), make([]float64, len(b))
	ref := f.SolveRefinedTo(x, r, b, m, 0)
	require.Greater(t, ref.Steps, 1)
	require.LessOrEqual(t, distance(x, want), tol)
}

// Two rows closer to parallel than the term resolves: conjugate gradients get there, up to
// what the rounding of the rows moves.
func TestRefineBeyondTheTerm(t *testing.T) {
	const slack, floor = 10, 4e-16 // as in TestRefineNearSingular
	for _, d := range []float64{1e-6, 3e-7, 1e-7, 1e-8, 1e-9} {
		m, b, want := nearSingular(d)
		f := factored(t, m, order.Of(m.Pattern, order.Natural), scales(t, m), epsilon, factor.Everywhere)
		x, r := make([]float64, len(b)), make([]float64, len(b))
		ref := f.SolveRefinedTo(x, r, b, m, 0)
		t.Logf("d = %g: error %.2g, predicted %.2g", d, distance(x, want), ref.Error)
		require.Less(t, ref.Error, 1e-6, "d = %g", d)
		require.LessOrEqual(t, distance(x, want), slack*ref.Error+floor/d, "d = %g", d)
		require.Less(t, ref.Steps, 12, "d = %g", d)
		requireResidualIs(t, m, b, x, r)
	}
}

// distance is the largest difference of the +1 parts of x and want.
func distance(x, want []float64) float64 {
	worst := 0.0
	for i, w := range want {
		worst = max(worst, math.Abs(x[i]-w))
	}
	return worst
}

// requireResidualIs requires r to be b − m·x up to the rounding of its terms.
func requireResidualIs(t *testing.T, m *sparse.Matrix, b, x, r []float64) {
	t.Helper()
	want := make([]float64, len(b))
	m.ResidualTo(want, b, x)
	for i := range want {
		terms := math.Abs(b[i])
		for j, v := range x {
			terms += math.Abs(m.At(i, j) * v)
		}
		require.InDelta(t, want[i], r[i], 8*0x1p-53*terms, "row %d", i)
	}
}

// A large term leaves no trace after enough steps, and each step shrinks the
// error about as Contraction says.
func TestRefineRemovesTheTerm(t *testing.T) {
	p := sparsetest.Ladder(6)
	m := incidenceMatrix(p, rand.New(rand.NewPCG(1, 41)))
	scale := scales(t, m)
	b := consistentSide(m, rand.New(rand.NewPCG(2, 41)))
	want, _ := constrained(t, m, scale, b)
	np := positiveRows(p)
	for _, eps := range []float64{1e-4, 1e-6, 1e-8, 1e-10} {
		for _, o := range order.All() {
			f := factored(t, m, order.Of(p, o), scale, eps, factor.Everywhere)
			x, r := make([]float64, len(b)), make([]float64, len(b))
			ref := f.SolveRefinedTo(x, r, b, m, 0)
			require.Less(t, f.Contraction, 0.5)
			require.LessOrEqual(t, ref.Error, 1e-10, "eps %g, %v", eps, o)
			check.CloseVec(t, x[:np], want[:np], weakTol, check.MaxAbs(want[:np]), "x, eps %g, %v", eps, o)
			requireResidualIs(t, m, b, x, r)
		}
	}
}

// On redundant rows refinement tends to the multipliers of least norm in the
// metric of the terms.
func TestRefineLeastNorm(t *testing.T) {
	const (
		eps = 1e-6
		// Rounding of the right side over the term that resolves it.
		tol = 1e-7
	)
	for _, c := range redundantSystems() {
		scale := scales(t, c.m)
		b := consistentSide(c.m, rand.New(rand.NewPCG(3, 41)))
		want, _ := constrained(t, c.m, scale, b)
		for _, o := range order.All() {
			f := factored(t, c.m, order.Of(c.m.Pattern, o), scale, eps, factor.Everywhere)
			x, r := make([]float64, len(b)), make([]float64, len(b))
			f.SolveRefinedTo(x, r, b, c.m, 0)
			check.CloseVec(t, x, want, tol, check.MaxAbs(want), "%s, %v", c.name, o)
		}
	}
}

// A right side of zero, a system of bodies only and one without rows are solved
// at once.
func TestRefineTrivial(t *testing.T) {
	for name, p := range map[string]*sparse.Pattern{
		"empty": sparsetest.New(0, nil), "bodies": sparsetest.New(2, nil), "chain": sparsetest.Chain(3, false),
	} {
		m := randomMatrix(p, rand.New(rand.NewPCG(4, 41)))
		f := factored(t, m, order.Of(p, order.Natural), ones(m), 1e-12, factor.Everywhere)
		n := p.Dim()
		x, r := make([]float64, n), make([]float64, n)
		ref := f.SolveRefinedTo(x, r, make([]float64, n), m, 0)
		require.Equal(t, factor.Refinement{Steps: 1, Worst: factor.Worst{Node: -1, Row: -1}}, ref, name)
		require.Equal(t, make([]float64, n), x, name)
	}
}

// Worst is the measure that its comment defines, of any of the rows.
func TestRefinementWorst(t *testing.T) {
	for name, p := range smallGraphs() {
		if p.Dim() == positiveRows(p) {
			continue
		}
		rng := rand.New(rand.NewPCG(9, uint64(p.Dim())))
		m := sparse.NewUnitMatrix(p)
		for i := range m.Val {
			m.Val[i] = rng.NormFloat64()
		}
		scale := make([]float64, p.Dim())
		for i := positiveRows(p); i < p.Dim(); i++ {
			scale[i] = rng.Float64() + 0.5
		}
		// A right side that the rows contradict, so that residuals stay.
		b := randomVector(p.Dim(), rng)
		for _, policy := range []factor.Policy{factor.WhereWeak, factor.Everywhere} {
			f := factor.Analyze(p, order.Of(p, order.MinDegree)).NewFactor()
			require.NoError(t, f.Factorize(m, scale, 0.1, policy), name)
			x, r := make([]float64, len(b)), make([]float64, len(b))
			ref := f.SolveRefinedTo(x, r, b, m, 0)
			want := 0.0
			for i := p.Positive(); i < p.Len(); i++ {
				for k := p.Off[i]; k < p.Off[i+1]; k++ {
					want = math.Max(want, rowMeasure(m, scale, x, r, b, ref.Size, policy, i, int(k)))
				}
			}
			if want <= 1e-14 {
				want = 0 // counts as rounding
			}
			check.Close(t, ref.Worst.Ratio, want, 1e-12, want, "%s, policy %d", name, policy)
			if want > 0 {
				at := int(p.Off[ref.Worst.Node]) + ref.Worst.Row
				got := rowMeasure(m, scale, x, r, b, ref.Size, policy, ref.Worst.Node, at)
				check.Close(t, got, want, 1e-12, want, "%s: the row named", name)
			}
		}
	}
}

// rowMeasure is the definition of factor.Worst for scalar row k of node i.
func rowMeasure(m *sparse.Matrix, scale, x, r, b []float64, size float64, policy factor.Policy, i, k int) float64 {
	if r[k] == 0 {
		return 0
	}
	p := m.Pattern
	norm := func(v []float64) (s float64) {
		for _, e := range v {
			s = math.Hypot(s, e)
		}
		return s
	}
	a, load := 1e-4*size, 0.0
	for _, j := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
		a += norm(x[p.Off[j]:p.Off[j+1]])
		load += norm(b[p.Off[j]:p.Off[j+1]])
	}
	load *= math.Sqrt(scale[k])
	if policy == factor.WhereWeak {
		load = scale[k] * check.MaxAbs(x[p.Off[i]:p.Off[i+1]])
	}
	return math.Abs(r[k]) / (math.Abs(b[k]) + math.Sqrt(scale[k])*a + load)
}

// The residual is b − K·x in every row of a joint, whichever part of the sweep or of the
// check has found it, with the same bits on any number of threads: on graphs that are
// divided into tasks, for bodies of any size, leaves or not, and after corrections.
//
//rung:norace it is long, and TestRightSideInTheFactor corrects on three goroutines
func TestRefineResiduals(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(10, 41))
	patterns := map[string]*sparse.Pattern{
		"ladder": sparsetest.Ladder(600), "grid": sparsetest.Grid(20), "tree": sparsetest.Tree(1500, rng), "wheel": sparsetest.Star(60, 3, 30),
		"islands": sparsetest.Islands(200), "gears": sparsetest.Random(150, 120, 5, 6, rng), "no body": sparsetest.New(0, []sparsetest.Joint{{Rows: 3}, {Rows: 1}}),
	}
	for _, name := range []string{"ladder", "grid", "tree", "gears"} {
		patterns[name+" of any sizes"] = resized(patterns[name], rng)
	}
	teams := []*team.Team{team.New(1), team.New(3)}
	steps := 0
	for name, p := range patterns {
		m := sparse.NewUnitMatrix(p)
		for i := range m.Val {
			m.Val[i] = rng.NormFloat64()
		}
		scale, b := ones(m), randomVector(p.Dim(), rng) // which the rows contradict, so that residuals stay
		perms := [][]int32{order.Of(p, order.MinDegree), order.Of(p, order.Banded), shuffled(p.Len(), rng)}
		for _, perm := range perms {
			s := factor.Analyze(p, perm)
			for _, policy := range []factor.Policy{factor.WhereWeak, factor.Everywhere} {
				var want []float64
				for _, on := range teams {
					f := s.NewFactorOn(on)
					require.NoError(t, f.FactorizeFor(b, m, scale, 0.1, policy), name)
					for range 2 { // from the panels, and from the core vector
						x, r := make([]float64, len(b)), make([]float64, len(b))
						steps += f.SolveRefinedTo(x, r, b, m, 0).Steps
						requireJointResiduals(t, m, b, x, r, name)
						if f.SolveTo(x, b); on == teams[0] {
							want = append(append(want, x...), r...)
						} else {
							require.Equal(t, want[:2*len(b)], append(x, r...), name)
							want = want[2*len(b):]
						}
					}
				}
			}
		}
	}
	require.Greater(t, steps, 100)
}

// Size is the largest norm of a +1 node's part of the solution, those without joints
// included, after corrections too.
func TestRefinementSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 41))
	for name, p := range map[string]*sparse.Pattern{
		"bodies": sparsetest.New(3, nil), "chain": sparsetest.Chain(5, false), "hub": sparsetest.Star(5, 0, 0),
		"loose": sparsetest.New(4, []sparsetest.Joint{sparsetest.Link(3, 0, 1), sparsetest.Link(5, 1, sparsetest.World)}),
	} {
		m := sparse.NewUnitMatrix(p)
		for i := range m.Val {
			m.Val[i] = rng.NormFloat64()
		}
		for large := range p.Positive() {
			b := randomVector(p.Dim(), rng)
			b[p.Off[large]] = 1e3
			for _, policy := range []factor.Policy{factor.WhereWeak, factor.Everywhere} {
				f := factored(t, m, order.Of(p, order.MinDegree), ones(m), 1e-2, policy)
				x, r := make([]float64, len(b)), make([]float64, len(b))
				ref := f.SolveRefinedTo(x, r, b, m, 0)
				want := 0.0
				for i := range p.Positive() {
					q := 0.0
					for _, v := range x[p.Off[i]:p.Off[i+1]] {
						q += v * v
					}
					want = max(want, math.Sqrt(q))
				}
				check.Close(t, ref.Size, want, 1e-15, want, "%s, body %d, policy %d", name, large, policy)
				require.Equal(t, max(ref.Size, 1e6), f.SolveRefinedTo(x, r, b, m, 1e6).Size)
			}
		}
	}
}

// What is not a number shows in Error and in Size or Worst, wherever in the right side it
// is, also if all that is looked at later is finite.
func TestRefineNotFinite(t *testing.T) {
	p := sparsetest.New(7, []sparsetest.Joint{sparsetest.Link(3, 0, 1), sparsetest.Link(5, 1, sparsetest.World), sparsetest.Link(3, 3, 4), sparsetest.Link(5, 5, sparsetest.World), sparsetest.Link(6, 6, sparsetest.World)})
	rng := rand.New(rand.NewPCG(12, 41))
	m := sparse.NewUnitMatrix(p)
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	for _, perm := range [][]int32{order.Of(p, order.Natural), shuffled(p.Len(), rng)} {
		for _, policy := range []factor.Policy{factor.WhereWeak, factor.Everywhere} {
			f := factored(t, m, perm, ones(m), 1e-2, policy)
			for i := range p.Dim() {
				b := randomVector(p.Dim(), rng)
				b[i] = math.NaN()
				x, r := make([]float64, len(b)), make([]float64, len(b))
				ref := f.SolveRefinedTo(x, r, b, m, 0)
				require.True(t, math.IsNaN(ref.Error), "row %d: %+v", i, ref)
				require.True(t, math.IsNaN(ref.Size) || math.IsNaN(ref.Worst.Ratio), "row %d: %+v", i, ref)
			}
		}
	}
}

// requireJointResiduals requires r to be b − m·x in the −1 rows, up to the rounding of
// the terms.
func requireJointResiduals(t *testing.T, m *sparse.Matrix, b, x, r []float64, name string) {
	t.Helper()
	want, terms := make([]float64, len(b)), make([]float64, len(b))
	m.ResidualTo(want, b, x)
	size := sparse.NewUnitMatrix(m.Pattern)
	copy(size.Val, magnitudes(m.Val))
	size.MulVecTo(terms, magnitudes(x))
	for i := positiveRows(m.Pattern); i < len(b); i++ {
		require.InDelta(t, want[i], r[i], 16*0x1p-53*(terms[i]+math.Abs(b[i])), "%s, row %d", name, i)
	}
}

// TestSolveWithin: with less accuracy asked for, refinement makes no more corrections, and the error that it predicts
// and the residuals are within that.
func TestSolveWithin(t *testing.T) {
	saved := 0
	for _, d := range []float64{1, 1e-2, 1e-3} {
		m, b, want := nearSingular(d)
		for policy, eps := range map[factor.Policy]float64{factor.WhereWeak: epsilon, factor.Everywhere: 1e-9} {
			f := factored(t, m, order.Of(m.Pattern, order.Natural), scales(t, m), eps, policy)
			x, r := make([]float64, len(b)), make([]float64, len(b))
			full := f.SolveRefinedTo(x, r, b, m, 0)
			for _, enough := range []float64{1e-6, 1e-10} {
				ref := f.SolveWithinTo(x, r, b, m, 0, enough)
				require.LessOrEqual(t, ref.Steps, full.Steps)
				require.LessOrEqual(t, ref.Error, max(enough, full.Error))
				require.LessOrEqual(t, ref.Worst.Ratio, enough)
				require.LessOrEqual(t, distance(x, want), 100*max(enough, full.Error), "%g, %v", d, policy)
				saved += full.Steps - ref.Steps
			}
			for _, wrong := range []float64{-1, math.NaN()} {
				require.PanicsWithValue(t, "factor: option out of range", func() { f.SolveWithinTo(x, r, b, m, 0, wrong) })
			}
		}
	}
	require.Positive(t, saved)
}
