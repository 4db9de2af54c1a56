package search

import (
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/derive/objective"
)

const (
	// violationTol is the largest violation of a constraint at the end, relative to its scale.
	violationTol = 1e-6
	// firstPenalty is the first penalty of the augmented Lagrangian, whose value and constraints are scaled to size 1. penaltyRise is its
	// factor if the violation has not fallen to slowTol of the last one. rounds is the largest number of updates of the multipliers.
	firstPenalty, penaltyRise, slowTol, rounds = 10, 10, 0.25, 25
	// flatValue is the relative change of the value over flatRounds iterations at which a minimum has been found.
	flatValue, flatRounds = 1e-9, 4
	// flatGradient is the gradient at which a minimum has been found, in the scale in which the gradient of the value is 1 at the start. It
	// is not smaller, as runs with adaptive steps scatter by their tolerance, and line searches then find no descent.
	flatGradient = 1e-6
)

// Violated is the status of a search that has found no parameters with which all constraints hold.
const Violated Status = "violated"

// OptimizeOptions are the options of Optimize. The zero value is the default.
type OptimizeOptions struct {
	Options // From has to be empty

	// Evaluations are the evaluations of a stopped search for the same document, in their order; they are not computed again.
	Evaluations []Evaluation
	// OnEvaluation is called after each evaluation that is computed. The search ends with its error.
	OnEvaluation func(*Evaluation) error
}

// Evaluation is a value of the objective with its constraints and, where the search needed them, their derivatives.
type Evaluation struct {
	Parameters  []float64   `json:"parameters"`
	Failed      bool        `json:"failed,omitempty"` // the mechanism cannot be simulated, or has no derivative
	Reason      string      `json:"reason,omitempty"` // why it failed
	Value       float64     `json:"value"`
	Constraints []float64   `json:"constraints,omitempty"`
	Slopes      [][]float64 `json:"slopes,omitempty"` // derivatives of the value, then of the constraints, by the parameters
}

// Optimum is the result of Optimize, a document of rung-optimum/1.
type Optimum struct {
	Format      string              `json:"format"`
	Name        string              `json:"name"`
	Status      Status              `json:"status"`
	Reason      string              `json:"reason,omitempty"` // why the last trial of a stalled search failed
	Start       float64             `json:"start"`            // value at the start
	Value       float64             `json:"value"`            // value at the end
	Parameters  []OptimumParameter  `json:"parameters"`
	Constraints []OptimumConstraint `json:"constraints"`
	Evaluations int                 `json:"evaluations"`
	Iterations  []Iteration         `json:"iterations"`
}

// optimumFormat is the format of an Optimum.
const optimumFormat = "rung-optimum/1"

// OptimumParameter is a parameter at the end of Optimize.
type OptimumParameter struct {
	Name    string  `json:"name"`
	Path    string  `json:"path"`
	Start   float64 `json:"start"`
	Value   float64 `json:"value"`
	AtBound bool    `json:"at_bound"`
	// Multiplier is the derivative of the value by the number if it is at a bound; else 0.
	Multiplier float64 `json:"multiplier"`
}

// OptimumConstraint is a constraint at the end of Optimize. Multiplier is the decrease of the value if the constraint is relaxed by one
// unit.
type OptimumConstraint struct {
	Name       string  `json:"name"`
	Kind       string  `json:"kind"`
	Bound      float64 `json:"bound"`
	Value      float64 `json:"value"`
	Multiplier float64 `json:"multiplier"`
}

// optimizer is the state of a search.
type optimizer struct {
	ctx       context.Context
	p         *objective.Problem
	o         *OptimizeOptions
	variables []variable
	replay    []Evaluation   // evaluations that need not be computed
	count     int            // number of evaluations
	last      [2]*Evaluation // last evaluations without slopes, and with them

	scale  float64   // scale of the value
	scales []float64 // scales of the constraints
	lambda []float64 // multipliers of the scaled constraints
	rho    float64   // penalty
	past   []Iteration
	why    string // reason why the last evaluation failed; "" if it did not
	bare   bool   // the last point has a value but no derivative: the search ends
	best   place  // best point of this call of minimize
	err    error  // the error that ends the search
}

