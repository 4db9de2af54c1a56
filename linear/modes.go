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
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

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
	return Auto, fmt.Errorf("linear: unknown method %s%s", fault.Name(name), fault.Meant(name, methodNames[:]...))
}

// ModeOptions choose which modes are computed. The zero value is the default.
type ModeOptions struct {
	Count    int // number of the lowest modes; 0 stands for 10
	Method   Method
	Undamped bool // leave C out, and the part of K that is not symmetric
	// Steady asks for the modes of a steady motion (StateSpace), by the dense method, in axes that may rotate with it. The mechanism may
	// have nonholonomic rows. Rest is a steady motion, too.
	Steady bool
	// MaxFlops is the largest work, by Price, that Modes begins; 0 stands for DefaultMaxFlops.
	MaxFlops float64
}

// mustBe panics if an option is out of range or two contradict each other.
func (o *ModeOptions) mustBe() {
	switch {
	case o.Count < 0:
		panic("linear: negative number of modes")
	case !(o.MaxFlops >= 0):
		panic("linear: a limit of work below 0")
	case o.Method > Sparse:
		panic("linear: unknown method")
	case o.Steady && o.Undamped:
		panic("linear: no modes of a steady motion without its velocity terms")
	case o.Steady && o.Method == Sparse:
		panic("linear: no sparse method for steady motions")
	}
}

// DefaultMaxFlops is the largest work that Modes begins if no other limit is given: some minutes.
const DefaultMaxFlops = 2e12

// defaultModes is the number of modes if none is given.
const defaultModes = 10

// Modes are the lowest modes of a linearized system: first the unstable ones, the fastest growth first, then the others by |λ|. With more
// than 100 degrees of freedom, the sparse method searches for unstable modes only near zero, as for other modes: it may miss those with
// large |λ|.
type Modes struct {
	List     []Mode
	Method   Method  // Dense or Sparse
	Damped   bool    // the equations had C or an unsymmetric K, so that shapes may be complex
	Steady   bool    // of a steady motion (ModeOptions.Steady)
	All      bool    // List has all modes of the system
	Shift    float64 // of the sparse method, 1/s²
	Products int     // solves with a factorization, of the sparse method
	Factors  int     // factorizations, of the sparse method
	Residual float64 // largest residual of an eigenvalue, relative to it, of the sparse method

	// Turning is the angular velocity of the axes to which the shapes of a steady motion refer, rad/s; zero for other modes.
	Turning spatial.Vec3
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
	// spanTol is the largest norm of the part of a shape outside the displacements without stiffness that may be rounding.
	spanTol = 0.1
)

// Modes computes modes of the linearized system.
//
// Cost: Dense O(bodies³); Sparse some factorizations, some ten solves a mode, and
// products between as many vectors (docs/statics-and-modes.md). Allocates.
// It returns ErrTooDear before it begins if System.Price is above the limit, ErrSingular or *factor.PivotError from a factorization,
// ErrNoConvergence, ErrUnstable from the sparse method, ErrNotFinite with the name of a body or joint where numbers
// overflow, an error that wraps mechanism.ErrNonholonomic for a moving mechanism with nonholonomic rows without o.Steady, and with it
// the errors of StateSpace. It panics without a linearized state, if the count is negative, the method unknown, or o.Steady
// set with Undamped or Sparse.
func (s *System) Modes(o ModeOptions) (*Modes, error) {
	s.enter()
	defer s.guard.Leave()
	o.mustBe()
	s.mustHave()
	if o.Count == 0 {
		o.Count = defaultModes
	}
	o.Count = min(o.Count, 2*s.dim())
	if s.dim() == 0 {
		return &Modes{Method: Dense, All: true}, nil
	}
	if err := s.afford(o); err != nil {
		return nil, err
	}
	if !o.Steady && !s.rest {
		if err := s.mech.Holonomic(); err != nil {
			return nil, fault.Errorf("linear: of a mechanism that moves: %w; ModeOptions.Steady takes it", err)
		}
	}
	s.setImbalance()
	if o.Steady {
		return s.checked(s.steadyModes(o))
	}
	switch {
	case s.takesDense(o) && len(s.mech.Nonholonomic()) > 0:
		return s.checked(s.nonholonomicModes(o))
	case s.takesDense(o):
		return s.checked(s.denseModes(o))
	}
	out, err := s.sparseModes(o)
	if out != nil && len(s.mech.Nonholonomic()) > 0 {
		out.All = out.All && len(out.List) == 0 // modes of displacements that only closed paths reach are not in the list
	}
	if cause := s.orCause(nil); cause != nil {
		return nil, cause
	}
	if err == eigen.ErrNotFinite || err == eigen.ErrNoConvergence { // from a small matrix, without the name of a body
		err = s.stiffestError(err)
	}
	return s.checked(out, err)
}

