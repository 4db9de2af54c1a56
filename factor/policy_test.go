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
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/sparse/interop"
)

const (
	// epsilon is the proximal term that the tests of redundant rows use, that of
	// design: far above rounding, far below true pivots.
	epsilon = 1e-12
	// weakTol bounds what a solve leaves of the multipliers of weak rows and of
	// the error of the +1 part, relative to the largest multiplier and solution:
	// rounding times the condition of the rows that stand, up to 1e6 here.
	weakTol = 1e-9
	// pivotTol is the rounding of PivotsTo: a factor keeps reciprocals.
	pivotTol = 4e-16
)

// redundant is a system with rows that depend on others.
type redundant struct {
	name string
	m    *sparse.Matrix
}

// withJoints returns m with more joints; blocks of joint k start as zero and
// are filled by fill.
func withJoints(m *sparse.Matrix, more []sparsetest.Joint, fill func(m *sparse.Matrix, first int)) *sparse.Matrix {
	p := sparsetest.New(m.Pattern.Positive(), append(sparsetest.JointsOf(m.Pattern), more...))
	w := sparse.NewMatrix(p)
	copy(w.Dia, m.Dia)
	copy(w.Val, m.Val)
	fill(w, m.Pattern.Len())
	return w
}

// block returns the values of the k-th block of node i.
func block(m *sparse.Matrix, i, k int) []float64 {
	at := int(m.Pattern.Ptr[i]) + k
	return m.Val[m.Pattern.Pos[at]:m.Pattern.Pos[at+1]]
}

// redundantSystems are small systems with duplicate rows, linear combinations
// and loops of every kind.
func redundantSystems() []redundant {
	rng := rand.New(rand.NewPCG(1, 21))
	chain := randomMatrix(sparsetest.Chain(6, false), rng)
	list := []redundant{
		{"ladder", incidenceMatrix(sparsetest.Ladder(5), rng)},
		{"closed chain", incidenceMatrix(sparsetest.Chain(12, true), rng)},
		{"grid", incidenceMatrix(sparsetest.Grid(4), rng)},
		{"islands", incidenceMatrix(sparsetest.Islands(3), rng)},
		{"petals", incidenceMatrix(sparsetest.Star(5, 1, 0), rng)},
		{"over-constrained", randomMatrix(sparsetest.Random(6, 14, 2, 0, rng), rng)},
		{"duplicate joint", withJoints(chain, []sparsetest.Joint{sparsetest.Link(5, 2, 3)}, func(m *sparse.Matrix, first int) {
			for k := range 2 {
				copy(block(m, first, k), block(chain, chain.Pattern.Positive()+3, k))
			}
		})},
		{"duplicate joint, other unit", withJoints(chain, []sparsetest.Joint{sparsetest.Link(5, 2, 3)}, func(m *sparse.Matrix, first int) {
			for k := range 2 {
				for a, v := range block(chain, chain.Pattern.Positive()+3, k) {
					block(m, first, k)[a] = 1024 * v
				}
			}
		})},
		{"combination within a joint", withJoints(chain, []sparsetest.Joint{sparsetest.Link(3, 0, 5)}, func(m *sparse.Matrix, first int) {
			for k := range 2 {
				b := block(m, first, k)
				for a := range 6 {
					b[a], b[6+a] = float64(rng.IntN(9)-4), float64(rng.IntN(9)-4)
					b[12+a] = 2*b[a] - 3*b[6+a]
				}
			}
		})},
		{"combination of joints", withJoints(chain, []sparsetest.Joint{sparsetest.Link(2, 1, 2, 3)}, func(m *sparse.Matrix, first int) {
			// Joints 2 and 3 couple bodies 1, 2 and 2, 3.
			j := chain.Pattern.Positive() + 2
			for a := range 12 {
				block(m, first, 0)[a] = block(chain, j, 0)[a]
				block(m, first, 1)[a] = block(chain, j, 1)[a] + 0.5*block(chain, j+1, 0)[a]
				block(m, first, 2)[a] = 0.5 * block(chain, j+1, 1)[a]
			}
		})},
	}
	for n := range 4 {
		p := sparsetest.Random(5+n, 7+2*n, 2, 3, rng)
		list = append(list, redundant{fmt.Sprintf("random %d", n), incidenceMatrix(withBodies(p), rng)})
	}
	return list
}

