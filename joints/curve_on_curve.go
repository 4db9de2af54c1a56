package joints

import (
	"errors"

	"github.com/rung-mbd/rung/spatial"
)

// A curve of the successor touches one of the predecessor: a cam and its follower. In the plane of x and y of P they have one tangent and
// one point in common; z of P is left out, so that the curve of P is a cylinder. One row, a force along the normal where they touch. It
// has no generalized forces. Frames.Near has both parameters and the side: the sign of the difference of the curvatures, which tells
// whether the curves touch from outside or inside, and does not change as long as they do.

// ErrTouch is the failure of EvalTo of a curve_on_curve joint.
var ErrTouch = errors.New("joints: the curves have no common tangent, or one radius of curvature is too small for the other curve")

// Touch is where the curves of a curve_on_curve joint touch.
type Touch struct {
	U, W       float64      // parameters of the predecessor's curve and of the successor's
	Side       float64      // the sign of the difference of Curvatures that the state carries, or has
	Curvatures [2]float64   // of both curves about Normal, 1/m
	Point      spatial.Vec3 // from the origin of S, world axes, m
	Normal     spatial.Vec3 // of the predecessor's curve, to the left of its direction, world axes
	Gap        float64      // by which the successor's curve is away along Normal, m
	Holds      bool         // there is such a place, and the curvatures differ by enough and as Side says
}

// TouchTo stores where the curves of a curve_on_curve joint touch, theory.md (U7).
//
// Cost: a search, no allocation.
func (s *Spec) TouchTo(out *Touch, f *Frames) {
	var c contact
	c.find(s, f)
	c.Point, c.Normal = f.EP.MulVec(c.s.p), f.EP.MulVec(c.s.n)
	*out = c.Touch
}

func (s *Spec) mustTouch() {
	if s.Curve == nil || s.SuccessorCurve == nil {
		panic(badKind)
	}
}

// take stores in t the contact that a search has found, but for Point and Normal.
func (t *Touch) take(s *Spec, seen *sight, at, laps [2]float64, side float64, ok bool) {
	*t = Touch{U: at[0] + laps[0], W: at[1] + laps[1], Side: side, Curvatures: seen.bend, Gap: seen.gap}
	t.Holds = ok && seen.regular(min(s.Curve.Size(), s.SuccessorCurve.Size()), side)
}

// contact is the joint at one instant. Frame: axes of P.
type contact struct {
	Touch
	s sight
}

// find fills c, but for Point and Normal. It returns false where there is no place, and panics without curves.
func (c *contact) find(s *Spec, f *Frames) bool {
	s.mustTouch()
	if m := f.Found; m.is(f) {
		c.s = m.seen
		c.take(s, &c.s, m.at, m.laps, m.side, m.holds)
		return c.Holds
	}
	var p pair
	p.set(s, f)
	at, seen, side, ok := p.find(f.Near, nil)
	c.s = seen
	c.take(s, &c.s, at, p.laps, side, ok)
	return c.Holds
}

// rates returns the rates of the lengths along both curves, as S moves by v at the point and by ω, theory.md (U8).
func (c *contact) rates(v, omega *spatial.Vec3) [2]float64 {
	A := c.s.matrix()
	turned := omega.Cross(c.s.x)
	x, _ := solve2(&A, [2]float64{-spatial.Dot(&c.s.t, v), -spatial.Dot(&c.s.n, &turned)})
	return x
}

// turning returns T˚·V̂ of the row along the normal, theory.md (U9).
func (c *contact) turning(f *Frames) float64 {
	w, v := f.EP.TMulVec(f.OmegaS.Sub(f.OmegaP)), f.EP.TMulVec(f.V)
	v = v.Add(w.Cross(c.s.p)) // of the point of S
	rate := c.rates(&v, &w)
	pd := w.Cross(c.s.p) // p˚
	spatial.AddScaledTo(&pd, &pd, rate[1], &c.s.x)
	turn := w.Cross(pd)
	return -c.s.bend[0]*rate[0]*spatial.Dot(&c.s.t, &v) + spatial.Dot(&c.s.n, &turn)
}

