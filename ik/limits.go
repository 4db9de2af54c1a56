package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// limitRounds plus limitMore for each coordinate is the largest number of rounds of the active set. After them the step is within the
	// limits, but may not be the minimum.
	limitRounds, limitMore = 20, 4
	// limitWrong is the least multiplier of the wrong sign with which an active limit is released, relative to the largest entry of the
	// gradient. Smaller entries of a direction, relative to its largest, count as rounding too.
	limitWrong = 1e-12
)

// step stores in b.u the step for the rows A with the errors e, the constraints C and the damping k. It leaves in b.r the errors that
// remain, e − A u, and in b.g the gradient.
//
// Shapes: e has m entries, A is m×n, C has n columns, or is empty.
// Cost: O(m·n·min(m, n)) a round, and one round more for each limit that becomes active or is released; no allocation.
func (b *bounded) step(A, e, C []float64, k float64) {
	m, n := len(e), len(b.u)
	clear(b.u)
	copy(b.r, e)
	for i, s := range b.side {
		if s < 0 && b.lower[i] != 0 || s > 0 && b.upper[i] != 0 {
			b.side[i] = 0
		}
	}
	whole := b.method == Selective || b.method == Transpose // their step is no minimum, so limits are released before it and not after
	if whole {
		for b.project(nil, C, 0); b.release(A, C, m, 0); {
		}
	}
	for b.rounds = 1; b.rounds < limitRounds+limitMore*n; b.rounds++ {
		b.project(A, C, m)
		b.direction(m, k, len(C)/n)
		if !b.advance(A, m) && (whole || !b.release(A, C, m, k)) {
			return
		}
	}
}

// project stores in b.hold the rows of C made orthonormal on the free coordinates, and in b.rows the m rows of A on the free coordinates
// without their parts in the span of C. Rows that depend on C become zero. It does the same to the curvature, if there is one.
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
		copy(b.freeCurve, b.curve)
	}
	if len(C) == 0 {
		return
	}
	b.orthonormalize(C)
	if b.curve != nil {
		b.projectCurve(len(C))
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

// advance moves b.u along b.p up to the first limit, which becomes active, and reports whether there is one on the way.
func (b *bounded) advance(A []float64, m int) (blocked bool) {
	n, far, at, small := len(b.u), 1.0, -1, limitWrong*algebra.MaxAbs(b.p)
	for i, p := range b.p {
		if math.Abs(p) <= small {
			b.p[i] = 0 // rounding, which does not run into limits
			continue
		}
		gap := b.upper[i] - b.u[i]
		if p < 0 {
			gap = b.lower[i] - b.u[i]
		}
		if gap/p < far {
			far, at = max(0, gap/p), i
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
		// An upper limit is released if the merit grows towards it, so that it falls away from the limit; a lower one likewise.
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

// gradient stores in b.g the gradient of the merit at b.u, with combinations of the rows of C added so that it is orthogonal to them on the
// free coordinates.
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
