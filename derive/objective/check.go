package objective

import (
	"context"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// checkStep is the step of a parameter for differences, relative to its size (sizeOf). Differences of order 4 then have a relative error of
// some 1e-10, plus the errors of runs divided by the step.
const checkStep = 1e-3

// Check adds to r, a result of Gradient for this problem, central differences of order 4 of the value: of whole runs, or searches for
// equilibria, of changed models.
//
// Cost: four values a parameter. A number that cannot be changed to both sides, such as a mass near zero or a length with which joints do
// not close, has no differences; ParameterResult.Unchecked gives the reason. It returns the error of ctx.
func (g *Problem) Check(ctx context.Context, r *Result) error {
	for k := range r.Parameters {
		x, err := g.difference(ctx, k)
		switch p := &r.Parameters[k]; {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			p.Unchecked = fault.Plain(err).Error()
		default:
			x *= g.lengthened(k)
			p.Differences = &x
		}
	}
	return nil
}

// difference returns the difference quotient of order 4 of the value by parameter k.
func (g *Problem) difference(ctx context.Context, k int) (float64, error) {
	h := g.stepFor(k, checkStep)
	var at [4]float64
	for i, by := range [4]float64{h, -h, h / 2, -h / 2} {
		values := g.Values()
		values[k] += by
		p, err := g.With(values)
		if err != nil {
			return 0, fault.Errorf("derive/objective: at %v: %w", values[k], err)
		}
		r, err := p.Value(ctx)
		if err != nil {
			return 0, fault.Errorf("derive/objective: at %v: %w", values[k], err)
		}
		at[i] = r.Value
	}
	return (4*(at[2]-at[3])/h - (at[0]-at[1])/(2*h)) / 3, nil
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
