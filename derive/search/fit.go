package search

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// identifiedTol is the singular value of the scaled slopes, relative to the largest one, below which a combination of parameters does
	// not influence the data. Slopes have errors of some 1e-12.
	identifiedTol = 1e-8
	// firstDamping is the damping of the first step, for slopes with columns of length 1. It is small, as bounds and rejected steps limit
	// steps anyway.
	firstDamping = 1e-6
	// mostDamping is the damping at which no step remains.
	mostDamping = 1e12
	// flatTol is the gain predicted by the linear problem without damping, relative to the value, at which a fit has converged. With a
	// thousand data, such a gain moves no parameter by more than a hundredth of its deviation.
	flatTol = 1e-8
	// cosineTol is the largest cosine between the residuals and a column of the slopes at which a fit has converged.
	cosineTol = 1e-9
	// stepTol is the change of each parameter, relative to its size, at which a fit has converged: for data without noise.
	stepTol = 1e-11
	// acceptTol is the part of the predicted gain that a step has to achieve. From goodGain on the damping falls by the factor fall, and
	// above bestGain by its cube.
	acceptTol, goodGain, bestGain = 1e-4, 0.5, 0.9
	// fall and rise are the factors of the damping after good and after rejected steps.
	fall, rise = 0.1, 10
	// armijo is the constant of Armijo's rule for steps along the projected gradient, and halvings the largest number of their trials.
	armijo, halvings = 1e-4, 40
)

// fit is a fit at one iterate.
type fit struct {
	p     *objective.Problem
	box   *box
	sizes []float64 // sizes of the parameters (box.sizes)

	x     []float64  // parameters
	r     []float64  // residuals
	J     *mat.Dense // slopes of r by x
	value float64    // ½ |r|²
	g     []float64  // Jᵀ r
	scale []float64  // lengths of the columns of J, 1 for idle ones
	idle  []bool     // parameters without influence on the data
	mu    float64    // damping
	why   string     // reason why the last trial failed; "" if it did not
	trial float64    // value of the last trial that did not fail
	// last is the problem of the last trial, at the parameters lastAt, whose run serves for slopes, too; nil if there is none.
	last   *objective.Problem
	lastAt []float64

	// ahead is where the fit ends if the next iterate has a value (trial) but no slopes; nil: it ends at x.
	ahead []float64
	// slopes returns the residuals of a problem with their slopes.
	slopes func(ctx context.Context, p *objective.Problem) ([]objective.Residual, error)
}

// Fit minimizes ½ Σ misfit² over the data of a problem by a projected Levenberg–Marquardt method, theory.md (V10) to (V12). In an
// Iteration, Gradient is the largest cosine between the residuals and a column of the slopes of a free parameter, and Step the largest
// change of a parameter relative to its size. Combinations of parameters that do not influence the data stay at their start.
//
// Cost: an iteration takes the runs, and a derivative a stage for each parameter; allocates. It returns a *ProblemError if a term is not
// data, there are fewer data than parameters, or a start violates its bounds; the errors of the objective at the start; and the errors of
// OnIteration and of ctx. If a later iterate has a value but no slopes, the fit ends there with the status Stalled, without deviations.
func Fit(ctx context.Context, p *objective.Problem, o Options) (*FitResult, error) {
	f, past, err := newFit(p, &o)
	if err != nil {
		return nil, err
	}
	return f.begin(ctx, past, &o)
}

// newFit returns a fit at its first iterate, or at the last of the iterates that it continues, and the iterates before that one.
func newFit(p *objective.Problem, o *Options) (*fit, []Iteration, error) {
	if err := onlyData(p.Objective()); err != nil {
		return nil, nil, err
	}
	b, err := newBox(p)
	if err != nil {
		return nil, nil, err
	}
	f := &fit{p: p, box: b, x: p.Values(), mu: firstDamping, slopes: slopesOf}
	f.sizes = b.sizes(f.x)
	past := slices.Clone(o.From)
	if n := len(past); n > 0 {
		if len(past[n-1].Parameters) != len(f.x) {
			return nil, nil, &ProblemError{Reason: "the iterates to go on from have another number of parameters"}
		}
		if err := b.holds(p, &past[n-1]); err != nil {
			return nil, nil, err
		}
		f.x, f.mu = slices.Clone(past[n-1].Parameters), past[n-1].Damping
		past = past[:n-1]
	}
	return f, past, nil
}

