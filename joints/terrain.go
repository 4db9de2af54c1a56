package joints

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// A wheel may roll on a surface z = f(x, y) in P's axes instead of a plane. Its foot is the point of the surface that is nearest to
// the wheel, theory.md (W11). The normal of the surface there replaces the normal of the plane, and turns as the foot moves, (W12). A
// wheel may have several feet on a surface; Frames.Near, x and y of the foot, chooses among them.

// ErrStand is the error of EvalTo for a wheel on a surface.
var ErrStand = errors.New("joints: the wheel has no foot on its surface")

// Bounds of the search for a foot.
const (
	// standSteps bounds the steps of one search.
	standSteps = 60
	// A search ends with a step of standStill, relative to the radius of the wheel. Below standTiny, a step that increases the
	// residual does so by rounding.
	standStill, standTiny = 4e-16, 1e-7
	// standFound is the largest residual off of a foot that has been found, relative to the radius of the wheel.
	standFound = 1e-9
	// standStride is the longest step, relative to the radius of the wheel, so that a step passes over no hollow.
	standStride = 0.5
	// standRegular is the least Hollow of a foot: with less the surface is as concave as the wheel is convex.
	standRegular = 1e-6
	// standAstray is the distance between wheel and foot, relative to the radius of the wheel, beyond which the foot is searched for
	// without Near: Near then belongs to another state.
	standAstray = 2.0
	// standSamples is the number of points of the wheel that are compared with the surface.
	standSamples = 9
)

// Stand is the contact of a wheel with its surface.
type Stand struct {
	Foot  spatial.Vec3 // point of the surface nearest to the wheel, m, axes of P
	Gap   float64      // height of the wheel above Foot along the normal, m
	Holds bool         // there is a foot, and Hollow is above zero

	Err    error        // error of the surface at Foot, or nil
	Flat   bool         // the wheel lies flat on the surface
	Hollow float64      // 1 on a plane, 0 in a hollow that is as concave as the wheel is convex, negative in a narrower one
	Deeper bool         // another point of the wheel is deeper in the ground
	Other  spatial.Vec3 // the deepest point of the wheel if Deeper, m, axes of P
}

// StandTo stores in out the contact of the wheel of a rolling joint with its surface, theory.md (W11). For Deeper it compares nine
// points of the wheel with the surface.
//
// Cost: a search, no allocation. It panics without a surface.
func (s *Spec) StandTo(out *Stand, f *Frames) {
	if s.Ground == nil {
		panic(badKind)
	}
	var g footing
	var at stance
	g.set(s, f)
	found := g.find(&at, f.Near)
	*out = Stand{Foot: at.q, Gap: at.h - s.Tyre, Holds: found && at.regular(), Err: at.err, Flat: at.flat, Hollow: at.hollow()}
	if out.Holds {
		out.Other, out.Deeper = g.deeper(out.Gap)
	}
}

// footing is a wheel over its surface. Frame: axes of P.
type footing struct {
	ground       Surface
	r, a         spatial.Vec3 // centre of the wheel, m, and unit vector along its axle
	rim, tyre, R float64      // radii of the middle of the tyre, of the tyre's round, and of the whole wheel, m
}

func (g *footing) set(s *Spec, f *Frames) {
	var a spatial.Vec3
	axis(&a, &f.ES, 2)
	f.EP.TMulVecTo(&g.r, &f.R)
	f.EP.TMulVecTo(&g.a, &a)
	g.ground, g.rim, g.tyre, g.R = s.Ground, s.Radius-s.Tyre, s.Tyre, s.Radius
}

// stance is a wheel seen from one point q of its surface, theory.md (W11). Frame: axes of P.
type stance struct {
	q, n, t, l, u spatial.Vec3 // point of the surface, m; unit vectors: normal, heading, n×t, and t×a, zero for a sphere
	c, s          float64      // n = c·a + s·u
	off           [2]float64   // components along t and l of the vector from q to the middle of the tyre, m: zero at a foot
	h             float64      // component of that vector along n, m
	curve         [3]float64   // curvature of the surface: tt, tl and ll, 1/m
	A             [4]float64   // 2×2 matrix of (W12), by rows
	flat          bool         // the wheel lies flat on the surface
	err           error        // error of the surface
}

