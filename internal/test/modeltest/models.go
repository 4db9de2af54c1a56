package modeltest

import (
	"math"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TiltedHinges returns the golden four-bar at rest, with two hinges tilted against the others by the angle tilt, in radians.
func TiltedHinges(t testing.TB, tilt float64) *model.Model {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	for k, sign := range map[int]float64{1: 1, 2: -1} {
		turn := spatial.FromAxisAngle(spatial.Vec3{math.Cos(0.4), math.Sin(0.4), 0}, sign*tilt)
		for _, f := range []*model.Pose{&m.Joints[k].PredecessorFrame, &m.Joints[k].SuccessorFrame} {
			q := spatial.Quat(f.Orientation)
			if q == (spatial.Quat{}) {
				q = spatial.IdentityQuat()
			}
			f.Orientation = q.Normalize().Mul(turn)
		}
	}
	return m
}

// Placed returns the orientation and the position in the world of the frame f of a body.
func Placed(m *model.Model, body string, f *model.Pose) (spatial.Quat, spatial.Vec3) {
	q, x := spatial.IdentityQuat(), spatial.Vec3{}
	for i := range m.Bodies {
		if m.Bodies[i].Name == body {
			q, x = Unit(m.Bodies[i].Pose.Orientation), m.Bodies[i].Pose.Position
		}
	}
	return q.Mul(Unit(f.Orientation)), x.Add(q.Rotate(f.Position))
}

// Unit returns an orientation of a model as a quaternion. The zero value is the identity.
func Unit(q [4]float64) spatial.Quat {
	if q == ([4]float64{}) {
		return spatial.IdentityQuat()
	}
	return spatial.Quat(q)
}