// begin computes slopes at the first iterate, and then iterates.
func (f *fit) begin(ctx context.Context, past []Iteration, o *Options) (*FitResult, error) {
	if err := f.at(ctx, f.x); err != nil {
		return nil, err
	}
	if len(f.r) < len(f.x) {
		return nil, &ProblemError{Reason: "there are fewer data than parameters"}
	}
	return f.run(ctx, past, o)
}

// onlyData returns an error for an objective with terms other than data, or with constraints.
func onlyData(o *objective.Objective) error {
	lists := [][]objective.Term{o.Terms}
	for i := range o.Runs {
		lists = append(lists, o.Runs[i].Terms)
	}
	for _, list := range lists {
		for i := range list {
			if list[i].Take != objective.Data {
				return &ProblemError{list[i].Name, "takes " + list[i].Take.String() + ": a fit is to data alone"}
			}
		}
	}
	if len(o.Constraints) > 0 {
		return &ProblemError{o.Constraints[0].Name, "is a constraint: a fit has bounds alone"}
	}
	return nil
}

// run iterates until the fit ends.
func (f *fit) run(ctx context.Context, past []Iteration, o *Options) (*FitResult, error) {
	most := o.Iterations
	if most == 0 {
		most = DefaultIterations
	}
	for {
		now := Iteration{Value: f.value, Gradient: f.cosine(), Parameters: slices.Clone(f.x), Damping: f.mu}
		status := Limit
		var next []float64
		switch {
		case now.Gradient <= cosineTol:
			status = Converged
		case len(past) < most:
			var err error
			if next, status, err = f.step(ctx); err != nil {
				return nil, err
			}
		}
		for k := range next {
			now.Step = max(now.Step, math.Abs(next[k]-f.x[k])/f.sizes[k])
		}
		past = append(past, now)
		if o.OnIteration != nil {
			if err := o.OnIteration(&now); err != nil {
				return nil, err
			}
		}
		if next == nil {
			return f.result(status, past)
		}
		if err := f.at(ctx, next); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			f.ahead, f.why = next, reasonOf(err)
			return f.result(Stalled, past)
		}
	}
}

// slopesOf returns the residuals of a problem with their slopes.
func slopesOf(ctx context.Context, p *objective.Problem) ([]objective.Residual, error) {
	return p.ResidualSlopes(ctx)
}

// at sets the iterate to x, with residuals and their slopes.
func (f *fit) at(ctx context.Context, x []float64) error {
	p, err := f.last, error(nil)
	if p == nil || !slices.Equal(x, f.lastAt) {
		p, err = f.p.With(x)
	}
	if f.last = nil; err != nil {
		return err
	}
	list, err := f.slopes(ctx, p)
	if err != nil {
		return err
	}
	sum := 0.0
	for i := range list {
		sum += list[i].Misfit * list[i].Misfit / 2
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return errors.New("derive/search: the misfit to the data is not finite")
	}
	n := len(x)
	f.x, f.r, f.J, f.value = x, make([]float64, len(list)), mat.NewDense(len(list), n, nil), 0
	f.g, f.scale, f.idle = make([]float64, n), make([]float64, n), make([]bool, n)
	for i := range list {
		y := &list[i]
		f.r[i] = y.Misfit
		f.value += y.Misfit * y.Misfit / 2
		f.J.SetRow(i, y.Slopes)
		for k, s := range y.Slopes {
			f.g[k] += s * y.Misfit
			f.scale[k] = math.Hypot(f.scale[k], s)
		}
	}
	// A parameter is idle if a change of its size changes the residuals by at most identifiedTol of the largest such change.
	most := 0.0
	for k, s := range f.scale {
		most = max(most, s*f.sizes[k])
	}
	for k, s := range f.scale {
		if !(s*f.sizes[k] > identifiedTol*most) {
			f.idle[k], f.scale[k] = true, 1
		}
	}
	return nil
}

// free returns the parameters that can move: they have an influence, and the gradient does not hold them at a bound.
func (f *fit) free() (list []int) {
	for k := range f.x {
		if at := f.box.at(k, f.x[k]); !f.idle[k] && !(at < 0 && f.g[k] > 0) && !(at > 0 && f.g[k] < 0) {
			list = append(list, k)
		}
	}
	return list
}

