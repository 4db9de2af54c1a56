package factor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/sparse"
)

// anchoredPattern has a closed chain of n bodies with some chords, where the even bodies
// have a joint of one to six rows to the world, some of them two, and one more body that
// has nothing but such a joint. There are fewer rows than freedoms everywhere. It returns
// all joints to the world.
func anchoredPattern(n int, rng *rand.Rand) (p *sparse.Pattern, anchors []int32) {
	var js []ordJoint
	for b := range int32(n) {
		js = append(js, ordLink(int8(1+rng.IntN(2)), b, (b+1)%int32(n)))
		c := int8(1 + b/2%6)
		if b%2 == 0 {
			js = append(js, ordLink(c, ordWorld, b))
		}
		if b%4 == 0 && c < 4 {
			js = append(js, ordLink(1, b))
		}
		if b%5 == 0 {
			js = append(js, ordLink(1, b, (b+int32(n)/2)%int32(n)))
		}
	}
	js = append(js, ordLink(5, int32(n)))
	p = ordPattern(n+1, js)
	for i := p.Positive(); i < p.Len(); i++ {
		if p.Ptr[i+1]-p.Ptr[i] == 1 {
			anchors = append(anchors, int32(i))
		}
	}
	return p, anchors
}

// anchored returns the factors of the same system with and without anchors.
type anchored struct {
	m           *sparse.Matrix
	scale       []float64 // zero in the rows of the anchors
	with, plain *factor.Symbolic
}

func newAnchored(t *testing.T, n int, o factor.Ordering, seed uint64) *anchored {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 61))
	p, list := anchoredPattern(n, rng)
	perm := factor.Order(p, o)
	a := &anchored{m: randomMatrix(p, rng), with: factor.Analyze(p, perm, list...)}
	a.plain = factor.Analyze(p, a.with.Order())
	a.scale = bodyScales(t, a.m)
	found := a.with.Anchors()
	require.NotEmpty(t, found)
	for _, i := range found {
		require.Contains(t, list, i)
		clear(a.scale[p.Off[i]:p.Off[i+1]])
	}
	return a
}

// TestAnchorsAreAsJointsOfTheCore compares solutions, pivots and growth with those of the
// same order without anchors.
func TestAnchorsAreAsJointsOfTheCore(t *testing.T) {
	for _, o := range []factor.Ordering{factor.LeafFirst, factor.MinDegree, factor.NestedDissection, factor.Banded} {
		for _, n := range []int{4, 9, 40, 300} {
			for _, policy := range []factor.Policy{factor.WhereWeak, factor.Everywhere} {
				t.Run(fmt.Sprintf("%v/%d/%d", o, n, policy), func(t *testing.T) {
					a := newAnchored(t, n, o, uint64(n))
					f, g := a.with.NewFactor(), a.plain.NewFactor()
					require.NoError(t, f.Factorize(a.m, a.scale, epsilon, policy))
					require.NoError(t, g.Factorize(a.m, a.scale, epsilon, policy))
					require.Equal(t, g.Weak, f.Weak)
					requireNear(t, pivotsOf(g), pivotsOf(f), 1e-8)
					requireNear(t, growthOf(g), growthOf(f), 1e-8)
					rng := rand.New(rand.NewPCG(2, 61))
					b := randomVector(a.m.P.Dim(), rng)
					x, y := make([]float64, len(b)), make([]float64, len(b))
					f.SolveTo(x, b)
					g.SolveTo(y, b)
					e := prox(a.m, a.scale, epsilon)
					if policy == factor.WhereWeak {
						clear(e)
					}
					rx, _ := scaledResidual(a.m, e, x, b)
					ry, _ := scaledResidual(a.m, e, y, b)
					require.LessOrEqual(t, rx, 10*ry+1e-15)
				})
			}
		}
	}
}

// TestAnchorsOfAnyShape: leaves that an anchor of six rows holds fast have no columns
// left, wherever their rows are in a front.
func TestAnchorsOfAnyShape(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 66))
		n := 1 + rng.IntN(30)
		var js []ordJoint
		for range rng.IntN(2*n + 1) {
			if a, b := rng.Int32N(int32(n)), rng.Int32N(int32(n)); a != b {
				js = append(js, ordLink(int8(1+rng.IntN(3)), a, b))
			}
		}
		var anchors []int32
		for range 1 + rng.IntN(n) {
			anchors = append(anchors, int32(n+len(js)))
			js = append(js, ordLink(6, rng.Int32N(int32(n))))
		}
		p := ordPattern(n, js)
		m := sparse.NewUnitMatrix(p)
		for i := range m.Val {
			m.Val[i] = rng.NormFloat64()
		}
		scale := rowSquares(m)
		x, b := make([]float64, p.Dim()), randomVector(p.Dim(), rng)
		for _, o := range []factor.Ordering{factor.Natural, factor.LeafFirst, factor.Banded, factor.MinDegree, factor.NestedDissection} {
			f := factor.Analyze(p, factor.Order(p, o), anchors...).NewFactor()
			require.NoError(t, f.FactorizeFor(b, m, scale, 1e-3, factor.Everywhere))
			f.SolveTo(x, b)
			e := prox(m, scale, 1e-3)
			for _, i := range f.S.Anchors() {
				clear(e[p.Off[i]:p.Off[i+1]])
			}
			left, _ := scaledResidual(stored(m), e, x, b)
			require.Less(t, left, 1e-11, "seed %d, %v", seed, o)
		}
	}
}

