package factor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
)

var ordAll = []factor.Ordering{
	factor.Natural, factor.LeafFirst, factor.Banded, factor.MinDegree, factor.NestedDissection,
}

// ordPeeling are the orderings that peel pendant trees first.
var ordPeeling = []factor.Ordering{factor.LeafFirst, factor.MinDegree, factor.NestedDissection}

// ordCases are graphs of every kind the orderings have to take.
func ordCases() map[string]*sparse.Pattern {
	rng := rand.New(rand.NewPCG(1, 1))
	cases := map[string]*sparse.Pattern{
		"empty":          ordPattern(0, nil),
		"body":           ordPattern(1, nil),
		"bodies":         ordPattern(3, nil),
		"world joint":    ordPattern(1, []ordJoint{ordLink(5, 0, ordWorld)}),
		"no body":        ordPattern(0, []ordJoint{{c: 3}, {c: 1}}),
		"parallel":       ordPattern(2, []ordJoint{ordLink(5, 0, 1), ordLink(3, 1, 0), ordLink(2, 0, 1), ordLink(6, 0, ordWorld)}),
		"parallel world": ordPattern(1, []ordJoint{ordLink(5, 0, ordWorld), ordLink(1, 0, ordWorld), ordLink(1, 0, ordWorld)}),
		"bundle":         ordPattern(2, slices.Repeat([]ordJoint{ordLink(1, 0, 1)}, 500)),
		"three bodies":   ordPattern(4, []ordJoint{ordLink(5, 0, 1, 2), ordLink(3, 3, 2), ordLink(3, 3, 2)}),
		"chain":          ordChain(40, false),
		"closed chain":   ordChain(300, true),
		"ladder":         ordLadder(200),
		"grid":           ordGrid(25),
		"star":           ordStar(500, 0, 0),
		"big star":       ordStar(50000, 0, 0),
		"petals":         ordStar(60, 1, 0),
		"big petals":     ordStar(20000, 1, 0),
		"wheel":          ordStar(60, 3, 30),
		"islands":        ordIslands(700),
	}
	for k := range 8 {
		n := 1 + rng.IntN(120)
		cases[fmt.Sprintf("tree %d", k)] = ordTree(n, rng)
		cases[fmt.Sprintf("sparse %d", k)] = ordRandom(n, n, 2, 0, rng)
		cases[fmt.Sprintf("dense %d", k)] = ordRandom(4*n, 8*n, 2, 0, rng)
		cases[fmt.Sprintf("local %d", k)] = ordRandom(10*n, 13*n, 2, 4, rng)
		cases[fmt.Sprintf("gears %d", k)] = ordRandom(5*n, 4*n, 5, 6, rng)
	}
	return cases
}

func TestOrderObeysTileRule(t *testing.T) {
	for name, p := range ordCases() {
		for _, o := range ordAll {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				perm := factor.Order(p, o)
				require.NoError(t, factor.CheckTileRule(p, perm))
				require.Equal(t, perm, factor.Order(p, o), "same input, same order")
			})
		}
	}
}

func TestOrderForestStaysNarrow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(2, seed))
		p := ordTree(1+rng.IntN(300), rng)
		for _, o := range ordPeeling {
			got := ordSymbolic(p, factor.Order(p, o))
			require.LessOrEqual(t, got.width, 18, "%v, seed %d", o, seed)
		}
	}
}

// A hub with arms is a forest whatever its degree.
func TestOrderStarStaysNarrow(t *testing.T) {
	p := ordStar(50000, 0, 0)
	for _, o := range ordPeeling {
		got := ordSymbolic(p, factor.Order(p, o))
		require.LessOrEqual(t, got.width, 18, o.String())
		require.LessOrEqual(t, got.nnz, 5*len(p.Ind)/4+1, o.String())
	}
}

func TestOrderBandedLadder(t *testing.T) {
	// RBDA Fig. 8.4: L1 l1 R1 m1 r1 L2 l2 …, and from the other end L3 R3 m3 R2 r3
	// l3 …; joints are nodes from 6 on.
	want := []int32{0, 6, 1, 7, 8, 2, 9, 4, 5, 14, 3, 13, 12, 11, 10}
	require.Equal(t, want, factor.Order(ordLadder(3), factor.Banded))
	for _, n := range []int{5, 50, 500} {
		got := ordSymbolic(ordLadder(n), factor.Order(ordLadder(n), factor.Banded))
		assert.Equal(t, 15, got.width, "rows below a node, n = %d", n)
		assert.Equal(t, 14*n-9, got.nnz, "blocks, n = %d", n)
	}
}

// The band of a ladder does not depend on how its bodies and joints are numbered.
func TestOrderBandedShuffledLadder(t *testing.T) {
	// Start and direction may differ by a few joints at the ends.
	const slack = 1.02
	want := ordSymbolic(ordLadder(300), factor.Order(ordLadder(300), factor.Banded))
	for seed := range uint64(5) {
		p := ordShuffle(ordLadder(300), rand.New(rand.NewPCG(3, seed)))
		got := ordSymbolic(p, factor.Order(p, factor.Banded))
		require.LessOrEqual(t, got.flops, slack*want.flops)
	}
}

