package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A target is a joint between the wanted frame W, at rest in R, and the frame B of the body. With δ the position errors of this joint, the
// errors of the target are e = −δ, docs/inverse-kinematics.md (T1). The rows of the target are rows of the joint,
// docs/inverse-kinematics.md (T2). Only the centre of mass of several bodies is no joint.

// target is a Target with numbers in place of names. Its wanted place may change; everything else is constant.
type target struct {
	*Target
	wanted
	joint   mechanism.Joint   // its frame P is W, its frame S is B; of a Coordinate a copy of the mechanism's joint
	freedom mechanism.Freedom // of a Coordinate
	pointer spatial.Vec3      // of an Axis: its unit axis in the frame of the body
	bodies  []int32           // of a Com
	share   []float64         // of a Com: masses of the bodies as parts of the whole

	first, n  int        // its rows in the problem are first … first+n−1, rows of weight 0 left out
	row       [6]int8    // by row: its number among the rows of the joint; of a Com, its axis of R
	own       [6]int8    // by row: its number among the rows of the type
	weight    [6]float64 // by row: its weight, for angles times the length of the problem; not zero
	angular   [6]bool    // by row: it is an angle
	uneven    bool       // the rows of a rotation have different weights, and are derivatives of the rotation vector (turnRows)
	level     int
	tolerance [2]float64 // m, rad
}

// wanted is the wanted place of a target.
type wanted struct {
	position    spatial.Vec3 // in R, m
	orientation spatial.Quat // B → R
	value       float64      // of a Coordinate, rad or m; the length of a Distance, m
}

// targetTraits gives for each type of target its number of rows, the joint that has these rows, and the number of the first of them among
// the rows of the joint. The rows of a Coordinate depend on its joint.
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

// String returns the name in rung-ik/1.
func (t TargetType) String() string {
	if t >= NumTargetTypes {
		return "TargetType(?)"
	}
	return targetTraits[t].name
}

// Rows returns the number of rows of a target of the type, rows of weight 0 included.
//
// It panics if t is no type of target.
func (t TargetType) Rows() int { return targetTraits[t].rows }

