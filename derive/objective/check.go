package objective

import (
	"context"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// checkStep is the change of a parameter by which values are differenced, relative to its size, of places to the typical length of the
// bodies where that is less, and 1 for a number that is zero (sizeOf). Of order 4, differences err by some 1e-10 of their
// size then, and by the errors of runs over it.
const checkStep = 1e-3

// Check stores beside the gradient of r, which is that of the problem, central differences of order 4 of its value: whole runs, or
// searches for equilibria, of changed models.
//
// Cost: four values a parameter. A number that cannot be changed to both sides, as a mass that is nearly zero or a length with which joints
// do not close, has no differences, and ParameterResult.Unchecked says why. It returns the error of ctx.
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

// difference returns the derivative of the value by parameter k, by differences.
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

// stepFor is stepBy with the kinds of numbers by their paths, as those of a task are no derive.Parameter. A point of a force
// element does not count as a place.
func (g *Problem) stepFor(k int, part float64) float64 {
	return g.stepBy(k, part, func(i int) (turns, place bool) {
		path := g.o.Parameters[k].Paths[i]
		return strings.Contains(path, "orientation["), strings.Contains(path, "position[") || strings.Contains(path, "com[")
	})
}

// stepBy returns the change of parameter k that is a part of the size of each of its numbers. kind tells whether number i is
// one of an orientation, whose size is 1, or one of a place.
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
	// smallPlace is a place relative to the typical length L of the bodies, below which it is changed as one at the origin
	// is: parts of it would be lost beside the lengths around.
	smallPlace = 1e-3
	// smallNumber is another number that is changed as zero is: models that were computed have 1e-17 where they mean zero.
	smallNumber = 1e-12
)

// sizeOf returns of what a change of a number is a part: its magnitude, of places L where that is less, or where they are
// nearly zero, and 1 for other numbers that are nearly zero.
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
