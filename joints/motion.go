package joints

import (
	"fmt"
	"math"
	"slices"
)

// MotionKind says which function of time a Motion is.
type MotionKind uint8

// The kinds of motion.
const (
	None       MotionKind = iota // the freedom is free
	Harmonic                     // Offset + Amplitude·sin(2π·Frequency·t + Phase)
	Polynomial                   // c0 + c1·t + c2·t² + …
)

var motionNames = [...]string{None: "none", Harmonic: "harmonic", Polynomial: "polynomial"}

// String returns the name of rung-model/1.
func (k MotionKind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("MotionKind(%d)", uint8(k))
	}
	return motionNames[k]
}

// Valid reports whether k is a kind of motion; None is one.
func (k MotionKind) Valid() bool { return int(k) < len(motionNames) }

// Motion prescribes one freedom as a function of time. The zero Motion leaves
// the freedom free.
//
// Units: SI, rad for an angle; Frequency in Hz, Phase in rad.
type Motion struct {
	Kind                                MotionKind
	Offset, Amplitude, Frequency, Phase float64   // Harmonic
	Coefficients                        []float64 // Polynomial, not changed after
}

// NewHarmonic returns offset + amplitude·sin(2π·frequency·t + phase), frequency
// in Hz, phase in rad.
func NewHarmonic(offset, amplitude, frequency, phase float64) Motion {
	return Motion{Kind: Harmonic, Offset: offset, Amplitude: amplitude, Frequency: frequency, Phase: phase}
}

// NewPolynomial returns c[0] + c[1]·t + c[2]·t² + …, with a copy of c.
func NewPolynomial(c []float64) Motion {
	return Motion{Kind: Polynomial, Coefficients: slices.Clone(c)}
}

// At returns value, rate and second derivative at the time t (s).
//
// Cost: O(1), for a polynomial O(coefficients); no allocation.
func (m *Motion) At(t float64) (q, qd, qdd float64) {
	switch m.Kind {
	case Harmonic:
		// Whole turns leave before the product with 2π, to keep late times exact.
		turns := m.Frequency * t
		turns -= math.Round(turns)
		s, c := math.Sincos(2*math.Pi*turns + m.Phase)
		w := 2 * math.Pi * m.Frequency
		return m.Offset + m.Amplitude*s, m.Amplitude * w * c, -m.Amplitude * w * w * s
	case Polynomial:
		// Horner's rule for value and both derivatives at once.
		for i := len(m.Coefficients) - 1; i >= 0; i-- {
			qdd = qdd*t + 2*qd
			qd = qd*t + q
			q = q*t + m.Coefficients[i]
		}
		return q, qd, qdd
	default:
		return 0, 0, 0
	}
}
