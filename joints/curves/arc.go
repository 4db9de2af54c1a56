package curves

import "math"

// The length of a curve from its start is the integral of |c′|, theory.md (U11). The lengths up to the samples are kept; the rest is
// integrated by Gauss's rule of eight points.

// gauss has the positive nodes of Gauss's rule of eight points on (−1, 1), each with its weight.
var gauss = [4][2]float64{
	{0.1834346424956498049394761, 0.3626837833783619829651504},
	{0.5255324099163289858177390, 0.3137066458778872873379622},
	{0.7966664774136267395915539, 0.2223810344533744705443560},
	{0.9602898564975362316835609, 0.1012285362903762591525314},
}

// stretch returns the length of c between two parameters, m, negative if to is below from. The curve is smooth between them.
// With flat, z is ignored.
func (c *Curve) stretch(from, to float64, flat bool) (sum float64) {
	middle, half := (from+to)/2, (to-from)/2
	for _, g := range gauss {
		sum += g[1] * (c.speedAt(middle-half*g[0], flat) + c.speedAt(middle+half*g[0], flat))
	}
	return sum * half
}

// MeasureArc makes c ready for Arc with the same flat. c is Prepared, and nobody else uses it meanwhile.
//
// Cost: some thousand evaluations, of a spline some fifty a point; none where |c′| is constant.
func (c *Curve) MeasureArc(flat bool) {
	if c.even(flat) {
		return
	}
	sums := make([]float64, c.arcs()+1)
	for k := range c.arcs() {
		sums[k+1] = sums[k] + c.stretch(c.arc(k), c.arc(k+1), flat)
	}
	c.sums[space(flat)] = sums
}

// space returns the index in sums: 1 for lengths in the plane of x and y, 0 in space.
func space(flat bool) int {
	if flat {
		return 1
	}
	return 0
}

// even reports whether |c′| is constant, with flat in the plane of x and y: of lines, of circles in space, and of circles parallel to
// that plane.
func (c *Curve) even(flat bool) bool {
	return c.Kind == Line || c.Kind == Circle && (!flat || c.x[2] == 0 && c.y[2] == 0)
}

// arcs returns the number of intervals whose lengths are kept, and arc the parameter at which interval i starts.
func (c *Curve) arcs() int {
	if c.Kind == Spline {
		return c.samples()
	}
	return bends
}

func (c *Curve) arc(i int) float64 {
	if c.Kind == Spline {
		return c.sample(i)
	}
	return c.span[0] + (c.span[1]-c.span[0])*float64(i)/bends
}

// Arc returns the length of the curve from its start to u + laps, m, negative before the start. laps are the whole laps on a closed
// curve, in units of u, as NearestFrom returns them. Beyond the ends of an open curve, the length is measured along the parabola of At.
// With flat, z is ignored.
//
// Cost: eight evaluations, of a spline each O(log points); no allocation. c is Prepared, and measured for flat (MeasureArc): else Arc
// panics.
func (c *Curve) Arc(u, laps float64, flat bool) float64 {
	from, to := c.span[0], c.span[1]
	if c.even(flat) {
		return c.speedAt(from, flat) * (u - from + laps)
	}
	sums := c.sums[space(flat)]
	if sums == nil {
		panic("curves: lengths not measured")
	}
	whole := sums[len(sums)-1]
	if laps = math.Round(laps / (to - from)); c.ring {
		laps += math.Floor((u - from) / (to - from))
		u = c.Within(u)
	}
	switch {
	case u < from:
		return c.stretch(from, u, flat)
	case u > to:
		return whole + c.stretch(to, u, flat)
	}
	low, high := 0, len(sums)-1
	for low+1 < high {
		if middle := (low + high) / 2; c.arc(middle) <= u {
			low = middle
		} else {
			high = middle
		}
	}
	return laps*whole + sums[low] + c.stretch(c.arc(low), u, flat)
}
