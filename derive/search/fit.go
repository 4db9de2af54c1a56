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
	// identifiedTol is the singular value of the scaled slopes, relative to the largest one, below which a combination of parameters
	// changes nothing. Slopes are exact to some 1e-12.
	identifiedTol = 1e-8
	// damping is that of the first step, of slopes with columns of length 1: small, as bounds and refused steps take care of the rest.
	firstDamping = 1e-6
	// mostDamping is the damping at which no step is left.
	mostDamping = 1e12
	// flatTol is the gain that the linear problem without damping predicts, relative to the value, at which a fit has converged: for a
	// thousand data that moves no parameter by more than a hundredth of its deviation.
	flatTol = 1e-8
	// cosineTol is the cosine between the residuals and every column of the slopes at which a fit has converged.
	cosineTol = 1e-9
	// stepTol is the change of each parameter, relative to its size, at which a fit has converged: for data without noise.
	stepTol = 1e-11
	// acceptTol is the part of the predicted gain that a step has to bring, and goodGain the part from which on the damping falls, by the
	// cube of its factor above bestGain.
	acceptTol, goodGain, bestGain = 1e-4, 0.5, 0.9
	// fall and rise are the factors of the damping.
	fall, rise = 0.1, 10
	// armijo is that of steps along the projected gradient, and halvings bounds how often these are halved.
	armijo, halvings = 1e-4, 40
)

// fit is a fit at one iterate.
type fit struct {
	p     *objective.Problem
	box   *box
	sizes []float64 // of the parameters

	x     []float64
	r     []float64
	J     *mat.Dense // slopes of r by x
	value float64    // ½ |r|²
	g     []float64  // Jᵀ r
	scale []float64  // lengths of the columns of J, 1 for those that change nothing
	idle  []bool     // those
	mu    float64
	why   string  // the last trial could not be simulated
	trial float64 // the value there
	// last is the problem of the last trial, at lastAt, whose run serves slopes, too; nil: there is none.
	last   *objective.Problem
	lastAt []float64

	// ahead is where the fit ends: the place after x, where there is a value, value, but no slopes; nil: at x.
	ahead []float64
	// slopes returns the residuals of a problem with their slopes.
	slopes func(ctx context.Context, p *objective.Problem) ([]objective.Residual, error)
}

// Fit moves the parameters of a problem to where ½ Σ misfit² over its data is least, by a projected Levenberg–Marquardt method,
// theory.md (V10) to (V12). Gradient of an Iteration is the largest cosine between the residuals and a free column of the slopes, Step the
// largest change of a parameter relative to its size. Combinations of parameters that change nothing stay at their start.
//
// Cost: an iteration takes the runs, and a derivative a stage for each parameter; allocates. It returns a *ProblemError if a term takes no
// data, there are fewer data than parameters, or a start is out of its bounds; the errors of the objective at the start; that of
// OnIteration and of ctx. Where a later place has a value but no slopes, the fit ends there as one that has stalled, without deviations.
func Fit(ctx context.Context, p *objective.Problem, o Options) (*FitResult, error) {
	f, past, err := newFit(p, &o)
	if err != nil {
		return nil, err
	}
	return f.begin(ctx, past, &o)
}

// newFit returns a fit that stands where it begins or goes on, and the iterates before that.
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

// begin takes slopes where the fit stands, and then iterations.
func (f *fit) begin(ctx context.Context, past []Iteration, o *Options) (*FitResult, error) {
	if err := f.at(ctx, f.x); err != nil {
		return nil, err
	}
	if len(f.r) < len(f.x) {
		return nil, &ProblemError{Reason: "there are fewer data than parameters"}
	}
	return f.run(ctx, past, o)
}

// onlyData refuses objectives with other terms.
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

// run takes iterations until one of the tests holds.
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
	return p.Residuals(ctx, true)
}

// at goes to x, with residuals and their slopes.
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

// free returns the parameters that move: those with an influence that are not held at a bound by the gradient.
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

// columns returns the singular values of the slopes by some parameters, in columns of length 1, and how many of them count.
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

// step returns the next iterate, theory.md (V10), (V11), or nil and why there is none.
func (f *fit) step(ctx context.Context) ([]float64, Status, error) {
	best, err := f.damped(0)
	if err != nil {
		return nil, "", err
	}
	if f.small(best) || f.gain(best) <= flatTol*f.value {
		return nil, Converged, nil
	}
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

// gain returns how much the linear problem gains at x.
func (f *fit) gain(x []float64) float64 {
	after := 0.0
	for _, r := range f.residualAt(x) {
		after += r * r / 2
	}
	return f.value - after
}

// slope returns the product of the gradient with the way to x.
func (f *fit) slope(x []float64) (sum float64) {
	for k := range x {
		sum += f.g[k] * (x[k] - f.x[k])
	}
	return sum
}

// small reports whether x is where the iterate is, to rounding of the parameters.
func (f *fit) small(x []float64) bool {
	for k := range x {
		if !(math.Abs(x[k]-f.x[k]) <= stepTol*max(f.sizes[k], math.Abs(f.x[k]))) {
			return false
		}
	}
	return true
}

// tried returns the value at x, infinite where the mechanism cannot be so.
func (f *fit) tried(ctx context.Context, x []float64) (float64, error) {
	value := 0.0
	p, err := f.p.With(x)
	f.last, f.lastAt = p, slices.Clone(x)
	if err == nil {
		var list []objective.Residual
		list, err = p.Residuals(ctx, false)
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

// downhill returns a place along the projected gradient, theory.md (V11), which is always one of descent.
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
