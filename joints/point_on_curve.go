package joints

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// The origin of S, a point of the successor, lies on a curve of the predecessor, and S turns freely there, like a bead on a wire. Its
// foot on the curve is found from Frames.Near, theory.md (U2), so that a curve may cross itself. A planar joint leaves z of P free: the
// curve then acts as a cylinder along z, and the joint has one row, so that it is not redundant in a planar mechanism. The freedoms are
// the rotations about P's axes, without coordinates, the arc length along the curve, and for a planar joint the displacement along z.

// ErrCurve is wrapped by the error of Check for a joint whose kind and curve do not go together.
var ErrCurve = errors.New("joints: not a point_on_curve joint with a curve, or a curve_on_curve joint with two")

// ErrFoot is the error of EvalTo for a point_on_curve joint.
var ErrFoot = errors.New(
	"joints: the point has no foot on its curve: the curve has no tangent there, or the point is at its centre of curvature")

// parameter returns the parameter u + laps of the foot of S's origin, as curves.Curve.NearestFrom does. It panics without a curve.
func (s *Spec) parameter(f *Frames) (u, laps float64) {
	if s.Curve == nil {
		panic(badKind)
	}
	if f.Found.is(f) {
		return f.Found.at[0], f.Found.laps[0]
	}
	var p spatial.Vec3
	f.EP.TMulVecTo(&p, &f.R)
	flat := s.Kind.planarCurve()
	if f.Near == nil {
		return s.Curve.Nearest(&p, flat), 0
	}
	return s.Curve.NearestFrom(&p, flat, f.Near[0])
}

// bead is a point on its curve, theory.md (U3) to (U5). Frame: axes of P.
type bead struct {
	u, rate float64         // parameter of the foot, without whole laps, and its rate, 1/s
	d       spatial.Vec3    // from the foot to the point, m
	t, td   spatial.Vec3    // tangent, and its rate
	n, nd   [2]spatial.Vec3 // unit normals, and their rates
	speed   float64         // |c′| at the foot
}

// steep is |z·t| above which the first normal is at right angles to x instead of z.
const steep = 0.9

// place fills b. It returns false where there is no foot: the curve has no tangent, or S's origin is at the centre of curvature. t and
// n are then finite unit vectors, and the rates are zero.
func (b *bead) place(s *Spec, f *Frames) bool {
	var p, v spatial.Vec3
	f.EP.TMulVecTo(&p, &f.R)
	f.EP.TMulVecTo(&v, &f.V)
	flat := s.Kind.planarCurve()
	b.u, _ = s.parameter(f)
	at := s.Curve.At(b.u)
	b.d = p.Sub(at.C)
	if flat {
		b.d[2], at.D[2], at.DD[2] = 0, 0, 0
	}
	b.speed = at.D.Norm()
	holds := !s.Curve.Cusp(b.u, flat)
	if !holds {
		b.t, at.DD = spatial.Vec3{1}, spatial.Vec3{}
	} else {
		b.t = at.D.Scale(1 / b.speed)
	}
	left := b.speed*b.speed - spatial.Dot(&b.d, &at.DD) // (c′)² − d·c″
	if holds = holds && left > feeble*b.speed*b.speed; holds {
		b.rate = spatial.Dot(&at.D, &v) / left
	}
	if holds {
		along := spatial.Dot(&b.t, &at.DD)
		for i := range 3 {
			b.td[i] = (at.DD[i] - along*b.t[i]) * (b.rate / b.speed)
		}
	}
	b.placeNormals()
	return holds
}

// placeNormals stores the normals and their rates, from the tangent and its rate: n₀ = a×t/|a×t|, n₁ = t×n₀, with a along z or x of P.
func (b *bead) placeNormals() {
	a := spatial.Vec3{0, 0, 1}
	if math.Abs(b.t[2]) > steep {
		a = spatial.Vec3{1}
	}
	n := a.Cross(b.t)
	size := n.Norm()
	n0 := n.Scale(1 / size)
	nd := a.Cross(b.td)
	spatial.AddScaledTo(&nd, &nd, -spatial.Dot(&nd, &n0), &n0)
	b.n[0], b.nd[0] = n0, nd.Scale(1/size)
	b.n[1] = b.t.Cross(n0)
	b.nd[1] = b.td.Cross(n0).Add(b.t.Cross(b.nd[0]))
}

