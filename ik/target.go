package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A target is a joint between the wanted frame W, at rest in R, and the frame B of the body. With δ the position errors of
// this joint, the errors of the target are e = −δ, docs/inverse-kinematics.md (T1). Its rows are those of the joint,
// docs/inverse-kinematics.md (T2). The one target that is no joint is the centre of mass of several bodies.

// target is a Target by numbers. Where it is wanted may be moved; everything else stays.
type target struct {
	*Target
	wanted
	joint   mechanism.Joint   // P is at W, S at B; of a Coordinate the joint itself
	freedom mechanism.Freedom // of a Coordinate
	pointer spatial.Vec3      // unit axis of an Axis in the frame of the body
	bodies  []int32           // of a Com
	share   []float64         // of a Com: masses of the bodies as parts of the whole

	first, n  int        // rows of the problem, those with a weight only
	row       [6]int8    // which rows of the joint they are; of a Com, which axes of R
	own       [6]int8    // which rows of the target they are
	weight    [6]float64 // of them, with the length of angles in it: ≠ 0
	angular   [6]bool    // of them
	uneven    bool       // the rows of a rotation have different weights, and so are others (turnRows)
	level     int
	tolerance [2]float64 // m, rad
}

// wanted is where a target should be.
type wanted struct {
	position    spatial.Vec3 // in R, m
	orientation spatial.Quat // B → R
	value       float64      // of a Coordinate, rad or m; the length of a Distance, m
}

// targetTraits are the rows of a target of each type: their number, the joint that has them, and the first of them among the joint's rows.
// The rows of a Coordinate depend on the joint.
var targetTraits = [NumTargetTypes]struct {
	name string
	kind joints.Kind
	rows int
	from int
}{
	Point:       {"point", joints.Spherical, 3, 0},
	Orientation: {"orientation", joints.Fixed, 3, 0},
	PoseTarget:  {"pose", joints.Fixed, 6, 0},
	Axis:        {"axis", joints.Revolute, 2, 3},
	Plane:       {"plane", joints.PointOnPlane, 1, 0},
	Distance:    {"distance", joints.Distance, 1, 0},
	Coordinate:  {"coordinate", joints.Free, 1, 0},
	Com:         {"com", joints.Free, 3, 0},
}

// String returns the name of rung-ik/1.
func (t TargetType) String() string {
	if t >= NumTargetTypes {
		return "TargetType(?)"
	}
	return targetTraits[t].name
}

// Rows returns the number of rows of a target of the type, those of weight 0 included.
//
// It panics if t is none.
func (t TargetType) Rows() int { return targetTraits[t].rows }

// setJoint makes the joint of t between the bodies relative and body; of a Coordinate it is a copy of that of m.
func (t *target) setJoint(m *mechanism.Mechanism, relative, body int32) {
	spec := joints.Spec{Kind: targetTraits[t.Type].kind, Length: 1}
	if t.Type == Coordinate {
		t.joint = m.Joints[t.freedom.Joint]
		spec = t.joint.Spec
		spec.Motion = new([6]*joints.Motion)
		spec.Motion[t.freedom.Freedom] = &joints.Motion{Kind: joints.Polynomial} // for its row; its value is t.value
		t.joint.JointSpec = &mechanism.JointSpec{Spec: spec, Rows: int32(spec.NumRows()), Angles: spec.Angles()}
		return
	}
	t.joint = mechanism.Joint{
		JointSpec: &mechanism.JointSpec{Spec: spec, Rows: int32(spec.NumRows()), Angles: spec.Angles()},
		Pred:      relative, Succ: body,
		P: mechanism.Frame{E: spatial.Identity3()}, S: mechanism.Frame{E: spatial.Identity3()},
	}
	if t.Type == Com {
		return
	}
	t.joint.S.Origin = t.Frame.Position
	if t.Type == Axis {
		t.pointer = unitQuat(t.Frame.Orientation).Rotate(unit(t.Axis))
		t.joint.S.E = axesAlong(t.pointer)
	}
	if t.Type == Axis || t.Type == Plane {
		t.joint.P.E = axesAlong(unit(t.Direction))
	}
}

// aim puts the joint's frames where t is wanted. The orientation of W is taken back out of S, so that rows and errors
// are in the axes of R, docs/inverse-kinematics.md (T3).
func (t *target) aim() {
	switch t.Type {
	case Orientation, PoseTarget:
		E := unitQuat(t.Frame.Orientation).Mul(t.orientation.Conj())
		E.MatTo(&t.joint.S.E)
	}
	if t.Type != Coordinate {
		t.joint.P.Origin = t.position
	}
}

