package objective

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
)

const (
	// checkStep is the first step of a parameter for differences, relative to its size (sizeOf).
	checkStep = 4e-3
	// otherStep is the first step of the second differences by a parameter, which are taken if the first ones disagree.
	otherStep = 0.7 * checkStep
	// mostDoubt is the error of a difference, relative to the gradient, above which it cannot tell whether the gradient is right. If the
	// gradient may have a larger error than that, a difference that is off by no more cannot tell either.
	mostDoubt = 1e-2
	// safety is the factor on the estimated error, which is the least of many, and so is often too small.
	safety = 4
	// ofProjection is the error of the gradient of a run, relative to the largest part of a step that projection took back and to its terms,
	// or to a change of the whole value as the parameter doubles.
	ofProjection = 100
	// repeatTol is the difference of values of a run and of its repetition, relative to its terms, up to which they count as the same:
	// implicit steps are solved to their tolerance.
	repeatTol = 1e-6
	// leastTerm is the size of a term that is zero but for rounding, such as a coordinate across a plane.
	leastTerm = 1e-6
	// slopeRounding is the rounding of a gradient, relative to its terms, or to a change of the whole value as the parameter doubles.
	slopeRounding = 1e-9
	// unseen is the change of a value, relative to its terms, for a parameter that changes by its size: a gradient that changes less counts
	// as zero, and differences need not tell it from zero.
	unseen = 1e-6
	// finer is the factor on the tolerance of the runs by which the error of steps is estimated. Fixed steps are halved.
	finer = 0.1
)

// Check adds to r, a result of Gradient for this problem, differences of the value with their estimated errors, theory.md (V25): of whole
// runs, or searches for equilibria, of changed models. Adaptive runs repeat the steps of the run itself, of which r is the gradient. Where
// explicit steps lead over corners or events, these move, and runs choose their steps; the error includes what finer steps change.
// Derivatives of constraints are not compared.
//
// Cost: two values a parameter for each of two to eight steps; twice that over corners and events, and twice that for a parameter whose
// differences disagree. Result.Differenced counts them.
// A number that cannot be changed to both sides, such as a mass near zero or a length with which joints do not close, has no differences;
// ParameterResult.Unchecked gives the reason. It returns the error of ctx, and of the value for the numbers of the model.
func (g *Problem) Check(ctx context.Context, r *Result) error {
	c := &checking{ctx: ctx, found: r}
	err := c.addWay(g)
	if err == nil && c.ways[0].moves {
		err = c.addWay(g.withFinerSteps())
	}
	if err != nil {
		return err
	}
	for k := range r.Parameters {
		err := c.checkBy(g, k)
		switch p := &r.Parameters[k]; {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.Unchecked = fault.Plain(err).Error()
		}
	}
	return nil
}

// checking compares a gradient with differences.
type checking struct {
	ctx   context.Context
	found *Result // gradient that is checked
	ways  []*way  // one, and one with finer steps where corners and events move
}

// way is one way to the values of changed models.
type way struct {
	g     *Problem
	base  *Result // value for the numbers of the model
	past  []past  // of the runs of base
	moves bool    // one of them moves corners or events
}

// addWay adds a way to the values of g.
func (c *checking) addWay(g *Problem) error {
	w := &way{g: g}
	at, err := g.With(g.Values())
	if err == nil {
		w.base, err = c.valueOf(at)
	}
	if err != nil {
		if c.ctx.Err() != nil {
			err = context.Cause(c.ctx)
		}
		return err
	}
	for _, p := range at.singleRuns() {
		w.past = append(w.past, *p.past)
	}
	w.tryRepeat(c)
	c.ways = append(c.ways, w)
	return nil
}

// tryRepeat tries whether the runs repeat with given steps. Where they do not, such as near a singular pose, they choose their steps.
func (w *way) tryRepeat(c *checking) {
	given := false
	for _, x := range w.past {
		given, w.moves = given || !x.moves && x.ends != nil, w.moves || x.moves
	}
	if !given {
		return
	}
	at, err := w.g.With(w.g.Values())
	var again *Result
	if err == nil {
		w.setSteps(at)
		again, err = c.valueOf(at)
	}
	if err == nil && math.Abs(again.Value-w.base.Value) <= repeatTol*w.base.termSize() {
		w.base = again
		return
	}
	w.moves = true
	for i := range w.past {
		w.past[i].moves = true
	}
}

// setSteps gives the runs of g the steps of w's.
func (w *way) setSteps(g *Problem) {
	for i, x := range g.singleRuns() {
		if !w.past[i].moves {
			x.past.repeats = w.past[i].ends
		}
	}
}

// valueOf returns the value of g.
func (c *checking) valueOf(g *Problem) (*Result, error) {
	c.found.Differenced++
	return g.Value(c.ctx)
}

// singleRuns returns the problems of the single runs: the parts of g, or g itself.
func (g *Problem) singleRuns() []*Problem {
	if len(g.parts) > 0 {
		return g.parts
	}
	return []*Problem{g}
}

// withFinerSteps returns g with a smaller tolerance, or with half the step.
func (g *Problem) withFinerSteps() *Problem {
	fine, o := *g, *g.o
	fine.o, o.Runs = &o, slices.Clone(o.Runs)
	list := []*runs.Options{&o.Run}
	for i := range o.Runs {
		list = append(list, &o.Runs[i].Run)
	}
	for _, x := range list {
		if x.Step > 0 {
			x.Step /= 2
		} else {
			x.Tolerance = finer * x.RelativeTolerance()
		}
	}
	return &fine
}

