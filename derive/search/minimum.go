package search

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// place is a point u with a known value and gradient of the augmented Lagrangian.
type place struct {
	u     []float64
	value float64
}

// note keeps u as s.best if its value is the smallest so far. A line search may end elsewhere than at its best point.
func (s *optimizer) note(u []float64, e *Evaluation) {
	if value, _ := s.lagrangian(e); s.best.u == nil || value < s.best.value {
		s.best = place{slices.Clone(u), value}
	}
}

// errStop ends gonum's search with an error of ours.
var errStop = errors.New("derive/search: stopped")

// minimize searches for a minimum of the augmented Lagrangian from u, and returns the end of the search.
func (s *optimizer) minimize(u []float64) ([]float64, Status, error) {
	first := make([]float64, len(u))
	e, err := s.evaluate(u, withSlopes)
	if err != nil {
		return nil, "", err
	}
	s.gradientTo(first, u, e)
	s.best = place{}
	s.note(u, e)
	if largest(first) <= flatGradient {
		return u, Converged, nil
	}
	most := s.o.Iterations
	if most == 0 {
		most = DefaultIterations
	}
	if len(s.past) >= most {
		return u, Limit, nil
	}
	path := &recorder{s: s, last: slices.Clone(u)}
	settings := &optimize.Settings{
		GradientThreshold: flatGradient, MajorIterations: most - len(s.past),
		Converger: &optimize.FunctionConverge{Relative: flatValue, Iterations: flatRounds},
		Recorder:  path,
	}
	r, err := optimize.Minimize(s.problem(), u, settings, &optimize.LBFGS{})
	if s.err != nil {
		return nil, "", s.err
	}
	if s.bare {
		s.bare = false
		return s.best.u, Stalled, nil
	}
	switch {
	case r == nil:
		return s.best.u, Stalled, nil
	case r.Status == optimize.IterationLimit:
		return r.X, Limit, nil
	case err != nil || r.Status == optimize.Failure: // no step leads down
		if largest(r.Gradient) > stalledTol {
			return s.best.u, Stalled, nil
		}
	}
	return r.X, Converged, nil
}

// problem returns the augmented Lagrangian as a problem of gonum.
func (s *optimizer) problem() optimize.Problem {
	return optimize.Problem{
		Func: func(u []float64) float64 {
			e := s.orStop(u, valuesOnly)
			if e == nil || e.Failed {
				return math.Inf(1)
			}
			value, _ := s.lagrangian(e)
			return value
		},
		Grad: func(g, u []float64) {
			clear(g)
			switch e := s.orStop(u, withSlopes); {
			case e == nil:
			case e.Failed:
				s.bare = true
			default:
				s.gradientTo(g, u, e)
				s.note(u, e)
			}
		},
		Status: func() (optimize.Status, error) {
			if s.err != nil || s.bare {
				return optimize.Failure, errStop
			}
			return optimize.NotTerminated, nil
		},
	}
}

// stalledTol is the gradient, in the scale of the search, above which a search that finds no step has stalled, and below which it has
// converged.
const stalledTol = 1e-3

// orStop is evaluate for gonum: it returns nil and sets s.err if the search cannot continue.
func (s *optimizer) orStop(u []float64, slopes bool) *Evaluation {
	if s.err != nil {
		return nil
	}
	e, err := s.evaluate(u, slopes)
	if err != nil {
		s.err = err
	}
	return e
}

// largest returns the largest absolute value in list.
func largest(list []float64) (most float64) {
	for _, x := range list {
		most = max(most, math.Abs(x))
	}
	return most
}

// recorder records the iterates of gonum's search.
type recorder struct {
	s    *optimizer
	last []float64
}

// Init implements optimize.Recorder.
func (r *recorder) Init() error { return nil }

// Record implements optimize.Recorder.
func (r *recorder) Record(at *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if op != optimize.MajorIteration || r.s.err != nil || r.s.bare {
		return nil
	}
	it := Iteration{Value: at.F, Gradient: largest(at.Gradient), Damping: r.s.rho}
	for k, u := range at.X {
		x, _ := r.s.variables[k].of(u)
		it.Parameters = append(it.Parameters, x)
		it.Step = max(it.Step, math.Abs(u-r.last[k]))
	}
	copy(r.last, at.X)
	r.s.past = append(r.s.past, it)
	if r.s.o.OnIteration != nil {
		r.s.err = r.s.o.OnIteration(&it)
	}
	return nil
}
