package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/eigen"
)

// bounded finds steps within limits by an active set, docs/inverse-kinematics.md (L1): bounded least squares, solved
// exactly. A step u minimizes
//
//	½‖A u − e‖² + ½k‖u‖²   with   lower ≤ u ≤ upper and C u = 0,
//
// plus ½uᵀS u where the curvature S of the errors is known, (L3).
//
// Zero is within the limits, so the method begins at zero and stays within them. It moves towards the minimum over the free
// coordinates, as far as the first limit, which becomes active. At the minimum it releases the active limit whose multiplier has the
// wrong sign and, among these, the largest magnitude. Active limits are kept from one step to the next.
type bounded struct {
	lower, upper []float64 // n, of the step, ≤ 0 and ≥ 0
	side         []int8    // n: −1 or 1 where the lower or upper limit is active
	u            []float64 // n, the step
	r            []float64 // e − A u
	g            []float64 // n, gradient of the merit at u
	p, v         []float64 // n, direction on the free coordinates, and u on them; zero on active ones
	rows         []float64 // A on the free coordinates, without its part in the span of C
	hold         []float64 // rows of C, orthonormal on the free coordinates; dependent ones are zero
	curve        []float64 // S, n×n, which (L3) adds to AᵀA, or nil
	freeCurve    []float64 // S projected from both sides on the directions that C leaves free
	gram, chol   []float64
	rhs          []float64
	spectrum     *eigen.Spectrum // singular values of rows for Pinv and Selective; else nil
	blocks       []int32         // by target, for Selective: its first row
	method       Method
	rounds       int // of the last step
}

// newBounded allocates the memory for steps of n coordinates and up to m rows, of A and C together.
func newBounded(m, n int, method Method) *bounded {
	k := min(m, n)
	f := make([]float64, 6*n+m+2*m*n+2*k*k)
	cut := func(n int) []float64 {
		s := f[:n:n]
		f = f[n:]
		return s
	}
	b := &bounded{lower: cut(n), upper: cut(n), u: cut(n), g: cut(n), p: cut(n), v: cut(n), r: cut(m), rhs: make([]float64, max(m, n)),
		rows: cut(m * n), hold: cut(m * n), gram: cut(k * k), chol: cut(k * k), side: make([]int8, n), method: method}
	if method == Pinv || method == Selective {
		b.spectrum = eigen.NewSpectrum(m, n)
	}
	return b
}

// orthonormalize stores in b.hold combinations of the rows of C that are orthonormal on the free coordinates (Gram and Schmidt, twice
// against rounding). The entries on active coordinates are those of the same combinations; release needs them.
func (b *bounded) orthonormalize(C []float64) {
	n := len(b.u)
	for r := 0; r < len(C); r += n {
		row := b.hold[r : r+n]
		copy(row, C[r:r+n])
		before := math.Sqrt(b.freeDot(row, row))
		for range 2 {
			for s := 0; s < r; s += n {
				earlier := b.hold[s : s+n]
				add(row, -b.freeDot(earlier, row), earlier)
			}
		}
		left := math.Sqrt(b.freeDot(row, row))
		if !(left > dependent*before) {
			clear(row)
			continue
		}
		for i := range row {
			row[i] /= left
		}
	}
}

// takeOut subtracts from v, which is zero on active coordinates, its part in the span of the first rows of b.hold. rows is their number.
func (b *bounded) takeOut(v []float64, rows int) {
	n := len(b.u)
	for s := 0; s < rows*n; s += n {
		q := b.hold[s : s+n]
		t := b.freeDot(q, v)
		for i, side := range b.side {
			if side == 0 {
				v[i] -= t * q[i]
			}
		}
	}
}

// freeDot returns the scalar product over the free coordinates.
func (b *bounded) freeDot(x, y []float64) (s float64) {
	for i, side := range b.side {
		if side == 0 {
			s += x[i] * y[i]
		}
	}
	return s
}

// add adds t·x to y.
func add(y []float64, t float64, x []float64) {
	for i := range y {
		y[i] += t * x[i]
	}
}

// clearActive makes v zero on active coordinates.
func (b *bounded) clearActive(v []float64) {
	for i, side := range b.side {
		if side != 0 {
			v[i] = 0
		}
	}
}

// onLimit reports whether coordinate i has an active limit that leaves it no way at all in its direction: the pose is on the limit.
func (b *bounded) onLimit(i int) bool {
	return b.side[i] < 0 && b.lower[i] == 0 || b.side[i] > 0 && b.upper[i] == 0
}

// dependent is the part of a row's length that has to remain without its component in the span of the rows before it. With less the row
// counts as dependent on them.
const dependent = 1e-9