// checked returns out, or nil and an error: err, or ErrNotFinite if a number of out is not finite.
func (s *System) checked(out *Modes, err error) (*Modes, error) {
	if err == nil {
		err = s.finiteModes(out)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// denseModes computes all modes by the dense method and returns the lowest o.Count.
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
			if err := full.Symmetric(&e, K); err != nil {
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
		if err := s.addUndamped(out, &X, e.Values(nil)); err != nil {
			return nil, err
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

// addUndamped adds to out the modes with the shapes X, in columns, of the eigenvalues value of K. Shapes of eigenvalues that are small
// relative to the largest (smallTol) are first separated by products with K (rayleighRitz).
func (s *System) addUndamped(out *Modes, X *mat.Dense, value []float64) error {
	most := algebra.MaxAbs(value)
	var shapes, small [][]float64
	for i, v := range value {
		if x := mat.Col(nil, i, X); math.Abs(v) <= smallTol*most {
			small = append(small, x)
		} else {
			shapes = append(shapes, x)
		}
	}
	if err := s.rayleighRitz(small); err != nil {
		return err
	}
	for _, x := range append(small, shapes...) {
		if s.over() {
			return s.orCause(nil)
		}
		out.List = append(out.List, s.undamped(x))
	}
	return nil
}

// denseDamped adds to out the modes of ẍ + C·ẋ + K·x = 0 in the coordinates of d, from the
// eigenvalues of [0 ω; −K/ω −C] for (ω·x, ẋ) with ω² the largest entry of K.
func (s *System) denseDamped(out *Modes, d *dense) error {
	var doubtfuls []int // indexes in out.List of modes that may be rigid
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
		if err := full.General(&e, A); err != nil {
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
		m, doubtful := s.damped(lambda, X.RawVector().Data, Y.RawVector().Data, omega*omega)
		before := len(out.List)
		out.List = s.appendPair(out.List, m, lambda)
		for j := before; j < len(out.List) && doubtful && m.Kind != Rigid; j++ {
			doubtfuls = append(doubtfuls, j)
		}
	}
	if err := s.addRigid(out, d, doubtfuls); err != nil {
		return err
	}
	s.mergeRigid(out)
	return nil
}

// addRigid adds to out the rigid modes with the null vectors of K as shapes, if some mode of out is rigid or may be, and makes each
// doubtful mode rigid whose shape is a combination of null vectors. The eigenvectors of several double eigenvalues zero are nearly
// dependent by rounding; the singular vectors of K are not. A doubtful mode with another shape stays: its spring may be soft relative to
// a stiff one elsewhere. doubtfuls are indexes in out.List.
func (s *System) addRigid(out *Modes, d *dense, doubtfuls []int) error {
	if len(doubtfuls) == 0 && !slices.ContainsFunc(out.List, func(m Mode) bool { return m.Kind == Rigid }) {
		return nil
	}
	var svd mat.SVD
	var X mat.Dense
	err := apart(s.space.Watched(), func() error {
		if err := full.Singular(&svd, d.K, mat.SVDFullV); err != nil {
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
	var free [][]float64
	size := svd.Values(nil)
	for i, v := range size {
		if m := s.undamped(mat.Col(nil, i, &X)); v <= zeroTol*size[0] && m.Kind == Rigid {
			free = append(free, m.Shape)
		}
	}
	for _, i := range doubtfuls {
		if m := &out.List[i]; s.hasZeroEigenvalue(free, m) {
			*m = Mode{Kind: Rigid} // without its shape: the shapes of free, which follow, have smaller errors
		}
	}
	for _, x := range free {
		out.List = append(out.List, Mode{Kind: Rigid, Shape: x})
	}
	return nil
}

// hasZeroEigenvalue reports whether the eigenvalue of m is zero up to rounding: the shape of m is a combination of the displacements
// free, up to spanTol, and the eigenvalue is not the rate −c that damping c gives such a shape. free are displacements
// without stiffness, orthonormal in M.
func (s *System) hasZeroEigenvalue(free [][]float64, m *Mode) bool {
	outside, damping, g := 1.0, 0.0, make([]float64, s.dim()) // outside: square of the norm of the part outside free
	for _, x := range [2][]float64{m.Shape, m.Imag} {
		if x == nil {
			continue
		}
		damping += s.dampingOf(x)
		s.MassTo(g, x)
		for _, v := range free {
			t := floats.Dot(v, g)
			outside -= t * t
		}
	}
	// A shape of unit modal mass with the damping c, without stiffness, has λ(λ + c) = 0.
	return outside <= spanTol*spanTol && !(cmplx.Abs(m.Lambda+complex(damping, 0)) < cmplx.Abs(m.Lambda)/2)
}

// stiffestError adds to an error the name of the body with the largest terms of K.
func (s *System) stiffestError(err error) error { return s.bodyError(algebra.Largest(s.size), err) }

// mergeRigid replaces the rigid modes of out by real ones, orthonormal in M, one for each independent direction. A rigid motion without
// damping has the double eigenvalue zero with one shape. Rounding splits it into a real or complex pair, whose shapes are nearly equal:
// they are merged into one mode.
func (s *System) mergeRigid(out *Modes) {
	var basis [][]float64
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
			if extended := s.appendDirection(basis, slices.Clone(x)); len(extended) > len(basis) {
				basis = extended
				shape := slices.Clone(basis[len(basis)-1])
				orient(shape, nil)
				list = append(list, Mode{Kind: Rigid, Shape: shape})
			}
		}
	}
	out.List = list
}

// choose sorts the modes, unstable ones first by decreasing Re λ and then the others by |λ|, and keeps the first count. It clears All if it
// drops some.
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

// covers reports whether the joints allow no more than count independent motions, so that count modes may be all. It returns
// false where rounding does not determine the rank of the joints.
//
// Cost: two factorizations and a solver, but none where the number of rows decides.
func (s *System) covers(count int) bool {
	mobility := s.dim() - s.Rows()
	if count < mobility {
		return false
	}
	solver := s.plan.NewSolver()
	defer solver.Watch(s.space.Watched().Context())()
	rank, err := solver.RankAt(s.st)
	if err != nil {
		return false
	}
	for _, n := range rank.RedundantRows {
		mobility += n
	}
	return count >= mobility
}
