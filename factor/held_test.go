package factor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// cutSystem is a system in pieces, and the root that joins them.
type cutSystem struct {
	root   *factor.Factor
	matrix *sparse.Matrix // of the root: zero blocks
	scale  []float64
	b      []float64 // zero
	pieces []*cutPiece
	at     map[int32]int32 // of a held node of the whole: its node in the root
}

type cutPiece struct {
	node  []int32 // by node: that of the whole
	m     *sparse.Matrix
	b     []float64
	scale []float64
	f     *factor.Factor
	share []float64
	rows  []int32 // of the share: scalar of the root
}

// cutUp cuts m with the right side b into pieces, of[v] the piece of each +1 node.
func cutUp(m *sparse.Matrix, b, scale []float64, of []int, pieces int, t *team.Team) *cutSystem {
	p := m.Pattern
	nb := p.Positive()
	c := &cutSystem{at: map[int32]int32{}}
	size, sign := slices.Repeat([]int8{1}, pieces), slices.Repeat([]int8{1}, pieces)
	ptr, ind := make([]int32, pieces+1), []int32{}
	owners := make([][]int32, p.Len())
	var heldNodes []int32
	for v := nb; v < p.Len(); v++ {
		for _, u := range p.Ind[p.Ptr[v]:p.Ptr[v+1]] {
			if q := int32(of[u]); !slices.Contains(owners[v], q) {
				owners[v] = append(owners[v], q)
			}
		}
		if len(owners[v]) == 0 {
			owners[v] = []int32{0} // a joint without bodies
		}
		slices.Sort(owners[v])
		if len(owners[v]) > 1 {
			c.at[int32(v)] = int32(len(size))
			heldNodes = append(heldNodes, int32(v))
			size, sign = append(size, p.Size[v]), append(sign, -1)
			ind = append(ind, owners[v]...)
			ptr = append(ptr, int32(len(ind)))
		}
	}
	rp := sparse.NewPattern(size, sign, ptr, ind)
	c.matrix, c.b, c.scale = sparse.NewUnitMatrix(rp), make([]float64, rp.Dim()), make([]float64, rp.Dim())
	for _, v := range heldNodes {
		copy(c.scale[rp.Off[c.at[v]]:], scale[p.Off[v]:p.Off[v+1]])
	}
	s, _, _ := factor.Choose(rp, order.Auto, 1)
	c.root = s.NewFactorOn(t)
	shares := make([][]float64, pieces)
	for q := range pieces {
		part := newCutPiece(m, b, scale, of, q, owners, s, c.at, t)
		c.pieces = append(c.pieces, part)
		if len(part.rows) > 0 {
			shares[q] = part.share
		}
	}
	c.root.SetShares(shares)
	return c
}

func newCutPiece(m *sparse.Matrix, b, scale []float64, of []int, q int, owners [][]int32, root *factor.Symbolic, at map[int32]int32, t *team.Team) *cutPiece {
	p := m.Pattern
	part := &cutPiece{}
	local := map[int32]int32{}
	add := func(v int32) { local[v] = int32(len(part.node)); part.node = append(part.node, v) }
	for v := range p.Positive() {
		if of[v] == q {
			add(int32(v))
		}
	}
	back := map[int32]int32{}
	for v, r := range at {
		back[r] = v
	}
	for v := p.Positive(); v < p.Len(); v++ {
		if len(owners[v]) == 1 && owners[v][0] == int32(q) {
			add(int32(v))
		}
	}
	free := len(part.node)
	for _, r := range root.LeafRows(q) {
		add(back[r])
	}
	n := len(part.node)
	size, sign, ptr := make([]int8, n), make([]int8, n), make([]int32, n+1)
	var ind []int32
	var val []float64
	for i, v := range part.node {
		size[i], sign[i] = p.Size[v], p.Sign[v]
		for k := p.Ptr[v]; k < p.Ptr[v+1]; k++ {
			if u, ok := local[p.Ind[k]]; ok {
				ind, val = append(ind, u), append(val, m.Val[p.Pos[k]:p.Pos[k+1]]...)
			}
		}
		ptr[i+1] = int32(len(ind))
	}
	lp := sparse.NewPattern(size, sign, ptr, ind)
	part.m = sparse.NewUnitMatrix(lp)
	copy(part.m.Val, val)
	part.b, part.scale = make([]float64, lp.Dim()), make([]float64, lp.Dim())
	perm := make([]int32, 0, n)
	for _, v := range order.Of(lp, order.MinDegree) {
		if int(v) < free {
			perm = append(perm, v)
		}
	}
	for i, v := range part.node {
		o := part.b[lp.Off[i]:lp.Off[i+1]]
		copy(part.scale[lp.Off[i]:], scale[p.Off[v]:p.Off[v+1]])
		if i < free || owners[v][0] == int32(q) {
			copy(o, b[p.Off[v]:])
		}
		if i >= free {
			perm = append(perm, int32(i))
			for k := range int32(size[i]) {
				part.rows = append(part.rows, root.Pattern.Off[at[v]]+k)
			}
		}
	}
	part.f = factor.AnalyzeHeld(lp, perm, n-free).NewFactorOn(t)
	part.share = make([]float64, factor.ShareSize(len(part.rows)))
	return part
}

