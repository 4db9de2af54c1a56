package outline

import (
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Motion is an elementary motion of a joint, starting from the pose of the model.
type Motion struct {
	Kind    assembly.Kind
	Axis    spatial.Vec3 // unit vector; unused for a ball
	Point   spatial.Vec3 // a point of the axis, m; unused for a translation
	Pitch   float64      // m/rad
	Freedom int          // freedom of the joint with this coordinate; −1 for a ball and a motion without a coordinate
	Zero    float64      // coordinate in the pose of the model, turns included, at which the coordinate of the file is zero
	Rate    float64      // rate of the coordinate in the state of the model
}

// Standing is a joint of a model in the form of formats in which all coordinates are zero in the pose of the
// file. It has a frame that is fixed in the child, and a row of motions, in that frame,
// by which the child moves relative to the parent. The first motion is next to the parent.
type Standing struct {
	Type            model.JointType
	Parent, Child   string
	Back            bool          // the successor of the model's joint is the parent
	At              assembly.Pose // pose of the frame in the child
	Row             []Motion
	Linear, Angular float64 // position error of the joint in the pose of the model, m and rad
}

// Of returns a pose of a model as an assembly.Pose, with a unit quaternion.
func Of(p model.Pose) assembly.Pose {
	q := spatial.Quat(p.Orientation)
	if q == (spatial.Quat{}) {
		q = spatial.IdentityQuat()
	}
	return assembly.Pose{R: p.Position, Q: q.Normalize()}
}

var (
	xAxis = spatial.Vec3{1, 0, 0}
	yAxis = spatial.Vec3{0, 1, 0}
	zAxis = spatial.Vec3{0, 0, 1}
)

// Stand returns joint i in the pose of the model; if back is set, its successor is the parent. It returns false for joints that are not
// a row of motions: distances, curves except whole circles, and joints without constraints.
func (d *Draft) Stand(i int, back bool) (*Standing, bool) {
	j := &d.Model.Joints[i]
	s := &Standing{Type: j.Type, Parent: j.Predecessor, Child: j.Successor, Back: back, At: Of(j.SuccessorFrame)}
	p, q := d.Pose(j.Predecessor).Mul(Of(j.PredecessorFrame)), d.Pose(j.Successor).Mul(Of(j.SuccessorFrame))
	x := p.Inverse().Mul(q) // S in P
	switch {
	case j.Type == model.PointOnCurve && s.circle(j, d.frames(j, p, q), x):
		s.turnBack(j, x)
		return s, true
	case j.Type == model.PointOnCurve || j.Type == model.CurveOnCurve:
		return nil, false
	}
	spec := joints.Spec{Kind: j.Kind(), Pitch: j.Pitch, Length: j.Length}
	if len(j.Turns) > 0 {
		spec.Turns = new([6]int64)
		copy(spec.Turns[:], j.Turns)
	}
	if j.Type == model.Composite {
		axes, err := joints.NewAxes(j.Axes)
		if err != nil {
			return nil, false // does not occur, as model.Check refuses such axes
		}
		spec.Axes = axes
	}
	f := d.frames(j, p, q)
	var z, rate, e [6]float64
	spec.CoordinatesTo(&z, &rate, f)
	spec.PositionErrorTo(&e, f, 0)
	angles := spec.Angles()
	for k, x := range e {
		if angles>>k&1 == 1 {
			s.Angular = math.Hypot(s.Angular, x)
		} else {
			s.Linear = math.Hypot(s.Linear, x)
		}
	}
	if !s.addAxes(j, &spec, f, x, &z, &rate) {
		return nil, false
	}
	s.turnBack(j, x)
	return s, true
}

// turnBack makes the successor of joint j the parent in s if s.Back is set. x is the pose of S in P.
func (s *Standing) turnBack(j *model.Joint, x assembly.Pose) {
	if !s.Back {
		return
	}
	s.Parent, s.Child, s.At = s.Child, s.Parent, Of(j.PredecessorFrame)
	row := make([]Motion, len(s.Row))
	for k := range row { // in axes of P, in reverse order and with reversed axes
		m := s.Row[len(row)-1-k]
		m.Axis, m.Point = x.Dir(m.Axis).Neg(), x.Point(m.Point)
		row[k] = m
	}
	s.Row = row
}

// acrossTol is the largest sine of the angle between an axis and z that counts as rounding.
const acrossTol = 1e-12

// circle gives s the motions of a point on a whole circle, in axes of S: a rotation about the circle's axis and a ball, and between them
// a translation along the axis if the joint leaves z free (Planar). It stores the distance of the point from the circle in s.Linear, m.
// x is the pose of S in P. It returns false for other curves, and for a point on the axis.
func (s *Standing) circle(j *model.Joint, f *joints.Frames, x assembly.Pose) bool {
	c := j.Curve
	if c == nil || c.Kind != curves.Circle || c.Range != [2]float64{} {
		return false
	}
	n := spatial.Vec3(c.Axis)
	if n == (spatial.Vec3{}) {
		n = zAxis
	}
	n = n.Scale(1 / max(math.Abs(n[0]), math.Abs(n[1]), math.Abs(n[2]))) // so that Norm neither overflows nor underflows
	n = n.Scale(1 / n.Norm())
	out := x.R.Sub(c.Center)
	along := n.Dot(out)
	out = out.Sub(n.Scale(along))
	r := out.Norm()
	if r == 0 || c.Planar && n.Cross(zAxis).Norm() > acrossTol {
		return false
	}
	V, in := f.EP.TMulVec(f.V), x.Inverse()
	turn := Motion{Kind: assembly.Revolute, Axis: in.Dir(n), Point: in.Point(c.Center), Freedom: -1, Rate: n.Cross(out).Dot(V) / (r * r)}
	s.Row = []Motion{turn}
	s.Linear = math.Abs(r - c.Radius)
	if c.Planar {
		s.Row = append(s.Row, Motion{Kind: assembly.Prismatic, Axis: in.Dir(n), Freedom: -1, Rate: V.Dot(n)})
	} else {
		s.Linear = math.Hypot(s.Linear, along)
	}
	s.Row = append(s.Row, Motion{Kind: assembly.Ball, Axis: zAxis, Freedom: -1})
	return true
}

// addAxes appends the motions of joint j to s, in axes of S, from the predecessor on, with coordinates z and rates. x is the pose of S
// in P. It returns false for types that are not a row of motions.
func (s *Standing) addAxes(j *model.Joint, spec *joints.Spec, f *joints.Frames, x assembly.Pose, z, rate *[6]float64) bool {
	add := func(kind assembly.Kind, axis spatial.Vec3, freedom int) {
		m := Motion{Kind: kind, Axis: axis, Pitch: j.Pitch, Freedom: freedom}
		if freedom >= 0 {
			m.Zero, m.Rate = z[freedom], rate[freedom]
		}
		s.Row = append(s.Row, m)
	}
	inS := x.Inverse().Dir
	switch j.Type {
	case model.Fixed:
	case model.Revolute:
		add(assembly.Revolute, zAxis, 0)
	case model.Prismatic:
		add(assembly.Prismatic, zAxis, 0)
	case model.Helical:
		add(assembly.Helical, zAxis, 0)
	case model.Cylindrical:
		add(assembly.Revolute, zAxis, 0)
		add(assembly.Prismatic, zAxis, 1)
	case model.Universal:
		add(assembly.Revolute, inS(xAxis), 0)
		add(assembly.Revolute, yAxis, 1)
	case model.Planar: // the translations are along axes of P
		add(assembly.Prismatic, inS(xAxis), 1)
		add(assembly.Prismatic, inS(yAxis), 2)
		add(assembly.Revolute, zAxis, 0)
	case model.Spherical:
		add(assembly.Ball, zAxis, -1)
	case model.SphereInCylinder:
		add(assembly.Prismatic, inS(zAxis), 3)
		add(assembly.Ball, zAxis, -1)
	case model.PointOnPlane:
		add(assembly.Prismatic, inS(xAxis), -1)
		add(assembly.Prismatic, inS(yAxis), -1)
		add(assembly.Ball, zAxis, -1)
		V := f.EP.TMulVec(f.V)
		s.Row[0].Rate, s.Row[1].Rate = V[0], V[1]
	case model.Composite:
		s.Row = composite(spec.Axes, z, rate)
	default:
		return false
	}
	return true
}

// frames returns the frames of joint j and their motion; p and q are the poses of P and S in the world.
func (d *Draft) frames(j *model.Joint, p, q assembly.Pose) *joints.Frames {
	f := &joints.Frames{EP: p.Q.Mat(), ES: q.Q.Mat(), R: q.R.Sub(p.R)}
	velocity := func(body string, at spatial.Vec3) (w, v spatial.Vec3) {
		if body == model.World {
			return w, v
		}
		b := &d.Model.Bodies[d.Bodies[body]]
		w = b.Velocity.Angular
		return w, spatial.Vec3(b.Velocity.Linear).Add(w.Cross(at.Sub(b.Pose.Position)))
	}
	var v spatial.Vec3
	f.OmegaP, v = velocity(j.Predecessor, q.R) // of the point of the predecessor at the origin of S
	f.OmegaS, f.V = velocity(j.Successor, q.R)
	f.V = f.V.Sub(v)
	return f
}

// composite returns the motions of a composite joint at coordinates z, in axes of S. Each motion moves the axes of those after it.
func composite(axes *joints.Axes, z, rate *[6]float64) []Motion {
	row := make([]Motion, axes.Len())
	x := assembly.Identity() // pose in P of the frame after the motions so far
	for k := range row {
		a := axes.At(k)
		m := &row[k]
		*m = Motion{Axis: x.Dir(a.Axis), Point: x.Point(a.Point), Pitch: a.Pitch, Freedom: k, Zero: z[k], Rate: rate[k]}
		turn, shift := spatial.IdentityQuat(), spatial.Vec3{}
		switch a.Kind {
		case joints.Prismatic:
			m.Kind, shift = assembly.Prismatic, a.Axis.Scale(z[k])
		case joints.Helical:
			m.Kind, turn, shift = assembly.Helical, spatial.FromAxisAngle(a.Axis, z[k]), a.Axis.Scale(a.Pitch*z[k])
		default:
			m.Kind, turn = assembly.Revolute, spatial.FromAxisAngle(a.Axis, z[k])
		}
		x = x.Mul(assembly.Pose{R: a.Point.Sub(turn.Rotate(a.Point)).Add(shift), Q: turn})
	}
	in := x.Inverse() // P in S
	for k := range row {
		row[k].Axis, row[k].Point = in.Dir(row[k].Axis), in.Point(row[k].Point)
	}
	return row
}

// TellOpen reports joint i if its error in the pose of the model exceeds Open.
func (d *Draft) TellOpen(i int, s *Standing) {
	if max(s.Linear, s.Angular) > Open {
		d.Report.Change(nil, "joint "+fault.Name(d.Model.Joints[i].Name), "is open by "+short(s.Linear)+" m and "+short(s.Angular)+" rad in the pose of the model", "the format takes that pose for closed")
	}
}

// Position returns the index of the motion of s with a freedom, −1 if there is none.
func (s *Standing) Position(freedom int) int {
	for k := range s.Row {
		if s.Row[k].Freedom == freedom && freedom >= 0 {
			return k
		}
	}
	return -1
}

// Damping returns the linear damping of motion k of s, which is joint j. For a ball it returns the damping of the first rotation.
func (s *Standing) Damping(j *model.Joint, k int) float64 {
	switch {
	case k >= len(s.Row):
		return 0
	case s.Row[k].Kind == assembly.Ball:
		return Entry(j.Damping, 0)
	}
	return Entry(j.Damping, s.Row[k].Freedom)
}

// Entry returns entry k of a list of a joint, or zero if the list has no such entry.
func Entry[T any](list []T, k int) (x T) {
	if k >= 0 && k < len(list) {
		x = list[k]
	}
	return x
}
