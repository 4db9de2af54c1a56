package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstLarge compares FirstLarge with residuals by SubRows: limits between the ratios of the pairs, and a number that is none.
func TestFirstLarge(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for count := range 6 {
			for range 20 {
				w, x, b := randomDense(r, 6, 40, 6, false), randomDense(r, 6, 5, 6, false), randomDense(r, 30, 1, 30, false)
				to := Bound{Rest: r.Float64(), Squares: make([]float64, 5), Scale: make([]float64, 30)}
				for i := range to.Squares {
					to.Squares[i] = r.Float64()
				}
				for i := range to.Scale {
					to.Scale[i] = 0.1 + r.Float64()
				}
				var pairs []Pair
				var ratios []float64 // the largest of each pair
				for range count {
					n := 1 + r.IntN(7)
					p := Pair{
						W1: 6 * int64(r.IntN(41-n)), W2: 6 * int64(r.IntN(41-n)), X1: int32(r.IntN(5)), X2: int32(r.IntN(5)),
						Row: int32(r.IntN(31 - n)), N: int32(n),
					}
					res := append([]float64(nil), b.x[p.Row:][:n]...)
					subRowsPlain(res, w.x[p.W1:], n, x.x[6*p.X1:])
					subRowsPlain(res, w.x[p.W2:], n, x.x[6*p.X2:])
					most := 0.0
					for a, y := range res {
						most = max(most, y*y/(to.Scale[int(p.Row)+a]*(to.Rest+to.Squares[p.X1]+to.Squares[p.X2])))
					}
					pairs, ratios = append(pairs, p), append(ratios, most)
				}
				first := func(limit float64) int {
					for i, q := range ratios {
						if q > limit {
							return i
						}
					}
					return count
				}
				for _, q := range append(ratios, 1e300) {
					for _, limit := range []float64{q * (1 - 1e-12), q * (1 + 1e-12)} {
						to.Limit = limit
						require.Equal(t, first(limit), firstLarge(v, b.x, w.x, x.x, &to, pairs), "%+v", pairs)
					}
				}
				if count > 0 {
					p := pairs[count-1]
					to.Limit, b.x[p.Row+p.N-1] = 1e300, math.NaN()
					require.Less(t, firstLarge(v, b.x, w.x, x.x, &to, pairs), count)
				}
			}
		}
	})
}
