package curves

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// A foot of a point p on a curve is a local minimum of the distance from p, theory.md (U2). Flat searches ignore z of the curve and
// of the point: the curve then acts as a cylinder along z.

const (
	// steps bounds the steps of a search from one parameter.
	steps = 60
	// stride is the longest step, relative to the range of u, so that a step passes over no turn of the curve.
	stride = 1.0 / 16
	// still is the step, relative to the range of u, that ends a search.
	still = 2e-16
	// tiny is the step, relative to the range of u, below which an increase of the distance is rounding.
	tiny = 1e-7
	// astray is the distance from p to the foot found from near, relative to the size of the curve, beyond which the whole curve is
	// searched: near then belongs to another state.
	astray = 0.1
	// bent is the least second derivative of half the squared distance, relative to |c′|², for a Newton step. It affects
	// only speed.
	bent = 0.1
	// alike is the difference of two distances, relative to the size of the curve, up to which they count as equal.
	alike = 1e-9
	// bends is the number of intervals between samples of a formula, and between their number between two points of a spline. More
	// find narrower turns.
	bends, between = 512, 6
	// tried is the largest number of minima among the samples from which Nearest searches.
	tried = 8
)

// gap is a place of a curve with its distance from a point.
type gap struct {
	at   Place
	f    float64 // half the squared distance
	g, h float64 // first and second derivative of f by u
	dd   float64 // |c′|²
}

// see returns the gap between the point p and the curve at u, theory.md (U2).
func (c *Curve) see(u float64, p *spatial.Vec3, flat bool) (s gap) {
	s.at = c.At(u)
	n := 3
	if flat {
		n = 2
	}
	for i := range n {
		r := p[i] - s.at.C[i]
		s.f += r * r / 2
		s.g -= r * s.at.D[i]
		s.h -= r * s.at.DD[i]
		s.dd += s.at.D[i] * s.at.D[i]
	}
	s.h += s.dd
	return s
}

// descend returns the foot of p to which a search from u leads, and the gap there. It takes Newton steps, or Gauss–Newton steps where
// the second derivative of the distance is too small.
func (c *Curve) descend(u float64, p *spatial.Vec3, flat bool) (float64, gap) {
	length := c.span[1] - c.span[0]
	now := c.see(u, p, flat)
	last := math.Inf(1)
	for range steps {
		h := now.h
		if !(h > bent*now.dd) {
			h = now.dd
		}
		step := -now.g / h
		size := math.Abs(step)
		if !(size > still*length) || size < tiny*length && size >= last/2 {
			break // at the foot, or rounding; h = 0 ends here too
		}
		if size > stride*length {
			step = math.Copysign(stride*length, step)
		}
		next := c.see(u+step, p, flat)
		for size >= tiny*length && !(next.f <= now.f) && math.Abs(step) > still*length {
			step /= 4
			next = c.see(u+step, p, flat)
		}
		u, now, last = u+step, next, size
	}
	return u, now
}

// NearestFrom returns the foot of p to which a search from the parameter near leads. The parameter of the foot is u + laps. laps are
// the whole laps of near on a closed curve (Laps), so that u loses no digits after many laps. Evaluate the curve at u.
// If that foot is farther from p than a tenth of the curve's size, NearestFrom takes the nearest foot of the whole curve, if it is
// nearer. So the foot is a function of p and near alone.
//
// Cost: some evaluations of the curve, no allocation. c is Prepared.
func (c *Curve) NearestFrom(p *spatial.Vec3, flat bool, near float64) (u, laps float64) {
	laps = c.Laps(near)
	near = c.Within(near - laps)
	u, s := c.descend(near, p, flat)
	if far := astray * c.size; s.f <= far*far/2 {
		return u, laps
	}
	other := c.Nearest(p, flat)
	if t := c.see(other, p, flat); !(math.Sqrt(2*t.f) < math.Sqrt(2*s.f)-alike*c.size) {
		return u, laps
	}
	if c.ring {
		period := c.span[1] - c.span[0]
		other += period * math.RoundToEven((near-other)/period)
	}
	return other, laps
}

// Laps returns the whole laps of a closed curve between its start and u, in units of u. It is zero in the first lap and for an open
// curve.
//
// c is Prepared.
func (c *Curve) Laps(u float64) float64 {
	if !c.ring || u >= c.span[0] && u < c.span[1] {
		return 0
	}
	period := c.span[1] - c.span[0]
	return period * math.Floor((u-c.span[0])/period)
}

// Nearest returns the parameter of the point of the curve that is nearest to p, the smallest if there are several. It compares samples,
// five hundred of a formula and six between two points of a spline, and searches from the minima among them.
//
// Cost: O(samples), no allocation. c is Prepared.
func (c *Curve) Nearest(p *spatial.Vec3, flat bool) float64 {
	n := c.samples()
	var valley [tried]float64 // parameters of the lowest minima among the samples, nearest first
	var depth [tried]float64  // half the squared distances there
	found := 0
	note := func(u, f float64) {
		k := min(found, tried-1)
		if found == tried && !(f < depth[k]) {
			return
		}
		for ; k > 0 && f < depth[k-1]; k-- {
			valley[k], depth[k] = valley[k-1], depth[k-1]
		}
		valley[k], depth[k] = u, f
		found = min(found+1, tried)
	}
	height := func(i int) float64 {
		switch {
		case c.ring:
			i = (i + n) % n
		case i < 0 || i > n:
			return math.Inf(1)
		}
		s := c.see(c.sample(i), p, flat)
		return s.f
	}
	before, now := height(-1), height(0)
	for i := range n + 1 {
		after := height(i + 1)
		if now <= before && now <= after && !(c.ring && i == n) {
			note(c.sample(i), now)
		}
		before, now = now, after
	}
	best, least := c.span[0], math.Inf(1)
	for k := range found {
		u, s := c.descend(valley[k], p, flat)
		u = c.Within(u)
		d, eps := math.Sqrt(2*s.f), alike*c.size
		if d < least-eps || d <= least+eps && u < best {
			best, least = u, min(d, least)
		}
	}
	return best
}

// Within returns u less the whole laps of a closed curve, and u itself for an open curve.
//
// c is Prepared.
func (c *Curve) Within(u float64) float64 {
	if !c.ring {
		return u
	}
	u -= c.Laps(u)
	if !(u >= c.span[0] && u < c.span[1]) { // rounding of the subtraction
		u = c.span[0]
	}
	return u
}

// samples returns the number of intervals between samples.
func (c *Curve) samples() int {
	switch c.Kind {
	case Line:
		return 2
	case Circle:
		return 16
	case Spline:
		return between * len(c.pieces[0])
	}
	return bends
}

// sample returns the parameter of sample i.
func (c *Curve) sample(i int) float64 {
	if n := c.samples(); c.Kind != Spline {
		return c.span[0] + (c.span[1]-c.span[0])*float64(i)/float64(n)
	}
	p := c.pieces[0]
	k := i / between
	if k >= len(p) {
		return c.span[1]
	}
	to := c.span[1]
	if k+1 < len(p) {
		to = p[k+1].T
	}
	return p[k].T + (to-p[k].T)*float64(i%between)/between
}

// measure sets size and speed from the samples.
func (c *Curve) measure() {
	low, high := c.At(c.span[0]).C, c.At(c.span[0]).C
	for i := range c.samples() + 1 {
		at := c.At(c.sample(i))
		c.speed = max(c.speed, at.D.Norm())
		for k, x := range at.C {
			low[k], high[k] = min(low[k], x), max(high[k], x)
		}
	}
	c.size = high.Sub(low).Norm()
}