// Optimize minimizes the value of a problem within bounds and constraints, by an augmented Lagrangian around a quasi-Newton method (L-BFGS
// of gonum), theory.md (V13), (V14). In an Iteration, Value is the augmented Lagrangian and Gradient its largest derivative by a free
// number, both divided by the length of the gradient of the value at the start; Damping is the penalty.
//
// Cost: an evaluation takes a run, or a search for an equilibrium, and about every second one also the gradient; allocates. It returns a
// *ProblemError if a start violates its bounds or is too far from them, the errors of the objective at the start, and the errors of
// OnEvaluation, OnIteration and ctx.
func Optimize(ctx context.Context, p *objective.Problem, o OptimizeOptions) (*Optimum, error) {
	b, err := newBox(p)
	if err != nil {
		return nil, err
	}
	if len(o.From) > 0 {
		return nil, &ProblemError{Reason: "an optimum is searched for from Evaluations on, not from iterates"}
	}
	s := &optimizer{ctx: ctx, p: p, o: &o, replay: o.Evaluations, rho: firstPenalty, scale: 1}
	var u []float64
	if s.variables, u, err = b.variables(p); err != nil {
		return nil, err
	}
	n := len(p.Objective().Constraints)
	s.scales, s.lambda = make([]float64, n), make([]float64, n)
	first, err := s.evaluate(u, withSlopes)
	if err != nil {
		return nil, err
	}
	if first.Failed {
		_, err := s.compute(first.Parameters, withSlopes) // once more, for its error
		return nil, err
	}
	s.setScales(first, u)
	status, why := Limit, ""
	last := math.Inf(1)
	for range rounds {
		if u, status, err = s.minimize(u); err != nil {
			return nil, err
		}
		why = s.why
		e, err := s.evaluate(u, withSlopes)
		if err != nil {
			return nil, err
		}
		worst := s.violation(e)
		done := s.multiply(e, worst)
		if n == 0 || done || status == Limit {
			break
		}
		if worst > slowTol*last {
			s.rho *= penaltyRise
		}
		last = worst
	}
	return s.result(first, u, status, why)
}

// evaluate returns the evaluation at the variables u: the last one if it was there, else the next one of the stopped search, else a new
// one. A new one that has failed is returned without an error; its reason is in s.why.
//
// It returns a *ProblemError if the evaluations of the stopped search belong to another search, the cause of the context, and the errors of
// OnEvaluation.
func (s *optimizer) evaluate(u []float64, slopes bool) (*Evaluation, error) {
	x := make([]float64, len(u))
	for k := range u {
		x[k], _ = s.variables[k].of(u[k])
	}
	for i, e := range s.last {
		if e != nil && (i == 1 || !slopes) && slices.Equal(e.Parameters, x) {
			return e, nil
		}
	}
	s.count++
	var e *Evaluation
	if len(s.replay) > 0 {
		if e = &s.replay[0]; !slices.Equal(e.Parameters, x) || !e.Failed && !s.fits(e, slopes) {
			return nil, &ProblemError{Reason: "the evaluations to go on from are of another search"}
		}
		s.replay = s.replay[1:]
	} else {
		var err error
		if e, err = s.compute(x, slopes); e == nil {
			return nil, err
		}
		if s.o.OnEvaluation != nil {
			if err := s.o.OnEvaluation(e); err != nil {
				return nil, err
			}
		}
	}
	s.why = e.Reason
	if slopes {
		s.last[1] = e
	} else {
		s.last[0] = e
	}
	return e, nil
}

// fits reports whether an evaluation has the numbers of this search: the values of all constraints and, with slopes, their derivatives by
// all parameters; without slopes none.
func (s *optimizer) fits(e *Evaluation, slopes bool) bool {
	o, rows := s.p.Objective(), 0
	if slopes {
		rows = 1 + len(o.Constraints)
	}
	short := func(row []float64) bool { return len(row) != len(o.Parameters) }
	return len(e.Constraints) == len(o.Constraints) && len(e.Slopes) == rows && !slices.ContainsFunc(e.Slopes, short)
}

// compute returns the evaluation at x. One that has failed is returned with its error; nil is returned if the context has ended.
func (s *optimizer) compute(x []float64, slopes bool) (*Evaluation, error) {
	e := &Evaluation{Parameters: x}
	p, err := s.p.With(x)
	var r *objective.Result
	if err == nil {
		if slopes {
			r, err = p.Gradient(s.ctx)
		} else {
			r, err = p.Value(s.ctx)
		}
	}
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	if err != nil {
		e.Failed, e.Reason = true, reasonOf(err)
		return e, err
	}
	e.Value = r.Value
	for i := range r.Constraints {
		e.Constraints = append(e.Constraints, r.Constraints[i].Value)
	}
	if slopes {
		e.Slopes = make([][]float64, 1+len(r.Constraints))
		for k := range r.Parameters {
			e.Slopes[0] = append(e.Slopes[0], r.Parameters[k].Gradient)
			for i, g := range r.Parameters[k].Constraints {
				e.Slopes[1+i] = append(e.Slopes[1+i], g)
			}
		}
	}
	return e, nil
}

// setScales sets the scales of value and constraints: the lengths of their gradients at the start.
func (s *optimizer) setScales(e *Evaluation, u []float64) {
	size := func(slopes []float64) (sum float64) {
		for k, g := range slopes {
			_, by := s.variables[k].of(u[k])
			sum = math.Hypot(sum, g*by)
		}
		if sum == 0 {
			return 1
		}
		return sum
	}
	s.scale = size(e.Slopes[0])
	for i := range s.scales {
		s.scales[i] = size(e.Slopes[1+i])
	}
}

