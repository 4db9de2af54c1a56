package search

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// damped returns the minimum of the damped linear problem within the bounds, theory.md (V10), by an active set: parameters that a step
// would take out of their bounds are held there, and one that the gradient then pushes inside is released (Stark & Parker 1995).
func (f *fit) damped(mu float64) ([]float64, error) {
	list, at, least := f.free(), slices.Clone(f.x), math.Inf(1)
	for {
		for {
			to, err := f.freely(at, list, mu)
			if err != nil {
				return nil, err
			}
			left := f.towards(at, to, list)
			if len(left) == len(list) {
				break
			}
			list = left
		}
		value, k := f.letGo(at, list, mu)
		if k < 0 || !(value < least) { // without a gain, only rounding has released a parameter
			return at, nil
		}
		least = value
		list = append(list, k)
		slices.Sort(list)
	}
}

// freely returns the minimum of the damped linear problem without bounds in the parameters of list; the others stay.
func (f *fit) freely(at []float64, list []int, mu float64) ([]float64, error) {
	to := slices.Clone(at)
	for _, k := range list {
		to[k] = f.x[k]
	}
	s, rank, err := f.columns(list)
	if err == nil && rank > 0 {
		f.solve(to, list, s, rank, f.residualAt(to), mu)
	}
	return to, err
}

// towards moves the parameters in list on the straight way from at to to, up to the first bound on the way. It returns list without the
// parameters at whose bound the way ends.
func (f *fit) towards(at, to []float64, list []int) (left []int) {
	part := 1.0
	for _, k := range list {
		if x := min(max(to[k], f.box.lo[k]), f.box.hi[k]); x != to[k] {
			part = min(part, (x-at[k])/(to[k]-at[k]))
		}
	}
	for _, k := range list {
		x := min(max(to[k], f.box.lo[k]), f.box.hi[k])
		switch {
		case part == 1:
			at[k] = x
		case x != to[k] && (x-at[k])/(to[k]-at[k]) <= part:
			at[k] = x
			continue
		default:
			at[k] = min(max(at[k]+part*(to[k]-at[k]), f.box.lo[k]), f.box.hi[k])
		}
		left = append(left, k)
	}
	return left
}

// letGo returns the value of the damped linear problem at at, and the parameter most to be released: one at a bound, not in list, whose
// gradient pushes it inside most strongly; −1 if there is none.
func (f *fit) letGo(at []float64, list []int, mu float64) (value float64, most int) {
	r := f.residualAt(at)
	for _, x := range r {
		value += x * x / 2
	}
	size, push := math.Sqrt(2*value), 0.0
	most = -1
	for k := range at {
		by := f.scale[k] * (at[k] - f.x[k])
		value += mu * by * by / 2
		if f.idle[k] || slices.Contains(list, k) {
			continue
		}
		slope := mu * by * f.scale[k]
		for i, x := range r {
			slope += f.J.At(i, k) * x
		}
		if in := float64(f.box.at(k, at[k])) * slope / f.scale[k]; in > cosineTol*size && in > push {
			most, push = k, in
		}
	}
	return value, most
}

// residualAt returns the residuals of the linear problem at x.
func (f *fit) residualAt(x []float64) []float64 {
	list := slices.Clone(f.r)
	for k := range x {
		if by := x[k] - f.x[k]; by != 0 {
			for i := range list {
				list[i] += f.J.At(i, k) * by
			}
		}
	}
	return list
}

// solve adds to x the damped least squares change of the parameters in list for the residuals r. s and rank are the result of columns.
func (f *fit) solve(x []float64, list []int, s *mat.SVD, rank int, r []float64, mu float64) {
	var U, V mat.Dense
	s.UTo(&U)
	s.VTo(&V)
	values := s.Values(nil)
	for i := range rank {
		y := 0.0
		for j := range r {
			y += U.At(j, i) * r[j]
		}
		y *= values[i] / (values[i]*values[i] + mu)
		for j, k := range list {
			x[k] -= V.At(j, i) * y / f.scale[k]
		}
	}
}
