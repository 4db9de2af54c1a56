package factor

import "math"

// Mixing turns the corrections of a refinement into steps by the method of Anderson 1965 with one step of memory (theory.md,
// "Residuals with twice the digits"). It keeps the last correction and the step made of it. If a system is cut into pieces, each piece
// has a Mixing, and θ comes from the sums of their Products.
type Mixing struct {
	last  []float64 // last correction, c'
	moved []float64 // last step, s'
	begun bool      // there is a last step
}

// NewMixing returns a Mixing of n numbers. It panics if n is negative.
func NewMixing(n int) *Mixing {
	if n < 0 {
		panic("factor: negative length")
	}
	return &Mixing{last: make([]float64, n), moved: make([]float64, n)}
}

// Reset forgets the last step. The next step is then equal to its correction.
func (m *Mixing) Reset() { m.begun = false }

// Products returns (c − c')·c and ‖c − c'‖², with c' the last correction. c may hold only the first entries of a correction; the
// products are over these. Without a last step both are zero.
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

// Theta returns θ = over/under for the sums of Products. It is 0, with which a step equals its correction, if under is zero or a sum
// has overflowed.
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
