package fik

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/algebra"
)

// ErrUnstable is wrapped by an UnstableError.
var ErrUnstable = errors.New("ik/fik: feedback inverse kinematics is unstable")

// UnstableError says that the recurrence does not converge at the present pose, and suggests a value with which it
// does. It wraps ErrUnstable.
type UnstableError struct {
	Form Form
	// Mu is the largest |μ| of an eigenvalue of J V Jᵀ P − A, 1/s, in form V. In form F it is the largest eigenvalue of J V Jᵀ P, or a bound
	// of it if some |α| ≥ 1 or A is more than one number.
	Mu      float64
	H       float64 // time of an iteration, s
	Suggest float64 // form V: a stable step h, s; form F: a factor on P that makes it stable; 0: none is known
}

// Error implements error.
func (e *UnstableError) Error() string {
	switch {
	case e.Suggest == 0:
		return fmt.Sprintf("%v at any step: A and P do not fit each other, largest eigenvalue %.4g", ErrUnstable, e.Mu)
	case e.Form == FormF:
		return fmt.Sprintf("%v: the largest eigenvalue of J V Jᵀ P is %.4g and has to stay below 1; multiply P by %.3g or less",
			ErrUnstable, e.Mu, e.Suggest)
	}
	return fmt.Sprintf("%v: h = %.4g s times the largest eigenvalue %.4g 1/s has to stay below 2; take h = %.3g s or less",
		ErrUnstable, e.H, e.Mu, e.Suggest)
}

// Unwrap returns ErrUnstable.
func (e *UnstableError) Unwrap() error { return ErrUnstable }

const (
	testEvery  = 16    // number of iterations from one test of stability to the next
	powerMost  = 300   // largest number of iterations of the power method
	powerTol   = 1e-6  // relative change of its value at which it ends
	margin     = 0.25  // part of the largest stable step that is taken if none is given: half the least time constant
	stuckAfter = 50    // number of iterations without motion after which the filter counts as stuck
	still      = 1e-9  // rates, relative to gain times the size of z, up to which there is no motion
	decayTol   = 1e-12 // relative decrease of ‖z‖² in an iteration below which z counts as not decaying
)

// guard tests a filter: its stability, and whether it is stuck.
type guard struct {
	unchecked, adapt bool
	coupled          *coupled  // the test with all eigenvalues, where the power method may miss one; nil where it cannot
	u, x             []float64 // m: vector of the power method; scratch
	y                []float64 // n: scratch
	mu               float64   // largest eigenvalue of J V Jᵀ P − A, or of J V Jᵀ P in form F, as far as known
	limit            float64   // form V: largest stable step, s; form F: largest stable factor on P
	gain             float64   // ‖V Jᵀ P u‖ for a unit vector u
	count, idle      int       // number of iterations since the last test, and of the last iterations without motion
	before           float64   // ‖z‖² after the last step
}

// newGuard allocates the guard of f, before its first test.
func newGuard(f *Filter, o *Options) guard {
	g := guard{unchecked: o.Unchecked, adapt: o.Adapt, u: make([]float64, f.m), x: make([]float64, f.m), y: make([]float64, f.n)}
	if f.mixes() {
		g.coupled = newCoupled(f)
	}
	g.seed()
	return g
}

// seed sets the vector of the power method to random numbers, the same ones in each call.
func (g *guard) seed() {
	rng := rand.New(rand.NewPCG(1, uint64(len(g.u))))
	for i := range g.u {
		g.u[i] = rng.NormFloat64()
	}
}

// mixes reports whether the modes of the recurrence are not those of a symmetric matrix. If they are, J V Jᵀ P − A is
// symmetric in the scalar product with P, and its largest eigenvalue decides the stability.
func (f *Filter) mixes() bool {
	uniform, most := true, 0.0
	for _, x := range f.a {
		uniform = uniform && x == f.a[0]
		most = max(most, math.Abs(x))
	}
	if f.form == FormF {
		return !uniform || most >= 1
	}
	return !uniform && f.p.full != nil
}

// settle chooses the step h of form V if none is given. It returns an UnstableError if the filter does not converge, and ErrNotFinite.
func (f *Filter) settle() error {
	g := &f.guard
	if err := f.assess(powerMost); err != nil {
		return err
	}
	if f.form == FormV && f.h == 0 {
		if f.h = margin * g.limit; !(f.h > 0) {
			return f.unstable()
		}
	}
	return f.judge()
}

// testStability is judge after one more iteration of the power method at the present pose, once in testEvery iterations. It returns an
// UnstableError, or ErrNotFinite.
//
// Cost: two products with the map for each test, or m products each way and O(m³) if the recurrence mixes modes; no allocation.
func (f *Filter) testStability() error {
	g := &f.guard
	if g.count += f.inner; g.unchecked || g.count < testEvery {
		return nil
	}
	g.count = 0
	if err := f.assess(1); err != nil {
		return err
	}
	return f.judge()
}

