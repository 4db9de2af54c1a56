package fik

import (
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/rung-mbd/rung/internal/algebra"
)

// ErrNotFinite is returned by a step of the filter that gives infinite or undefined numbers.
var ErrNotFinite = errors.New("ik/fik: the filter's numbers overflow")

// Filter is the filter of feedback inverse kinematics. Its state z starts at zero; null motion (StepNullTo) has a second state zb.
//
// It is a workspace: only one goroutine may use it, and its Linear, at a time. It multiplies by its Linear anew in each step, so that
// the owner may change the pose of the Linear between steps, but not within one.
type Filter struct {
	j        Linear
	m, n     int // numbers of rows and freedoms
	form     Form
	p        weight
	a        []float64  // m, diagonal of A; form F: α
	gains    []float64  // n, diagonal of V; nil: ones
	h        float64    // time of an iteration, s
	inner    int        // number of iterations in a step
	main     recurrence // of the targets
	null     recurrence // of null motion
	pz, w    []float64  // scratch, m: P·z and J·dq
	one, sum []float64  // scratch, n: rates of one of several inner iterations, and their sum
	guard    guard
}

// recurrence is the state of one recurrence.
type recurrence struct {
	z    []float64 // m
	last []float64 // n, form F: dq of the sample before
	pz   []float64 // m, form F: P·z of the sample before
	zpz  float64   // form F: zᵀP z of the sample before
}

// weight is a symmetric positive definite matrix: full, diagonal or a number.
type weight struct {
	number float64
	diag   []float64
	full   *Dense
}

// newWeight returns the m×m matrix that 1, m or m² numbers give (Options). It keeps p.
func newWeight(p []float64, m int) weight {
	switch len(p) {
	case 1:
		return weight{number: p[0]}
	case m:
		return weight{diag: p}
	}
	return weight{full: NewDense(m, m, p)}
}

// mulTo stores P·z in dst. The two do not overlap.
func (p *weight) mulTo(dst, z []float64) {
	switch {
	case p.full != nil:
		p.full.MulTo(dst, z)
	case p.diag != nil:
		for i, x := range p.diag {
			dst[i] = x * z[i]
		}
	default:
		for i, x := range z {
			dst[i] = p.number * x
		}
	}
}

// New returns a filter on the linear map j, with P, A and h as o gives them, or else by o.Design. It allocates all
// memory that steps need.
//
// Cost: as the design, and some hundred products with j for the test of stability; allocates. It returns an
// OptionError for each rule that o breaks, joined, an error that wraps ErrRank or ErrNoDesign if the design fails for the
// Jacobian, ErrNotFinite, or an UnstableError if the filter is unstable, unless o.Adapt can shorten h or o.Unchecked is set.
func New(j Linear, o Options) (*Filter, error) {
	o, err := o.Designed(j)
	if err != nil {
		return nil, err
	}
	m, n := j.Dims()
	f := &Filter{
		j: j, m: m, n: n, form: o.Form, p: newWeight(o.P, m), a: spread(o.A, m), gains: o.Gains, h: o.H, inner: max(o.Inner, 1),
		main: newRecurrence(m, n), null: newRecurrence(m, n), pz: make([]float64, m), w: make([]float64, m),
		one: make([]float64, n), sum: make([]float64, n),
	}
	if len(o.Gains) == 1 {
		f.gains = spread(o.Gains, n)
	}
	f.guard = newGuard(f, &o)
	if err := f.settle(); err != nil {
		return nil, err
	}
	return f, nil
}

// newRecurrence allocates a recurrence with the state zero.
func newRecurrence(m, n int) recurrence {
	return recurrence{z: make([]float64, m), last: make([]float64, n), pz: make([]float64, m)}
}

// spread returns v if it has n numbers, and else n times its first number.
func spread(v []float64, n int) []float64 {
	if len(v) == n {
		return v
	}
	all := make([]float64, n)
	for i := range all {
		all[i] = v[0]
	}
	return all
}

// Reset sets all state to zero, as after New. A lowered step h stays.
func (f *Filter) Reset() {
	for _, s := range []*recurrence{&f.main, &f.null} {
		clear(s.z)
		clear(s.last)
		clear(s.pz)
		s.zpz = 0
	}
	f.guard.idle, f.guard.count, f.guard.before = 0, 0, 0
}

// Z returns the state z: m numbers, in memory of f. The caller may set them.
func (f *Filter) Z() []float64 { return f.main.z }

// NullZ returns the state zb of null motion: m numbers, in memory of f. The caller may set them.
func (f *Filter) NullZ() []float64 { return f.null.z }

// Step returns the time of one iteration, s: h of form V, dt of form F. With Options.Adapt a step may lower h.
func (f *Filter) Step() float64 { return f.h }

// StepTo does one iteration of form V or F, docs/inverse-kinematics.md (F1), (F2), for the wanted
// rates dxd of the rows, and stores the rates of the freedoms in dq. With Options.Inner it does
// that many iterations with the same Jacobian and the same dxd, and stores the mean of their rates.
//
// Cost: two products with the map in an iteration, two more every 16 iterations for the test of stability; no allocation of its
// own. It returns an UnstableError if the recurrence does not converge at the present pose, and ErrNotFinite if a
// number of the state becomes infinite or undefined; dq is then unspecified. It panics on a length mismatch.
func (f *Filter) StepTo(dq, dxd []float64) error {
	if len(dq) != f.n || len(dxd) != f.m {
		panic("ik/fik: length mismatch")
	}
	if err := f.testStability(); err != nil {
		return err
	}
	if err := f.iterate(&f.main, dq, dxd); err != nil {
		return err
	}
	return f.checkStep(dq)
}