// cosine returns the largest cosine between the residuals and a column of the slopes of a free parameter.
func (f *fit) cosine() (most float64) {
	size := math.Sqrt(2 * f.value)
	if size == 0 {
		return 0
	}
	for _, k := range f.free() {
		most = max(most, math.Abs(f.g[k])/(f.scale[k]*size))
	}
	return most
}

// columns returns the singular value decomposition of the slopes by the parameters in list, with columns scaled to length 1, and its rank.
func (f *fit) columns(list []int) (s *mat.SVD, rank int, err error) {
	if len(list) == 0 {
		return nil, 0, nil
	}
	A := mat.NewDense(len(f.r), len(list), nil)
	for j, k := range list {
		for i := range f.r {
			A.Set(i, j, f.J.At(i, k)/f.scale[k])
		}
	}
	s = new(mat.SVD)
	if err := full.Singular(s, A, mat.SVDThin); err != nil {
		return nil, 0, fault.Errorf("derive/search: %w", err)
	}
	values := s.Values(nil)
	for rank < len(values) && values[rank] > identifiedTol*values[0] {
		rank++
	}
	return s, rank, nil
}

// step returns the next iterate, theory.md (V10), (V11); nil and the status if there is none.
func (f *fit) step(ctx context.Context) ([]float64, Status, error) {
	// The step without damping: if it gains nothing, the fit has converged.
	best, err := f.damped(0)
	if err != nil {
		return nil, "", err
	}
	if f.small(best) || f.gain(best) <= flatTol*f.value {
		return nil, Converged, nil
	}
	// Damping rises until a step gains enough of what the linear problem promises.
	for ; f.mu < mostDamping; f.mu *= rise {
		next, err := f.damped(f.mu)
		if err != nil {
			return nil, "", err
		}
		gain := f.gain(next)
		if f.small(next) {
			break
		}
		value, err := f.tried(ctx, next)
		if err != nil {
			return nil, "", err
		}
		if !(f.value-value > acceptTol*gain) {
			continue
		}
		switch part := (f.value - value) / gain; {
		case part > bestGain:
			f.mu *= fall * fall * fall
		case part > goodGain:
			f.mu *= fall
		}
		return next, "", nil
	}
	f.mu = firstDamping
	return f.downhill(ctx)
}

// gain returns the decrease of the linear problem's value from the iterate to x.
func (f *fit) gain(x []float64) float64 {
	after := 0.0
	for _, r := range f.residualAt(x) {
		after += r * r / 2
	}
	return f.value - after
}

// slope returns the product of the gradient and the step to x.
func (f *fit) slope(x []float64) (sum float64) {
	for k := range x {
		sum += f.g[k] * (x[k] - f.x[k])
	}
	return sum
}

// small reports whether x equals the iterate but for rounding of the parameters.
func (f *fit) small(x []float64) bool {
	for k := range x {
		if !(math.Abs(x[k]-f.x[k]) <= stepTol*max(f.sizes[k], math.Abs(f.x[k]))) {
			return false
		}
	}
	return true
}

// tried returns the value at x; +Inf if the mechanism cannot be simulated there.
func (f *fit) tried(ctx context.Context, x []float64) (float64, error) {
	value := 0.0
	p, err := f.p.With(x)
	f.last, f.lastAt = p, slices.Clone(x)
	if err == nil {
		var list []objective.Residual
		list, err = p.Residuals(ctx)
		for i := range list {
			value += list[i].Misfit * list[i].Misfit / 2
		}
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err != nil {
		f.why = reasonOf(err)
		return math.Inf(1), nil
	}
	if f.why = ""; math.IsNaN(value) {
		return math.Inf(1), nil
	}
	f.trial = value
	return value, nil
}

// downhill returns an iterate along the projected gradient, theory.md (V11), which is a direction of descent; nil and Stalled if it finds
// none.
func (f *fit) downhill(ctx context.Context) ([]float64, Status, error) {
	t := 1.0
	for range halvings {
		next := slices.Clone(f.x)
		for _, k := range f.free() {
			next[k] -= t * f.g[k] / (f.scale[k] * f.scale[k])
		}
		f.box.clamp(next)
		if f.small(next) {
			break
		}
		value, err := f.tried(ctx, next)
		if err != nil {
			return nil, "", err
		}
		if value <= f.value+armijo*f.slope(next) {
			return next, "", nil
		}
		t /= 4
	}
	return nil, Stalled, nil
}
