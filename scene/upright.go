package scene

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Upright returns the axes of a front view of a mechanism, as columns in the world: to the right, away from the eye, and up. All
// pictures use them.
//
// Up is the world's axis, of either sign, that is nearest to the direction against gravity. Without gravity it is y if there are loops
// and all joints keep the bodies parallel to the xy plane, else z. With z or −z up the eye is on the side of −y. With x or y up it is
// on the side of z, so that the xy plane is seen as on paper.
//
// Cost: O(joints).
func Upright(m *mechanism.Mechanism) spatial.Mat3 {
	up := upOf(m)
	eye := spatial.Vec3{0, 0, 1}
	if up[2] != 0 {
		eye = spatial.Vec3{0, -1, 0}
	}
	right, away := up.Cross(eye), spatial.Vec3{}.Sub(eye)
	return spatial.Mat3{
		right[0], away[0], up[0],
		right[1], away[1], up[1],
		right[2], away[2], up[2]}
}

// upOf returns the axis of the world that is up (Upright). If several are equally near to gravity, it is the last of x, y, z.
func upOf(m *mechanism.Mechanism) (up spatial.Vec3) {
	most, axis := 0.0, -1
	for k, g := range m.Gravity {
		if a := math.Abs(g); a > 0 && a >= most {
			most, axis = a, k
		}
	}
	switch {
	case axis >= 0:
		up[axis] = -math.Copysign(1, m.Gravity[axis])
	case planar(m):
		up[1] = 1
	default:
		up[2] = 1
	}
	return up
}

// parallel is the sine of the angle up to which directions count as parallel, and the cosine up to which they count as perpendicular.
const parallel = 1e-6

// planar reports whether m has loops and all its joints keep bodies parallel to the xy plane (keepsLevel). A mechanism with contacts is
// not planar, as terrains are z = f(x, y).
func planar(m *mechanism.Mechanism) bool {
	if m.NumContacts() > 0 || m.Graph().Loops == 0 {
		return false
	}
	st := m.Initial()
	for j := range m.Joints {
		jt := &m.Joints[j]
		E := jt.P.E
		if jt.Pred != mechanism.World {
			E = st.Bodies[jt.Pred].Rotation.Mat().Mul(E)
		}
		if jt.Axes == nil {
			if !keepsLevel(jt.Kind, E.Col(2)) {
				return false
			}
			continue
		}
		for i := range jt.Axes.Len() {
			if a := jt.Axes.At(i); !keepsLevel(a.Kind, E.MulVec(a.Axis)) {
				return false
			}
		}
	}
	return true
}

// keepsLevel reports whether a joint with an axis, in the world, keeps its bodies parallel to the xy plane. Distance joints and free
// joints count as if they did, as they force no body to tilt.
func keepsLevel(k joints.Kind, axis spatial.Vec3) bool {
	switch k {
	case joints.Fixed, joints.Distance, joints.Free:
		return true
	case joints.Revolute, joints.Planar:
		return math.Hypot(axis[0], axis[1]) <= parallel
	case joints.Prismatic:
		return math.Abs(axis[2]) <= parallel
	}
	return false
}