// withBodies leaves the joints of no body out of p: their rows are zero.
func withBodies(p *sparse.Pattern) *sparse.Pattern {
	var js []sparsetest.Joint
	for _, j := range sparsetest.JointsOf(p) {
		if len(j.Bodies) > 0 {
			js = append(js, j)
		}
	}
	return sparsetest.New(p.Positive(), js)
}

// WhereWeak: as many weak rows as are redundant, and the result of one solve, of
// the dense method; Everywhere: the same +1 part after refinement.
func TestRedundantRows(t *testing.T) {
	for _, c := range redundantSystems() {
		rng := rand.New(rand.NewPCG(2, uint64(c.m.Pattern.Dim())))
		scale := scales(t, c.m)
		b := consistentSide(c.m, rng)
		want, rank := constrained(t, c.m, scale, b)
		np := positiveRows(c.m.Pattern)
		rows := c.m.Pattern.Dim() - np
		require.Less(t, rank, rows, c.name)
		for _, o := range order.All() {
			t.Run(c.name+"/"+o.String(), func(t *testing.T) {
				f := factored(t, c.m, order.Of(c.m.Pattern, o), scale, epsilon, factor.WhereWeak)
				assert.Equal(t, rows-rank, f.Weak)
				assert.Zero(t, f.Corrected)
				assert.Zero(t, f.Contraction)
				x, r := make([]float64, len(b)), make([]float64, len(b))
				f.SolveTo(x, b)
				requireWeakAreFree(t, f, scale, x)
				requireWeakest(t, f, scale, 0)
				check.CloseVec(t, x[:np], want[:np], weakTol, check.MaxAbs(want[:np]), "x after one solve")
				f.SolveRefinedTo(x, r, b, c.m, 0)
				check.CloseVec(t, x[:np], want[:np], weakTol, check.MaxAbs(want[:np]), "x refined")
				require.NoError(t, f.Factorize(c.m, scale, epsilon, factor.Everywhere))
				assert.Equal(t, rows, f.Weak)
				requireWeakest(t, f, scale, 10*epsilon)
				f.SolveRefinedTo(x, r, b, c.m, 0)
				check.CloseVec(t, x[:np], want[:np], weakTol, check.MaxAbs(want[:np]), "x with all terms")
			})
		}
	}
}

// requireWeakest requires Weakest to find the least pivot, in its row's scale, above a bound.
func requireWeakest(t *testing.T, f *factor.Factor, scale []float64, above float64) {
	t.Helper()
	p, d, at, want := f.Symbolic.Pattern, pivotsOf(f), -1, math.Inf(1)
	for i := positiveRows(p); i < len(d); i++ {
		if r := -d[i] / scale[i]; r > above && r < want*(1-pivotTol) {
			at, want = i, r
		}
	}
	node, row, ratio := f.Weakest()
	require.InEpsilon(t, want, ratio, 4*pivotTol)
	require.InEpsilon(t, want, -d[int(p.Off[node])+row]/scale[int(p.Off[node])+row], 4*pivotTol)
	require.GreaterOrEqual(t, at, 0)
}

// requireWeakAreFree requires the multipliers of the weak rows, those whose
// pivot is minus their scale, to vanish.
func requireWeakAreFree(t *testing.T, f *factor.Factor, scale, x []float64) {
	t.Helper()
	p, d, n := f.Symbolic.Pattern, pivotsOf(f), 0
	np := positiveRows(p)
	for i := np; i < p.Dim(); i++ {
		if math.Abs(d[i]+scale[i]) <= weakTol*scale[i] && !standsAlone(f, i) {
			n++
			check.Close(t, x[i], 0, weakTol, check.MaxAbs(x[np:]), "multiplier of row %d", i)
		}
	}
	require.Equal(t, f.Weak, n, "weak rows found by their pivots")
}

