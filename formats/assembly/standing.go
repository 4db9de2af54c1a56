package assembly

import (
	"math"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Standing is a joint of a model as formats have it that count coordinates from the pose of the file: one frame, which is fixed in the child, and axes in that
// frame, along which the child moves relative to the parent. The first axis is next to the parent.
type Standing struct {
	Type            model.JointType
	Parent, Child   string
	At              Pose // the frame in the child
	Axes            []spatial.Vec3
	Zero            []float64 // coordinates of the model in its pose, turns included, where those of the file are zero
	Linear, Angular float64   // by how much the joint is open, m and rad
}

// Of returns a pose of a model.
func Of(p model.Pose) Pose {
	q := spatial.Quat(p.Orientation)
	if q == (spatial.Quat{}) {
		q = spatial.IdentityQuat()
	}
	return Pose{R: p.Position, Q: q.Normalize()}
}

// InWorld returns a frame of a body of m in the world. number has the bodies by name.
func InWorld(m *model.Model, number map[string]int, body string, f model.Pose) Pose {
	if body == model.World {
		return Of(f)
	}
	return Of(m.Bodies[number[body]].Pose).Mul(Of(f))
}

// Stand returns joint i of m in the pose of m, with back with its successor as the parent. It returns false for types with other freedoms than rotations about one or two axes
// or a ball, a translation, a screw, or none, and for joints of two axes if their order would turn about.
func Stand(m *model.Model, number map[string]int, i int, back bool) (*Standing, bool) {
	j := &m.Joints[i]
	x := InWorld(m, number, j.Predecessor, j.PredecessorFrame).Inverse().Mul(InWorld(m, number, j.Successor, j.SuccessorFrame))
	E := x.Q.Mat()
	s := &Standing{Type: j.Type, Parent: j.Predecessor, Child: j.Successor, At: Of(j.SuccessorFrame)}
	angle := math.Remainder(2*math.Atan2(x.Q[3], x.Q[0]), 2*math.Pi)
	turn := func(k int) float64 {
		if k < len(j.Turns) {
			return 2 * math.Pi * float64(j.Turns[k])
		}
		return 0
	}
	tilt := math.Hypot(E[2], E[5]) // of the z axes
	switch j.Type {
	case model.Fixed:
		s.Linear, s.Angular = x.R.Norm(), x.Q.Log().Norm()
	case model.Revolute:
		s.Axes, s.Zero = []spatial.Vec3{zAxis}, []float64{angle + turn(0)}
		s.Linear, s.Angular = x.R.Norm(), tilt
	case model.Prismatic:
		s.Axes, s.Zero = []spatial.Vec3{zAxis}, []float64{x.R[2]}
		s.Linear, s.Angular = math.Hypot(x.R[0], x.R[1]), x.Q.Log().Norm()
	case model.Helical:
		s.Axes, s.Zero = []spatial.Vec3{zAxis}, []float64{x.R[2] / j.Pitch}
		s.Linear, s.Angular = math.Hypot(x.R[0], x.R[1]), max(tilt, math.Abs(math.Remainder(x.R[2]/j.Pitch-angle, 2*math.Pi)))
	case model.Spherical:
		s.Linear = x.R.Norm()
	case model.Universal: // E = Rx(θ₁)·Ry(θ₂)
		s.Axes = []spatial.Vec3{E.TMulVec(xAxis), yAxis}
		s.Zero = []float64{math.Atan2(E[7], E[4]) + turn(0), math.Atan2(E[2], E[0]) + turn(1)}
		s.Linear, s.Angular = x.R.Norm(), math.Abs(E[1])
	default:
		return nil, false
	}
	if back {
		s.Parent, s.Child, s.At = s.Child, s.Parent, Of(j.PredecessorFrame)
		for k := range s.Axes {
			s.Axes[k] = x.Q.Rotate(s.Axes[k]).Neg()
		}
	}
	return s, !back || len(s.Axes) < 2
}

// Beyond lists what a joint has that neither URDF nor SDFormat can say about coordinates.
func Beyond(j *model.Joint) (list []string) {
	for k := range j.Friction {
		if f := j.Friction[k]; f != (model.Friction{}) && f != (model.Friction{Force: f.Force}) {
			list = append(list, "all of friction but its size")
			break
		}
	}
	for _, l := range j.Limits {
		if l != nil && l.Stop != (model.Stop{}) {
			list = append(list, "stops")
			break
		}
	}
	for _, l := range append(append([]*model.SpringLaw(nil), j.Springs...), j.Dampers...) {
		if l != nil {
			list = append(list, "springs and dampers that are not linear")
			break
		}
	}
	return list
}
