package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// direction stores in b.p the step from b.u on the free coordinates, by the method. m is the number of rows of A, k the damping, held the
// number of rows of C. The step is zero if singular values are needed and cannot be found.
func (b *bounded) direction(m int, k float64, held int) {
	switch b.method {
	case Pinv, Selective:
		if b.spectrum.Factor(b.rows[:m*len(b.u)], m) {
			if b.method == Pinv {
				b.inverse(m)
			} else {
				b.selective(m)
			}
			return
		}
		clear(b.p)
	case Transpose:
		b.downhill(m)
	default:
		b.damped(m, k, held)
	}
}

// damped stores in b.p the step from u to the minimum of ½‖A u − e‖² + ½k‖u‖², with A the rows on the free coordinates and r = e − A u,
// docs/inverse-kinematics.md (L2):
//
//	p = −u + Aᵀ(A Aᵀ + k)⁻¹(r + A u)   or   (AᵀA + k) p = Aᵀ r − k u,
//
// whichever matrix is smaller. The part of u that C fixes is left out.
func (b *bounded) damped(m int, k float64, held int) {
	n, free := len(b.u), 0
	for i, s := range b.side {
		b.v[i] = 0
		if s == 0 {
			b.v[i] = b.u[i]
			free++
		}
	}
	if held > 0 {
		b.takeOut(b.v, held)
	}
	if free >= m && b.curve == nil {
		b.rowForm(m, n, k)
		return
	}
	b.columnForm(m, free, held, k)
	if held > 0 {
		b.takeOut(b.p, held)
	}
}

// rowForm is the first form of damped, with a matrix of m rows.
func (b *bounded) rowForm(m, n int, k float64) {
	most := 0.0
	for i := range m {
		row := b.rows[i*n : i*n+n]
		for j := range i + 1 {
			b.gram[i*m+j] = algebra.Dot(row, b.rows[j*n:j*n+n])
		}
		most = max(most, b.gram[i*m+i])
		b.rhs[i] = b.r[i] + algebra.Dot(b.v, row)
	}
	if !b.solve(m, k, most) {
		clear(b.p)
		return
	}
	for i, v := range b.v {
		b.p[i] = -v
	}
	for i := range m {
		add(b.p, b.rhs[i], b.rows[i*n:i*n+n])
	}
}

// columnForm is the second form of damped, with a matrix of the free coordinates, to which S is added where it is known. free is their
// number, held the number of rows of C.
func (b *bounded) columnForm(m, free, held int, k float64) {
	n, most, at := len(b.u), 0.0, 0
	for i, s := range b.side {
		if s != 0 {
			continue
		}
		t := -k * b.v[i]
		for r := range m {
			t += b.rows[r*n+i] * b.r[r]
		}
		b.rhs[at] = t
		to := 0
		for j, other := range b.side[:i+1] {
			if other != 0 {
				continue
			}
			t := 0.0
			for r := 0; r < m*n; r += n {
				t += b.rows[r+i] * b.rows[r+j]
			}
			b.gram[at*free+to] = t
			to++
		}
		most = max(most, b.gram[at*free+at])
		at++
	}
	if b.curve != nil {
		most = b.addCurve(free, held)
	}
	clear(b.p)
	if !b.solve(free, k, most) {
		return
	}
	at = 0
	for i, s := range b.side {
		if s == 0 {
			b.p[i] = b.rhs[at]
			at++
		}
	}
}

// dampLeast is the least damping, relative to the largest entry of the Gram matrix. Rounding is about as large.
const dampLeast = 1e-15

// solve replaces the first n numbers of b.rhs by (b.gram + k)⁻¹·b.rhs. Where rounding leaves the matrix not positive definite, it raises k,
// up to most, a bound of the entries of b.gram. It reports whether there is a solution.
func (b *bounded) solve(n int, k, most float64) bool {
	if !(most > 0) || math.IsInf(most, 1) {
		return false
	}
	added := 0.0 // damping that is in b.gram
	for k = max(k, dampLeast*most); ; k *= 10 {
		for i := range n {
			b.gram[i*n+i] += k - added
		}
		added = k
		if row, _ := algebra.Cholesky(b.chol, b.gram, n); row < 0 {
			break
		}
		if !(k < most) {
			return false
		}
	}
	algebra.SolveLower(b.chol, b.rhs[:n])
	algebra.SolveUpper(b.chol, b.rhs[:n])
	return true
}

// downhill stores in b.p the step against the gradient of the m rows to the least merit on this line: with p = Aᵀr it is
// p·‖p‖²/‖A p‖². The step is zero if the gradient is.
func (b *bounded) downhill(m int) {
	n := len(b.u)
	clear(b.p)
	for i := range m {
		add(b.p, b.r[i], b.rows[i*n:i*n+n])
	}
	image := 0.0 // ‖A p‖²
	for i := range m {
		t := algebra.Dot(b.rows[i*n:i*n+n], b.p)
		image += t * t
	}
	square := algebra.Dot(b.p, b.p)
	if !(image > 0) {
		return
	}
	for i := range b.p {
		b.p[i] *= square / image
	}
}

// pinvRank is the size of a singular value, relative to the largest, at which it counts as zero.
const pinvRank = 1e-10

// inverse stores in b.p the pseudoinverse of the m rows times the errors b.r, the shortest step that removes the errors as far as the rows
// can. Singular values below pinvRank of the largest count as zero.
func (b *bounded) inverse(m int) {
	clear(b.p)
	s := b.spectrum
	for i, sigma := range s.Values(m) {
		if sigma > pinvRank*s.Values(m)[0] {
			add(b.p, s.Left(i, m, b.r)/sigma, s.Right(i))
		}
	}
}

// selectiveTurn is γ of Buss & Kim 2005, the largest step of a coordinate with Selective, rad or lengths of the problem.
const selectiveTurn = math.Pi / 4

// selective stores in b.p the sum of the steps along the singular vectors, each of which may be as long as its gain on
// the targets allows (Buss & Kim 2005, eqs. 9–14).
func (b *bounded) selective(m int) {
	s, n := b.spectrum, len(b.u)
	clear(b.p)
	for i, sigma := range s.Values(m) {
		if !(sigma > pinvRank*s.Values(m)[0]) {
			continue
		}
		v := s.Right(i)
		gain, reach := 0.0, 0.0
		for t, from := range b.blocks {
			to := int32(m)
			if t+1 < len(b.blocks) {
				to = b.blocks[t+1]
			}
			gain += s.LeftNorm(i, int(from), int(to))
			for j := range n {
				reach += math.Abs(v[j]) * b.columnNorm(j, int(from), int(to)) / sigma
			}
		}
		most := selectiveTurn * min(1, gain/reach)
		t := s.Left(i, m, b.r) / sigma
		if far := math.Abs(t) * algebra.MaxAbs(v); far > most {
			t *= most / far
		}
		add(b.p, t, v)
	}
	if far := algebra.MaxAbs(b.p); far > selectiveTurn {
		for i := range b.p {
			b.p[i] *= selectiveTurn / far
		}
	}
}

// columnNorm returns the length of column j of the rows from … to−1.
func (b *bounded) columnNorm(j, from, to int) float64 {
	n, sum := len(b.u), 0.0
	for r := from; r < to; r++ {
		sum += b.rows[r*n+j] * b.rows[r*n+j]
	}
	return math.Sqrt(sum)
}