// setJoint makes the joint of t between the bodies relative and body. For a Coordinate it copies the joint of m, with the freedom
// prescribed, so that it has a row.
func (t *target) setJoint(m *mechanism.Mechanism, relative, body int32) {
	spec := joints.Spec{Kind: targetTraits[t.Type].kind, Length: 1}
	if t.Type == Coordinate {
		t.joint = m.Joints[t.freedom.Joint]
		spec = t.joint.Spec
		spec.Motion = new([6]*joints.Motion)
		spec.Motion[t.freedom.Freedom] = &joints.Motion{Kind: joints.Polynomial} // its value is not used: errorsTo takes t.value
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

// aim moves the frames of the joint to the wanted place. The wanted orientation goes into S and not into P, so that rows and errors are in
// the axes of R, docs/inverse-kinematics.md (T3).
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

// unit returns v divided by its length. v is not zero; its square may overflow or vanish.
func unit(v spatial.Vec3) spatial.Vec3 {
	most := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	v = spatial.Vec3{v[0] / most, v[1] / most, v[2] / most}
	return v.Scale(1 / v.Norm())
}

// unitQuat returns q divided by its length, and the identity if q is zero.
func unitQuat(q [4]float64) spatial.Quat {
	if q == ([4]float64{}) {
		return spatial.IdentityQuat()
	}
	return spatial.Quat(q).Normalize()
}

// axesAlong returns axes whose third is the unit vector a, by the shortest rotation from the z axis.
func axesAlong(a spatial.Vec3) spatial.Mat3 {
	x, y := joints.AxisError(&a)
	return spatial.Exp(spatial.Vec3{x, y, 0}).Mat()
}

// bodyRows are the rows of a target on one body: row k is F[k]·v, where v is the velocity of the body about its centre of mass in world
// axes.
type bodyRows struct {
	body int32
	F    [6]spatial.Force
}

// targetRows are errors and rows of a target at one state.
type targetRows struct {
	e     [6]float64 // errors, weighted
	sides []bodyRows // rows, weighted, (T2)
	wound float64    // of a Coordinate with turns: its coordinate is taken within half a turn of this, rad

	jk   mechanism.JointKinematics
	rows joints.Rows
}

// rateOf returns T·v of row k, where v has six numbers a body, its velocity about its centre of mass.
func (s *targetRows) rateOf(k int, v []float64) (sum float64) {
	for i := range s.sides {
		x := spatial.Motion(v[6*s.sides[i].body:])
		sum += x.Dot(&s.sides[i].F[k])
	}
	return sum
}

// newTargetRows allocates the memory for errors and rows of t.
func (t *target) newTargetRows() *targetRows {
	return &targetRows{sides: make([]bodyRows, 0, len(t.bodies)+2)}
}

// evaluateTo stores errors and rows of t at st, whose bodies have the kinematics k. The row of a Coordinate is zero where its composite
// joint is in a gimbal lock: treeEngine does not need it, and the other methods fail there, as they need the rows of the joint itself.
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
		// Where the points coincide, any direction increases their distance: P's z is taken.
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

// addSide adds the rows on a body: the joint's wrenches at the origin of S, which is at arm from the body's centre of mass, times sign.
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

// errorsTo stores the weighted errors of a target that is a joint, at the frames s.jk.
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

// coordinate returns the coordinate of the target's freedom, rad or m. Of the values of an angle it is the one nearest to s.wound if turns
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

// evaluateComTo is evaluateTo for a common centre of mass, docs/inverse-kinematics.md (T4). Against rounding, it subtracts the positions of
// bodies, which may be far from the origin, before it adds arms.
func (t *target) evaluateComTo(s *targetRows, k *mechanism.Kinematics, st *mechanism.State) {
	// The wanted place is origin + arm, with the axes E of R; c is the vector from there to the common centre of mass. World axes.
	var origin, arm, c spatial.Vec3
	E := spatial.Identity3()
	if r := t.joint.Pred; r >= 0 {
		origin, arm, E = st.Bodies[r].Position, k.Bodies[r].E.MulVec(t.position), k.Bodies[r].E
	} else {
		origin = t.position
	}
	for i, b := range t.bodies {
		p := st.Bodies[b].Position.Sub(origin).Add(k.Bodies[b].Com.Sub(arm))
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
		t.addComSide(s, r, &E, c.Add(arm).Sub(k.Bodies[r].Com), -1)
	}
}

// addComSide adds the rows on a body: unit forces along the axes E, at arm from the body's centre of mass, times sign.
func (t *target) addComSide(s *targetRows, body int32, E *spatial.Mat3, arm spatial.Vec3, sign float64) {
	s.sides = s.sides[:len(s.sides)+1]
	out := &s.sides[len(s.sides)-1]
	out.body = body
	for k := range t.n {
		f := E.Col(int(t.row[k])).Scale(sign * t.weight[k])
		out.F[k] = spatial.NewForce(arm.Cross(f), f)
	}
}

// Where all rows of a rotation have the same weight, the angular velocity may stand for the derivative of the rotation vector, as the
// gradient of the vector's square is the same. With different weights it may not: the error of a row of weight 0 may be large to the end,
// and then the two differ.

// turnRows replaces the angular velocities in s.rows by the derivatives of the rotation vector: in the first three rows of a fixed joint,
// in the last two of a revolute one, docs/inverse-kinematics.md, Targets.
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

// leastSine is the sine of the angle between an axis and its wanted direction below which they are parallel, or opposite, to rounding.
const leastSine = 1e-8

// tiltRows is turnRows for an axis a, in the axes of P. The shortest rotation from z to a is by the angle θ about n; its rotation vector is
// θ n, with the rate n (n·ω) + (θ/sin θ) (z×n) ((a×n)·ω).
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
