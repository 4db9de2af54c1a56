package joints

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// The wheel of a rolling joint belongs to the successor: centre at the origin of S, axle along z of S, outer radius Radius and a round
// tyre of radius Tyre, from 0 (a disc with a sharp edge) to Radius (a sphere). It rests on the plane of the
// predecessor, z = 0 in P, on the side to which z of P points. Row 0 keeps the lowest point of the wheel in the plane.
// The other rows constrain velocities alone (Kind.VelocityRows): they keep the material point of the wheel at the contact from slipping
// along the heading of the wheel and at right angles to it. A sphere has no heading; its rows are along x and y of P, and it may rest in
// a bowl (bowl.go). Any wheel may rest on a surface (terrain.go).

// ErrFlat is the error of EvalTo for a wheel on a plane.
var ErrFlat = errors.New("joints: the wheel of a rolling joint lies flat on its plane, so that it has no lowest point")

// Slip says along which directions the wheel of a rolling joint may slip on its plane.
type Slip uint8

// The directions. The heading of a wheel is the direction in which it rolls, along z_S×z_P.
const (
	SlipNone   Slip = iota // the wheel rolls
	SlipAlong              // along the heading: a locked or spinning wheel guided by its edge, or a skate
	SlipAcross             // at right angles to the heading: a wheel that drives and has no side force
	SlipBoth               // in all directions: the wheel only touches
	numSlips
)

var slipNames = [numSlips]string{"none", "along", "across", "both"}

// String returns the name of rung-model/1.
func (s Slip) String() string {
	if s >= numSlips {
		return fmt.Sprintf("Slip(%d)", uint8(s))
	}
	return slipNames[s]
}

// Valid reports whether s is one of the directions.
func (s Slip) Valid() bool { return s < numSlips }

// mayAlong and mayAcross report whether the wheel may slip along its heading, and at right angles to its heading.
func (s Slip) mayAlong() bool  { return s == SlipAlong || s == SlipBoth }
func (s Slip) mayAcross() bool { return s == SlipAcross || s == SlipBoth }

// checkWheel returns an error that wraps ErrWheel if the wheel, bowl or surface of a rolling joint is invalid.
func (s *Spec) checkWheel() error {
	switch slip := s.Kind.Slip(); {
	case !(s.Radius > 0) || !algebra.Finite(s.Radius):
		return fmt.Errorf("%w: its radius %v is not positive and finite", ErrWheel, s.Radius)
	case !(s.Tyre >= 0 && s.Tyre <= s.Radius):
		return fmt.Errorf("%w: its tyre radius %v is not from 0 to its radius %v", ErrWheel, s.Tyre, s.Radius)
	case s.Tyre == s.Radius && slip != SlipNone && slip != SlipBoth:
		return fmt.Errorf("%w: a sphere has no heading, so that it slips nowhere or both ways, not %v", ErrWheel, slip)
	}
	if s.Ground != nil && s.Bowl != 0 {
		return fmt.Errorf("%w: it has a bowl and a surface", ErrWheel)
	}
	return s.checkBowl()
}

// place fills w, theory.md (W1). It returns false where the wheel lies flat, a ball is at the centre of its sphere, or a wheel has no
// foot on its surface. A wheel that lies flat on a plane then has x of P as its heading, and p along z of P.
func (w *wheel) place(s *Spec, f *Frames) bool {
	w.setAxes(s, f)
	switch {
	case s.Bowl != 0:
		return w.placeOnSphere(s, f)
	case s.Ground != nil:
		return w.placeOnSurface(s, f)
	case w.sphere:
		return true
	}
	w.c = spatial.Dot(&w.a, &w.n)
	heading := w.a.Cross(w.n)
	w.s = heading.Norm()
	if !(w.s > flat) {
		return false
	}
	w.t = heading.Scale(1 / w.s)
	w.l, w.u = w.n.Cross(w.t), w.t.Cross(w.a)
	spatial.AddScaledTo(&w.p, &w.p, -w.rim, &w.u)
	return true
}

// height returns the height of the wheel's lowest point above the plane, the sphere or the surface, m: theory.md (W2), (W9) and (W11).
func (w *wheel) height(s *Spec, f *Frames) float64 {
	switch {
	case s.Bowl != 0:
		return w.side*w.far + s.Bowl - s.Tyre
	case s.Ground != nil:
		return w.stand.gap
	}
	return spatial.Dot(&w.n, &f.R) - w.rim*w.s - s.Tyre
}

