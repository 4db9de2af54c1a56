package factor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// quickTol bounds how far solutions of two factors of one matrix are apart, relative to their largest number. Small fronts are summed up in
// another order in one of them, and the rows have conditions of up to 10⁵.
const quickTol = 1e-11

// strands returns bodies in levels of n, each tied to its like in the level before by rails of some rows, and to its neighbours in the
// level by two rows.
func strands(n, levels int, rails int8) *sparse.Pattern {
	var joints []sparsetest.Joint
	for b := range int32(n * levels) {
		if b < int32(n) {
			joints = append(joints, sparsetest.Link(rails, b))
		} else {
			joints = append(joints, sparsetest.Link(rails, b-int32(n), b))
		}
		if b%int32(n) != 0 {
			joints = append(joints, sparsetest.Link(2, b-1, b))
		}
	}
	return sparsetest.New(n*levels, joints)
}

// quickGraphs have fewer rows than their bodies have freedoms, so that random rows are independent. Their fronts have one child, several
// and none, two that hand on the same rows, and one that hands on more than kernel.FrontChild; some are like the front before.
func quickGraphs() map[string]*sparse.Pattern {
	placed := placedGraphs()
	return map[string]*sparse.Pattern{
		"chain": placed["chain"], "sparse": placed["sparse"], "tree": sparsetest.Tree(200, rand.New(rand.NewPCG(1, 92))),
		"ladder": strands(2, 300, 3), "rails": strands(2, 40, 4), "braid": strands(3, 100, 3),
		"grid": sparsetest.Uniform(30*30, 2, sparsetest.Lattice(30)),
	}
}

// TestShortFronts: a factor that eliminates small fronts at once gives the solutions of one that does not, and finds the same weak rows.
func TestShortFronts(t *testing.T) {
	seen := quick(0)
	others := 0 // short fronts that are not bare
	for name, p := range quickGraphs() {
		for _, o := range check.Some(order.All(), 3) {
			s := Analyze(p, order.Of(p, o))
			for i := range s.fronts {
				q := s.fronts[i].quick
				seen |= q
				if q.has(short) && !q.has(bare) {
					others++
				}
			}
			requireQuickSolution(t, s, name+" "+o.String())
		}
	}
	if kernel.HasFront(kernel.FrontRows, 9) {
		require.Equal(t, short|like|bare|rowsAlone, seen)
		require.Positive(t, others)
	}
}

// requireQuickSolution fails unless s solves a random system as it does without short fronts, which it has no more then.
func requireQuickSolution(t *testing.T, s *Symbolic, name string) {
	t.Helper()
	p, rng := s.Pattern, rand.New(rand.NewPCG(1, 7))
	m, b, scale := sparse.NewUnitMatrix(p), make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	for i := range b {
		b[i] = rng.NormFloat64()
	}
	for j := p.Positive(); j < p.Len(); j++ {
		for k := p.Ptr[j]; k < p.Ptr[j+1]; k++ {
			n := int(p.Size[p.Ind[k]])
			for a := range int(p.Size[j]) {
				scale[int(p.Off[j])+a] += square(m.Val[int(p.Pos[k])+a*n:][:n])
			}
		}
	}
	var x [2][]float64
	var weak [2]int
	for i := range x {
		f := s.NewFactor()
		require.NoError(t, f.FactorizeFor(b, m, scale, 1e-15, WhereWeak), "%s %d", name, i)
		x[i], weak[i] = make([]float64, len(b)), f.Weak
		f.SolveTo(x[i], b)
		for k := range s.fronts {
			s.fronts[k].quick = 0
		}
	}
	require.Equal(t, weak[1], weak[0], name)
	size := algebra.MaxAbs(x[1])
	for i, v := range x[1] {
		require.InDelta(t, v, x[0][i], quickTol*size, "%s: %d", name, i)
	}
}

// TestSpreadLeaves: what is between the blocks of leaves is zero also where the front before has been eliminated by another worker, or in
// another way.
func TestSpreadLeaves(t *testing.T) {
	p := strands(2, 300, 3)
	s := Analyze(p, order.Of(p, order.Banded))
	f := s.NewFactor()
	w := f.workers[0]
	f.unit = sparse.NewUnitMatrix(p)
	for i := range s.fronts {
		fr := &s.fronts[i]
		if !fr.quick.has(like) {
			continue
		}
		for k := range w.ld {
			w.ld[k] = 1
		}
		w.shaped = s.fronts[i].last // of a front that is not the one before
		all, _ := w.spreadLeaves(fr)
		require.Zero(t, algebra.MaxAbs(all), "front %d", i) // as the matrix is
		require.Equal(t, fr.last, w.shaped)
		fr.quick = 0
		f.scale, f.eps = make([]float64, p.Dim()), 1e-15
		w.front(fr)
		require.EqualValues(t, -1, w.shaped)
		return
	}
	if kernel.HasFront(kernel.FrontRows, 9) {
		require.Fail(t, "no front is like the one before")
	}
}

// TestOnlyChild: kernel.Front adds one update matrix of up to FrontChild rows, which are the first of the front.
func TestOnlyChild(t *testing.T) {
	for name, c := range map[string]struct {
		child front
		runs  []run
		f     front
		want  bool
	}{
		"no child":      {f: front{}, want: true},
		"one":           {child: front{below: kernel.FrontChild, upHi: 1}, runs: []run{{0, kernel.FrontChild}}, f: front{kidHi: 1}, want: true},
		"too many rows": {child: front{below: kernel.FrontChild + 1, upHi: 1}, runs: []run{{0, kernel.FrontChild + 1}}, f: front{kidHi: 1}},
		"other rows":    {child: front{below: 3, upHi: 1}, runs: []run{{1, 3}}, f: front{kidHi: 1}},
		"two runs":      {child: front{below: 3, upHi: 2}, runs: []run{{0, 1}, {2, 2}}, f: front{kidHi: 1}},
		"two children":  {child: front{below: 3, upHi: 1}, runs: []run{{0, 3}}, f: front{kidHi: 2}},
		"blocks":        {f: front{entHi: 1}},
	} {
		s := &Symbolic{fronts: []front{c.child, c.f}, runs: c.runs, kids: []int32{0, 0}}
		require.Equal(t, c.want, s.onlyChild(&s.fronts[1]), name)
	}
}