// unit returns v of length 1; v is not zero, and its square may overflow or vanish.
func unit(v spatial.Vec3) spatial.Vec3 {
	most := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	v = spatial.Vec3{v[0] / most, v[1] / most, v[2] / most}
	return v.Scale(1 / v.Norm())
}

// unitQuat returns q of length 1; all zeros stand for the identity.
func unitQuat(q [4]float64) spatial.Quat {
	if q == ([4]float64{}) {
		return spatial.IdentityQuat()
	}
	return spatial.Quat(q).Normalize()
}

// axesAlong returns axes of which the third is the unit vector a, turned by the shortest way.
func axesAlong(a spatial.Vec3) spatial.Mat3 {
	x, y := joints.AxisError(&a)
	return spatial.Exp(spatial.Vec3{x, y, 0}).Mat()
}

// bodyRows is what the rows of a target ask of one body: the row k is F[k]·v, v the velocity of the body about its centre
// of mass in world axes.
type bodyRows struct {
	body int32
	F    [6]spatial.Force
}

// targetRows are errors and rows of a target at one state.
type targetRows struct {
	e     [6]float64 // errors, weighted
	sides []bodyRows // rows, weighted, (T2)
	wound float64    // of a Coordinate with turns: its coordinate is read within half a turn of this

	jk   mechanism.JointKinematics
	rows joints.Rows
}

// rateOf returns T·v of row k, v six numbers a body about its centre of mass.
func (s *targetRows) rateOf(k int, v []float64) (sum float64) {
	for i := range s.sides {
		x := spatial.Motion(v[6*s.sides[i].body:])
		sum += x.Dot(&s.sides[i].F[k])
	}
	return sum
}

// newTargetRows returns the memory of what t shows.
func (t *target) newTargetRows() *targetRows {
	return &targetRows{sides: make([]bodyRows, 0, len(t.bodies)+2)}
}

// evaluateTo stores errors and rows of t at st, whose bodies have the kinematics k. The row of a Coordinate is zero where
// its composite joint is in a gimbal lock: the tree engine does not need it, and the joint has no rows for the others.
//
// Cost: O(1), of a Com O(bodies); no allocation.
func (t *target) evaluateTo(s *targetRows, m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) {
	s.sides = s.sides[:0]
	if t.Type == Com {
		t.evaluateComTo(s, k, st)
		return
	}
	m.FramesTo(&s.jk, &t.joint, k, st)
	if t.joint.EvalTo(&s.rows, &s.jk.Frames, 0) != nil && t.Type == Distance {
		// A point at the centre of its distance may leave it in any direction.
		z := s.jk.EP.Col(2)
		s.rows.T[0] = spatial.NewForce(spatial.Vec3{}, z)
	}
	t.errorsTo(s)
	if t.uneven {
		t.turnRows(s)
	}
	if b := t.joint.Succ; b >= 0 {
		t.addSide(s, b, s.jk.ArmS.Sub(k.Bodies[b].Com), 1)
	}
	if b := t.joint.Pred; b >= 0 {
		t.addSide(s, b, s.jk.ArmP.Add(s.jk.R).Sub(k.Bodies[b].Com), -1)
	}
}

// addSide adds the rows on a body, with the origin of S at arm from its centre of mass.
func (t *target) addSide(s *targetRows, body int32, arm spatial.Vec3, sign float64) {
	s.sides = s.sides[:len(s.sides)+1]
	out := &s.sides[len(s.sides)-1]
	out.body = body
	for k := range t.n {
		w, f := sign*t.weight[k], &s.rows.T[t.row[k]]
		n0, n1, n2 := w*f[0], w*f[1], w*f[2]
		f0, f1, f2 := w*f[3], w*f[4], w*f[5]
		out.F[k] = spatial.Force{n0 + (arm[1]*f2 - arm[2]*f1), n1 + (arm[2]*f0 - arm[0]*f2), n2 + (arm[0]*f1 - arm[1]*f0), f0, f1, f2}
	}
}

// errorsTo stores the errors of a target that is a joint.
func (t *target) errorsTo(s *targetRows) {
	var delta [6]float64
	switch t.Type {
	case Coordinate:
		s.e[0] = t.weight[0] * (t.value - t.coordinate(s))
		return
	case Distance:
		s.e[0] = t.weight[0] * (t.value - s.jk.R.Norm())
		return
	}
	t.joint.PositionErrorTo(&delta, &s.jk.Frames, 0)
	for k := range t.n {
		s.e[k] = -t.weight[k] * delta[t.row[k]]
	}
}