// rollingRows fills out with the rows of theory.md (W3), with T˚·V̂ by (W5). It returns false where place does.
func rollingRows(out *Rows, f *Frames, s *Spec) bool {
	var w wheel
	if !w.place(s, f) {
		return false
	}
	r := f.OmegaS.Sub(f.OmegaP)
	v := f.V.Add(r.Cross(w.p))      // velocity of the material point of the wheel at the contact
	var nd, td, ld, pd spatial.Vec3 // rates of w.n, w.t, w.l and w.p
	switch {
	case s.Bowl != 0: // theory.md (W10)
		nd = w.leaning(&f.V)
		td, ld, pd = w.carriedBy(&w.x, &nd), w.carriedBy(&w.y, &nd), nd.Scale(-s.Tyre)
	case s.Ground != nil:
		var d wheelRates
		w.ratesTo(&d, s, &f.V, &r)
		nd, td, ld, pd = d.n, d.t, d.l, d.p
	case !w.sphere: // theory.md (W4)
		turn := spatial.Dot(&r, &w.u) / w.s
		td, ld = w.l.Scale(turn), w.t.Scale(-turn)
		spatial.AddScaledTo(&pd, &pd, w.rim*spatial.Dot(&r, &w.t), &w.a)
		spatial.AddScaledTo(&pd, &pd, -w.rim*w.c*turn, &w.t)
	}
	rate := r.Cross(pd) // change of v with the contact
	out.Arm, out.Slip = f.R, f.V
	spatial.AddScaledTo(&out.Arm, &f.R, -w.height(s, f), &w.n)
	out.point(&w.p, &w.n, spatial.Dot(&w.n, &rate)+spatial.Dot(&nd, &v), &v)
	slip := s.Kind.Slip()
	if !slip.mayAlong() {
		out.point(&w.p, &w.t, spatial.Dot(&w.t, &rate)+spatial.Dot(&td, &v), &v)
	}
	if !slip.mayAcross() {
		out.point(&w.p, &w.l, spatial.Dot(&w.l, &rate)+spatial.Dot(&ld, &v), &v)
	}
	return true
}

// point adds a row: a unit force along d at the point p from the origin of S. tdot is T˚·V̂, and v the velocity of S at the point. The
// component of v along d violates the row, and is subtracted from Slip.
func (out *Rows) point(p, d *spatial.Vec3, tdot float64, v *spatial.Vec3) {
	k := out.N
	T := &out.T[k]
	T[0], T[1], T[2] = p[1]*d[2]-p[2]*d[1], p[2]*d[0]-p[0]*d[2], p[0]*d[1]-p[1]*d[0]
	T[3], T[4], T[5] = d[0], d[1], d[2]
	out.TDot[k] = tdot
	spatial.AddScaledTo(&out.Slip, &out.Slip, -spatial.Dot(d, v), d)
	out.N++
}

// rollingMotions stores in S the rotations of the wheel about its lowest point, then the translations in the directions of slip.
func rollingMotions(S *[6]spatial.Motion, f *Frames, s *Spec) {
	var w wheel
	w.place(s, f)
	turns(S, &f.EP)
	for k := range 3 {
		e := S[k].Angular()
		v := w.p.Cross(e)
		S[k][3], S[k][4], S[k][5] = v[0], v[1], v[2]
	}
	k := 3
	slip := s.Kind.Slip()
	if slip.mayAlong() {
		S[k][3], S[k][4], S[k][5] = w.t[0], w.t[1], w.t[2]
		k++
	}
	if slip.mayAcross() {
		S[k][3], S[k][4], S[k][5] = w.l[0], w.l[1], w.l[2]
	}
}

// rollingError stores the height of the lowest point in delta[0], m. Rows of velocities have no position error.
func rollingError(delta *[6]float64, f *Frames, s *Spec) {
	var w wheel
	w.place(s, f)
	delta[0] = w.height(s, f)
}

// rollingBend stores in B the term of a rolling joint, as BendTo does, theory.md (W8): t, l and p change with the heading and the tilt of
// the wheel.
func (s *Spec) rollingBend(B *[36]float64, force *spatial.Vec3, f *Frames) {
	var w wheel
	switch ok := w.place(s, f); {
	case ok && s.Bowl != 0:
		w.bowlBend(B, s, force)
		return
	case ok && s.Ground != nil:
		w.groundBend(B, s, force)
		return
	case !ok || w.sphere:
		return
	}
	along, across := spatial.Dot(force, &w.t), spatial.Dot(force, &w.l)
	for k := range 3 {
		turn := w.u[k] / w.s
		dp := w.a.Scale(w.rim * w.t[k]).Sub(w.t.Scale(w.rim * w.c * turn))
		df := w.l.Scale(turn * along).Sub(w.t.Scale(turn * across))
		dm := dp.Cross(*force).Add(w.p.Cross(df))
		for i := range 3 {
			B[6*i+k], B[18+6*i+k] = -dm[i], -df[i]
		}
	}
}
