package mobility

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// jacobiSweeps bounds the sweeps of spread; some ten suffice. jacobiTol is the cosine of two rows that are orthogonal.
	jacobiSweeps = 60
	jacobiTol    = 1e-15
)

// spread returns the quotient of the largest and the least singular value of the rows of a list, m numbers each, and the least, 1 and 0 if there are
// none: rotations of pairs of rows until all are orthogonal (one-sided Jacobi, Golub & Van Loan 2013 §8.6).
func spread(list []picked, m int) (condition, least float64) {
	if len(list) == 0 {
		return 1, 0
	}
	rows := make([][]float64, len(list))
	for i := range rows {
		rows[i] = slices.Clone(list[i].row[:m])
	}
	for turned, sweep := true, 0; turned && sweep < jacobiSweeps; sweep++ {
		turned = false
		for i := range rows {
			for j := range i {
				turned = rotate(rows[i], rows[j]) || turned
			}
		}
	}
	least, most := math.Inf(1), 0.0
	for _, r := range rows {
		s := math.Sqrt(algebra.Dot(r, r))
		least, most = min(least, s), max(most, s)
	}
	return most / least, least
}

// rotate makes two rows orthogonal by a rotation in their plane. It reports whether they were not.
func rotate(a, b []float64) bool {
	aa, bb, ab := algebra.Dot(a, a), algebra.Dot(b, b), algebra.Dot(a, b)
	if !(math.Abs(ab) > jacobiTol*math.Sqrt(aa*bb)) {
		return false
	}
	zeta := (bb - aa) / (2 * ab)
	t := 1 / (math.Abs(zeta) + math.Hypot(1, zeta))
	if zeta < 0 {
		t = -t
	}
	c := 1 / math.Hypot(1, t)
	s := c * t
	for i := range a {
		a[i], b[i] = c*a[i]-s*b[i], s*a[i]+c*b[i]
	}
	return true
}

// inverseOf returns the inverse of an m×m matrix by rows, of which the first k are any and the others orthonormal and orthogonal to
// these: elimination with row pivoting of the scaled rows (Golub & Van Loan 2013 §3.4).
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