// coordinate returns the value of the target's freedom. An angle is chosen modulo 2π: nearest to s.wound if turns
// count, else nearest to the wanted value.
func (t *target) coordinate(s *targetRows) float64 {
	var q, qd [6]float64
	t.joint.Spec.CoordinatesTo(&q, &qd, &s.jk.Frames)
	x, i := q[t.freedom.Freedom], t.freedom.Freedom
	if !t.joint.Winds(i) {
		return x
	}
	if t.Turns {
		return algebra.NearTurn(x, s.wound)
	}
	return t.value - math.Remainder(t.value-x, 2*math.Pi) // algebra.NearTurn(x, t.value), but for rounding
}

// evaluateComTo is evaluateTo for a centre of mass, docs/inverse-kinematics.md (T4). Differences of far points are taken first.
func (t *target) evaluateComTo(s *targetRows, k *mechanism.Kinematics, st *mechanism.State) {
	var far, near, c spatial.Vec3
	E := spatial.Identity3()
	if r := t.joint.Pred; r >= 0 {
		far, near, E = st.Bodies[r].Position, k.Bodies[r].E.MulVec(t.position), k.Bodies[r].E
	} else {
		far = t.position
	}
	for i, b := range t.bodies {
		p := st.Bodies[b].Position.Sub(far).Add(k.Bodies[b].Com.Sub(near))
		spatial.AddScaledTo(&c, &c, t.share[i], &p)
	}
	e := E.TMulVec(c)
	for j := range t.n {
		s.e[j] = -t.weight[j] * e[t.row[j]]
	}
	for i, b := range t.bodies {
		t.addComSide(s, b, &E, spatial.Vec3{}, t.share[i])
	}
	if r := t.joint.Pred; r >= 0 {
		t.addComSide(s, r, &E, c.Add(near).Sub(k.Bodies[r].Com), -1)
	}
}

// addComSide adds forces along the axes E on a body, at arm from its centre of mass.
func (t *target) addComSide(s *targetRows, body int32, E *spatial.Mat3, arm spatial.Vec3, sign float64) {
	s.sides = s.sides[:len(s.sides)+1]
	out := &s.sides[len(s.sides)-1]
	out.body = body
	for k := range t.n {
		f := E.Col(int(t.row[k])).Scale(sign * t.weight[k])
		out.F[k] = spatial.NewForce(arm.Cross(f), f)
	}
}

// Where all rows of a rotation weigh the same, angular velocities do for the
// derivatives of its rotation vector: the gradient of its square is the same.
// Otherwise they do not: what a row of weight 0 leaves may be large at the end, too.

// turnRows puts the derivatives of the rotation vector in place of the angular velocities in s.rows (a fixed joint's
// first three, a revolute one's last two), docs/inverse-kinematics.md, Targets.
func (t *target) turnRows(s *targetRows) {
	if t.Type == Axis {
		t.tiltRows(s)
		return
	}
	var delta [6]float64
	t.joint.PositionErrorTo(&delta, &s.jk.Frames, 0)
	B := rotationRates(spatial.Vec3(delta[:3]))
	var rows [3]spatial.Force
	for i := range rows {
		for j := range 3 {
			for c, x := range s.rows.T[j] {
				rows[i][c] += B[3*i+j] * x
			}
		}
	}
	copy(s.rows.T[:3], rows[:])
}

// leastSine is a sine below which an axis points to where it should, or the other way, to rounding.
const leastSine = 1e-8

// tiltRows is turnRows of an axis a, seen in the axes of P. With n the axis of the shortest rotation there from z, by
// the angle θ, the rotation vector is θ n, and its rate is n (n·ω) + (θ/sin θ) (z×n) ((a×n)·ω).
func (t *target) tiltRows(s *targetRows) {
	P := &s.jk.EP
	a := P.TMulVec(s.jk.ES.Col(2))
	sine := math.Hypot(a[0], a[1])
	if sine < leastSine {
		return
	}
	n := spatial.Vec3{-a[1] / sine, a[0] / sine}
	swing := a.Cross(n).Scale(math.Atan2(sine, a[2]) / sine)
	for i, z := range [2]float64{-n[1], n[0]} {
		row := n.Scale(n[i]).Add(swing.Scale(z))
		s.rows.T[targetTraits[Axis].from+i] = spatial.NewForce(P.MulVec(row), spatial.Vec3{})
	}
}

// rotationRates returns the matrix B(δ) of docs/inverse-kinematics.md, Targets for a rotation vector δ of at most π.
func rotationRates(d spatial.Vec3) spatial.Mat3 {
	a := d.Norm()
	c := 1.0/12 + a*a/720
	if a > 0.01 {
		c = (1 - a/2/math.Tan(a/2)) / (a * a)
	}
	S := d.Skew()
	return spatial.Identity3().Add(S.Scale(-0.5)).Add(S.Mul(S).Scale(c))
}