// requireNear compares two vectors entry by entry, relatively.
func requireNear(t *testing.T, want, got []float64, tol float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		require.InDelta(t, w, got[i], tol*math.Abs(w), "entry %d", i)
	}
}

// A right side that is eliminated with the matrix, refinement, and teams; +1 blocks are
// units, as those of mechanisms.
func TestAnchorsWithRightSide(t *testing.T) {
	for _, n := range []int{6, 50, 3000} {
		rng := rand.New(rand.NewPCG(uint64(n), 62))
		p, list := anchoredPattern(n, rng)
		m := sparse.NewUnitMatrix(p)
		for i := range m.Val {
			m.Val[i] = rng.NormFloat64()
		}
		s := factor.Analyze(p, factor.Order(p, factor.NestedDissection), list...)
		scale := rowSquares(m)
		b := consistentSide(stored(m), rng)
		var first []float64
		for _, workers := range []int{1, 3} {
			f := s.NewFactorOn(team.New(workers))
			x, y, r := make([]float64, len(b)), make([]float64, len(b)), make([]float64, len(b))
			require.NoError(t, f.FactorizeFor(b, m, scale, epsilon, factor.WhereWeak))
			ref := f.SolveRefinedTo(x, r, b, m, 0)
			require.Less(t, ref.Error, 1e-12)
			left, _ := scaledResidual(stored(m), make([]float64, len(b)), x, b)
			require.Less(t, left, 1e-14)
			require.NoError(t, f.Factorize(m, scale, epsilon, factor.WhereWeak))
			f.SolveRefinedTo(y, r, b, m, 0)
			for i := range x {
				require.InDelta(t, x[i], y[i], 1e-8*(1+math.Abs(x[i])))
			}
			if first == nil {
				first = x
			}
			require.Equal(t, first, x)
			// Under Everywhere the proximal terms are refined away.
			require.NoError(t, f.FactorizeFor(b, m, scale, 1e-6, factor.Everywhere))
			ref = f.SolveRefinedTo(y, r, b, m, 0)
			require.Positive(t, ref.Steps)
			for i := range positiveRows(p) {
				require.InDelta(t, x[i], y[i], 1e-7*(1+math.Abs(x[i])))
			}
		}
	}
}

// rowSquares returns the squared norms of the rows of W.
func rowSquares(m *sparse.Matrix) []float64 {
	p := m.P
	scale := make([]float64, p.Dim())
	for i := p.Positive(); i < p.Len(); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			for a := range int(p.Size[i]) {
				for _, v := range m.Val[int(p.Pos[k])+6*a:][:6] {
					scale[int(p.Off[i])+a] += v * v
				}
			}
		}
	}
	return scale
}

// stored returns m with its unit blocks stored.
func stored(m *sparse.Matrix) *sparse.Matrix {
	out := sparse.NewMatrix(m.P)
	out.Val = m.Val
	for i := range m.P.Positive() {
		n := int(m.P.Size[i])
		for k := range n {
			out.Dia[int(m.P.Dia[i])+k*n+k] = 1
		}
	}
	return out
}

// The blocks of anchors are looked at once if the matrix says that they stay.
func TestFixedAnchors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 61))
	p, list := anchoredPattern(12, rng)
	s := factor.Analyze(p, factor.Order(p, factor.LeafFirst), list...)
	f := s.NewFactor()
	one, other := sparse.NewUnitMatrix(p), sparse.NewUnitMatrix(p)
	anchors := s.Anchors()
	fill := func(m *sparse.Matrix, all bool) {
		for i := p.Positive(); i < p.Len(); i++ {
			if all || !slices.Contains(anchors, int32(i)) {
				for k := p.Pos[p.Ptr[i]]; k < p.Pos[p.Ptr[i+1]]; k++ {
					m.Val[k] = rng.NormFloat64()
				}
			}
		}
	}
	requireSolved := func(m *sparse.Matrix) {
		t.Helper()
		full := stored(m)
		b := randomVector(p.Dim(), rng)
		x := make([]float64, len(b))
		require.NoError(t, f.Factorize(m, rowSquares(m), epsilon, factor.WhereWeak))
		f.SolveTo(x, b)
		left, _ := scaledResidual(full, make([]float64, len(b)), x, b)
		require.Less(t, left, 1e-13)
	}
	fill(one, true)
	fill(other, true)
	one.Fixed = true
	requireSolved(one)
	fill(one, false)
	requireSolved(one)
	requireSolved(other) // another matrix, whose anchors may change
	fill(other, true)
	requireSolved(other)
	requireSolved(one)
	one.Fixed = false
	fill(one, true)
	requireSolved(one)
	one.Fixed = true
	fill(one, true) // the factor has not seen the blocks with Fixed
	requireSolved(one)
}

