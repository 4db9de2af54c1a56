package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
)

// bounded finds steps within limits by an active set, docs/inverse-kinematics.md (L1): bounded least squares, solved
// exactly. A step u is least in
//
//	½‖A u − e‖² + ½k‖u‖²   with   lower ≤ u ≤ upper and C u = 0,
//
// and with ½uᵀS u added where the curvature S of the errors is known, (L3).
//
// Zero is within the limits, so the method begins at zero and stays within them. It moves towards the minimum over the free
// coordinates, as far as the first limit, which becomes active. At the minimum it releases the active limit whose
// multiplier has the wrong sign and is largest. Active limits are kept from step to step.
type bounded struct {
	lower, upper []float64 // n, of the step, ≤ 0 and ≥ 0
	side         []int8    // n: −1 or 1 where the lower or upper limit is active
	u            []float64 // n, the step
	r            []float64 // e − A u
	g            []float64 // n, gradient of the merit at u
	p, v         []float64 // n, way on the free coordinates, and u on them
	rows         []float64 // A on the free coordinates, less what C fixes
	hold         []float64 // rows of C, orthonormal on the free coordinates; dependent ones are zero
	curve        []float64 // S, n×n, which (L3) adds to AᵀA, or nil
	bent         []float64 // S on the free coordinates, less what C fixes
	gram, chol   []float64
	rhs          []float64
	spectrum     *eigen.Spectrum // of rows, for the methods that take it; else nil
	blocks       []int32         // of Selective: where the rows of each target begin
	method       Method
	rounds       int // of the last step
}

// newBounded allocates for steps of n coordinates and up to m rows, of A and C together.
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

const (
	// limitRounds is the largest number of rounds of an active set, and limitMore for each coordinate. After them the
	// step is within the limits, but may not be the least.
	limitRounds, limitMore = 20, 4
	// limitWrong is the least multiplier of the wrong sign with which an active limit is released, relative to the largest gradient.
	limitWrong = 1e-12
	// dependent is the part of a row that has to be left by the rows before it, for it to be a row of its own.
	dependent = 1e-9
)

// step stores in b.u the step for A and e, and leaves in b.r what it does not take away, in b.g the gradient.
//
// Shapes: e has m entries, A is m×n, C has n columns, or is empty.
// Cost: O(m·n·min(m, n)) a round and one round more for each limit that is met or left, no allocation.
func (b *bounded) step(A, e, C []float64, k float64) {
	m, n := len(e), len(b.u)
	clear(b.u)
	copy(b.r, e)
	for i, s := range b.side {
		if s < 0 && b.lower[i] != 0 || s > 0 && b.upper[i] != 0 {
			b.side[i] = 0
		}
	}
	whole := b.method == Selective || b.method == Transpose // whose way is not that to a least value
	if whole {
		for b.project(nil, C, 0); b.release(A, C, m, 0); {
		}
	}
	for b.rounds = 1; b.rounds < limitRounds+limitMore*n; b.rounds++ {
		b.project(A, C, m)
		b.way(m, k, len(C)/n)
		if !b.advance(A, m) && (whole || !b.release(A, C, m, k)) {
			return
		}
	}
}

// project stores in b.hold the rows of C made orthonormal on the free
// coordinates, and in b.rows those of A with what C fixes taken out.
func (b *bounded) project(A, C []float64, m int) {
	n := len(b.u)
	copy(b.rows[:m*n], A)
	for i, s := range b.side {
		if s != 0 {
			for r := i; r < m*n; r += n {
				b.rows[r] = 0
			}
		}
	}
	if b.curve != nil {
		copy(b.bent, b.curve)
	}
	if len(C) == 0 {
		return
	}
	b.orthonormalize(C)
	if b.curve != nil {
		b.bend(len(C))
	}
	for r := 0; r < m*n; r += n {
		row := b.rows[r : r+n]
		before := algebra.Dot(row, row)
		b.takeOut(row, len(C)/n)
		b.takeOut(row, len(C)/n)
		if !(algebra.Dot(row, row) > dependent*dependent*before) {
			clear(row)
		}
	}
}

// orthonormalize stores in b.hold the rows of C, orthonormal on the free coordinates (Gram and Schmidt, twice). On active
// ones they are the same combinations, which release needs.
func (b *bounded) orthonormalize(C []float64) {
	n := len(b.u)
	for r := 0; r < len(C); r += n {
		row := b.hold[r : r+n]
		copy(row, C[r:r+n])
		before := math.Sqrt(b.freeDot(row, row))
		for range 2 {
			for s := 0; s < r; s += n {
				q := b.hold[s : s+n]
				add(row, -b.freeDot(q, row), q)
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

// takeOut takes from v, which is zero on active coordinates, its part in the span of the first rows of b.hold.
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

// advance moves b.u along b.p as far as the limits allow, and reports whether one is in the way.
func (b *bounded) advance(A []float64, m int) (blocked bool) {
	n, far, at, small := len(b.u), 1.0, -1, limitWrong*algebra.MaxAbs(b.p)
	for i, p := range b.p {
		if math.Abs(p) <= small {
			b.p[i] = 0 // rounding, which does not run into limits
			continue
		}
		room := b.upper[i] - b.u[i]
		if p < 0 {
			room = b.lower[i] - b.u[i]
		}
		if room/p < far {
			far, at = max(0, room/p), i
		}
	}
	for i, side := range b.side {
		if side == 0 {
			b.u[i] += far * b.p[i]
		}
	}
	for r := range m {
		b.r[r] -= far * b.alongRow(A[r*n:r*n+n])
	}
	if at < 0 {
		return false
	}
	b.side[at], b.u[at] = 1, b.upper[at]
	if b.p[at] < 0 {
		b.side[at], b.u[at] = -1, b.lower[at]
	}
	return true
}

// alongRow returns the scalar product of a row with b.p, which is zero on active coordinates.
func (b *bounded) alongRow(row []float64) float64 { return algebra.Dot(b.p, row) }

// release frees the active limit with the largest multiplier of the wrong sign, and reports whether there is one. After many rounds
// it takes the first such limit, so that the active sets do not repeat for ever (Bland's rule).
func (b *bounded) release(A, C []float64, m int, k float64) bool {
	b.gradient(A, C, m, k)
	worst, at := limitWrong*algebra.MaxAbs(b.g), -1
	for i, s := range b.side {
		// At an upper limit the merit has to fall upwards, at a lower one downwards.
		if wrong := float64(s) * b.g[i]; s != 0 && wrong > worst && b.lower[i] < b.upper[i] {
			worst, at = wrong, i
			if b.rounds > limitRounds {
				break
			}
		}
	}
	if at >= 0 {
		b.side[at] = 0
	}
	return at >= 0
}

// gradient stores in b.g the gradient of the merit at b.u, with the forces of C that hold the free coordinates.
func (b *bounded) gradient(A, C []float64, m int, k float64) {
	n := len(b.u)
	for i := range b.g {
		b.g[i] = k * b.u[i]
	}
	if b.curve != nil {
		for i := range b.g {
			b.g[i] += algebra.Dot(b.u, b.curve[i*n:])
		}
	}
	for r := range m {
		add(b.g, -b.r[r], A[r*n:r*n+n])
	}
	for s := 0; s < len(C); s += n {
		q := b.hold[s : s+n]
		add(b.g, -b.freeDot(q, b.g), q)
	}
}

// free makes v zero on active coordinates.
func (b *bounded) free(v []float64) {
	for i, side := range b.side {
		if side != 0 {
			v[i] = 0
		}
	}
}