// curveOnCurveRows fills out with the row of theory.md (U9). It returns false where the curves do not touch.
func curveOnCurveRows(out *Rows, f *Frames, s *Spec) bool {
	var c contact
	if !c.find(s, f) {
		return false
	}
	r := f.OmegaS.Sub(f.OmegaP)
	tdot := c.turning(f)
	n, p := f.EP.MulVec(c.s.n), f.EP.MulVec(c.s.p)
	at := f.V.Add(r.Cross(p))
	out.Arm, out.Slip = f.R, f.V
	spatial.AddScaledTo(&out.Arm, &f.R, -c.Gap, &n)
	out.point(&p, &n, tdot, &at)
	return true
}

// curveOnCurveMotions stores the rotations about the point, and the slides along the tangent and z.
func curveOnCurveMotions(S []spatial.Motion, f *Frames, s *Spec) {
	var c contact
	c.find(s, f)
	p, t := f.EP.MulVec(c.s.p), f.EP.MulVec(c.s.t)
	for k := range 3 {
		turn(&S[k], &f.EP, k)
		v := p.Cross(S[k].Angular())
		S[k][3], S[k][4], S[k][5] = v[0], v[1], v[2]
	}
	S[3][3], S[3][4], S[3][5] = t[0], t[1], t[2]
	slide(&S[4], &f.EP, 2)
}

// curveOnCurveError stores the gap.
func curveOnCurveError(delta *[6]float64, f *Frames, s *Spec) {
	var c contact
	c.find(s, f)
	delta[0] = c.Gap
}

// touchRateTo is VelocityErrorTo where nothing is prescribed: the rate of the gap, T·V̂ of the row of theory.md (U9).
func (s *Spec) touchRateTo(e *[6]float64, f *Frames) error {
	var c contact
	if !c.find(s, f) {
		return s.NoRows()
	}
	n, p := f.EP.MulVec(c.s.n), f.EP.MulVec(c.s.p)
	T := spatial.NewForce(p.Cross(n), n)
	var v spatial.Motion
	f.RelativeVelocityTo(&v)
	e[0] = v.Dot(&T)
	return nil
}

// touchRatesTo is NearRatesTo.
func (s *Spec) touchRatesTo(qd *[6]float64, f *Frames) {
	var c contact
	*qd = [6]float64{}
	if !c.find(s, f) {
		return
	}
	w, v := f.EP.TMulVec(f.OmegaS.Sub(f.OmegaP)), f.EP.TMulVec(f.V)
	v = v.Add(w.Cross(c.s.p))
	rate := c.rates(&v, &w)
	qd[0], qd[1] = rate[0]/c.s.speed[0], rate[1]/c.s.speed[1]
}

// touchBend is BendTo of two curves for their force, theory.md (U10): as S moves on, the force turns with the normal, and its point moves
// along both curves.
func (s *Spec) touchBend(B *[36]float64, force *spatial.Vec3, f *Frames) {
	var c contact
	if !c.find(s, f) {
		return
	}
	F := f.EP.TMulVec(*force)
	pull := spatial.Dot(&F, &c.s.n)
	for l := range 6 {
		var x [2]spatial.Vec3 // a small turn or a small slide, in world axes
		x[l/3][l%3] = 1
		turn, move := f.EP.TMulVec(x[0]), f.EP.TMulVec(x[1])
		move = move.Add(turn.Cross(c.s.p))
		rate := c.rates(&move, &turn)
		dp := turn.Cross(c.s.p)
		spatial.AddScaledTo(&dp, &dp, rate[1], &c.s.x)
		dF := c.s.t.Scale(-c.s.bend[0] * rate[0] * pull)
		dN := f.EP.MulVec(dp.Cross(F).Add(c.s.p.Cross(dF)))
		dF = f.EP.MulVec(dF)
		for k := range 3 {
			B[6*k+l], B[18+6*k+l] = -dN[k], -dF[k]
		}
	}
}
