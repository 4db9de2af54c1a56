package mobility

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
)

// singularRange returns the largest singular value of the rows of a list, m numbers each, over the least one, and the least one; 1 and 0
// for an empty list. It returns the errors of eigen.SingularValuesOf.
func singularRange(list []chosen, m int) (condition, least float64, err error) {
	if len(list) == 0 {
		return 1, 0, nil
	}
	rows := make([]float64, 0, len(list)*m)
	for i := range list {
		rows = append(rows, list[i].row[:m]...)
	}
	values := make([]float64, min(len(list), m))
	if err := eigen.SingularValuesOf(rows, m, values); err != nil {
		return 0, 0, err
	}
	least = values[len(values)-1]
	return values[0] / least, least, nil
}

// inverseOf returns the inverse of the regular m×m matrix A, row by row, by elimination with row pivoting (Golub & Van Loan 2013
// §3.4). The first k rows may have any size and are scaled first; the others are unit vectors.
func inverseOf(A []float64, m, k int) []float64 {
	a, inv := slices.Clone(A), make([]float64, m*m)
	for i := range m {
		inv[i*m+i] = 1
		size := algebra.MaxAbs(a[i*m:][:m])
		if i >= k {
			size = 1
		}
		scale(a[i*m:][:m], 1/size)
		scale(inv[i*m:][:m], 1/size)
	}
	for c := range m {
		p := c
		for i := c + 1; i < m; i++ {
			if math.Abs(a[i*m+c]) > math.Abs(a[p*m+c]) {
				p = i
			}
		}
		for _, x := range [][]float64{a, inv} {
			for l := range m {
				x[c*m+l], x[p*m+l] = x[p*m+l], x[c*m+l]
			}
		}
		d := 1 / a[c*m+c]
		scale(a[c*m:][:m], d)
		scale(inv[c*m:][:m], d)
		for i := range m {
			if f := a[i*m+c]; i != c && f != 0 {
				add(a[i*m:][:m], -f, a[c*m:][:m])
				add(inv[i*m:][:m], -f, inv[c*m:][:m])
			}
		}
	}
	return inv
}

// scale multiplies v by s.
func scale(v []float64, s float64) {
	for i := range v {
		v[i] *= s
	}
}
