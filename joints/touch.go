package joints

import (
	"math"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// The contact of two curves is where their tangents are parallel and the line from a point of one to a point of the other is along the
// normal, theory.md (U7): two equations for the parameters u of P's curve and w of S's curve. They have a solution where the curves are
// apart too, and where they overlap, so that the gap has a rate everywhere.

const (
	// touchSteps bounds the steps of one search.
	touchSteps = 60
	// touchStride is the longest step, relative to the range of a parameter, so that a step passes over no turn of a curve.
	touchStride = 1.0 / 16
	// A search ends with a step of touchStill, relative to the range of a parameter. Below touchTiny, a step that increases the residual
	// does so by rounding.
	touchStill, touchTiny = 4e-16, 1e-7
	// touchRough is the step, relative to the range of a parameter, that ends a rough search. The gap after the step, by the trapezoidal
	// rule, then has an error of some 1e-7 of the size of the curves. A smaller value costs time only.
	touchRough = 1e-3
	// touchFound is the largest residual of a solution, relative to the size of the smaller curve.
	touchFound = 1e-9
	// touchAstray is the gap, relative to the size of the smaller curve, beyond which a contact is searched for without near: near then
	// belongs to another state.
	touchAstray = 0.1
	// touchSamples is the number of intervals between samples of each curve, and touchTried the largest number of pairs of samples from
	// which search starts.
	touchSamples, touchTried = 128, 24
	// touchAlike is the difference of two gaps, relative to the size of the smaller curve, up to which they count as equal.
	touchAlike = 1e-9
	// touchDamp is the first damping after a step that does not reduce the residual. It affects only speed.
	touchDamp = 1e-3
	// touchFeeble is the difference of the curvatures, relative to their sum and to the size of the smaller curve, up to which the
	// contact is undetermined.
	touchFeeble = 1e-6
)

// pair are two curves in the plane of x and y of P.
type pair struct {
	c    [2]*curves.Curve
	E    spatial.Mat3 // axes of S in P
	r    spatial.Vec3 // from the origin of P to the origin of S, m
	size float64      // of the smaller curve, m
	open bool         // the curves may separate
	laps [2]float64   // whole laps of near, set by find, to add to the parameters that it returns

	rough, ended bool // a search may end with touchRough, and has done so
}

// set stores in q the curves of s and their pose at f.
func (q *pair) set(s *Spec, f *Frames) {
	q.c = [2]*curves.Curve{s.Curve, s.SuccessorCurve}
	f.EP.TMulTo(&q.E, &f.ES)
	f.EP.TMulVecTo(&q.r, &f.R)
	q.size, q.open = min(s.Curve.Size(), s.SuccessorCurve.Size()), s.Kind == curveOnCurveOpen
}

// sight is a point of each curve, with the derivatives there. Frame: axes of P.
type sight struct {
	t, n       spatial.Vec3 // tangent and normal of P's curve, in the plane of x and y
	p          spatial.Vec3 // from the origin of S to the point of its curve, m
	x          spatial.Vec3 // derivative of p by the arc length of S's curve in the plane
	speed      [2]float64   // |c′| of each curve in the plane
	along, gap float64      // components along t and n of the vector from the point of P's curve to the point of S's, m
	sine, tau  float64      // components of x along n and t
	bend       [2]float64   // curvatures of both curves about n, 1/m
}

// seeTo stores in s the sight at u and w.
func (q *pair) seeTo(s *sight, u, w float64) {
	a, b := q.c[0].At(u), q.c[1].At(w)
	q.betweenTo(s, &a, &b)
}

// betweenTo stores in s the sight from the place a of P's curve to the place b of S's curve, theory.md (U7).
func (q *pair) betweenTo(s *sight, a, b *curves.Place) {
	var x1, x2 spatial.Vec3
	q.E.MulVecTo(&s.p, &b.C)
	q.E.MulVecTo(&x1, &b.D)
	q.E.MulVecTo(&x2, &b.DD)
	dx, dy := q.r[0]+s.p[0]-a.C[0], q.r[1]+s.p[1]-a.C[1]
	s.speed = [2]float64{math.Sqrt(a.D[0]*a.D[0] + a.D[1]*a.D[1]), math.Sqrt(x1[0]*x1[0] + x1[1]*x1[1])}
	s.t = spatial.Vec3{a.D[0] / s.speed[0], a.D[1] / s.speed[0]}
	s.n = spatial.Vec3{-s.t[1], s.t[0]}
	s.x = x1.Scale(1 / s.speed[1])
	s.along, s.gap = s.t[0]*dx+s.t[1]*dy, s.n[0]*dx+s.n[1]*dy
	s.sine, s.tau = spatial.Dot(&s.n, &s.x), spatial.Dot(&s.t, &s.x)
	s.bend[0] = spatial.Dot(&s.n, &a.DD) / (s.speed[0] * s.speed[0])
	turn := s.x[0]*x2[0] + s.x[1]*x2[1]
	s.bend[1] = (spatial.Dot(&s.n, &x2) - s.sine*turn) / (s.speed[1] * s.speed[1])
}

// matrix returns by rows the derivatives of along and sine by the arc lengths of both curves, theory.md (U8).
func (s *sight) matrix() (A [4]float64) {
	return [4]float64{s.bend[0]*s.gap - 1, s.tau, -s.bend[0] * s.tau, s.bend[1]}
}

// solve2 returns x with A·x = b, and the determinant of A.
func solve2(A *[4]float64, b [2]float64) (x [2]float64, det float64) {
	det = A[0]*A[3] - A[1]*A[2]
	return [2]float64{(b[0]*A[3] - A[1]*b[1]) / det, (A[0]*b[1] - b[0]*A[2]) / det}, det
}

// merit returns the sum of the squared residuals of the equations, m².
func (q *pair) merit(s *sight) float64 {
	a := q.size * s.sine
	return s.along*s.along + a*a
}

// descend moves the parameters at, with their sight now, to a solution, by Newton steps and, where these do not reduce the residual, by
// steps of Levenberg and Marquardt. It reports whether the side of the curvatures has remained the given one on the way, and returns
// true for side 0. Beyond a place of equal curvatures there is another contact, or none.
func (q *pair) descend(at *[2]float64, now *sight, side float64) (kept bool) {
	var next sight
	kept = true
	left, mu, last := q.merit(now), 0.0, math.Inf(1)
	var span [2]float64
	for i, c := range q.c {
		from, to := c.Span()
		span[i] = to - from
	}
	for range touchSteps {
		A := now.matrix()
		A[2], A[3] = q.size*A[2], q.size*A[3]
		b := [2]float64{-now.along, -q.size * now.sine}
		if mu > 0 { // (AᵀA + μ)·x = Aᵀb
			b = [2]float64{A[0]*b[0] + A[2]*b[1], A[1]*b[0] + A[3]*b[1]}
			off := A[0]*A[1] + A[2]*A[3]
			A = [4]float64{A[0]*A[0] + A[2]*A[2] + mu, off, off, A[1]*A[1] + A[3]*A[3] + mu}
		}
		step, _ := solve2(&A, b)
		arc, size := step, 0.0 // arc lengths; the larger step, relative to the range of its parameter
		for i := range step {
			step[i] /= now.speed[i]
			size = max(size, math.Abs(step[i])/span[i])
		}
		if !(size > touchStill) || size < touchTiny && size >= last/2 {
			break // found, or rounding; a step of NaN ends here too
		}
		if q.rough && mu == 0 && size <= touchRough { // derivatives of the gap by arc: −κ·along and sine, zero at the solution
			*at, q.ended = [2]float64{at[0] + step[0], at[1] + step[1]}, true
			now.gap += (now.sine*arc[1] - now.bend[0]*now.along*arc[0]) / 2
			break
		}
		if size > touchStride {
			step = [2]float64{step[0] * touchStride / size, step[1] * touchStride / size}
		}
		kept = kept && now.side()*side >= 0
		to := [2]float64{at[0] + step[0], at[1] + step[1]}
		q.seeTo(&next, to[0], to[1])
		if after := q.merit(&next); after <= left || size < touchTiny {
			*at, *now, left, last = to, next, after, size
			if mu *= 0.1; mu < touchDamp {
				mu = 0
			}
			continue
		}
		mu = max(10*mu, touchDamp)
	}
	return kept && now.side()*side >= 0
}

// found reports whether s is a solution.
func (q *pair) found(s *sight) bool { return q.merit(s) <= touchFound*touchFound*q.size*q.size }

// search returns the parameters of the solution with the smallest gap, of several the one with the smallest u and then w, and the sight
// there. ok is false if there is no solution. Each sample of S's curve is paired with the best sample of P's curve, and searches start
// from the best of these pairs.
func (q *pair) search() (best [2]float64, s sight, ok bool) {
	var start [touchTried][2]float64 // the best pairs, the best first
	var depth [touchTried]float64    // their squared residuals with the gap, m²
	tried := 0
	var places [touchSamples + 1]curves.Place
	var now sight
	for i := range places {
		places[i] = q.c[0].At(sampleOf(q.c[0], i))
	}
	for j := range touchSamples + 1 {
		w := sampleOf(q.c[1], j)
		b := q.c[1].At(w)
		var low [2]float64
		least := math.Inf(1)
		for i := range touchSamples + 1 {
			q.betweenTo(&now, &places[i], &b)
			if m := q.merit(&now) + now.gap*now.gap; m < least {
				low, least = [2]float64{sampleOf(q.c[0], i), w}, m
			}
		}
		k := min(tried, touchTried-1)
		if tried == touchTried && !(least < depth[k]) {
			continue
		}
		for ; k > 0 && least < depth[k-1]; k-- {
			start[k], depth[k] = start[k-1], depth[k-1]
		}
		start[k], depth[k] = low, least
		tried = min(tried+1, touchTried)
	}
	for k := range tried {
		at := start[k]
		q.seeTo(&now, at[0], at[1])
		q.descend(&at, &now, 0)
		if !q.found(&now) {
			continue
		}
		for i, c := range q.c {
			at[i] = c.Within(at[i])
		}
		more := math.Abs(now.gap) - math.Abs(s.gap)
		eps := touchAlike * q.size
		if !ok || more < -eps || more <= eps && (at[0] < best[0] || at[0] == best[0] && at[1] < best[1]) {
			best, s, ok = at, now, true
		}
	}
	return best, s, ok
}

// sampleOf returns the parameter of sample i.
func sampleOf(c *curves.Curve, i int) float64 {
	from, to := c.Span()
	return from + (to-from)*float64(i)/touchSamples
}

// find returns the parameters of the contact, its sight and its side. near has both parameters and the side, or is nil: then search
// finds the contact. Else a search from near, or from start if that is not nil, finds it. The parameters are without the whole laps
// of near, which find stores in q.laps. If the points of near are far from each other, near belongs to another state; if the curves
// also do not nearly touch at the contact found, find takes the contact of search, if its gap is smaller. ok is false if there is no
// contact.
func (q *pair) find(near []float64, start *[2]float64) (at [2]float64, s sight, side float64, ok bool) {
	if near == nil {
		at, s, ok = q.search()
		return at, s, s.side(), ok
	}
	var from [2]float64
	for i, c := range q.c {
		q.laps[i] = c.Laps(near[i])
		from[i] = c.Within(near[i] - q.laps[i])
	}
	if at = from; start != nil {
		at = *start
	}
	q.seeTo(&s, at[0], at[1])
	apart := s.along*s.along + s.gap*s.gap
	ok = q.descend(&at, &s, near[2])
	ok = ok && (q.ended || q.found(&s))
	if side = near[2]; side == 0 {
		side = s.side()
	}
	far := touchAstray * q.size
	if !(apart > far*far) || ok && (q.open || math.Abs(s.gap) <= far) {
		return at, s, side, ok
	}
	q.rough, q.ended = false, false
	other, t, some := q.search()
	if !some || ok && !(math.Abs(t.gap) < math.Abs(s.gap)-touchAlike*q.size) {
		return at, s, side, ok
	}
	for i, c := range q.c {
		if a, b := c.Span(); c.IsClosed() {
			other[i] += (b - a) * math.RoundToEven((from[i]-other[i])/(b-a))
		}
	}
	return other, t, t.side(), true
}

// side returns the sign of the difference of the curvatures.
func (s *sight) side() float64 { return math.Copysign(1, s.bend[0]-s.bend[1]) }

// regular reports whether the difference of the curvatures has the sign side and is large enough to determine the contact; size is
// the size of the smaller curve, m.
func (s *sight) regular(size, side float64) bool {
	A := s.matrix()
	_, det := solve2(&A, [2]float64{})
	return det*side > touchFeeble*(math.Abs(s.bend[0])+math.Abs(s.bend[1])+1/size)
}

// Found holds the result of a search of FindTo. In Frames.Found it saves the search to evaluations at the same pose with the same Near.
type Found struct {
	ep, es spatial.Mat3
	r      spatial.Vec3
	near   [3]float64 // copy of Frames.Near
	had    bool       // Frames.Near was not nil

	at    [2]float64 // parameters, without whole laps
	laps  [2]float64 // whole laps
	side  float64    // as Touch.Side
	seen  sight      // at the contact
	holds bool       // the search has found a contact
	full  bool       // there is a result
	rough bool       // the search has ended early: another one starts from at
}

// is reports whether a search at f would find the same bits. It is false for a nil Found and for a rough result.
func (m *Found) is(f *Frames) bool {
	return m != nil && m.full && !m.rough && m.r == f.R && m.ep == f.EP && m.es == f.ES && m.from(f)
}

// from reports whether the search was one from f.Near.
func (m *Found) from(f *Frames) bool {
	if m.had != (f.Near != nil) {
		return false
	}
	for i, x := range f.Near {
		if m.near[i] != x {
			return false
		}
	}
	return true
}
