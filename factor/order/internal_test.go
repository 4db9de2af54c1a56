package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/sparsetest"
)

func TestCore(t *testing.T) {
	require.Equal(t, 0, coreSize(sparsetest.Uniform(0, 5, nil)))
	require.Equal(t, 0, coreSize(sparsetest.Uniform(3, 5, [][]int32{{0}, {0, 1}, {1, 2}})), "hanging")
	require.Equal(t, 0, coreSize(sparsetest.Uniform(4, 5, [][]int32{{0, 1}, {1, 2}})), "floating")
	require.Equal(t, 3, coreSize(sparsetest.Uniform(4, 5, [][]int32{{0, 1}, {1, 2}, {0, 2}, {2, 3}})), "loop with a tail")
	require.Equal(t, 0, coreSize(sparsetest.Uniform(1, 5, [][]int32{{0}, {0}})), "loop through the world")
}

// After each step the quotient graph stands for the elimination graph: weights
// of elements are those of their variables, and with two bodies a joint the
// degrees are exact.
func TestQuotientDegrees(t *testing.T) {
	joints := sparsetest.Lattice(9)
	g := newGraph(sparsetest.Uniform(81, 5, joints))
	core := make([]int32, g.nj)
	for j := range core {
		core[j] = int32(j)
	}
	q := newQuotient(g)
	q.load(core, nil)
	for len(q.order) < len(core) {
		for q.head[q.least] < 0 {
			q.least++
		}
		q.eliminate(q.head[q.least])
		total := int32(0)
		for v := range q.vars {
			x := &q.vars[v]
			if x.rows == 0 {
				continue
			}
			total += x.rows
			require.Positive(t, x.rows)
			near := map[int32]bool{}
			degree := int32(0)
			for _, k := range q.elems[x.at : x.at+x.count] {
				e := q.elem[k]
				for _, u := range q.pool[e.at : e.at+e.count] {
					if u != int32(v) && q.vars[u].rows > 0 && !near[u] {
						near[u] = true
						degree += q.vars[u].rows
					}
				}
			}
			require.Equal(t, degree, x.degree, "step %d, variable %d", q.step, v)
		}
		require.Equal(t, total, q.total)
	}
	slices.Sort(q.order)
	require.Equal(t, core, q.order)
}

// A halo counts in the degrees and the work and stays.
func TestQuotientHalo(t *testing.T) {
	g := newGraph(sparsetest.Uniform(3, 2, [][]int32{{0}, {0, 1}, {1, 2}, {2}}))
	q := newQuotient(g)
	inCore := []bool{true, true, true, true}
	for range 2 { // the memory is reused
		q.load([]int32{1, 2}, inCore)
		q.run()
		require.Equal(t, []int32{1, 2}, q.appendJoints(nil, []int32{1, 2}))
		// Each pivot of two rows has four rows below: 4·5 + 5·6.
		require.Equal(t, 2*50.0, q.flops)
	}
}

func TestPivotFlops(t *testing.T) {
	for w := range int32(7) {
		for s := range int32(7) {
			want := 0.0
			for r := s; r < s+w; r++ {
				want += float64(r) * float64(r+1)
			}
			require.Equal(t, want, pivotFlops(w, s))
		}
	}
}

// Coarsening keeps weights and cuts: a bisection of the coarse net cuts as many
// rows as its image in the fine net.
func TestCoarsen(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	star := make([][]int32, 300)
	for k := range star {
		star[k] = []int32{0, int32(k + 1)}
	}
	for _, joints := range [][][]int32{sparsetest.Lattice(18), star, nil} {
		d := &dissector{g: newGraph(sparsetest.Uniform(324, 5, joints)), vertex: slices.Repeat([]int32{-1}, 324)}
		all := make([]int32, len(joints))
		for j := range all {
			all[j] = int32(j)
		}
		fine := d.net(all)
		c := &cut{rng: rng}
		coarse, image := fine.coarsen(c.shuffled(fine.n), 2)
		require.LessOrEqual(t, coarse.n, fine.n*2/3)
		side := make([]int8, coarse.n)
		for v := range side {
			side[v] = int8(rng.IntN(2))
		}
		c.load(coarse, side)
		rows, sum := c.rows, c.sum
		fineSide := make([]int8, fine.n)
		for v, u := range image {
			fineSide[v] = side[u]
		}
		c.load(fine, fineSide)
		require.Equal(t, rows, c.rows)
		require.Equal(t, sum, c.sum)
	}
}

// The best bisection of a k×k net cuts k joints.
func TestBisectGrid(t *testing.T) {
	const k, slack = 24, 1.1
	joints := sparsetest.Lattice(k)
	d := &dissector{g: newGraph(sparsetest.Uniform(k*k, 5, joints)), vertex: slices.Repeat([]int32{-1}, k*k)}
	all := make([]int32, len(joints))
	for j := range all {
		all[j] = int32(j)
	}
	net := d.net(all)
	c := &cut{rng: rand.New(rand.NewPCG(9, 9))}
	side := c.bisect(net)
	rows, sum := c.rows, c.sum
	c.load(net, side)
	require.Equal(t, rows, c.rows, "moves keep the cut up to date")
	require.Equal(t, sum, c.sum)
	require.LessOrEqual(t, float64(rows), slack*5*k)
	require.LessOrEqual(t, max(sum[0], sum[1]), min(c.limit[0], c.limit[1]))
}

func TestHeap(t *testing.T) {
	const n = 200
	rng := rand.New(rand.NewPCG(10, 10))
	c := &cut{outside: make([]int32, n), total: make([]int32, n), moved: make([]bool, n)}
	h := &heap{}
	for v := range int32(n) {
		c.total[v] = rng.Int32N(50)
		h.push(c.gain(v)+1, v) // out of date
		h.push(c.gain(v), v)
	}
	c.moved[7] = true
	last := int32(1)
	for count := range n - 1 {
		v := h.pop(c)
		require.NotEqual(t, int32(-1), v, "after %d", count)
		require.LessOrEqual(t, c.gain(v), last)
		last = c.gain(v)
		c.moved[v] = true
	}
	require.Equal(t, int32(-1), h.pop(c))
}
