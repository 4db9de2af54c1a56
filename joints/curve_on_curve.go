package joints

import (
	"errors"

	"github.com/rung-mbd/rung/spatial"
)

// A curve of the successor touches a curve of the predecessor: a cam and its follower. Seen along z of P, they have a point and the
// tangent there in common; z is ignored, so that the curve of P acts as a cylinder. The one row is a force along the common normal.
// The joint has no generalized forces. Frames.Near has both parameters and the side, which is the sign of the difference of the
// curvatures. The side tells contact from outside from contact from inside, and does not change as long as the curves touch.

// ErrTouch is the error of EvalTo for a curve_on_curve joint.
var ErrTouch = errors.New("joints: the curves have no common tangent, or one radius of curvature is too small for the other curve")

// Touch is where the curves of a curve_on_curve joint touch.
type Touch struct {
	U, W       float64      // parameters of the predecessor's curve and of the successor's
	Side       float64      // ±1, the sign of the difference of the Curvatures: as the state carries it, else as it is at the pose
	Curvatures [2]float64   // of both curves, positive where the curve bends towards Normal, 1/m
	Point      spatial.Vec3 // from the origin of S, world axes, m
	Normal     spatial.Vec3 // of the predecessor's curve, to the left of its direction, world axes
	Gap        float64      // distance of the successor's curve from the predecessor's along Normal, m
	Holds      bool         // a contact was found, and the curvatures differ by enough and with the sign Side
}

// TouchTo stores in out where the curves of a curve_on_curve joint touch, theory.md (U7).
//
// Cost: a search, no allocation. It panics if s has not two curves.
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

// take stores in t the contact that a search has found, without Point and Normal. at holds the parameters less whole laps; ok
// tells whether the search has found a contact.
func (t *Touch) take(s *Spec, seen *sight, at, laps [2]float64, side float64, ok bool) {
	*t = Touch{U: at[0] + laps[0], W: at[1] + laps[1], Side: side, Curvatures: seen.bend, Gap: seen.gap}
	t.Holds = ok && seen.regular(min(s.Curve.Size(), s.SuccessorCurve.Size()), side)
}

// contact is a curve_on_curve joint at one instant. Frame: axes of P.
type contact struct {
	Touch
	s sight
}

// find fills c, without Point and Normal, and returns c.Holds. It panics if s has not two curves.
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

// rates returns the rates of the arc lengths of the contact along both curves. v is the velocity of S at the contact and omega its
// angular velocity, relative to P, axes of P, theory.md (U8).
func (c *contact) rates(v, omega *spatial.Vec3) [2]float64 {
	A := c.s.matrix()
	turned := omega.Cross(c.s.x)
	x, _ := solve2(&A, [2]float64{-spatial.Dot(&c.s.t, v), -spatial.Dot(&c.s.n, &turned)})
	return x
}

// turning returns T˚·V̂ of the row along the normal, theory.md (U9).
func (c *contact) turning(f *Frames) float64 {
	w, v := f.EP.TMulVec(f.OmegaS.Sub(f.OmegaP)), f.EP.TMulVec(f.V)
	v = v.Add(w.Cross(c.s.p)) // velocity of S at the contact
	rate := c.rates(&v, &w)
	pd := w.Cross(c.s.p) // p˚, first its part from the turning of S
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

// curveOnCurveMotions stores in S the rotations about the contact, and the translations along the tangent and z.
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

// curveOnCurveError stores the gap in delta[0], m.
func curveOnCurveError(delta *[6]float64, f *Frames, s *Spec) {
	var c contact
	c.find(s, f)
	delta[0] = c.Gap
}

// touchRateTo is VelocityErrorTo for a joint without prescribed freedoms: e[0] is the rate of the gap, T·V̂ of the row of
// theory.md (U9), m/s. It returns the error of NoRows if the curves do not touch.
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

// touchRatesTo is NearRatesTo of a curve_on_curve joint: qd[0] and qd[1] are the rates of the two parameters, zero if the curves do
// not touch.
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

// touchBend adds the term of a curve_on_curve joint to B, as BendTo does, for the contact force in world axes, theory.md (U10): as S
// moves, the force turns with the normal, and the contact moves along both curves.
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
