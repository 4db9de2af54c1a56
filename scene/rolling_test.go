package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// Each wheel of a rolling joint is drawn where it is and as large as it is: a ball, or a cylinder with its spoke, along the axle. Planes of bodies and
// blades have marks.
func TestWheelsOfRollingJoints(t *testing.T) {
	m := modeltest.Rolling(0)
	s := scene.New(made(t, m), scene.Options{})
	mech := s.Mechanism
	for j := range mech.Joints {
		jt := &mech.Joints[j]
		var round, marks []scene.Shape
		for _, sh := range s.Shapes {
			if sh.Joint == int32(j) && sh.Body >= 0 {
				marks = append(marks, sh)
			}
			if sh.Joint < 0 && sh.Body == jt.Succ && (sh.Kind == scene.Cylinder || sh.Kind == scene.Sphere) {
				round = append(round, sh)
			}
		}
		if jt.Kind == joints.NoSlip {
			require.Len(t, marks, 1)
			continue
		}
		require.Len(t, round, 1, mech.JointName(j))
		require.Equal(t, jt.S, round[0].At)
		require.Equal(t, jt.Radius, round[0].Size[0])
		require.Equal(t, jt.Tyre == jt.Radius, round[0].Kind == scene.Sphere)
		if jt.Pred >= 0 {
			require.Len(t, marks, 1)
			require.Equal(t, jt.Pred, marks[0].Body)
			require.InDelta(t, 0, spatial.Vec3(marks[0].At.Origin).Sub(jt.P.Origin).Norm(), 1e-15)
		}
	}
}
