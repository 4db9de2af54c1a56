package kernel

// Pair is a pair of blocks of rows of six numbers in a vector w. They are consecutive rows of a joint, one block for each of its two
// bodies.
type Pair struct {
	W1, W2 int64 // indices of the blocks' first numbers in w
	X1, X2 int32 // the blocks multiply the six unknowns from 6·X1 on and from 6·X2 on
	Row    int32 // index of the first row in the vectors b and scale
	N      int32 // number of rows, at least one
}

// Bound holds the numbers in the bound of FirstLarge.
type Bound struct {
	Limit, Rest float64
	Squares     []float64 // by group of six unknowns
	Scale       []float64 // by row
}

// FirstLarge returns the index of the first pair that has a row with a large residual, or len(pairs) if there is none. A residual t is
// small, and otherwise large, if
//
//	t² ≤ Limit·(Rest + Squares[X1] + Squares[X2])·Scale[Row+a],
//	t = b[Row+a] − Σ_c w[W1+6a+c]·x[6·X1+c] − Σ_c w[W2+6a+c]·x[6·X2+c],  0 ≤ a < N, 0 ≤ c < 6.
//
// A NaN is large.
//
// Cost: 30 operations a row, no allocation.
func FirstLarge(b, w, x []float64, to *Bound, pairs []Pair) int {
	if checking {
		assertPairs(b, w, x, to, pairs)
	}
	return firstLarge(active, b, w, x, to, pairs)
}

// firstLargePlain is FirstLarge in Go.
func firstLargePlain(b, w, x []float64, to *Bound, pairs []Pair) int {
	for i := range pairs {
		p := &pairs[i]
		most := to.Limit * (to.Rest + to.Squares[p.X1] + to.Squares[p.X2])
		n, t := int(p.N), [6]float64{}
		for at := 0; at < n; at += len(t) {
			rows := min(n-at, len(t))
			copy(t[:], b[int(p.Row)+at:][:rows])
			subRowsPlain(t[:], w[int(p.W1)+6*at:], rows, x[6*p.X1:])
			subRowsPlain(t[:], w[int(p.W2)+6*at:], rows, x[6*p.X2:])
			for a, d := range to.Scale[int(p.Row)+at:][:rows] {
				if !(t[a]*t[a] <= most*d) {
					return i
				}
			}
		}
	}
	return len(pairs)
}