// checkBy adds the differences by parameter k, and the verdict.
func (c *checking) checkBy(g *Problem, k int) error {
	value, e, err := c.slopeBy(g, k, checkStep)
	if err != nil {
		return err
	}
	p, slopes := &c.found.Parameters[k], 0.0
	for i := range p.Terms {
		slopes += math.Abs(p.Terms[i])
	}
	whole := c.found.termSize() / g.stepFor(k, 1)
	own, size := slopeRounding*max(slopes, whole), max(slopes, unseen*whole)
	if c.found.Run != nil {
		own += ofProjection * c.found.Run.Projection * max(slopes, whole)
	}
	p.Verdict = verdict(p.Gradient, value, e, own, size)
	if p.Verdict == Disagrees {
		// Noise may make one estimate too small by chance. Two differences that are off in the same way are right.
		if other, doubt, err := c.slopeBy(g, k, otherStep); err == nil {
			e = max(e, doubt, math.Abs(other-value))
			p.Verdict = verdict(p.Gradient, value, e, own, size)
		}
	}
	p.Differences, p.DifferencesError = &value, &e
	return nil
}

// slopeBy returns the difference by parameter k of g with its error, of all ways. part is its first step relative to the parameter's size.
func (c *checking) slopeBy(g *Problem, k int, part float64) (value, e float64, err error) {
	for i, w := range c.ways {
		t, err := c.difference(w, k, part)
		if err != nil {
			return 0, 0, err
		}
		if e = t.error; i > 0 {
			e = max(e, math.Abs(t.slope-value))
		}
		value = t.slope
	}
	return value * g.lengthened(k), e * g.lengthened(k), nil
}

// termSize returns the size of the terms whose sum the value is.
func (r *Result) termSize() (sum float64) {
	for _, x := range r.Terms {
		sum += max(math.Abs(x.Value), leastTerm)
	}
	return sum
}

// verdict compares a gradient that has the error own with a difference whose estimated error is e. size is the size of gradients whose
// errors count.
func verdict(gradient, difference, e, own, size float64) string {
	most, off := mostDoubt*max(size, math.Abs(difference)), math.Abs(gradient-difference)
	switch {
	case !(e <= most):
		return CannotTell
	case off <= safety*e:
		return Agrees
	case !(off <= safety*e+own):
		return Disagrees
	case !(own <= most):
		return CannotTell
	}
	return Agrees
}

// errNoDifferences is the error for values so large that their differences overflow.
var errNoDifferences = errors.New("derive/objective: differences of the values are not finite")

// difference returns the extrapolated differences of the value by parameter k, with the first step part relative to its size.
func (c *checking) difference(w *way, k int, part float64) (*tableau, error) {
	t, h := newTableau(w.base.termSize()/w.g.stepFor(k, 1)), w.g.stepFor(k, part)
	var reason error
	for ; !t.accurate(); h /= 2 {
		var at [2]float64
		var err error
		for i, by := range [2]float64{h, -h} {
			if at[i], err = c.valueBy(w, k, by); err != nil {
				break
			}
		}
		switch {
		case c.ctx.Err() != nil:
			return nil, c.ctx.Err()
		case err != nil:
			t.skipStep()
			reason = cmp.Or(reason, err)
		default:
			t.addRow(h, w.base.Value, at[0], at[1], w.base.termSize())
		}
	}
	if math.IsInf(t.error, 1) {
		return nil, cmp.Or(reason, errNoDifferences)
	}
	return t, nil
}

// valueBy returns the value where parameter k is changed by a number.
func (c *checking) valueBy(w *way, k int, by float64) (float64, error) {
	values := w.g.Values()
	values[k] += by
	p, err := w.g.With(values)
	if err != nil {
		return 0, fault.Errorf("derive/objective: at %v: %w", values[k], err)
	}
	w.setSteps(p)
	r, err := c.valueOf(p)
	if err != nil {
		return 0, fault.Errorf("derive/objective: at %v: %w", values[k], err)
	}
	return r.Value, nil
}

// stepFor is stepBy for all parameters, also numbers of a task, which are no derive.Parameter: it tells the kinds of numbers by their
// paths. A point of a force element does not count as a place.
func (g *Problem) stepFor(k int, part float64) float64 {
	return g.stepBy(k, part, func(i int) (turns, place bool) {
		path := g.o.Parameters[k].Paths[i]
		return strings.Contains(path, "orientation["), strings.Contains(path, "position[") || strings.Contains(path, "com[")
	})
}

// stepBy returns the step of parameter k: the factor part times the smallest size of its numbers. kind tells whether number i belongs to an
// orientation (turns), whose size is 1, or is the coordinate of a place.
func (g *Problem) stepBy(k int, part float64, kind func(i int) (turns, place bool)) float64 {
	h := math.Inf(1)
	for i, x := range g.values[k] {
		turns, place := kind(i)
		size := 1.0
		if !turns {
			size = sizeOf(x, place, g.mech.TypicalLength())
		}
		h = min(h, part*size)
	}
	return h
}

const (
	// smallPlace is the least coordinate of a place, relative to the typical length L of the bodies, that is its own size. A step relative
	// to a smaller one would be lost beside the lengths around.
	smallPlace = 1e-3
	// smallNumber is the least other number that is its own size: computed models have 1e-17 in the place of zero.
	smallNumber = 1e-12
)

// sizeOf returns the size of a number x, to which its step is relative: its magnitude, but for places at most L, and L (at most 1 m) for
// places near zero; 1 for other numbers near zero.
func sizeOf(x float64, place bool, L float64) float64 {
	x = math.Abs(x)
	switch {
	case place && x < smallPlace*L:
		return min(1, L)
	case place:
		return min(x, L)
	case x < smallNumber:
		return 1
	}
	return x
}
