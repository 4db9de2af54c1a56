package scene_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// Up is against gravity; the three axes are right-handed, and what is planar across z is seen as on paper.
func TestUpright(t *testing.T) {
	x, y, z := spatial.Vec3{1}, spatial.Vec3{0, 1}, spatial.Vec3{0, 0, 1}
	minus := func(v spatial.Vec3) spatial.Vec3 { return spatial.Vec3{}.Sub(v) }
	for _, c := range []struct {
		gravity, right, up spatial.Vec3
	}{
		{spatial.Vec3{0, 0, -9.81}, x, z},
		{spatial.Vec3{0, -9.81, 0}, x, y},
		{spatial.Vec3{0, 9.81, 0}, minus(x), minus(y)},
		{spatial.Vec3{-1, 0, 0}, minus(y), x},
		{spatial.Vec3{1, 0, 0}, y, minus(x)},
		{spatial.Vec3{0, 0, 1}, minus(x), minus(z)},
		{spatial.Vec3{2, 0, -9}, x, z},  // a slope
		{spatial.Vec3{0, -1, -1}, x, z}, // between two
		{spatial.Vec3{}, x, z},
	} {
		m := model.New("ball")
		m.Gravity = c.gravity
		m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
		m.Canonicalize()
		u := scene.Upright(made(t, m))
		assert.Equal(t, c.up, u.Col(2), "gravity %v", c.gravity)
		assert.Equal(t, c.right, u.Col(0), "gravity %v", c.gravity)
		assert.Equal(t, 1.0, u.Det(), "gravity %v", c.gravity)
	}
}

// Without gravity y is up where loops are planar across z, and only there.
func TestUprightWithoutGravity(t *testing.T) {
	read := func() *model.Model {
		m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
		require.NoError(t, err)
		m.Gravity = spatial.Vec3{}
		return m
	}
	up := func(m *model.Model) spatial.Vec3 { return scene.Upright(made(t, m)).Col(2) }
	y, z := spatial.Vec3{0, 1}, spatial.Vec3{0, 0, 1}
	assert.Equal(t, y, up(read()), "a four-bar linkage")

	open := read()
	open.Joints = open.Joints[:len(open.Joints)-1]
	assert.Equal(t, z, up(open), "without its loop")

	ball := read()
	ball.Joints[0] = model.Joint{Name: "ball", Type: model.Spherical, Predecessor: ball.Joints[0].Predecessor, Successor: ball.Joints[0].Successor,
		PredecessorFrame: ball.Joints[0].PredecessorFrame, SuccessorFrame: ball.Joints[0].SuccessorFrame}
	assert.Equal(t, z, up(ball), "with a ball joint")

	tilted := read()
	half := spatial.Exp(spatial.Vec3{1e-3, 0, 0})
	tilted.Joints[0].PredecessorFrame.Orientation, tilted.Joints[0].SuccessorFrame.Orientation = half, half
	assert.Equal(t, z, up(tilted), "with an axis that is not along z")

	jansen, err := bench.Generate("jansen", 1, 1)
	require.NoError(t, err)
	jansen.Gravity = spatial.Vec3{}
	assert.Equal(t, z, up(jansen), "planar across another axis")
}
