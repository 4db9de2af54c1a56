package main

import (
	"math"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
)

// away returns the largest difference between got and want, relative to a scale. It is infinite if a number is NaN or the lengths
// differ, and 0 for equal numbers with any scale.
func away(got, want []float64, scale float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	diff := 0.0
	for i := range want {
		d := math.Abs(got[i] - want[i])
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		diff = max(diff, d)
	}
	if diff == 0 {
		return 0
	}
	return diff / scale
}

// smallKind is the least scale of a kind of columns, relative to the largest entry of all columns: at rest the derivatives by rates
// are 0.
const smallKind = 1e-3

// errorOf returns the largest error of an entry relative to the largest entry of all columns of its kind. The first half of the
// columns are derivatives by poses, the second half by rates. It is infinite if the numbers of columns differ.
func errorOf(got, want [][]float64) (worst float64) {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	half := len(want) / 2
	scales := [2]float64{}
	for k := range want {
		scales[min(k/max(half, 1), 1)] = max(scales[min(k/max(half, 1), 1)], algebra.MaxAbs(want[k]))
	}
	for k := range want {
		scale := max(scales[min(k/max(half, 1), 1)], smallKind*max(scales[0], scales[1]))
		worst = max(worst, away(got[k], want[k], scale))
	}
	return worst
}

// errorOfGradient returns the largest error of a number relative to the largest number of its kind: by force, torque, mass, centre of
// mass or inertia.
func errorOfGradient(got, want []derive.BodyDirection) (worst float64) {
	kinds := []func(b *derive.BodyDirection) []float64{
		func(b *derive.BodyDirection) []float64 { return b.Force[:] },
		func(b *derive.BodyDirection) []float64 { return b.Torque[:] },
		func(b *derive.BodyDirection) []float64 { return []float64{b.Mass} },
		func(b *derive.BodyDirection) []float64 { return b.Com[:] },
		func(b *derive.BodyDirection) []float64 { return b.Inertia[:] },
	}
	for _, kind := range kinds {
		var g, w []float64
		for i := range want {
			g, w = append(g, kind(&got[i])...), append(w, kind(&want[i])...)
		}
		worst = max(worst, away(g, w, algebra.MaxAbs(w)))
	}
	return worst
}

// errorOfAccelerations returns the largest error of the accelerations relative to the largest one. They are of all bodies, six
// numbers each, or else the second derivatives of the coordinates.
func (p *problem) errorOfAccelerations(got []float64) float64 {
	if len(got) == len(p.a) {
		return away(got, floats(p.a), algebra.MaxAbs(floats(p.a)))
	}
	var want []float64
	for i := range p.coords {
		want = append(want, dd.Float(p.coords[i].at(p.bodies, atAcceleration).v))
	}
	return away(got, want, algebra.MaxAbs(want))
}