// standsAlone reports whether row i is eliminated before every other row of its
// bodies, so that its true pivot is minus its scale too.
func standsAlone(f *factor.Factor, i int) bool {
	p := f.Symbolic.Pattern
	touched := make([]bool, p.Len())
	for _, node := range f.Symbolic.Order() {
		if p.Sign[node] > 0 {
			continue
		}
		free := true
		for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			free = free && !touched[b]
			touched[b] = true
		}
		if int(p.Off[node]) <= i && i < int(p.Off[node+1]) {
			return free && i == int(p.Off[node])
		}
	}
	return false
}

// Long loops of constant rows, where the redundancy is known from the graph.
func TestRedundantRowsOfLongLoops(t *testing.T) {
	check.Long(t)
	// 1000 links, each with rounding of its own, solved to one another's answer.
	const tol = 1e-8
	for name, p := range map[string]*sparse.Pattern{
		"closed chain": sparsetest.Chain(1000, true),
		"ladder":       sparsetest.Ladder(500),
		"grid":         sparsetest.Grid(20),
		"islands":      sparsetest.Islands(300),
		"wheel":        sparsetest.Star(40, 4, 20),
	} {
		m := incidenceMatrix(p, rand.New(rand.NewPCG(3, 3)))
		scale := bodyScales(t, m)
		b := consistentSide(m, rand.New(rand.NewPCG(4, 4)))
		np := positiveRows(p)
		var want []float64
		for _, o := range order.All() {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				f := factored(t, m, order.Of(p, o), scale, epsilon, factor.WhereWeak)
				if uniform(p) {
					assert.Equal(t, 5*loops(p), f.Weak)
				}
				x, r := make([]float64, len(b)), make([]float64, len(b))
				f.SolveRefinedTo(x, r, b, m, 0)
				residual, _ := scaledResidual(m, prox(m, scale, 0), x, b)
				assert.LessOrEqual(t, residual, residualTol)
				if want == nil {
					want = x
				}
				check.CloseVec(t, x[:np], want[:np], tol, check.MaxAbs(want[:np]), "x")
			})
		}
	}
}

// uniform reports whether all joints of p have five rows.
func uniform(p *sparse.Pattern) bool {
	for i := p.Positive(); i < p.Len(); i++ {
		if p.Size[i] != 5 {
			return false
		}
	}
	return true
}

// bodyScales is scales body by body, for large m.
func bodyScales(t testing.TB, m *sparse.Matrix) []float64 {
	p := m.Pattern
	scale := make([]float64, p.Dim())
	for b := range p.Positive() {
		one := sparsetest.New(1, []sparsetest.Joint{sparsetest.Link(6, 0)})
		w := sparse.NewMatrix(one)
		copy(w.Dia, m.Dia[p.Dia[b]:p.Dia[b+1]])
		for i := p.Positive(); i < p.Len(); i++ {
			for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
				if int(p.Ind[k]) != b {
					continue
				}
				clear(w.Val)
				copy(w.Val, m.Val[p.Pos[k]:p.Pos[k+1]])
				s := scales(t, w)
				for a := range int(p.Size[i]) {
					scale[int(p.Off[i])+a] += s[6+a]
				}
			}
		}
	}
	return scale
}

// Everywhere: the pivots of redundant rows follow eps, the others do not.
func TestEverywhereTellsRedundantRows(t *testing.T) {
	const step = 10
	for _, c := range redundantSystems() {
		scale := scales(t, c.m)
		_, rank := constrained(t, c.m, scale, make([]float64, c.m.Pattern.Dim()))
		np := positiveRows(c.m.Pattern)
		for _, o := range order.All() {
			t.Run(c.name+"/"+o.String(), func(t *testing.T) {
				perm := order.Of(c.m.Pattern, o)
				small := factored(t, c.m, perm, scale, epsilon, factor.Everywhere)
				large := factored(t, c.m, perm, scale, step*epsilon, factor.Everywhere)
				p1, p2 := pivotsOf(small), pivotsOf(large)
				follow := 0
				for i := np; i < len(p1); i++ {
					switch ratio := p2[i] / p1[i]; {
					case math.Abs(ratio-step) < 0.2*step:
						follow++
					default: // a true pivot, at least rankCut·scale
						check.Close(t, ratio, 1, 0.2, 1, "ratio of pivots of row %d", i)
					}
				}
				assert.Equal(t, c.m.Pattern.Dim()-np-rank, follow)
				// They see the terms through the true pivots before them.
				tol := 4 * large.Contraction
				check.CloseVec(t, p2[:np], p1[:np], tol, check.MaxAbs(p1[:np]), "+1 pivots")
			})
		}
	}
}

