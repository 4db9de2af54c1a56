package sparse_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/sparse"
)

// TestRows: a choice of rows has the values and vectors of the rows that it chooses, and names the others.
func TestRows(t *testing.T) {
	p, _ := ladder(4)
	first := int(p.Off[p.Positive()])
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		kept := make([]bool, p.Dim())
		for i := first; i < len(kept); i++ {
			kept[i] = seed > 0 && rng.Float64() < float64(seed)/19
		}
		s := sparse.NewRows(p, kept)
		whole, part := sparse.NewUnitMatrix(p), sparse.NewUnitMatrix(s.Pattern)
		for i := range whole.Val {
			whole.Val[i] = rng.NormFloat64()
		}
		s.ValuesTo(part, whole)
		x, y, back := make([]float64, p.Dim()), make([]float64, len(s.Row)), make([]float64, p.Dim())
		for i := range x {
			x[i], back[i] = rng.NormFloat64(), 1
		}
		s.GatherTo(y, x)
		s.ScatterTo(back, y)
		chosen := make([]bool, p.Dim())
		for i, r := range s.Row {
			chosen[r] = true
			require.Equal(t, x[r], y[i])
			for j, c := range s.Row[:first] {
				require.Equal(t, whole.At(int(r), int(c)), part.At(i, j))
			}
		}
		for i, of := range s.Node {
			require.Equal(t, p.Sign[of], s.Pattern.Sign[i])
			require.LessOrEqual(t, p.Off[of], s.Row[s.Pattern.Off[i]])
			require.Less(t, s.Row[s.Pattern.Off[i+1]-1], p.Off[of+1])
		}
		spare := make([]bool, p.Dim())
		for _, v := range s.Spare {
			for _, a := range v.Rows[:v.N] {
				spare[int(p.Off[v.Of])+int(a)] = true
			}
		}
		for i := range x {
			require.Equal(t, i < first || kept[i], chosen[i])
			require.NotEqual(t, chosen[i], spare[i])
			if chosen[i] {
				require.Equal(t, x[i], back[i])
			} else {
				require.Zero(t, back[i])
			}
		}
	}
}

// TestRowsMisuse: lengths and patterns have to be those of the choice.
func TestRowsMisuse(t *testing.T) {
	p, _ := ladder(2)
	s := sparse.NewRows(p, make([]bool, p.Dim()))
	m := sparse.NewUnitMatrix(p)
	require.PanicsWithValue(t, "sparse: length mismatch", func() { sparse.NewRows(p, nil) })
	require.PanicsWithValue(t, "sparse: foreign pattern", func() { s.ValuesTo(m, m) })
	require.PanicsWithValue(t, "sparse: length mismatch", func() { s.GatherTo(nil, make([]float64, p.Dim())) })
	require.PanicsWithValue(t, "sparse: length mismatch", func() { s.ScatterTo(nil, make([]float64, len(s.Row))) })
}
