package linear

import (
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// Kind says how the solution φ·exp(λt) of a mode changes with time.
type Kind uint8

// The kinds.
const (
	Vibration  Kind = iota // oscillates and does not grow
	Decay                  // returns without oscillating: λ < 0
	Rigid                  // keeps a displacement: λ = 0
	Divergence             // goes away without oscillating: λ > 0
	Flutter                // oscillates and grows
)

var kindNames = [...]string{"vibration", "decay", "rigid", "divergence", "flutter"}

// String returns the name that the command line prints.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Unstable reports whether a mode of the kind grows.
func (k Kind) Unstable() bool { return k == Divergence || k == Flutter }

// Mode is a solution φ·exp(λt) of the linearized equations of motion. If λ is complex
// the motion is the real part, and the conjugate is not listed. Without damping
// and gyroscopic terms, a rigid mode stands for the two solutions φ and φ·t, and a divergence for λ and −λ.
type Mode struct {
	Kind   Kind
	Lambda complex128 // eigenvalue, 1/s, imaginary part not negative

	// Shape is φ, six numbers a body as in System, with φᴴMφ = 1: its unit is
	// 1/√kg for centres of mass and rad/(√kg m) for rotations. The largest component is
	// real and positive. Imag is nil where the shape is real.
	Shape, Imag []float64

	// Stiffness is φᴴKφ, 1/s²: for an undamped mode the square of the frequency,
	// negative if it is unstable.
	Stiffness float64
}

// AngularFrequency returns |λ|, rad/s: for a vibration its natural frequency, which
// damping in proportion to mass and stiffness does not change.
func (m *Mode) AngularFrequency() float64 { return cmplx.Abs(m.Lambda) }

// Frequency returns |λ|/2π, Hz.
func (m *Mode) Frequency() float64 { return cmplx.Abs(m.Lambda) / (2 * math.Pi) }

// DampedFrequency returns Im λ/2π, Hz: the oscillations in a second.
func (m *Mode) DampedFrequency() float64 { return imag(m.Lambda) / (2 * math.Pi) }

// DampingRatio returns −Re λ/|λ|: 1 for a decay, −1 for a divergence, 0 for a rigid
// mode.
func (m *Mode) DampingRatio() float64 {
	if m.Lambda == 0 {
		return 0
	}
	return 0 - real(m.Lambda)/cmplx.Abs(m.Lambda)
}

const (
	// zeroTol is the square of a frequency, relative to the sum of the magnitudes of its terms, up to which it counts as
	// zero.
	zeroTol = 1e-13
	// shapeNoise is the relative error of a shape. A square of a frequency up to shapeNoise² times the largest terms of K, at any body, also
	// counts as zero.
	shapeNoise = 1e-10
	// realTol is the imaginary part of an eigenvalue, relative to its magnitude, up to which it counts as zero, and so is the positive real
	// part of a complex one. A negative real part counts as zero up to realTol².
	realTol = 1e-8
)

// undamped returns the mode with the real shape x, scaled in place, without C: λ² = −xᵀKx, the Rayleigh
// quotient, whose error is of the order of the square of the error of x. It is rigid where xᵀKx may be rounding or imbalance.
func (s *System) undamped(x []float64) Mode {
	g := make([]float64, len(x))
	s.MassTo(g, x)
	floats.Scale(1/math.Sqrt(floats.Dot(x, g)), x)
	orient(x, nil)
	s.StiffnessTo(g, x)
	m := Mode{Shape: x, Stiffness: floats.Dot(x, g)}
	switch k := m.Stiffness; {
	case math.Abs(k) <= max(s.roundingError(x), s.imbalanceError(x)):
		m.Kind, m.Stiffness = Rigid, 0
	case k > 0:
		m.Kind, m.Lambda = Vibration, complex(0, math.Sqrt(k))
	default:
		m.Kind, m.Lambda = Divergence, complex(math.Sqrt(-k), 0)
	}
	return m
}

// damped returns the mode of the eigenvalue lambda, 1/s, with the shape re + i·im, scaled in place. It is rigid where its stiffness may be
// rounding or imbalance. doubtful reports that the eigenvalue may be zero all the same: rounding moves a double eigenvalue zero by up to
// √(zeroTol·size), with size the size of the matrix of the eigenvalue problem, squared, 1/s².
func (s *System) damped(lambda complex128, re, im []float64, size float64) (m Mode, doubtful bool) {
	m = Mode{Lambda: lambda, Shape: re, Imag: im}
	s.normalize(&m)
	abs := cmplx.Abs(lambda)
	// The stiffness that makes |λ| is λ² without damping, and |λ|·c with strong damping c.
	c := s.dampingOf(re) + s.dampingOf(im)
	if k := abs * max(abs, math.Abs(c)); k <= s.roundingError(re)+s.roundingError(im) || k <= s.imbalanceError(re)+s.imbalanceError(im) {
		m.Kind, m.Lambda = Rigid, 0
	} else {
		m.classify()
	}
	s.finish(&m)
	return m, abs*abs <= zeroTol*size
}

// normalize scales the complex shape of m to unit modal mass, and rotates its phase so that the largest component is real and positive
// (orient).
func (s *System) normalize(m *Mode) {
	re, im := m.Shape, m.Imag
	g, h := make([]float64, len(re)), make([]float64, len(re))
	s.MassTo(g, re)
	s.MassTo(h, im)
	t := 1 / math.Sqrt(floats.Dot(re, g)+floats.Dot(im, h))
	floats.Scale(t, re)
	floats.Scale(t, im)
	orient(re, im)
}

// classify stores the kind of m by its eigenvalue, which is not zero, and sets to zero the real or imaginary part that may be rounding. A
// positive real part up to realTol counts as rounding: a mode without damping must not appear unstable. A negative one counts down to
// realTol², the rounding of λ itself, as the damping of many structures is small.
func (m *Mode) classify() {
	abs := cmplx.Abs(m.Lambda)
	a, b := real(m.Lambda), imag(m.Lambda)
	if b <= realTol*abs {
		m.Lambda = complex(a, 0)
		m.Kind = Decay
		if a > 0 {
			m.Kind = Divergence
		}
		return
	}
	m.Kind = Vibration
	if grows(m.Lambda) {
		m.Kind = Flutter
	} else if a > -realTol*realTol*abs {
		m.Lambda = complex(0, b)
	}
}

// finish makes the shape of m real if its imaginary part may be rounding, and stores its stiffness φᴴKφ. The shape has a phase (normalize),
// and Imag may be nil.
func (s *System) finish(m *Mode) {
	re, im := m.Shape, m.Imag
	if algebra.MaxAbs(im) <= realTol*algebra.MaxAbs(re) {
		m.Imag = nil
		floats.Scale(1/math.Sqrt(floats.Dot(re, s.massTimes(re))), re)
	}
	g := make([]float64, len(re))
	s.StiffnessTo(g, re)
	m.Stiffness = floats.Dot(re, g)
	if m.Imag != nil {
		s.StiffnessTo(g, im)
		m.Stiffness += floats.Dot(im, g)
	}
}

// dampingOf returns xᵀCx.
func (s *System) dampingOf(x []float64) float64 {
	g := make([]float64, len(x))
	s.DampingTo(g, x)
	return floats.Dot(x, g)
}

// massTimes returns M·x.
func (s *System) massTimes(x []float64) []float64 {
	g := make([]float64, len(x))
	s.MassTo(g, x)
	return g
}

// termsOf returns the sum of the magnitudes of the terms of xᵀKx, to which its rounding errors are relative.
func (s *System) termsOf(x []float64) (sum float64) {
	for i := range s.stiff {
		if s.every(i) {
			break
		}
		u := (*[6]float64)(x[6*i:])
		for a := range 6 {
			for b := range 6 {
				sum += math.Abs(u[a] * s.stiff[i][6*a+b] * u[b])
			}
		}
	}
	var u [12]float64
	for i := range s.rows {
		r := &s.rows[i]
		gather(&u, x, &r.body)
		t := 0.0
		if r.far != nil {
			for e, b := range r.far.bodies {
				for k, v := range r.far.v[6*e : 6*e+6] {
					t += math.Abs(v * x[6*int(b)+k])
				}
			}
		}
		for k, v := range &r.v {
			t += math.Abs(v * u[k])
		}
		sum += math.Abs(r.k) * t * t
	}
	for i := range s.pairs {
		if s.every(i) {
			break
		}
		p := &s.pairs[i]
		gather(&u, x, &p.body)
		for a := range u {
			for b := range u {
				sum += math.Abs(u[a] * p.K[12*a+b] * u[b])
			}
		}
	}
	return sum
}

// roundingError returns a bound of the error of xᵀKx by rounding, for a shape x of any modal mass. It is the sum of three: the rounding of
// the terms; the work of the reactions K·x on errors of x that the joints do not allow, of first order; and the work of the stiffest
// terms on errors of x, of second order.
func (s *System) roundingError(x []float64) float64 {
	sum, reaction, g := 0.0, 0.0, make([]float64, len(x))
	s.StiffnessTo(g, x)
	for i := range s.mech.Bodies {
		sum += s.energyOf(i, x)
		reaction += s.inverseNorm(int32(i), g[6*i:6*i+6])
	}
	return zeroTol*(s.termsOf(x)+math.Sqrt(reaction*sum)) + shapeNoise*shapeNoise*s.size[algebra.Largest(s.size)]*sum
}

// energyOf returns the part of body i in xᵀMx, without armature.
func (s *System) energyOf(i int, x []float64) float64 {
	u, c := spatial.Vec3(x[6*i:6*i+3]), spatial.Vec3(x[6*i+3:6*i+6])
	return u.Dot(s.y.Kin.I[i].MulVec(u)) + s.mech.Bodies[i].Mass*c.Dot(c)
}

// sizeTerms stores in s.size a bound of the size of the terms of K at each body i, relative to M, 1/s²: the sum of √(kᵀ·M⁻¹·k · eᵀ·M⁻¹·e)
// over the columns k of the blocks of K in the rows of i, with e the unit vectors of the columns.
func (s *System) sizeTerms() {
	clear(s.size)
	for i := range s.stiff {
		if s.every(i) {
			return
		}
		s.addBlockSize(int32(i), &s.stiff[i])
	}
	for i := range s.rows {
		s.addRowSize(&s.rows[i])
	}
	for i := range s.pairs {
		if s.every(i) {
			return
		}
		s.addPairSize(&s.pairs[i])
	}
}

// meanSize returns the mean of s.size over the bodies, 1/s²; 1 if there is no
// stiffness.
func (s *System) meanSize() float64 {
	sum := 0.0
	for _, x := range s.size {
		sum += x
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(s.size))
}

// addBlockSize adds to s.size[i] the size of the 6×6 block K of body i alone.
func (s *System) addBlockSize(i int32, K *[36]float64) {
	for c := range 6 {
		var col, unit [6]float64
		for r := range col {
			col[r] = K[6*r+c]
		}
		unit[c] = 1
		s.size[i] += math.Sqrt(s.inverseNorm(i, col[:]) * s.inverseNorm(i, unit[:]))
	}
}

// addRowSize adds to s.size the size of a row k·v·vᵀ: at each body |k|·vᵢᵀM⁻¹vᵢ, with vᵢ its part of v, times the number of bodies of the
// row.
func (s *System) addRowSize(r *row) {
	if r.far != nil {
		n := len(r.far.bodies)
		for e, b := range r.far.bodies {
			s.size[b] += float64(n) * math.Abs(r.k) * s.inverseNorm(b, r.far.v[6*e:6*e+6])
		}
		return
	}
	for e, b := range r.body {
		if b >= 0 {
			s.size[b] += 2 * math.Abs(r.k) * s.inverseNorm(b, r.v[6*e:6*e+6])
		}
	}
}

// addPairSize adds to s.size, for both bodies, the size of the 12×12 stiffness of a pair.
func (s *System) addPairSize(p *pair) {
	for c := range 12 {
		if p.body[c/6] < 0 {
			continue
		}
		var col [12]float64
		for r := range col {
			col[r] = p.K[12*r+c]
		}
		unit := [6]float64{}
		unit[c%6] = 1
		root := math.Sqrt(s.inverseNorm(p.body[c/6], unit[:]))
		for e, b := range p.body {
			if b >= 0 {
				s.size[b] += root * math.Sqrt(s.inverseNorm(b, col[6*e:6*e+6]))
			}
		}
	}
}

// orient rotates the phase of x + i·y so that its largest component, the first of several, is real and
// positive. y may be nil: x changes its sign then, if at all.
func orient(x, y []float64) {
	most := algebra.NewPeak(0)
	for i := range x {
		t := math.Abs(x[i])
		if y != nil {
			t = math.Hypot(x[i], y[i])
		}
		most.Take(t, i)
	}
	at, best := most.At, most.Value
	if at < 0 {
		return
	}
	if y == nil {
		if x[at] < 0 {
			floats.Scale(-1, x)
		}
		return
	}
	c, s := x[at]/best, y[at]/best
	for i := range x {
		x[i], y[i] = c*x[i]+s*y[i], c*y[i]-s*x[i]
	}
}

// grows reports whether the real part of an eigenvalue is positive beyond rounding, realTol relative to |λ|.
func grows(lambda complex128) bool { return real(lambda) > realTol*cmplx.Abs(lambda) }