// Contraction is the largest ratio of a term to a pivot of a row that is not
// redundant, whose pivot is more than ten terms.
func TestContraction(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := sparsetest.Grid(5)
	m := randomMatrix(p, rng)
	scale := bodyScales(t, m)
	for _, eps := range []float64{1e-2, 1e-4, 1e-6} {
		f := factored(t, m, order.Of(p, order.MinDegree), scale, eps, factor.Everywhere)
		want := 0.0
		for i, d := range pivotsOf(f) {
			if e := eps * scale[i]; e > 0 && -d > 10*e {
				want = max(want, -e/d)
			}
		}
		require.Positive(t, want)
		require.InEpsilon(t, want, f.Contraction, pivotTol)
	}
}

// Rows of scale zero have no term under any policy.
func TestZeroScale(t *testing.T) {
	const eps = 0.5
	for n, p := range []*sparse.Pattern{sparsetest.Chain(8, false), sparsetest.Tree(12, rand.New(rand.NewPCG(6, 6)))} {
		rng := rand.New(rand.NewPCG(7, uint64(n)))
		m := randomMatrix(p, rng)
		scale := ones(m)
		with := 0
		for i := positiveRows(p); i < p.Dim(); i++ {
			if rng.IntN(2) == 0 {
				scale[i] = 0
			} else {
				with++
			}
		}
		b := randomVector(p.Dim(), rng)
		for _, o := range order.All() {
			f := factored(t, m, order.Of(p, o), scale, eps, factor.Everywhere)
			require.Equal(t, with, f.Weak)
			x := make([]float64, len(b))
			f.SolveTo(x, b)
			requireDense(t, f, dense(m, prox(m, scale, eps)), x, b)

			f = factored(t, m, order.Of(p, o), make([]float64, p.Dim()), eps, factor.WhereWeak)
			require.Zero(t, f.Weak)
			f.SolveTo(x, b)
			requireDense(t, f, interop.Dense(m, nil), x, b)
		}
	}
}

// A pivot that rounding takes beyond half its term is minus the term.
func TestCorrected(t *testing.T) {
	const eps = 1e-16 // at rounding
	corrected, factored := 0, 0
	for _, c := range redundantSystems() {
		scale := scales(t, c.m)
		b := consistentSide(c.m, rand.New(rand.NewPCG(8, 8)))
		np := positiveRows(c.m.Pattern)
		for _, o := range order.All() {
			f := factor.Analyze(c.m.Pattern, order.Of(c.m.Pattern, o)).NewFactor()
			if err := f.Factorize(c.m, scale, eps, factor.Everywhere); err != nil {
				// Rounding over such pivots may square itself until it overflows.
				var p *factor.PivotError
				require.ErrorAs(t, err, &p)
				require.False(t, algebra.Finite(p.Value), "%s: %v", c.name, err)
				continue
			}
			requireInertia(t, c.m.Pattern, pivotsOf(f))
			factored++
			set := 0
			for i, d := range pivotsOf(f)[np:] {
				e := eps * scale[np+i]
				require.Greater(t, -d, 0.499*e, "%s: pivot of row %d", c.name, i)
				if math.Abs(d+e) <= pivotTol*e {
					set++
				}
			}
			// A pivot that is zero without its term equals minus the term too.
			require.GreaterOrEqual(t, set, f.Corrected, c.name)
			corrected += f.Corrected
			f.SolveTo(make([]float64, len(b)), b)
		}
	}
	require.Positive(t, corrected)
	require.Greater(t, factored, len(redundantSystems())*len(order.All())*3/4)
}

func TestPolicyZeroValue(t *testing.T) {
	var p factor.Policy
	require.Equal(t, factor.WhereWeak, p)
}