// solve solves the system piece by piece, with one correction.
func (c *cutSystem) solve(t *testing.T, n int, p *sparse.Pattern) (x []float64, weak int) {
	t.Helper()
	x = make([]float64, n)
	y, b := make([]float64, len(c.b)), make([]float64, len(c.b))
	for _, part := range c.pieces {
		require.NoError(t, part.f.FactorizeFor(part.b, part.m, part.scale, epsilon, factor.WhereWeak), "%d nodes, %d held", len(part.node), len(part.f.Symbolic.Held()))
		right := make([]float64, len(part.rows))
		part.f.ShareTo(part.share, right)
		for k, r := range part.rows {
			b[r] += right[k]
		}
		weak += part.f.Weak
	}
	require.NoError(t, c.root.Factorize(c.matrix, c.scale, epsilon, factor.WhereWeak))
	weak += c.root.Weak
	c.root.SolveTo(y, b)
	given := func(part *cutPiece) []float64 {
		v := make([]float64, len(part.rows))
		for i, r := range part.rows {
			v[i] = y[r]
		}
		return v
	}
	xs, rs := make([][]float64, len(c.pieces)), make([][]float64, len(c.pieces))
	sum, left := make([]float64, len(c.b)), make([]float64, len(c.b))
	for i, part := range c.pieces {
		xs[i], rs[i] = make([]float64, len(part.b)), make([]float64, len(part.b))
		size := part.f.SolveHeldTo(xs[i], rs[i], part.b, given(part))
		held, terms := make([]float64, len(part.rows)), make([]float64, len(part.f.Symbolic.Held()))
		part.f.ResidualHeldTo(rs[i], held, terms, part.b, xs[i], size)
		for k, r := range part.rows {
			left[r] += held[k]
		}
	}
	for i, part := range c.pieces {
		dst := make([]float64, len(part.rows))
		part.f.CondenseTo(dst, rs[i])
		for k, r := range part.rows {
			sum[r] += dst[k]
		}
	}
	for r, v := range left {
		assert.InDelta(t, 0, v, 1e-6, "residual of held row %d", r)
	}
	c.root.SolveTo(y, sum)
	for i, part := range c.pieces {
		part.f.CorrectHeld(xs[i], nil, part.b, given(part))
		lp := part.m.Pattern
		for k, v := range part.node {
			copy(x[p.Off[v]:p.Off[v+1]], xs[i][lp.Off[k]:])
		}
	}
	return x, weak
}

// rails returns the joints of a ladder of n bodies.
func rails(n int32) (joints [][]int32) {
	for i := range n {
		if joints = append(joints, []int32{max(i-2, -1), i}); i%2 == 1 {
			joints = append(joints, []int32{i - 1, i})
		}
	}
	return joints
}