// see fills w at x and y. It returns false where there is no surface, or the wheel lies flat.
func (g *footing) see(w *stance, x, y float64) bool {
	*w = stance{q: spatial.Vec3{x, y, math.NaN()}}
	var z [6]float64
	if z, w.err = g.ground.Form(x, y); w.err != nil {
		return false
	}
	w.q[2] = z[0]
	up := 1 / math.Sqrt(1+z[1]*z[1]+z[2]*z[2])
	w.n = spatial.Vec3{-z[1] * up, -z[2] * up, up}
	if g.rim == 0 {
		w.t = spatial.Vec3{1, 0, 0}
		spatial.AddScaledTo(&w.t, &w.t, -w.n[0]/(1+w.n[2]), &spatial.Vec3{w.n[0], w.n[1], 1 + w.n[2]})
		w.l = w.n.Cross(w.t)
	} else {
		heading := g.a.Cross(w.n)
		w.c, w.s = spatial.Dot(&g.a, &w.n), heading.Norm()
		if w.flat = !(w.s > flat); w.flat {
			return false
		}
		w.t = heading.Scale(1 / w.s)
		w.l, w.u = w.n.Cross(w.t), w.t.Cross(g.a)
	}
	F := g.r.Sub(w.q)
	spatial.AddScaledTo(&F, &F, -g.rim, &w.u)
	w.off, w.h = [2]float64{spatial.Dot(&w.t, &F), spatial.Dot(&w.l, &F)}, spatial.Dot(&w.n, &F)
	bend := func(a, b *spatial.Vec3) float64 {
		return (z[3]*a[0]*b[0] + z[4]*(a[0]*b[1]+a[1]*b[0]) + z[5]*a[1]*b[1]) * up
	}
	w.curve = [3]float64{bend(&w.t, &w.t), bend(&w.t, &w.l), bend(&w.l, &w.l)}
	along := w.h
	if g.rim != 0 {
		along += g.rim / w.s
	}
	w.A = [4]float64{1 - along*w.curve[0], -along * w.curve[1], -w.h * w.curve[1], 1 - w.h*w.curve[2]}
	return true
}

// hollow returns the smaller leading minor of A: it is positive where the surface is less concave than the wheel is convex.
func (w *stance) hollow() float64 { return min(w.A[0], w.A[0]*w.A[3]-w.A[1]*w.A[2]) }

// regular reports whether q is a local minimum of the distance, if off is zero there.
func (w *stance) regular() bool { return w.hollow() > standRegular }

// miss returns the squared residual |off|², m².
func (w *stance) miss() float64 { return w.off[0]*w.off[0] + w.off[1]*w.off[1] }

// find fills w with the foot to which a search from near leads. If near is nil, or that foot is farther than standAstray, the search
// starts from the deepest sample of the wheel. It returns false if the search finds no foot.
func (g *footing) find(w *stance, near []float64) bool {
	if near != nil {
		if g.descend(w, near[0], near[1]) && math.Abs(w.h) <= standAstray*g.R {
			return true
		}
	}
	from, _ := g.deepest()
	return g.descend(w, from[0], from[1])
}

// descend fills w with the foot to which a search from x and y leads, and returns false if there is none; w.err is then the error of
// the surface that has stopped the search, if any. The steps are Newton steps, or off itself where A is not regular.
func (g *footing) descend(w *stance, x, y float64) bool {
	if !g.see(w, x, y) {
		return false
	}
	last, edge := math.Inf(1), error(nil)
	for range standSteps {
		step := w.off
		if w.regular() {
			step, _ = solve2(&w.A, w.off)
		}
		size := math.Hypot(step[0], step[1])
		if !(size > standStill*g.R) || size < standTiny*g.R && size >= last/2 {
			break // at the foot, or rounding
		}
		scale := min(1, standStride*g.R/size)
		next, ok := g.step(w, &step, scale)
		for size >= standTiny*g.R && !(ok && next.miss() <= w.miss()) && scale > standStill {
			if next.err != nil {
				edge = next.err
			}
			scale /= 4
			next, ok = g.step(w, &step, scale)
		}
		if !ok {
			*w = next // has the error
			return false
		}
		*w, last = next, size
	}
	found := w.miss() <= standFound*standFound*g.R*g.R
	if !found {
		w.err = edge // the end of the surface may have stopped the search
	}
	return found
}