// StepNullTo is StepTo with null motion: dq0 are wanted rates of the freedoms, of which the part that does not move the
// targets is added to dq, docs/inverse-kinematics.md (F3).
//
// Cost: as two StepTo and one product more. Errors and panics: as StepTo. dq and dq0 may not overlap.
func (f *Filter) StepNullTo(dq, dxd, dq0 []float64) error {
	if len(dq0) != f.n {
		panic("ik/fik: length mismatch")
	}
	if err := f.StepTo(dq, dxd); err != nil {
		return err
	}
	wanted := f.guard.x
	f.j.MulTo(wanted, dq0)
	if err := f.iterate(&f.null, f.guard.y, wanted); err != nil {
		return err
	}
	for k, x := range f.guard.y {
		dq[k] += dq0[k] - x
	}
	if !algebra.Finite(algebra.Dot(f.null.z, f.null.z)) || !algebra.Finite(algebra.Dot(dq, dq)) {
		return ErrNotFinite
	}
	return nil
}

// iterate does the iterations of one step of s for the wanted rates in of the rows, and stores the mean of their rates in dq. It returns
// UnstableErrors and ErrNotFinite.
func (f *Filter) iterate(s *recurrence, dq, in []float64) error {
	if f.inner == 1 {
		return f.once(s, dq, in)
	}
	clear(f.sum)
	for range f.inner {
		if err := f.once(s, f.one, in); err != nil {
			return err
		}
		for k, x := range f.one {
			f.sum[k] += x
		}
	}
	for k, x := range f.sum {
		dq[k] = x / float64(f.inner)
	}
	return nil
}

// once does one iteration of s, and stores its rates in dq.
func (f *Filter) once(s *recurrence, dq, in []float64) error {
	if f.form == FormF {
		return f.fixed(s, dq, in)
	}
	return f.variable(s, dq, in)
}

// variable is once for form V.
func (f *Filter) variable(s *recurrence, dq, dxd []float64) error {
	f.outTo(dq, s.z) // dq = V Jᵀ P z
	f.j.MulTo(f.w, dq)
	top, zpz := 0.0, 0.0
	for i, z := range s.z {
		top += f.pz[i] * (f.w[i] - f.a[i]*z)
		zpz += f.pz[i] * z
	}
	if err := f.testState(top, zpz); err != nil {
		return err
	}
	for i, z := range s.z { // z ← z + h (A z − J dq) + h dxd
		s.z[i] = z + f.h*(f.a[i]*z-f.w[i]) + f.h*dxd[i]
	}
	return nil
}

// fixed is once for form F.
func (f *Filter) fixed(s *recurrence, dq, dxd []float64) error {
	f.j.MulTo(f.w, s.last) // dx = J dq₋
	if err := f.testState(algebra.Dot(s.pz, f.w), s.zpz); err != nil {
		return err
	}
	f.outTo(dq, s.z) // dq = V Jᵀ P z
	s.zpz = algebra.Dot(f.pz, s.z)
	copy(s.pz, f.pz)
	for i, z := range s.z { // z ← α z + e, e = dxd − dx
		s.z[i] = f.a[i]*z + (dxd[i] - f.w[i])
	}
	copy(s.last, dq)
	return nil
}

// outTo stores V Jᵀ P z in dq, and P z in f.pz.
func (f *Filter) outTo(dq, z []float64) {
	f.p.mulTo(f.pz, z)
	f.j.MulTransTo(dq, f.pz)
	if f.gains != nil {
		for k, g := range f.gains {
			dq[k] *= g
		}
	}
}

// norm returns the Euclidean norm of x.
func norm(x []float64) float64 { return blas64.Nrm2(vector(x)) }

// RatesTo stores the rates of the continuous limit of form V, docs/inverse-kinematics.md (F4): of the freedoms in dq
// and of z in dz. dz may be z.
//
// Cost: two products with the map, no allocation of its own. It panics on a length mismatch, or for form F.
func (f *Filter) RatesTo(dz, dq, z, dxd []float64) {
	if f.form != FormV {
		panic("ik/fik: form F has no continuous limit")
	}
	if len(dz) != f.m || len(dq) != f.n || len(z) != f.m || len(dxd) != f.m {
		panic("ik/fik: length mismatch")
	}
	f.outTo(dq, z)
	f.j.MulTo(f.w, dq)
	for i, x := range z {
		dz[i] = f.a[i]*x + dxd[i] - f.w[i]
	}
}

// Flow returns the continuous limit of form V as a function that stores the rates of y = (z, q), m + n numbers, for integrators such as
// sim.ODE. put has to evaluate the map at the freedoms q and the time t, and to store the wanted rates dxd there.
//
// It panics for form F.
func (f *Filter) Flow(put func(dxd, q []float64, t float64) error) func(dst, y []float64, t float64) error {
	if f.form != FormV {
		panic("ik/fik: form F has no continuous limit")
	}
	dxd := make([]float64, f.m)
	return func(dst, y []float64, t float64) error {
		if err := put(dxd, y[f.m:], t); err != nil {
			return err
		}
		f.RatesTo(dst[:f.m], dst[f.m:], y[:f.m], dxd)
		return nil
	}
}
