package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

const (
	// constantPart is the default of k of Constant and of k₀ of Adaptive, relative to the square of the problem's length.
	constantPart = 1e-3
	// adaptivePart is the manipulability below which Adaptive damps, relative to the manipulability that equal singular values with the
	// same sum of squares would have.
	adaptivePart = 1e-2
)

// constantDamping returns k of Constant and k₀ of Adaptive: Options.Damping, or the default. Both are in m².
func (s *denseMethod) constantDamping() float64 {
	if s.o.Damping > 0 {
		return s.o.Damping
	}
	return constantPart * s.p.length * s.p.length
}

// adaptiveDamping returns k₀(1 − w/w₀)² for a manipulability w = √det A Aᵀ < w₀, else 0 (Nakamura & Hanafusa 1986). A has m rows, which
// are projected first on the directions that the rows C of the levels before leave free. It returns k₀ if there are more rows than
// driven freedoms, where w is 0, or if the singular values cannot be found.
func (s *denseMethod) adaptiveDamping(A, C []float64, m int) float64 {
	if len(C) > 0 {
		s.bounded.project(A, C, m)
		A = s.bounded.rows[:len(A)]
	}
	w, even := 1.0, math.Sqrt(algebra.Dot(A, A)/float64(m))
	if !s.spectrum.Factor(A, m) || m > len(s.q) {
		return s.constantDamping()
	}
	for _, sigma := range s.spectrum.Values(m) {
		w *= sigma / even
	}
	return s.constantDamping() * math.Pow(max(0, 1-w/adaptivePart), 2)
}
