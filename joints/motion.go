package joints

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/spline"
)

// MotionKind says which function of time a Motion is.
type MotionKind uint8

// The kinds of motion.
const (
	None       MotionKind = iota // the freedom is free
	Harmonic                     // Offset + Amplitude·sin(2π·Frequency·t + Phase)
	Polynomial                   // c0 + c1·t + c2·t² + …
	Spline                       // the C² cubic spline through Values at Times
	Table                        // the second integral of Accelerations at Times, from Value and Rate at the first of them
)

var motionNames = [...]string{None: "none", Harmonic: "harmonic", Polynomial: "polynomial", Spline: "spline", Table: "table"}

// String returns the name of rung-model/1.
func (k MotionKind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("MotionKind(%d)", uint8(k))
	}
	return motionNames[k]
}

// Valid reports whether k is a kind of motion; None is one.
func (k MotionKind) Valid() bool { return int(k) < len(motionNames) }

// Ends says how a spline ends.
type Ends uint8

// The ends of a spline.
const (
	NotAKnot = Ends(spline.NotAKnot) // third derivative continuous at the second and last but one point; three points: parabola, two: line
	Natural  = Ends(spline.Natural)  // the second derivative is zero at both ends
	Clamped  = Ends(spline.Clamped)  // the rates at both ends are given
)

var endNames = [...]string{NotAKnot: "not_a_knot", Natural: "natural", Clamped: "clamped"}

// String returns the name of rung-model/1.
func (e Ends) String() string {
	if !e.valid() {
		return fmt.Sprintf("Ends(%d)", uint8(e))
	}
	return endNames[e]
}

// valid reports whether e is one of the constants.
func (e Ends) valid() bool { return int(e) < len(endNames) }

// Motion prescribes one freedom as a function of time. The zero Motion leaves
// the freedom free.
//
// A Spline and a Table are defined from the first of Times to the last. At other times the mechanism
// returns an error (mechanism.ErrMotionTime), unless Hold is set: then the value is constant from the
// nearer end on, and the rate is zero.
//
// Units: SI, rad for an angle; Frequency in Hz, Phase in rad.
type Motion struct {
	Kind                                MotionKind
	Offset, Amplitude, Frequency, Phase float64   // Harmonic
	Coefficients                        []float64 // Polynomial

	Times         []float64  // Spline, Table: s, increasing
	Values        []float64  // Spline: one for each time
	Ends          Ends       // Spline
	Rates         [2]float64 // Spline with Clamped ends: at the first time and at the last
	Accelerations []float64  // Table: one for each time, linear between them; with Steps one for each interval, constant there
	Value, Rate   float64    // Table: at the first time
	Steps         bool       // Table
	Hold          bool       // Spline, Table

	pieces []spline.Piece // Spline, Table: set by Prepared and Set
}

// NewHarmonic returns offset + amplitude·sin(2π·frequency·t + phase), frequency
// in Hz, phase in rad.
func NewHarmonic(offset, amplitude, frequency, phase float64) *Motion {
	return &Motion{Kind: Harmonic, Offset: offset, Amplitude: amplitude, Frequency: frequency, Phase: phase}
}

// NewPolynomial returns c[0] + c[1]·t + c[2]·t² + …, with a copy of c.
func NewPolynomial(c []float64) *Motion {
	return &Motion{Kind: Polynomial, Coefficients: slices.Clone(c)}
}

// Prepared returns a copy of m that shares nothing with it and is ready for At. m has no Faults.
//
// Cost: O(coefficients or times); allocates.
func (m *Motion) Prepared() *Motion {
	out := new(Motion)
	out.Set(m)
	return out
}

// Set makes m equal to from.Prepared(), and reuses the memory of m where it is large enough. from has no Faults.
//
// Cost: O(coefficients or times); no allocation if m has had as many before.
func (m *Motion) Set(from *Motion) {
	own := *m
	*m = *from
	m.Coefficients = append(own.Coefficients[:0], from.Coefficients...)
	m.Times = append(own.Times[:0], from.Times...)
	m.Values = append(own.Values[:0], from.Values...)
	m.Accelerations = append(own.Accelerations[:0], from.Accelerations...)
	m.pieces = own.pieces[:0]
	switch m.Kind {
	case Spline:
		m.pieces = spline.Through(m.pieces, m.Times, m.Values, spline.Ends(m.Ends), m.Rates)
	case Table:
		m.table()
	}
}

// Span returns the first and the last time, s, at which m is defined; −Inf and +Inf if it is defined at all times.
func (m *Motion) Span() (from, until float64) {
	if (m.Kind == Spline || m.Kind == Table) && !m.Hold {
		return m.Times[0], m.Times[len(m.Times)-1]
	}
	return math.Inf(-1), math.Inf(1)
}

// NextKnot returns the first of Times after t, s, or +Inf if there is none. There another polynomial begins, and a derivative
// of m may jump.
//
// Cost: O(log times), no allocation.
func (m *Motion) NextKnot(t float64) float64 {
	i, found := slices.BinarySearch(m.Times, t)
	if found {
		i++
	}
	if (m.Kind == Spline || m.Kind == Table) && i < len(m.Times) {
		return m.Times[i]
	}
	return math.Inf(1)
}

// At returns value, rate and second derivative at the time t (s). Where the second derivative jumps, At returns the value
// after the jump. Outside of Span the first or the last piece is extrapolated.
//
// Cost: O(1), for a polynomial O(coefficients), for a spline or a table O(log times); no allocation.
// It panics if a spline or a table is not Prepared.
func (m *Motion) At(t float64) (q, qd, qdd float64) {
	switch m.Kind {
	case Harmonic:
		// Whole turns are removed before the product with 2π, so that late times lose no digits.
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
	case Spline, Table:
		return m.along(t)
	default:
		return 0, 0, 0
	}
}

// ThirdAt returns the third derivative at the time t (s), and where it jumps the value after the jump.
//
// Cost: as At. It panics if a spline or a table is not Prepared.
func (m *Motion) ThirdAt(t float64) float64 {
	switch m.Kind {
	case Harmonic:
		_, qd, _ := m.At(t)
		w := 2 * math.Pi * m.Frequency
		return -w * w * qd
	case Polynomial:
		sum := 0.0
		for i := len(m.Coefficients) - 1; i >= 3; i-- {
			sum = sum*t + m.Coefficients[i]*float64(i*(i-1)*(i-2))
		}
		return sum
	case Spline, Table:
		if last := m.Times[len(m.Times)-1]; m.Hold && (t < m.Times[0] || t > last) {
			return 0
		}
		return spline.ThirdAt(m.pieces, t)
	}
	return 0
}
