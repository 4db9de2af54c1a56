package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Where errors are left at the least merit, its second derivative is 𝒥ᵀ𝒥 + Σ eᵢ∇²eᵢ, and steps without the second term
// converge linearly only. The secant gathers that term from how the gradient changes, docs/inverse-kinematics.md (L3).

const (
	// secantMost is the largest number of driven freedoms that have a secant: its memory is n², its steps cost n³.
	secantMost = 200
	// secantGain is the promised part of the merit above which 𝒥 alone is as good.
	secantGain = 0.5
	// secantTurn is the least part of |y||s| that yᵀs has to be for the formula of Dennis, Gay and Welsch.
	secantTurn = 1e-8
)

// secant approximates the symmetric matrix S of Σ eᵢ∇²eᵢ in the rows of one level.
type secant struct {
	S         []float64 // n×n
	g         []float64 // n: gradient before the step
	s, y, Ss  []float64 // n: step, change of the gradient, S s
	use, some bool      // S tells more than zero does; S may be not zero
	gain      float64   // part of the merit that the last step promised
}

// newSecant allocates for n driven freedoms; nil where they are too many.
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

// known returns S if it tells more than zero does, else nil.
func (c *secant) known() []float64 {
	if c == nil || !c.use || c.gain > secantGain {
		return nil
	}
	return c.S
}

// update changes S so that S s = y − AᵀA s, docs/inverse-kinematics.md (L4), by the sized formula of Dennis, Gay and
// Welsch (1981). A has the rows of the level after the step s, and y is the change of the gradient.
//
// Cost: O(m·n + n²), no allocation.
func (c *secant) update(A []float64) {
	n := len(c.s)
	if !(algebra.Dot(c.s, c.s) > 0) {
		return
	}
	w := c.g // which has been used
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
	if size, is := math.Abs(algebra.Dot(c.s, w)), math.Abs(algebra.Dot(c.s, c.Ss)); size < is {
		scaleVector(c.S, size/is)
		scaleVector(c.Ss, size/is)
	}
	add(w, -1, c.Ss)
	c.add(w)
}

// add adds to S what makes S s larger by r, in rank two along y.
func (c *secant) add(r []float64) {
	n, y := len(c.s), c.y
	long, turn := algebra.Dot(c.s, c.s), algebra.Dot(c.y, c.s)
	if !(turn > secantTurn*math.Sqrt(long*algebra.Dot(y, y))) {
		y, turn = c.s, long // Powell's symmetric formula, which asks for no sign
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

// allowCurve allocates for steps with S.
func (b *bounded) allowCurve(c *secant) {
	if c != nil {
		b.bent, b.gram, b.chol = make([]float64, len(c.S)), make([]float64, len(c.S)), make([]float64, len(c.S))
	}
}

// bend projects b.bent, from both sides, on the directions that C leaves free. The first held numbers of b.hold are an orthonormal basis of
// the rows of C.
func (b *bounded) bend(held int) {
	n, w := len(b.u), b.p
	for s := 0; s < held; s += n {
		q := b.hold[s : s+n]
		for i := range w {
			w[i] = b.freeDot(q, b.bent[i*n:])
		}
		along := b.freeDot(q, w)
		for i := range n {
			for j := range i + 1 {
				b.bent[i*n+j] += along*q[i]*q[j] - q[i]*w[j] - w[i]*q[j]
				b.bent[j*n+i] = b.bent[i*n+j]
			}
		}
	}
}

// addCurve adds S to the system of columnForm, and returns a bound of its eigenvalues. held is the number of rows of C.
func (b *bounded) addCurve(free, held int) (most float64) {
	n, w, at := len(b.u), b.p, 0
	for i := range w {
		w[i] = algebra.Dot(b.u, b.curve[i*n:])
	}
	b.free(w)
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
				b.gram[at*free+to] += b.bent[i*n+j]
			}
			sum += math.Abs(b.bent[i*n+j])
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
