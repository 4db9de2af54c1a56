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

// UnstableError says that the recurrence does not converge at the present pose, and what would make it
// converge. It wraps ErrUnstable.
type UnstableError struct {
	Form Form
	// Mu is of form V the largest |μ| of J V Jᵀ P − A, 1/s, of form F the largest σ of J V Jᵀ P, or a bound of it where |α| ≥ 1 or A is
	// no number.
	Mu      float64
	H       float64 // s, time of an iteration
	Suggest float64 // form V: a step h, s; form F: a factor for P; 0: none is known
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
	lookEvery  = 16   // iterations from one look at the stability to the next
	powerMost  = 300  // iterations of the power method at most
	powerTol   = 1e-6 // relative change of its value at which it ends
	margin     = 0.25 // part of the largest stable step that is taken where none is given: half the least time constant
	stuckAfter = 50   // iterations without a motion after which the filter counts as stuck
	still      = 1e-9 // rates, relative to what z would do elsewhere, below which there is no motion
	grows      = 1e-12
)

// guard watches a filter: its stability, and whether it is stuck.
type guard struct {
	unchecked, adapt bool
	coupled          *coupled  // not nil: the eigenvalues are computed, as the power method may miss one
	u, x             []float64 // m: vector of the power method; scratch
	y                []float64 // n: scratch
	mu               float64   // largest eigenvalue of J V Jᵀ P − A, or of J V Jᵀ P for form F
	limit            float64   // form V: steps below are stable, s; form F: factors of P
	gain             float64   // size of V Jᵀ P u for a u of length one
	count, idle      int       // iterations since the last look, and without a motion
	before           float64   // ‖z‖² before the last iteration
}

// newGuard returns the guard of f before its first look.
func newGuard(f *Filter, o *Options) guard {
	g := guard{unchecked: o.Unchecked, adapt: o.Adapt, u: make([]float64, f.m), x: make([]float64, f.m), y: make([]float64, f.n)}
	if f.mixes() {
		g.coupled = newCoupled(f)
	}
	g.seed()
	return g
}

// seed sets the vector of the power method to random numbers, the same ones each time.
func (g *guard) seed() {
	rng := rand.New(rand.NewPCG(1, uint64(len(g.u))))
	for i := range g.u {
		g.u[i] = rng.NormFloat64()
	}
}

// mixes reports whether the recurrence has modes that are not those of a symmetric matrix. Without, J V Jᵀ P − A is
// symmetric in the scalar product with P, and its largest eigenvalue decides.
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

// settle chooses the step where none is given, and returns an UnstableError where the filter does not converge.
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

// look is judge with the eigenvalue at the present pose, now and then.
//
// Cost: two products with the map each time that it looks; no allocation.
// Where the recurrence mixes modes, m products each way and O(m³).
func (f *Filter) look() error {
	g := &f.guard
	if g.count += f.inner; g.unchecked || g.count < lookEvery {
		return nil
	}
	g.count = 0
	if err := f.assess(1); err != nil {
		return err
	}
	return f.judge()
}

// heed judges by the state itself, whose quotient top/zpz is a lower bound of the largest eigenvalue too. An unstable
// mode soon rules the state, whatever the power method has in hand. Where the recurrence mixes modes the quotient is no
// bound but a reason to look.
func (f *Filter) heed(top, zpz float64) error {
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

// pace returns what limits are compared with.
func (f *Filter) pace() float64 {
	if f.form == FormF {
		return 1
	}
	return f.h
}

// assess sets mu and limit by at most so many iterations of the power method, or as coupledJudge does. It returns
// ErrNotFinite if the map's numbers are not finite.
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

// judge compares the step with its limit.
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

func (f *Filter) unstable() error {
	return &UnstableError{f.form, f.guard.mu, f.h, max(margin*f.guard.limit, 0)}
}

// power does one iteration of the power method on J V Jᵀ P − A, form F without A, docs/inverse-kinematics.md (F5).
// Its value, the quotient in the scalar product with P, is a lower bound of the eigenvalue.
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

// limitOf returns the limit for a symmetric recurrence.
func (f *Filter) limitOf(mu float64) float64 {
	if f.form == FormF {
		return 1 / mu
	}
	return 2 / mu
}

// verdict notes whether the iteration has moved anything, and returns ErrNotFinite after an overflow.
func (f *Filter) verdict(dq []float64) error {
	g := &f.guard
	size, rates := algebra.Dot(f.main.z, f.main.z), algebra.Dot(dq, dq)
	if !algebra.Finite(size) || !algebra.Finite(rates) {
		return ErrNotFinite
	}
	if reach := still * g.gain; g.before > 0 && rates <= reach*reach*g.before && size >= g.before*(1-grows) {
		g.idle += f.inner
	} else {
		g.idle = 0
	}
	g.before = size
	return nil
}

// Stuck reports whether the filter stands still although z grows or stays as large as it is: Jᵀ P z has been zero, up to
// rounding, for 50 iterations. The pose is singular, and P does not lead out of it, or the targets are out of reach.
func (f *Filter) Stuck() bool { return f.guard.idle >= stuckAfter }

// LargestEigenvalue returns the largest eigenvalue of J V Jᵀ P − A,
// 1/s, for form F of J V Jᵀ P, at the pose of the last look.
func (f *Filter) LargestEigenvalue() float64 { return f.guard.mu }