// testState tests the stability by the state z itself: its Rayleigh quotient top/zpz is a lower bound of the largest eigenvalue. An
// unstable mode soon dominates z, even if the power method has not found it yet. If the recurrence mixes modes, the quotient is no bound,
// and only decides whether to compute the eigenvalues.
func (f *Filter) testState(top, zpz float64) error {
	g := &f.guard
	if g.unchecked || !(f.limitOf(1)*zpz <= f.pace()*top) || zpz == 0 {
		return nil
	}
	if g.coupled != nil {
		if err := f.coupledJudge(); err != nil {
			return err
		}
		return f.judge()
	}
	g.mu = top / zpz
	g.limit = f.limitOf(g.mu)
	return f.judge()
}

// pace returns the value to compare with guard.limit: the step h in form V, the factor 1 on P in form F.
func (f *Filter) pace() float64 {
	if f.form == FormF {
		return 1
	}
	return f.h
}

// assess sets mu and limit of the guard by the power method, with at most the given number of iterations, or by coupledJudge. It returns
// ErrNotFinite if numbers of the map are not finite.
func (f *Filter) assess(iterations int) error {
	g := &f.guard
	if g.coupled != nil {
		return f.coupledJudge()
	}
	last := 0.0
	for range iterations {
		if f.power(); math.Abs(g.mu-last) <= powerTol*g.mu {
			break
		}
		last = g.mu
	}
	if !algebra.Finite(g.mu) {
		return ErrNotFinite
	}
	return nil
}

// judge compares the step with its limit. If it is too long, judge shortens h in form V with adapt, and else returns an UnstableError.
func (f *Filter) judge() error {
	g := &f.guard
	if g.unchecked || f.pace() < g.limit {
		return nil
	}
	if g.adapt && f.form == FormV && g.limit > 0 {
		f.h = margin * g.limit
		return nil
	}
	return f.unstable()
}

// unstable returns the UnstableError for the present limit.
func (f *Filter) unstable() error {
	return &UnstableError{f.form, f.guard.mu, f.h, max(margin*f.guard.limit, 0)}
}

// power does one iteration of the power method on J V Jᵀ P − A, in form F without A, docs/inverse-kinematics.md (F5), and sets gain, mu and
// limit of the guard. mu, the Rayleigh quotient in the scalar product with P, is a lower bound of the largest eigenvalue.
func (f *Filter) power() {
	g := &f.guard
	size := math.Sqrt(algebra.Dot(g.u, g.u))
	for i := range g.u {
		g.u[i] /= size
	}
	f.outTo(g.y, g.u)
	g.gain = math.Sqrt(algebra.Dot(g.y, g.y))
	f.j.MulTo(g.x, g.y)
	if f.form == FormV {
		for i, u := range g.u {
			g.x[i] -= f.a[i] * u
		}
	}
	g.mu = algebra.Dot(f.pz, g.x) / algebra.Dot(f.pz, g.u) // f.pz is P·u
	g.limit = f.limitOf(g.mu)
	if algebra.MaxAbs(g.x) > 0 {
		copy(g.u, g.x)
	}
}

// limitOf returns guard.limit for the largest eigenvalue mu of a symmetric recurrence.
func (f *Filter) limitOf(mu float64) float64 {
	if f.form == FormF {
		return 1 / mu
	}
	return 2 / mu
}

// checkStep updates guard.idle by whether a step with the rates dq has moved the freedoms. It returns ErrNotFinite if z or dq is not
// finite.
func (f *Filter) checkStep(dq []float64) error {
	g := &f.guard
	size, rates := algebra.Dot(f.main.z, f.main.z), algebra.Dot(dq, dq)
	if !algebra.Finite(size) || !algebra.Finite(rates) {
		return ErrNotFinite
	}
	if least := still * g.gain; g.before > 0 && rates <= least*least*g.before && size >= g.before*(1-decayTol) {
		g.idle += f.inner
	} else {
		g.idle = 0
	}
	g.before = size
	return nil
}

// Stuck reports whether the freedoms have stood still for 50 iterations although z does not decay: Jᵀ P z is zero up to
// rounding. The pose is singular, or the targets are out of reach.
func (f *Filter) Stuck() bool { return f.guard.idle >= stuckAfter }

// LargestEigenvalue returns the largest eigenvalue of J V Jᵀ P − A, 1/s, or in form F of J V Jᵀ P, at the pose of the last test of
// stability (UnstableError.Mu).
func (f *Filter) LargestEigenvalue() float64 { return f.guard.mu }
