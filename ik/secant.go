package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// The second derivative of the merit is 𝒥ᵀ𝒥 + Σ eᵢ∇²eᵢ. Where errors are left at the minimum, steps without the second term converge only
// linearly. The secant approximates this term from changes of the gradient, docs/inverse-kinematics.md (L3).

const (
	// secantMost is the largest number n of driven freedoms with which a secant is used: its memory is n², its steps cost n³.
	secantMost = 200
	// secantGain is the predicted decrease, relative to the merit, above which steps take 𝒥 alone.
	secantGain = 0.5
	// secantTurn is the least yᵀs, relative to |y||s|, for the formula of Dennis, Gay and Welsch.
	secantTurn = 1e-8
)

// secant approximates the symmetric matrix S = Σ eᵢ∇²eᵢ over the rows of one level.
type secant struct {
	S         []float64 // n×n
	g         []float64 // n: gradient before the step
	s, y, Ss  []float64 // n: step, change of the gradient, S s
	use, some bool      // S predicts changes of the gradient better than zero does; S may be other than zero
	gain      float64   // predicted decrease of the last step, relative to the merit
}

// newSecant allocates a secant for n driven freedoms. It returns nil if they are more than secantMost.
func newSecant(n int) *secant {
	if n > secantMost {
		return nil
	}
	f := make([]float64, n*n+4*n)
	cut := func(n int) []float64 {
		s := f[:n:n]
		f = f[n:]
		return s
	}
	return &secant{S: cut(n * n), g: cut(n), s: cut(n), y: cut(n), Ss: cut(n)}
}

// forget makes S zero.
func (c *secant) forget() {
	if c != nil && c.some {
		clear(c.S)
		c.use, c.some = false, false
	}
}

// known returns S if steps should use it, else nil.
func (c *secant) known() []float64 {
	if c == nil || !c.use || c.gain > secantGain {
		return nil
	}
	return c.S
}

// update changes S so that S s = y − AᵀA s, docs/inverse-kinematics.md (L4), by the formula of Dennis, Gay and Welsch (1981) with sizing:
// S is scaled down first where it overestimates the curvature along s. A has the rows of the level after the step s, and y is the change
// of the gradient.
//
// Cost: O(m·n + n²), no allocation.
func (c *secant) update(A []float64) {
	n := len(c.s)
	if !(algebra.Dot(c.s, c.s) > 0) {
		return
	}
	w := c.g // memory that is free again: w = y − AᵀA s
	copy(w, c.y)
	for r := 0; r < len(A); r += n {
		row := A[r : r+n]
		add(w, -algebra.Dot(row, c.s), row)
	}
	misses := 0.0
	for i := range n {
		c.Ss[i] = algebra.Dot(c.S[i*n:i*n+n], c.s)
		misses += (w[i] - c.Ss[i]) * (w[i] - c.Ss[i])
	}
	c.use = c.some && misses < algebra.Dot(w, w)
	if found, predicted := math.Abs(algebra.Dot(c.s, w)), math.Abs(algebra.Dot(c.s, c.Ss)); found < predicted {
		scaleVector(c.S, found/predicted)
		scaleVector(c.Ss, found/predicted)
	}
	add(w, -1, c.Ss)
	c.add(w)
}

// add adds to S a symmetric matrix of rank two, of r and y, that makes S s larger by r.
func (c *secant) add(r []float64) {
	n, y := len(c.s), c.y
	long, turn := algebra.Dot(c.s, c.s), algebra.Dot(c.y, c.s)
	if !(turn > secantTurn*math.Sqrt(long*algebra.Dot(y, y))) {
		y, turn = c.s, long // Powell's symmetric formula, which needs no positive yᵀs
	}
	over := algebra.Dot(r, c.s) / turn
	for i := range n {
		for j := range i + 1 {
			c.S[i*n+j] += (r[i]*y[j] + y[i]*r[j] - over*y[i]*y[j]) / turn
			c.S[j*n+i] = c.S[i*n+j]
		}
	}
	c.some = true
}

// scaleVector multiplies v by t.
func scaleVector(v []float64, t float64) {
	for i := range v {
		v[i] *= t
	}
}

// allowCurve allocates the memory of steps with S. It does nothing if c is nil.
func (b *bounded) allowCurve(c *secant) {
	if c != nil {
		b.freeCurve, b.gram, b.chol = make([]float64, len(c.S)), make([]float64, len(c.S)), make([]float64, len(c.S))
	}
}

// projectCurve projects b.freeCurve, from both sides, on the directions that C leaves free. The first held numbers of b.hold are an
// orthonormal basis of the rows of C.
func (b *bounded) projectCurve(held int) {
	n, w := len(b.u), b.p
	for s := 0; s < held; s += n {
		q := b.hold[s : s+n]
		for i := range w {
			w[i] = b.freeDot(q, b.freeCurve[i*n:])
		}
		along := b.freeDot(q, w)
		for i := range n {
			for j := range i + 1 {
				b.freeCurve[i*n+j] += along*q[i]*q[j] - q[i]*w[j] - w[i]*q[j]
				b.freeCurve[j*n+i] = b.freeCurve[i*n+j]
			}
		}
	}
}

// addCurve adds S to the system of columnForm, and returns a bound of the eigenvalues of its matrix. held is the number of rows of C.
func (b *bounded) addCurve(free, held int) (most float64) {
	n, w, at := len(b.u), b.p, 0
	for i := range w {
		w[i] = algebra.Dot(b.u, b.curve[i*n:])
	}
	b.clearActive(w)
	b.takeOut(w, held)
	for i, side := range b.side {
		if side != 0 {
			continue
		}
		b.rhs[at] -= w[i]
		to, sum := 0, 0.0
		for j, other := range b.side {
			if other != 0 {
				continue
			}
			if j <= i {
				b.gram[at*free+to] += b.freeCurve[i*n+j]
			}
			sum += math.Abs(b.freeCurve[i*n+j])
			to++
		}
		most = max(most, b.gram[at*free+at]+sum)
		at++
	}
	return most
}

// curvature returns uᵀS u.
func (b *bounded) curvature() (sum float64) {
	if b.curve != nil {
		n := len(b.u)
		for i, u := range b.u {
			sum += u * algebra.Dot(b.u, b.curve[i*n:])
		}
	}
	return sum
}
