package linear

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Kind says how the solution φ·exp(λt) of a mode goes.
type Kind uint8

// The kinds.
const (
	Vibration  Kind = iota // oscillates and does not grow
	Decay                  // returns without oscillating: λ < 0
	Rigid                  // stays where it is put: λ = 0
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

// Mode is a solution φ·exp(λt) of the linearized equations of motion; with a complex
// λ the motion is the real part, and the conjugate is not listed. Without damping
// and gyroscopic terms a rigid mode stands for φ and φ·t, and a divergence λ for −λ
// too.
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

// Method is a way to compute modes.
type Method uint8

// The methods.
const (
	Auto   Method = iota // Dense for few bodies, else Sparse
	Dense                // all modes, O(bodies³)
	Sparse               // the lowest ones, near-linear in bodies
)

var methodNames = [...]string{"auto", "dense", "sparse"}

// String returns the name that the command line takes.
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// ParseMethod returns the method of a name as String writes it.
//
// It returns an error if there is none.
func ParseMethod(name string) (Method, error) {
	if i := slices.Index(methodNames[:], name); i >= 0 {
		return Method(i), nil
	}
	return Auto, fmt.Errorf("linear: unknown method %s", fault.Name(name))
}

// ModeOptions choose which modes are computed. The zero value is the default.
type ModeOptions struct {
	Count    int // the lowest ones; 0 stands for 10
	Method   Method
	Undamped bool // leave C out, and the part of K that is not symmetric
}

// defaultModes is the number of modes where none is given.
const defaultModes = 10

// Modes are the lowest modes of a linearized system: unstable ones first, the fastest
// before others, then by |λ|.
type Modes struct {
	List     []Mode
	Method   Method  // Dense or Sparse
	Damped   bool    // C or an unsymmetric K was there, so that shapes may be complex
	All      bool    // there are no others
	Shift    float64 // of the sparse method, 1/s²
	Products int     // solutions with a factor of the sparse method
	Factors  int     // factorizations
	Residual float64 // largest residual of an eigenvalue of the sparse method, relative
}

// Unstable returns how many modes grow.
func (m *Modes) Unstable() (n int) {
	for i := range m.List {
		if m.List[i].Kind.Unstable() {
			n++
		}
	}
	return n
}

const (
	// denseBodies is the number of bodies up to which Auto takes Dense.
	denseBodies = 40
	// zeroTol is the square of a frequency, relative to the terms that make it, that counts as
	// zero. shapeNoise is the error of a shape. Relative to all terms of K, a square of a
	// frequency up to its square counts as zero too.
	zeroTol    = 1e-13
	shapeNoise = 1e-10
	// realTol is the imaginary or real part of an eigenvalue, relative to its size,
	// that counts as zero.
	realTol = 1e-8
	// rigidTol is the part of a rigid shape that has to be in another direction than the shapes
	// before it; shapes have unit modal mass.
	rigidTol = 1e-4
)

// Modes computes modes of the linearized system.
//
// Cost: Dense O(bodies³); Sparse some factorizations, some ten solves a mode, and
// products between as many vectors (docs/statics-and-modes.md). Allocates.
// It returns ErrSingular or *factor.PivotError from a factorization, and
// ErrNoConvergence, and ErrNotFinite with the name of a body or joint where numbers
// overflow. It panics without a linearized state, if the count is negative or the
// method unknown.
func (s *System) Modes(o ModeOptions) (*Modes, error) {
	s.enter()
	defer s.guard.Leave()
	if o.Count < 0 {
		panic("linear: negative number of modes")
	}
	if o.Method > Sparse {
		panic("linear: unknown method")
	}
	s.mustHave()
	if o.Count == 0 {
		o.Count = defaultModes
	}
	o.Count = min(o.Count, 2*s.dim())
	if s.dim() == 0 {
		return &Modes{Method: Dense, All: true}, nil
	}
	s.weighLeft()
	if o.Method == Dense || o.Method == Auto && s.mech.NumBodies() <= denseBodies {
		return s.checked(s.denseModes(o))
	}
	out, err := s.sparseModes(o)
	if cause := s.orCause(nil); cause != nil {
		return nil, cause
	}
	if err == eigen.ErrNotFinite || err == eigen.ErrNoConvergence { // of a small matrix, which knows no place
		err = s.stiffestError(err)
	}
	return s.checked(out, err)
}

// checked returns out unless one of its numbers is not finite.
func (s *System) checked(out *Modes, err error) (*Modes, error) {
	if err == nil {
		err = s.finiteModes(out)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// denseModes computes all modes and keeps the lowest.
func (s *System) denseModes(o ModeOptions) (*Modes, error) {
	out := &Modes{Method: Dense, All: true}
	d, err := s.reduce()
	if err != nil {
		return nil, err
	}
	if d == nil {
		return out, nil
	}
	K, sym := symmetric(d.K, largest(d.K))
	if o.Undamped || sym && largest(d.C) == 0 {
		var e mat.EigenSym
		var X mat.Dense
		err := apart(s.space.Watched(), func() error {
			if err := eigen.Symmetric(&e, K); err != nil {
				return err
			}
			var U mat.Dense
			e.VectorsTo(&U)
			X.Mul(d.N, &U)
			return nil
		})
		if s.over() {
			return nil, s.orCause(nil)
		}
		if err != nil {
			return nil, s.stiffestError(err)
		}
		for i := range e.Values(nil) {
			if s.over() {
				return nil, s.orCause(nil)
			}
			out.List = append(out.List, s.undamped(mat.Col(nil, i, &X)))
		}
	} else {
		out.Damped = true
		err := s.denseDamped(out, d)
		if s.over() {
			return nil, s.orCause(nil)
		}
		if err != nil {
			return nil, s.stiffestError(err)
		}
	}
	out.choose(o.Count)
	return out, nil
}

// denseDamped computes the modes of ẍ + C·ẋ + K·x = 0 in reduced coordinates from the
// eigenvalues of [0 ω; −K/ω −C] for (ω·x, ẋ) with ω² the size of K.
func (s *System) denseDamped(out *Modes, d *dense) error {
	f, _ := d.K.Dims()
	omega := math.Sqrt(max(largest(d.K), 1e-300))
	A := mat.NewDense(2*f, 2*f, nil)
	for i := range f {
		A.Set(i, f+i, omega)
		for j := range f {
			A.Set(f+i, j, -d.K.At(i, j)/omega)
			A.Set(f+i, f+j, -d.C.At(i, j))
		}
	}
	var e mat.Eigen
	var U mat.CDense
	err := apart(s.space.Watched(), func() error {
		if err := eigen.General(&e, A); err != nil {
			return err
		}
		e.VectorsTo(&U)
		return nil
	})
	if err != nil {
		return err
	}
	for i, lambda := range e.Values(nil) {
		if s.over() {
			return s.orCause(nil)
		}
		if imag(lambda) < 0 {
			continue
		}
		re, im := make([]float64, f), make([]float64, f)
		for j := range f {
			re[j], im[j] = real(U.At(j, i)), imag(U.At(j, i))
		}
		var X, Y mat.VecDense
		X.MulVec(d.N, mat.NewVecDense(f, re))
		Y.MulVec(d.N, mat.NewVecDense(f, im))
		out.List = append(out.List, s.damped(lambda, X.RawVector().Data, Y.RawVector().Data, omega*omega))
	}
	if err := s.addRigid(out, d); err != nil {
		return err
	}
	s.settleRigid(out)
	return nil
}

// addRigid adds the directions that K leaves free, where a mode is rigid. Of several directions, zero is an eigenvalue with
// two rows of shapes that rounding makes nearly dependent; the singular vectors of K are not.
func (s *System) addRigid(out *Modes, d *dense) error {
	if !slices.ContainsFunc(out.List, func(m Mode) bool { return m.Kind == Rigid }) {
		return nil
	}
	var svd mat.SVD
	var X mat.Dense
	err := apart(s.space.Watched(), func() error {
		if err := eigen.Singular(&svd, d.K, mat.SVDFullV); err != nil {
			return err
		}
		var V mat.Dense
		svd.VTo(&V)
		X.Mul(d.N, &V)
		return nil
	})
	if err != nil {
		return err
	}
	size := svd.Values(nil)
	for i, v := range size {
		if m := s.undamped(mat.Col(nil, i, &X)); v <= zeroTol*size[0] && m.Kind == Rigid {
			out.List = append(out.List, m)
		}
	}
	return nil
}

// stiffestError completes an error with the name of the body whose terms of K are the
// largest.
func (s *System) stiffestError(err error) error { return s.bodyError(largestIn(s.size), err) }

// undamped returns the mode of a real shape x without C: λ² = −xᵀKx, the Rayleigh
// quotient, whose error is the square of that of x.
func (s *System) undamped(x []float64) Mode {
	g := make([]float64, len(x))
	s.MassTo(g, x)
	floats.Scale(1/math.Sqrt(floats.Dot(x, g)), x)
	orient(x, nil)
	s.StiffnessTo(g, x)
	m := Mode{Shape: x, Stiffness: floats.Dot(x, g)}
	switch k := m.Stiffness; {
	case math.Abs(k) <= max(s.zeroOf(x), s.leftOf(x)):
		m.Kind, m.Stiffness = Rigid, 0
	case k > 0:
		m.Kind, m.Lambda = Vibration, complex(0, math.Sqrt(k))
	default:
		m.Kind, m.Lambda = Divergence, complex(math.Sqrt(-k), 0)
	}
	return m
}

// damped returns the mode of the eigenvalue lambda with the shape re + i·im. size is
// the square of the rate to which rounding is relative.
func (s *System) damped(lambda complex128, re, im []float64, size float64) Mode {
	g, h := make([]float64, len(re)), make([]float64, len(re))
	norm := func() float64 {
		s.MassTo(g, re)
		s.MassTo(h, im)
		return math.Sqrt(floats.Dot(re, g) + floats.Dot(im, h))
	}
	t := 1 / norm()
	floats.Scale(t, re)
	floats.Scale(t, im)
	orient(re, im)
	m := Mode{Lambda: lambda, Shape: re, Imag: im}
	abs := cmplx.Abs(lambda)
	a, b := real(lambda), imag(lambda)
	// With damping c a stiffness k makes the rates −k/c and −c. The second one is not due to k.
	c := s.dampingOf(re) + s.dampingOf(im)
	if abs*abs <= max(zeroTol*size, s.zeroOf(re)+s.zeroOf(im)) || abs*max(abs, math.Abs(c)) <= s.leftOf(re)+s.leftOf(im) {
		m.Kind, m.Lambda = Rigid, 0
	} else if b <= realTol*abs {
		m.Lambda = complex(a, 0)
		m.Kind = Decay
		if a > 0 {
			m.Kind = Divergence
		}
	} else {
		m.Kind = Vibration
		if a > realTol*abs {
			m.Kind = Flutter
		} else if a > -realTol*realTol*abs {
			m.Lambda = complex(0, b) // growth that rounding has made
		}
	}
	if algebra.MaxAbs(im) <= realTol*algebra.MaxAbs(re) {
		m.Imag = nil
		floats.Scale(1/math.Sqrt(floats.Dot(re, s.massTimes(re))), re)
	}
	s.StiffnessTo(g, re)
	s.StiffnessTo(h, im)
	m.Stiffness = floats.Dot(re, g)
	if m.Imag != nil {
		m.Stiffness += floats.Dot(im, h)
	}
	return m
}

// settleRigid replaces the rigid modes of out by orthonormal real ones, one a direction. Where
// nothing damps a motion, zero is a double eigenvalue with one shape. Rounding makes a real or
// a complex pair of it, with all but the same shape.
func (s *System) settleRigid(out *Modes) {
	var basis [][]float64
	g := make([]float64, s.dim())
	list := out.List[:0]
	for _, m := range out.List {
		if m.Kind != Rigid {
			list = append(list, m)
			continue
		}
		for _, x := range [2][]float64{m.Shape, m.Imag} {
			if x == nil {
				continue
			}
			x = slices.Clone(x)
			orthogonalize(x, basis, s.MassTo, g, nil, s.space.Watched())
			size := math.Sqrt(max(floats.Dot(x, s.massTimes(x)), 0))
			if size <= rigidTol {
				continue
			}
			floats.Scale(1/size, x)
			basis = append(basis, x)
			shape := slices.Clone(x)
			orient(shape, nil)
			list = append(list, Mode{Kind: Rigid, Shape: shape})
		}
	}
	out.List = list
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

// termsOf returns the sum of the magnitudes of the terms of xᵀKx, what its rounding
// errors are relative to.
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

// zeroOf returns the size of xᵀKx that rounding in a shape x may make.
func (s *System) zeroOf(x []float64) float64 {
	noise := 0.0
	for i := range s.mech.Bodies {
		noise += s.size[i] * s.energyOf(i, x)
	}
	return zeroTol*s.termsOf(x) + shapeNoise*shapeNoise*noise
}

// energyOf returns the part of body i in xᵀMx.
func (s *System) energyOf(i int, x []float64) float64 {
	u, c := spatial.Vec3(x[6*i:6*i+3]), spatial.Vec3(x[6*i+3:6*i+6])
	return u.Dot(s.y.Kin.I[i].MulVec(u)) + s.mech.Bodies[i].Mass*c.Dot(c)
}

// measure stores in s.size the size of the terms of K at each body, 1/s².
func (s *System) measure() {
	clear(s.size)
	for i := range s.stiff {
		if s.every(i) {
			return
		}
		for c := range 6 {
			var col [6]float64
			for r := range col {
				col[r] = s.stiff[i][6*r+c]
			}
			unit := [6]float64{}
			unit[c] = 1
			s.size[i] += math.Sqrt(s.inverseNorm(int32(i), col[:]) * s.inverseNorm(int32(i), unit[:]))
		}
	}
	for i := range s.rows {
		r := &s.rows[i]
		if r.far != nil {
			n := len(r.far.bodies)
			for e, b := range r.far.bodies {
				s.size[b] += float64(n) * math.Abs(r.k) * s.inverseNorm(b, r.far.v[6*e:6*e+6])
			}
			continue
		}
		for e, b := range r.body {
			if b >= 0 {
				s.size[b] += 2 * math.Abs(r.k) * s.inverseNorm(b, r.v[6*e:6*e+6])
			}
		}
	}
	for i := range s.pairs {
		if s.every(i) {
			return
		}
		p := &s.pairs[i]
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
}

// orient turns the phase of x + i·y so that its largest component is real and
// positive; the first of those that are as large.
func orient(x, y []float64) {
	best, at := 0.0, 0
	for i := range x {
		t := math.Abs(x[i])
		if y != nil {
			t = math.Hypot(x[i], y[i])
		}
		if t > best*(1+1e-6) {
			best, at = t, i
		}
	}
	if best == 0 {
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

// choose sorts the modes and keeps the first count.
func (m *Modes) choose(count int) {
	slices.SortStableFunc(m.List, func(a, b Mode) int {
		if u, v := a.Kind.Unstable(), b.Kind.Unstable(); u != v {
			if u {
				return -1
			}
			return 1
		} else if u {
			return cmp.Compare(real(b.Lambda), real(a.Lambda))
		}
		return cmp.Compare(cmplx.Abs(a.Lambda), cmplx.Abs(b.Lambda))
	})
	if len(m.List) > count {
		m.List, m.All = m.List[:count], false
	}
}
