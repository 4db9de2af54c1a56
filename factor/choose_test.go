package factor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// scaledRows returns the rows of sign −1 with keep, each divided by the root of its scale, for unit +1 blocks.
func scaledRows(m *sparse.Matrix, scale []float64, keep []bool) *mat.Dense {
	p := m.Pattern
	n := positiveRows(p)
	var rows [][]float64
	for i := n; i < p.Dim(); i++ {
		if !keep[i] {
			continue
		}
		row := make([]float64, n)
		for j := range row {
			row[j] = m.At(i, j) / math.Sqrt(scale[i])
		}
		rows = append(rows, row)
	}
	d := mat.NewDense(len(rows), n, nil)
	for i, r := range rows {
		d.SetRow(i, r)
	}
	return d
}

// TestChooseRows: the rows that are kept have the rank of all rows, and are as far from depending on each other as all rows are, up to a
// factor; an elimination in the order of the rows loses that from loop to loop. The choice is the same on any number of threads.
//
//rung:race
func TestChooseRows(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		off    float64 // largest quotient of the least singular values
	}{{"scissor", 12, 5}, {"hoberman", 12, 30}, {"miura", 5, 30}, {"delta", 3, 30}} {
		l := layoutOf(t, c.family, c.n)
		y := l.NewWeighted()
		require.NoError(t, y.FillTo(l.Mech.Initial()))
		s, _, _ := factor.Choose(l.Pattern, order.Auto, 1)
		kept := make([]bool, l.Pattern.Dim())
		f := s.NewFactor()
		require.NoError(t, f.ChooseRows(kept, y.Matrix, y.Scale, 1e-12))
		require.Panics(t, func() { f.SolveTo(y.Right, y.Right) }, "there is no factor")
		again := make([]bool, len(kept))
		require.NoError(t, s.NewFactorOn(team.New(3)).ChooseRows(again, y.Matrix, y.Scale, 1e-12))
		require.Equal(t, kept, again)

		all := make([]bool, len(kept))
		for i := range all {
			all[i] = true
		}
		var whole, part mat.SVD
		require.True(t, whole.Factorize(scaledRows(y.Matrix, y.Scale, all), mat.SVDNone))
		require.True(t, part.Factorize(scaledRows(y.Matrix, y.Scale, kept), mat.SVDNone))
		v, w := whole.Values(nil), part.Values(nil)
		rank := 0
		for rank < len(v) && v[rank] > 1e-9*v[0] {
			rank++
		}
		rows := 0
		for _, k := range kept[positiveRows(l.Pattern):] {
			if k {
				rows++
			}
		}
		t.Logf("%s: rank %d of %d rows, least singular values %.2g and %.2g", c.family, rank, l.Pattern.Dim()-positiveRows(l.Pattern), v[rank-1], w[rank-1])
		require.Equal(t, rank, rows, c.family)
		require.Less(t, v[rank-1]/w[rank-1], c.off, c.family)
	}
}

// TestChooseRowsAtRest: rows that come before a node of sign +1 are chosen as if that were at rest, and rows behind it as if it
// moved. Nine rows on two bodies do not depend on each other; on one of them six do not.
func TestChooseRowsAtRest(t *testing.T) {
	const arm, hub, both, own = 0, 1, 2, 3
	p := sparse.NewPattern([]int8{6, 6, 6, 3}, []int8{1, 1, -1, -1}, []int32{0, 0, 0, 2, 3}, []int32{arm, hub, arm})
	m := sparse.NewUnitMatrix(p)
	rng := rand.New(rand.NewPCG(1, 9))
	scale := make([]float64, p.Dim())
	for i := range m.Val {
		m.Val[i] = rng.NormFloat64()
	}
	for i := range scale {
		scale[i] = 1
	}
	for _, c := range []struct {
		order []int32
		rows  int
	}{
		{[]int32{arm, both, own, hub}, 6}, {[]int32{arm, own, both, hub}, 6},
		{[]int32{arm, both, hub, own}, 9}, {[]int32{arm, own, hub, both}, 9}, {[]int32{hub, arm, both, own}, 9},
	} {
		kept := make([]bool, p.Dim())
		require.NoError(t, factor.Analyze(p, c.order).NewFactor().ChooseRows(kept, m, scale, 1e-12))
		n := 0
		for _, k := range kept[12:] {
			if k {
				n++
			}
		}
		require.Equal(t, c.rows, n, "%v", c.order)
	}
}

// TestRowSpanKeeps: orthogonal factors in the order of an elimination keep the rows that ChooseRows keeps, as long as rounding of the
// products of rows tells these, in fronts of more rows than a panel too.
func TestRowSpanKeeps(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{{"scissor", 12}, {"hoberman", 12}, {"miura", 5}, {"revolute-net", 6}} {
		l := layoutOf(t, c.family, c.n)
		y := l.NewWeighted()
		require.NoError(t, y.FillTo(l.Mech.Initial()))
		s, _, _ := factor.Choose(l.Pattern, order.Auto, 1)
		want, kept := make([]bool, l.Pattern.Dim()), make([]bool, l.Pattern.Dim())
		require.NoError(t, s.NewFactor().ChooseRows(want, y.Matrix, y.Scale, 1e-12))
		plan, err := factor.AnalyzeRowSpanWithin(t.Context(), l.Pattern, s.Order(), factor.Limits{})
		require.NoError(t, err)
		q := plan.NewRowSpan()
		q.Factorize(y.Matrix, 1e-9)
		q.KeptTo(kept)
		require.Equal(t, want, kept, c.family)
		require.Greater(t, q.Gap().Smallest, 1e9*q.Gap().Dropped, c.family)
		require.PanicsWithValue(t, "factor: length mismatch", func() { q.KeptTo(kept[1:]) })
		_, err = factor.AnalyzeRowSpanWithin(t.Context(), l.Pattern, s.Order(), factor.Limits{Flops: 1})
		require.ErrorAs(t, err, new(*factor.CostError))
	}
}