// step returns the stance at a point near the point of w: at scale·step from there, with the components of step along t and l of w. ok is
// the result of see.
func (g *footing) step(w *stance, step *[2]float64, scale float64) (next stance, ok bool) {
	move := w.t.Scale(scale * step[0])
	spatial.AddScaledTo(&move, &move, scale*step[1], &w.l)
	ok = g.see(&next, w.q[0]+move[0], w.q[1]+move[1])
	return next, ok
}

// sample returns sample i of the wheel, m, theory.md (W11): the point that is farthest in one of standSamples directions that point
// down. The samples of a wheel are in the plane at right angles to its axle. The samples of a ball are its lowest point and four points
// each on two circles around it. None is at the side of the wheel.
func (g *footing) sample(i int) spatial.Vec3 {
	var d spatial.Vec3
	if g.rim == 0 {
		ring := [...]float64{0, 0.5, 0.9}[(i+3)/4] // sine of the angle to the vertical: one sample below, then four on each circle
		sin, cos := math.Sincos(math.Pi * (float64(i)/2 + float64(i/5)/4))
		d = spatial.Vec3{ring * cos, ring * sin, -math.Sqrt(1 - ring*ring)}
	} else {
		t := g.a.Cross(spatial.Vec3{0, 0, 1})
		if n := t.Norm(); n > flat {
			t = t.Scale(1 / n)
		} else {
			t = spatial.Vec3{1}
		}
		u := t.Cross(g.a)
		sin, cos := math.Sincos(math.Pi * (float64(i)/(standSamples-1) - 0.5) * 0.9)
		d = t.Scale(sin).Sub(u.Scale(cos))
	}
	p := g.r
	spatial.AddScaledTo(&p, &p, g.R, &d)
	return p
}

// deepest returns the sample of the wheel that is deepest below the surface, or least above it, and its height above the surface, m.
// Samples where there is no surface do not count; where there is none at all, deepest returns sample 0 and +Inf.
func (g *footing) deepest() (at spatial.Vec3, above float64) {
	above = math.Inf(1)
	for i := range standSamples {
		p := g.sample(i)
		if i == 0 {
			at = p
		}
		if z, err := g.ground.Height(p[0], p[1]); err == nil && p[2]-z < above {
			at, above = p, p[2]-z
		}
	}
	return at, above
}

// deeper returns the deepest sample, and whether it is in the ground and deeper than a foot with the given gap.
func (g *footing) deeper(gap float64) (spatial.Vec3, bool) {
	at, above := g.deepest()
	return at, above < min(gap, 0)-standFound*g.R
}

// placeOnSurface is place for a wheel on a surface: it sets n, t, l, u and p to their values at the foot. It returns false where there is
// none.
func (w *wheel) placeOnSurface(s *Spec, f *Frames) bool {
	var g footing
	var at stance
	g.set(s, f)
	found := g.find(&at, f.Near) && at.regular()
	w.x, w.y, w.pole = w.t, w.l, w.n
	if w.stand = (stood{at.h - s.Tyre, at.curve, at.A}); at.err != nil || at.flat {
		w.stand.gap = s.Radius // a wheel without foot violates the joint
		return false
	}
	w.n, w.t, w.l, w.u = f.EP.MulVec(at.n), f.EP.MulVec(at.t), f.EP.MulVec(at.l), f.EP.MulVec(at.u)
	w.c, w.s = at.c, at.s
	w.p = w.n.Scale(-s.Tyre)
	spatial.AddScaledTo(&w.p, &w.p, -w.rim, &w.u)
	return found
}