// excess returns the scaled violation h of constraint i at the value of its column: the constraint is violated if h > 0, an equation if h ≠
// 0. sign is the derivative of h by value.
func (s *optimizer) excess(i int, value float64) (h, sign float64) {
	c := &s.p.Objective().Constraints[i]
	sign = 1 / s.scales[i]
	if c.Kind == objective.AtLeast {
		sign = -sign
	}
	return sign * (value - c.Bound), sign
}

// violation returns the largest violation of a constraint.
func (s *optimizer) violation(e *Evaluation) (worst float64) {
	for i, x := range e.Constraints {
		h, _ := s.excess(i, x)
		if s.p.Objective().Constraints[i].Kind == objective.Equals {
			h = math.Abs(h)
		}
		worst = max(worst, h)
	}
	return worst
}

// lagrangian returns the augmented Lagrangian at an evaluation, theory.md (V14), and the weights of the slopes of the constraints.
func (s *optimizer) lagrangian(e *Evaluation) (value float64, weights []float64) {
	value = e.Value / s.scale
	for i, x := range e.Constraints {
		h, sign := s.excess(i, x)
		y := s.lambda[i] + s.rho*h
		if s.p.Objective().Constraints[i].Kind != objective.Equals {
			y = max(y, 0)
		}
		value += (y*y - s.lambda[i]*s.lambda[i]) / (2 * s.rho)
		weights = append(weights, y*sign)
	}
	return value, weights
}

// gradientTo stores in g the gradient of the augmented Lagrangian by u.
func (s *optimizer) gradientTo(g, u []float64, e *Evaluation) {
	_, weights := s.lagrangian(e)
	for k := range g {
		_, by := s.variables[k].of(u[k])
		g[k] = e.Slopes[0][k] / s.scale
		for i, w := range weights {
			g[k] += w * e.Slopes[1+i][k]
		}
		g[k] *= by
	}
}

// multiply updates the multipliers, and reports whether the constraints hold and the multipliers have converged. worst is the largest
// violation.
func (s *optimizer) multiply(e *Evaluation, worst float64) (done bool) {
	done = worst <= violationTol
	for i, x := range e.Constraints {
		h, _ := s.excess(i, x)
		y := s.lambda[i] + s.rho*h
		if s.p.Objective().Constraints[i].Kind != objective.Equals {
			y = max(y, 0)
		}
		done = done && math.Abs(y-s.lambda[i]) <= s.rho*violationTol
		s.lambda[i] = y
	}
	return done
}

// slope returns the derivative of the Lagrangian by parameter k.
func (s *optimizer) slope(e *Evaluation, k int) float64 {
	sum := e.Slopes[0][k]
	for i := range s.lambda {
		_, sign := s.excess(i, e.Constraints[i])
		sum += s.scale * s.lambda[i] * sign * e.Slopes[1+i][k]
	}
	return sum
}

// result returns the result at u. first is the evaluation at the start, and why the reason of the last failure.
func (s *optimizer) result(first *Evaluation, u []float64, status Status, why string) (*Optimum, error) {
	e, err := s.evaluate(u, withSlopes)
	if err != nil {
		return nil, err
	}
	o := s.p.Objective()
	r := &Optimum{
		Format: optimumFormat, Name: s.p.Model().Name, Status: status, Start: first.Value, Value: e.Value, Evaluations: s.count,
		Constraints: []OptimumConstraint{}, Iterations: s.past,
	}
	if status == Stalled {
		r.Reason = why
	}
	if r.Iterations == nil {
		r.Iterations = []Iteration{}
	}
	start := s.p.Values()
	for k := range o.Parameters {
		p := OptimumParameter{Name: o.Parameters[k].Name, Path: o.Parameters[k].Paths[0], Start: start[k], Value: e.Parameters[k]}
		if p.AtBound = s.variables[k].atBound(p.Value); p.AtBound {
			p.Multiplier = s.slope(e, k)
			if r.Status == Converged {
				r.Status = AtBounds
			}
		}
		r.Parameters = append(r.Parameters, p)
	}
	for i := range o.Constraints {
		c := &o.Constraints[i]
		x := OptimumConstraint{Name: c.Name, Kind: c.Kind.String(), Bound: c.Bound, Value: e.Constraints[i]}
		x.Multiplier = s.lambda[i] * s.scale / s.scales[i]
		r.Constraints = append(r.Constraints, x)
	}
	// The factor is for a search that its rounds have ended just above the tolerance.
	if s.violation(e) > 10*violationTol {
		r.Status = Violated
	}
	return r, nil
}
