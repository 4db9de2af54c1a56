package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// way stores in b.p the way on from b.u on the free coordinates, by the method. m is the number of rows of A, k the damping, held the
// number of rows of C.
func (b *bounded) way(m int, k float64, held int) {
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

// damped stores in b.p the way to the least of ½‖A u − e‖² + ½k‖u‖², with A the rows on the free coordinates and r what
// is missing, docs/inverse-kinematics.md (L2):
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

// rowForm is damped with a matrix m×m.
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

// columnForm is damped with a matrix of the free coordinates, S in it.
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

// dampLeast is the least damping, of the largest entry of the Gram matrix: below it, rounding is larger.
const dampLeast = 1e-15

// solve replaces b.rhs by (b.gram + k)⁻¹·b.rhs. The damping is raised where the matrix is not positive definite to
// rounding. It reports whether there is a solution.
func (b *bounded) solve(n int, k, most float64) bool {
	if !(most > 0) || math.IsInf(most, 1) {
		return false
	}
	have := 0.0
	for k = max(k, dampLeast*most); ; k *= 10 {
		for i := range n {
			b.gram[i*n+i] += k - have
		}
		have = k
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

// downhill stores in b.p the step along the gradient of the m rows to the least merit on this line, or zero if the gradient is.
func (b *bounded) downhill(m int) {
	n := len(b.u)
	clear(b.p)
	for i := range m {
		add(b.p, b.r[i], b.rows[i*n:i*n+n])
	}
	below := 0.0
	for i := range m {
		t := algebra.Dot(b.rows[i*n:i*n+n], b.p)
		below += t * t
	}
	above := algebra.Dot(b.p, b.p)
	if !(below > 0) {
		return
	}
	for i := range b.p {
		b.p[i] *= above / below
	}
}

// pinvRank is the part of the largest singular value below which one counts as zero.
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

// selectiveTurn is the largest step of a coordinate with Selective, rad or m.
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

// columnNorm returns the length of a piece of column j of the rows.
func (b *bounded) columnNorm(j, from, to int) float64 {
	n, sum := len(b.u), 0.0
	for r := from; r < to; r++ {
		sum += b.rows[r*n+j] * b.rows[r*n+j]
	}
	return math.Sqrt(sum)
}
