package factor

import "math"

// Mixing makes steps of the corrections of a refinement, by the method of Anderson 1965 with one step of memory (theory.md,
// "Residuals with twice the digits"). It has the last step and the correction that it was made of. Pieces of a system have
// one each, and sum their Products.
type Mixing struct {
	last  []float64 // correction of the step before
	moved []float64 // what the last step added
	begun bool
}

// NewMixing returns a Mixing of n numbers. It panics if n is negative.
func NewMixing(n int) *Mixing {
	if n < 0 {
		panic("factor: negative length")
	}
	return &Mixing{last: make([]float64, n), moved: make([]float64, n)}
}

// Reset forgets the last step: the next one is its correction.
func (m *Mixing) Reset() { m.begun = false }

// Products returns (c − c')·c and ‖c − c'‖², with c' the correction of the step before, for the entries that c has, the
// first ones of a correction. Without a step before both are zero.
func (m *Mixing) Products(c []float64) (over, under float64) {
	if !m.begun {
		return 0, 0
	}
	for i, c := range c {
		d := c - m.last[i]
		over += d * c
		under += d * d
	}
	return over, under
}

// Theta returns θ for the sums of Products. It is 0, which leaves a step as it is, where these say nothing: they are zero,
// or have overflowed.
func Theta(over, under float64) float64 {
	if !(under > 0 && under <= math.MaxFloat64 && math.Abs(over) <= math.MaxFloat64) {
		return 0
	}
	return over / under
}

// AddTo adds the step of the correction c to x, c − θ(s' + c − c') with s' the last step.
func (m *Mixing) AddTo(x, c []float64, theta float64) {
	for i, c := range c {
		s := c
		if theta != 0 {
			s -= theta * (m.moved[i] + c - m.last[i])
		}
		x[i] += s
		m.last[i], m.moved[i] = c, s
	}
	m.begun = true
}