// Minimum degree and nested dissection find the band by themselves.
func TestOrderThinGraphs(t *testing.T) {
	// Dissection may exceed the band by the tolerance it is given and the cut.
	const slack = 1.3
	for name, p := range map[string]*sparse.Pattern{"ladder": ordLadder(2000), "chain": ordChain(4000, true)} {
		want := ordSymbolic(p, factor.Order(p, factor.Banded)).flops
		assert.LessOrEqual(t, ordSymbolic(p, factor.Order(p, factor.MinDegree)).flops, slack*want, name)
		assert.LessOrEqual(t, ordSymbolic(p, factor.Order(p, factor.NestedDissection)).flops, slack*want, name)
	}
}

// Nested dissection of a k×k grid costs 829/84 k³ multiplications with separator
// rows of one scalar (George 1973), so twice 5³ times that with revolute joints.
func TestOrderGridWork(t *testing.T) {
	const (
		ideal         = 2 * 125 * 829.0 / 84
		slackDissect  = 1.15
		slackMinimum  = 1.4 // minimum degree loses to dissection on grids
		slackNumbered = 1.1 // between one numbering of the nodes and another
	)
	for _, k := range []int{30, 60, 100} {
		p := ordGrid(k)
		cube := float64(k * k * k)
		dissect := ordSymbolic(p, factor.Order(p, factor.NestedDissection)).flops
		minimum := ordSymbolic(p, factor.Order(p, factor.MinDegree)).flops
		assert.LessOrEqual(t, dissect/cube, slackDissect*ideal, "k = %d", k)
		assert.LessOrEqual(t, minimum/cube, slackMinimum*ideal, "k = %d", k)
		if k == 60 {
			q := ordShuffle(p, rand.New(rand.NewPCG(4, 4)))
			shuffled := ordSymbolic(q, factor.Order(q, factor.NestedDissection)).flops
			assert.LessOrEqual(t, shuffled, slackNumbered*dissect)
		}
	}
}

// The approximate degrees, merging and mass elimination must not cost fill
// against the plain greedy method.
func TestOrderMinDegreeAgainstExact(t *testing.T) {
	// Ties are broken differently, which moves single small graphs by this much.
	const single, mean = 1.5, 1.03
	ratio, count := 0.0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(5, seed))
		n := 10 + rng.IntN(60)
		p := ordRandom(n, n+rng.IntN(n), 2+int(seed%2), 3+rng.IntN(20), rng)
		got := ordSymbolic(p, factor.Order(p, factor.MinDegree)).flops
		want := ordSymbolic(p, ordExactMinDegree(p)).flops
		require.LessOrEqual(t, got, single*want, "seed %d", seed)
		ratio += got / want
		count++
	}
	require.LessOrEqual(t, ratio/float64(count), mean)
}

func TestOrderingNames(t *testing.T) {
	for _, o := range append([]factor.Ordering{factor.Auto}, ordAll...) {
		got, err := factor.ParseOrdering(o.String())
		require.NoError(t, err)
		require.Equal(t, o, got)
	}
	_, err := factor.ParseOrdering("nearest")
	require.EqualError(t, err, `factor: unknown ordering "nearest"`)
	require.Equal(t, "Ordering(77)", factor.Ordering(77).String())
}

func TestOrderPanics(t *testing.T) {
	p := ordChain(3, false)
	require.PanicsWithValue(t, "factor: no such ordering to compute", func() { factor.Order(p, factor.Auto) })
	require.PanicsWithValue(t, "factor: no such ordering to compute", func() { factor.Order(p, 99) })
	const shape = "factor: pattern is not bodies followed by joints"
	mixed := ordChain(3, false)
	mixed.Sign[5] = 1
	require.PanicsWithValue(t, shape, func() { factor.Order(mixed, factor.Natural) })
	coupled := ordChain(3, false)
	coupled.Ind[0] = 3
	require.PanicsWithValue(t, shape, func() { factor.Order(coupled, factor.Natural) })
}

// FuzzOrder reads a graph from bytes: the number of bodies, then joints of rows,
// number of bodies, and bodies.
func FuzzOrder(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 5, 1, 0, 5, 2, 0, 1, 5, 2, 1, 2, 5, 1, 2})
	f.Add([]byte{2, 1, 2, 0, 1, 1, 2, 0, 1, 6, 0, 3, 3, 0, 1, 1})
	rng := rand.New(rand.NewPCG(6, 6))
	for range 8 {
		seed := make([]byte, 400)
		for k := range seed {
			seed[k] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() int {
			if len(data) == 0 {
				return 0
			}
			x := data[0]
			data = data[1:]
			return int(x)
		}
		nb := next()
		var joints []ordJoint
		for len(data) > 0 {
			j := ordJoint{c: int8(1 + next()%6)}
			for range next() % 4 {
				if nb > 0 {
					j.bodies = append(j.bodies, int32(next()%nb))
				}
			}
			joints = append(joints, j)
		}
		p := ordPattern(nb, joints)
		for _, o := range ordAll {
			require.NoError(t, factor.CheckTileRule(p, factor.Order(p, o)), o.String())
		}
	})
}