// Dependent rows of an anchor are a bad pivot, named by node and row.
func TestDependentAnchor(t *testing.T) {
	for _, workers := range []int{1, 2} {
		p, list := anchoredPattern(2000, rand.New(rand.NewPCG(4, 61)))
		m := sparse.NewUnitMatrix(p)
		rng := rand.New(rand.NewPCG(5, 61))
		for i := range m.Val {
			m.Val[i] = rng.NormFloat64()
		}
		s := factor.Analyze(p, factor.Order(p, factor.LeafFirst), list...)
		f := s.NewFactorOn(team.New(workers))
		node := 0
		for _, i := range s.Anchors() {
			if p.Size[i] > 2 {
				node = int(i)
			}
		}
		w := m.Val[p.Pos[p.Ptr[node]]:]
		for k := range 6 {
			w[12+k] = 2*w[k] - w[6+k]
		}
		err := f.Factorize(m, rowSquares(m), epsilon, factor.WhereWeak)
		var pivot *factor.PivotError
		require.ErrorAs(t, err, &pivot)
		require.Equal(t, node, pivot.Node)
		require.Equal(t, 2, pivot.Row)
		require.Panics(t, func() { f.SolveTo(make([]float64, p.Dim()), make([]float64, p.Dim())) })
		w[12] = math.NaN()
		require.ErrorAs(t, f.Factorize(m, rowSquares(m), epsilon, factor.WhereWeak), &pivot)
		require.Equal(t, node, pivot.Node)
	}
}

// TestAnchorsOfBodies: a body has at most one anchor, one without another joint none,
// and one that is eliminated after a joint of it none.
func TestAnchorsOfBodies(t *testing.T) {
	p := ordPattern(4, []ordJoint{
		ordLink(5, 0, 1), ordLink(5, 0), ordLink(3, 0), ordLink(3, 1), ordLink(5, 1, 2), ordLink(3, 2), ordLink(6, 3),
	})
	list := []int32{5, 6, 7, 9, 10}
	// Body 2 comes after joint 8, which ends at it.
	s := factor.Analyze(p, []int32{0, 1, 4, 6, 5, 8, 2, 7, 9, 3, 10}, list...)
	require.Equal(t, []int32{5, 7}, s.Anchors())
	order := s.Order()
	for _, pair := range [][2]int32{{0, 5}, {1, 7}} {
		require.Equal(t, slices.Index(order, pair[0])+1, slices.Index(order, pair[1]))
	}
	require.Empty(t, factor.Analyze(p, order).Anchors())
	for _, bad := range [][]int32{{4}, {0}, {-1}, {11}} {
		require.PanicsWithValue(t, "factor: not a joint of one body", func() { factor.Analyze(p, order, bad...) })
	}
}

// TestCanAnchor: rows that may anchor stay above the pivots that Factorize asks for
// however they turn into each other.
func TestCanAnchor(t *testing.T) {
	require.True(t, factor.CanAnchor([]float64{0, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0}))
	require.True(t, factor.CanAnchor([]float64{1e3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}))
	require.False(t, factor.CanAnchor([]float64{1e5, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}), "condition")
	require.False(t, factor.CanAnchor([]float64{1, 0, 0, 0, 0, 0, 1, 1e-3, 0, 0, 0, 0}), "pivot")
	require.False(t, factor.CanAnchor([]float64{1, 2, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0}))
	require.False(t, factor.CanAnchor(make([]float64, 6)))
	for _, n := range []int{0, 5, 42} {
		require.Panics(t, func() { factor.CanAnchor(make([]float64, n)) })
	}
	p := ordPattern(2, []ordJoint{ordLink(2, 0), ordLink(1, 0, 1)})
	f := factor.Analyze(p, []int32{0, 1, 2, 3}, []int32{2}...).NewFactor()
	m := sparse.NewUnitMatrix(p)
	w := []float64{2e4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}
	require.True(t, factor.CanAnchor(w))
	m.Val[12], m.Val[18] = 1, 1
	for turn := 0.0; turn < 3; turn += 0.01 {
		sin, cos := math.Sincos(turn)
		for k := range 6 {
			m.Val[k], m.Val[6+k] = cos*w[k]-sin*w[6+k], sin*w[k]+cos*w[6+k]
		}
		require.NoError(t, f.Factorize(m, rowSquares(m), epsilon, factor.WhereWeak))
	}
}