// Systems in pieces have the solution and the redundant rows of the whole, with random pieces, also such as fall apart
// and such that have nothing but held rows.
//
//rung:norace it is long, and package dist factors such pieces on two goroutines
func TestHeld(t *testing.T) {
	check.Long(t)
	graphs := map[string]*sparse.Pattern{
		"chain": sparsetest.Chain(60, false), "ladder": sparsetest.Uniform(80, 3, rails(80)), "grid": sparsetest.Uniform(144, 2, sparsetest.Lattice(12)), "islands": sparsetest.Islands(5),
		"star": sparsetest.Star(20, 3, 2), "closed chain": sparsetest.Chain(60, true),
		"ladder of hinges": sparsetest.Ladder(40), "grid of hinges": sparsetest.Grid(12), "grounded": groundedPattern(90, rand.New(rand.NewPCG(7, 7))), "tree": sparsetest.Tree(50, rand.New(rand.NewPCG(8, 8))),
		"random": sparsetest.Random(60, 50, 3, 5, rand.New(rand.NewPCG(9, 9))),
	}
	redundant := map[string]bool{"ladder of hinges": true, "grid of hinges": true, "star": true, "closed chain": true} // rows of loops depend on each other
	for name, p := range graphs {
		for pieces := 1; pieces <= 7; pieces++ {
			for _, scattered := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(uint64(pieces), 91))
				m := normalMatrix(p, rng)
				if redundant[name] {
					m = incidenceMatrix(p, rng)
					m.Dia = nil
				}
				b := consistentSide(stored(m), rng)
				scale := rowSquares(m)
				for i, d := range scale {
					if d == 0 {
						scale[i] = 1 // of a joint without bodies
					}
				}
				of := make([]int, p.Positive())
				for i := range of {
					if of[i] = i * pieces / len(of); scattered {
						of[i] = rng.IntN(pieces)
					}
				}
				whole := factored(t, m, order.Of(p, order.MinDegree), scale, epsilon, factor.WhereWeak)
				want, r := make([]float64, len(b)), make([]float64, len(b))
				ref := whole.SolveRefinedTo(want, r, b, m, 0)
				var first []float64
				for _, workers := range []int{1, 3} {
					tm := team.New(workers)
					got, weak := cutUp(m, b, scale, of, pieces, tm).solve(t, len(b), p)
					assert.Equal(t, whole.Weak, weak, "%s in %d", name, pieces)
					check.CloseVec(t, got[:positiveRows(p)], want[:positiveRows(p)], 1e-11, 1+ref.Size, "%s in %d", name, pieces)
					if first == nil {
						first = got
					}
					assert.Equal(t, first, got, "bits, %s in %d", name, pieces)
				}
			}
		}
	}
}

// The terms of held nodes are those of Worst: what acts on the bodies counts where all rows are kept.
//
//rung:race
func TestTermsOfHeld(t *testing.T) {
	p := sparsetest.Grid(4)
	rng := rand.New(rand.NewPCG(3, 92))
	m := normalMatrix(p, rng)
	b := consistentSide(stored(m), rng)
	of := make([]int, p.Positive())
	for i := range of {
		of[i] = i % 2
	}
	part := cutUp(m, b, rowSquares(m), of, 2, team.New(1)).pieces[0]
	lp := part.m.Pattern
	x, r := make([]float64, len(part.b)), make([]float64, len(part.b))
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	held, terms := make([]float64, len(part.rows)), make([]float64, len(part.f.Symbolic.Held()))
	for _, policy := range []factor.Policy{factor.WhereWeak, factor.Everywhere} {
		require.NoError(t, part.f.FactorizeFor(part.b, part.m, part.scale, epsilon, policy))
		part.f.ResidualHeldTo(r, held, terms, part.b, x, 1)
		for i, v := range part.f.Symbolic.Held() {
			want := 0.0
			for _, u := range lp.Ind[lp.Ptr[v]:lp.Ptr[v+1]] {
				want += mat.Norm(mat.NewVecDense(int(lp.Size[u]), x[lp.Off[u]:lp.Off[u+1]]), 2)
				if policy == factor.Everywhere {
					want += mat.Norm(mat.NewVecDense(int(lp.Size[u]), part.b[lp.Off[u]:lp.Off[u+1]]), 2)
				}
			}
			require.InEpsilon(t, want, terms[i], 1e-14, "policy %v", policy)
		}
	}
}

// Counts of a factor with held rows are those of what it does: with those
// of a root whose rows are all it holds they are those of the whole.
func TestCountHeld(t *testing.T) {
	p := sparsetest.Grid(10)
	perm := order.Of(p, order.MinDegree)
	whole := factor.CountOrder(p, perm)
	for _, held := range []int{0, 1, 9} {
		c := factor.CountHeld(p, perm, held)
		s := factor.AnalyzeHeld(p, perm, held)
		assert.Equal(t, c, s.Counts)
		assert.Len(t, s.Held(), held)
		n := int64(s.HeldRows())
		eliminating := int64(0)
		for i := range n {
			eliminating += i * (i + 2)
		}
		assert.GreaterOrEqual(t, c.Flops+eliminating, whole.Flops)
		if held == 0 {
			assert.Equal(t, whole, c)
		}
	}
	assert.Panics(t, func() { factor.AnalyzeHeld(p, perm, len(perm)) }, "bodies cannot be held")
	s := factor.AnalyzeHeld(p, perm, 2)
	m := normalMatrix(p, rand.New(rand.NewPCG(1, 1)))
	f := s.NewFactor()
	require.NoError(t, f.Factorize(m, rowSquares(m), epsilon, factor.WhereWeak))
	x := make([]float64, p.Dim())
	assert.Panics(t, func() { f.SolveTo(x, x) }, "held rows have no solution of their own")
	assert.Panics(t, func() { f.ShareTo(x, x) })
	assert.False(t, math.IsNaN(f.SolveHeldTo(x, nil, make([]float64, len(x)), make([]float64, s.HeldRows()))))
}