// wheelRates are the rates, seen from P, of the vectors of a wheel on a surface, theory.md (W12).
type wheelRates struct {
	foot       [2]float64   // velocity of the foot along t and l
	n, t, l, p spatial.Vec3 // rates of the fields of wheel with these names
}

// ratesTo stores in out the rates of the vectors of w, a wheel on a surface, theory.md (W12) and (W13). v is the velocity of S's origin and
// r the angular velocity of the wheel, both seen from P, world axes.
func (w *wheel) ratesTo(out *wheelRates, s *Spec, v, r *spatial.Vec3) {
	along, across := spatial.Dot(&w.t, v), spatial.Dot(&w.l, v)
	spin := 0.0 // u·ω
	if !w.sphere {
		spin = spatial.Dot(&w.u, r)
		along -= w.rim * w.c / w.s * spin
		across += w.rim * w.s * spatial.Dot(&w.t, r)
	}
	out.foot, _ = solve2(&w.stand.A, [2]float64{along, across})
	bend := &w.stand.curve
	nt := -(bend[0]*out.foot[0] + bend[1]*out.foot[1]) // t·n˚
	nl := -(bend[1]*out.foot[0] + bend[2]*out.foot[1]) // l·n˚
	out.n = w.t.Scale(nt).Add(w.l.Scale(nl))
	out.p = out.n.Scale(-s.Tyre)
	if w.sphere {
		out.t, out.l = w.carriedBy(&w.x, &out.n), w.carriedBy(&w.y, &out.n)
		return
	}
	turn := (nt + w.c*spin) / w.s
	out.t = w.a.Scale(spin).Sub(w.u.Scale(turn))
	out.l = out.n.Cross(w.t).Add(w.n.Cross(out.t))
	spatial.AddScaledTo(&out.p, &out.p, -w.rim*turn, &w.t)
	spatial.AddScaledTo(&out.p, &out.p, w.rim*spatial.Dot(&w.t, r), &w.a)
}

// groundBend stores in B the term of a wheel on a surface, as BendTo does: the rows change by (W12), with a small motion in place of
// the velocity.
func (w *wheel) groundBend(B *[36]float64, s *Spec, force *spatial.Vec3) {
	normal, along, across := spatial.Dot(force, &w.n), spatial.Dot(force, &w.t), spatial.Dot(force, &w.l)
	var d wheelRates
	for k := range 6 {
		var x [2]spatial.Vec3 // a small rotation, and a small translation
		x[k/3][k%3] = 1
		w.ratesTo(&d, s, &x[1], &x[0])
		df := d.n.Scale(normal).Add(d.t.Scale(along)).Add(d.l.Scale(across))
		dm := d.p.Cross(*force).Add(w.p.Cross(df))
		for i := range 3 {
			B[6*i+k], B[18+6*i+k] = -dm[i], -df[i]
		}
	}
}

// footTo stores in q x and y, in the axes of P, of the foot of a wheel on its surface. Where there is no foot, it stores the point where
// the search has ended.
func (s *Spec) footTo(q *[6]float64, f *Frames) {
	var g footing
	var at stance
	g.set(s, f)
	g.find(&at, f.Near)
	*q = [6]float64{at.q[0], at.q[1]}
}

// footRatesTo stores in qd the rates of the values of footTo, zeros where there is no foot.
func (s *Spec) footRatesTo(qd *[6]float64, f *Frames) {
	var w wheel
	*qd = [6]float64{}
	w.setAxes(s, f)
	if !w.placeOnSurface(s, f) {
		return
	}
	var d wheelRates
	r := f.OmegaS.Sub(f.OmegaP)
	w.ratesTo(&d, s, &f.V, &r)
	move := w.t.Scale(d.foot[0]).Add(w.l.Scale(d.foot[1]))
	move = f.EP.TMulVec(move)
	qd[0], qd[1] = move[0], move[1]
}
