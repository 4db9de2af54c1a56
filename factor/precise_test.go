package factor_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

const (
	// preciseTau is far above the pivots of redundant rows of random numbers, 1e-22 and less, and below all others, 1e-7.
	preciseTau      = 1e-15
	preciseResidual = 1e-22 // of a solution with entries of order 1 and pivots down to 1e-7
)

// preciseSystem returns the values of W of a random matrix with unit bodies, and the squared norms of its rows.
func preciseSystem(p *sparse.Pattern, rng *rand.Rand) (w []dd.Num, scale []float64) {
	w, scale = make([]dd.Num, p.Pos[len(p.Pos)-1]), make([]float64, p.Dim())
	for i := range w {
		w[i] = dd.Of(rng.NormFloat64())
	}
	return w, rowScales(p, w, scale)
}

func rowScales(p *sparse.Pattern, w []dd.Num, scale []float64) []float64 {
	clear(scale)
	for v := range p.Len() {
		for k := p.Ptr[v]; k < p.Ptr[v+1]; k++ {
			cols := int64(p.Size[p.Ind[k]])
			for i := p.Pos[k]; i < p.Pos[k+1]; i++ {
				scale[int64(p.Off[v])+(i-p.Pos[k])/cols] += w[i].Hi * w[i].Hi
			}
		}
	}
	return scale
}

// Solutions satisfy the system to twice the digits, for every graph and order. Rows that cannot all be
// independent are found redundant, the same number in every order.
func TestPreciseSolves(t *testing.T) {
	for name, p := range smallGraphs() {
		if strings.Contains(name, "sizes") {
			continue // a joint may have more rows than the only body before it
		}
		rng := rand.New(rand.NewPCG(3, uint64(p.Dim())))
		w, scale := preciseSystem(p, rng)
		n := p.Dim()
		b, x, r := make([]dd.Num, n), make([]dd.Num, n), make([]dd.Num, n)
		redundant := -1
		if hasEmptyRow(scale, p) {
			continue
		}
		for _, o := range order.All() { // of which none takes a joint before a body of its own
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				f := factor.NewPrecise(p, order.Of(p, o))
				require.NoError(t, f.Factorize(w, scale, preciseTau))
				weak := make([]bool, n)
				count := 0
				f.EachRow(func(i int32, is bool, _ float64) {
					if weak[i] = is; is {
						count++
					}
				})
				if redundant < 0 {
					redundant = count
				}
				require.Equal(t, redundant, count, "redundant rows")
				// A right side that some x meets.
				for i := range b {
					x[i] = dd.Of(rng.NormFloat64())
					if weak[i] {
						x[i] = dd.Num{}
					}
					r[i] = dd.Num{}
				}
				f.ResidualTo(b, r, x)
				for i := range b {
					b[i] = dd.Neg(b[i])
				}
				f.SolveTo(x, b)
				f.ResidualTo(r, b, x)
				for i := range r {
					require.InDelta(t, 0, r[i].Hi, preciseResidual, "row %d", i)
				}
			})
		}
	}
}

func hasEmptyRow(scale []float64, p *sparse.Pattern) bool {
	for i := p.Off[p.Positive()]; int(i) < p.Dim(); i++ {
		if scale[i] == 0 {
			return true
		}
	}
	return false
}

// A row that depends on others up to 1e-9 has a pivot of 1e-18. Taken first, it costs the later rows their
// digits; at the end, by falling pivots, it does not.
func TestPreciseLastOrder(t *testing.T) {
	// One body with four joints of one row each to it: rows 0 and 1 differ by 1e-10, row 3 is the sum of 1 and 2.
	p := sparsetest.New(1, []sparsetest.Joint{sparsetest.Link(1, 0, sparsetest.World), sparsetest.Link(1, 0, sparsetest.World), sparsetest.Link(1, 0, sparsetest.World), sparsetest.Link(1, 0, sparsetest.World)})
	const small = 1e-7
	rows := [4][6]float64{{1}, {1, small}, {0, 0, 1}, {1, small, 1}}
	w := make([]dd.Num, 24)
	for i, row := range rows {
		for c, v := range row {
			w[6*i+c] = dd.Of(v)
		}
	}
	scale := rowScales(p, w, make([]float64, p.Dim()))
	f := factor.NewPrecise(p, []int32{0, 1, 2, 3, 4})
	last := []int32{6, 7, 8, 9}
	sequence, err := f.Postponed(last).LastOrder(w, scale, len(last))
	require.NoError(t, err)
	require.ElementsMatch(t, last, sequence)
	g := f.Postponed(sequence)
	require.NoError(t, g.Factorize(w, scale, preciseTau))
	var pivots []float64
	g.EachRow(func(i int32, weak bool, pivot float64) {
		require.Equal(t, sequence[len(pivots)], i)
		require.Equal(t, len(pivots) == 3, weak, "row %d, pivot %g", i, pivot)
		pivots = append(pivots, pivot)
	})
	require.InEpsilon(t, small*small, pivots[2], 0.5+1e-6) // relative to a scale of 1 or 2
	require.Less(t, math.Abs(pivots[3]), preciseTau)
	require.PanicsWithValue(t, "factor: not a permutation", func() { f.Postponed([]int32{7, 7}) })
}

func TestPreciseRefuses(t *testing.T) {
	p := sparsetest.New(1, []sparsetest.Joint{sparsetest.Link(2, 0, sparsetest.World)})
	f := factor.NewPrecise(p, []int32{0, 1})
	require.PanicsWithValue(t, "factor: length mismatch", func() { _ = f.Factorize(make([]dd.Num, 12), nil, preciseTau) })
	w := make([]dd.Num, 12)
	w[0], w[7] = dd.Of(math.Inf(1)), dd.Of(1)
	var bad *factor.PivotError
	require.ErrorAs(t, f.Factorize(w, []float64{0, 0, 0, 0, 0, 0, 1, 1}, preciseTau), &bad)
	require.Equal(t, 1, bad.Node)
	require.Equal(t, 0, bad.Row)
}

func TestPreciseAllocatesNothing(t *testing.T) {
	p := sparsetest.Ladder(6)
	rng := rand.New(rand.NewPCG(3, 1))
	w, scale := preciseSystem(p, rng)
	f := factor.NewPrecise(p, order.Of(p, order.MinDegree))
	x, b, r := make([]dd.Num, p.Dim()), make([]dd.Num, p.Dim()), make([]dd.Num, p.Dim())
	require.Zero(t, testing.AllocsPerRun(10, func() {
		require.NoError(t, f.Factorize(w, scale, preciseTau))
		f.SolveTo(x, b)
		f.ResidualTo(r, b, x)
	}))
}