// feeble is the least |c′|² − d·c″, relative to |c′|²; d leads from the foot to the point. With less the point counts as at the centre of
// curvature.
const feeble = 1e-6

// pointOnCurveRows fills out with the rows of theory.md (U3), with T˚·V̂ by (U5). It returns false where there is no foot.
func pointOnCurveRows(out *Rows, f *Frames, s *Spec) bool {
	var b bead
	if !b.place(s, f) {
		return false
	}
	out.Arm, out.Slip = f.R, f.V
	for k := range s.Kind.Constraints() {
		n, nd := f.EP.MulVec(b.n[k]), f.EP.MulVec(b.nd[k])
		spatial.AddScaledTo(&out.Arm, &out.Arm, -spatial.Dot(&b.n[k], &b.d), &n)
		out.point(&spatial.Vec3{}, &n, spatial.Dot(&nd, &f.V), &f.V)
	}
	return true
}

// pointOnCurveMotions stores in S the rotations about P's axes, the translation along the curve, and for a planar joint the translation
// along z.
func pointOnCurveMotions(S *[6]spatial.Motion, f *Frames, s *Spec) {
	var b bead
	b.place(s, f)
	turns(S, &f.EP)
	t := f.EP.MulVec(b.t)
	S[3][3], S[3][4], S[3][5] = t[0], t[1], t[2]
	if s.Kind.planarCurve() {
		slide(&S[4], &f.EP, 2)
	}
}

// pointOnCurveDuals stores in D the wrenches dual to the rotations, to the arc length and, for a planar joint, to the displacement
// along z. It returns their number.
func pointOnCurveDuals(D *[6]spatial.Force, f *Frames, s *Spec) int {
	var b bead
	b.place(s, f)
	n := sphericalDuals(D, f)
	t := f.EP.MulVec(b.t)
	D[n][3], D[n][4], D[n][5] = t[0], t[1], t[2]
	if n++; s.Kind.planarCurve() {
		force(&D[n], &f.EP, 2)
		n++
	}
	return n
}

// pointOnCurveRate returns T˚·V̂ of the arc length, m/s². It is zero if the velocity of the point is along the curve.
func pointOnCurveRate(f *Frames, s *Spec) float64 {
	var b bead
	b.place(s, f)
	td := f.EP.MulVec(b.td)
	return spatial.Dot(&td, &f.V)
}

// pointOnCurveCoordinates stores in q[3] the arc length from the start of the curve, theory.md (U11), and in q[4], for a planar joint,
// the displacement along z, both in m.
func pointOnCurveCoordinates(q *[6]float64, f *Frames, s *Spec) {
	flat := s.Kind.planarCurve()
	u, laps := s.parameter(f)
	q[3] = s.Curve.Arc(u, laps, flat)
	if flat {
		q[4] = along(&f.EP, 2, &f.R)
	}
}

// pointOnCurveError stores in delta the displacements of the point from its foot along the normals, m.
func pointOnCurveError(delta *[6]float64, f *Frames, s *Spec) {
	var b bead
	b.place(s, f)
	for k := range s.Kind.Constraints() {
		delta[k] = spatial.Dot(&b.n[k], &b.d)
	}
}

// curveBend stores in B the term of a point on a curve, as BendTo does: as the point moves by x, the normals turn with the tangent t, and
// the part F of the force at right angles to the curve changes by −t·(F·c″)(t·x)/(c′)². Changes along the normals are left out, as
// multipliers of the rows can make them.
func (s *Spec) curveBend(B *[36]float64, force *spatial.Vec3, f *Frames) {
	var b bead
	if !b.place(s, f) {
		return
	}
	at := s.Curve.At(b.u)
	F, t := f.EP.TMulVec(*force), f.EP.MulVec(b.t)
	if s.Kind.planarCurve() {
		at.DD[2] = 0
	}
	spatial.AddScaledTo(&F, &F, -spatial.Dot(&F, &b.t), &b.t) // as b.t turns, the force along it changes along the normals alone
	bend := spatial.Dot(&F, &at.DD) / (b.speed * b.speed)
	for i := range 3 {
		for k := range 3 {
			B[18+6*i+3+k] = bend * t[i] * t[k]
		}
	}
}
