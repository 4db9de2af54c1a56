//go:build !small

package picture

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

// finePoints is about the number of points from which on a polyline looks like a smooth curve.
const finePoints = 800

// smooth adds points to a curve of few points, about finePoints in all. They are on cubics between neighbouring points, with a
// continuous slope, that never leave the range of the two points (Steffen 1990). So they show no peak that the data do not
// have.
func smooth(xy plotter.XYs) plotter.XYs {
	n := len(xy)
	parts := finePoints / max(n, 1)
	if n < 3 || parts < 2 {
		return xy
	}
	parts = min(parts, 32)
	slope := slopes(xy)
	out := make(plotter.XYs, 0, n*parts)
	for i := range n - 1 {
		h, rise := xy[i+1].X-xy[i].X, xy[i+1].Y-xy[i].Y
		for k := range parts {
			u := float64(k) / float64(parts)
			// Hermite's cubic with the slopes at both ends
			y := xy[i].Y + u*u*(3-2*u)*rise + h*u*(1-u)*((1-u)*slope[i]-u*slope[i+1])
			out = append(out, plotter.XY{X: xy[i].X + u*h, Y: y})
		}
	}
	return append(out, xy[n-1])
}

// slopes returns the slopes of the cubics at the points (Steffen 1990 eq. 11).
func slopes(xy plotter.XYs) []float64 {
	n := len(xy)
	out := make([]float64, n)
	secant := func(i int) (s, h float64) {
		h = xy[i+1].X - xy[i].X
		if h > 0 {
			s = (xy[i+1].Y - xy[i].Y) / h
		}
		return s, h
	}
	for i := 1; i < n-1; i++ {
		s0, h0 := secant(i - 1)
		s1, h1 := secant(i)
		if s0*s1 <= 0 || h0+h1 <= 0 {
			continue
		}
		p := (s0*h1 + s1*h0) / (h0 + h1)
		out[i] = math.Copysign(2*min(math.Abs(s0), math.Abs(s1), math.Abs(p)/2), s0)
	}
	s0, h0 := secant(0)
	s1, h1 := secant(1)
	out[0] = endSlope(s0, s1, h0, h1)
	s0, h0 = secant(n - 2)
	s1, h1 = secant(n - 3)
	out[n-1] = endSlope(s0, s1, h0, h1)
	return out
}

// endSlope returns the slope at an end of the parabola through it and the two points next to it, limited to the range from 0 to 2·s0.
// s0 and h0 are the slope of the secant and the width of the interval at the end, s1 and h1 the same of the next interval.
func endSlope(s0, s1, h0, h1 float64) float64 {
	if !(h0+h1 > 0) {
		return 0
	}
	p := s0*(1+h0/(h0+h1)) - s1*h0/(h0+h1)
	switch {
	case p*s0 <= 0:
		return 0
	case math.Abs(p) > 2*math.Abs(s0):
		return 2 * s0
	}
	return p
}
