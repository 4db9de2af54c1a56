package build_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestCarried: frames and visuals are placed in the world, as bodies
// and joints are, and belong to the model that is returned.
func TestCarried(t *testing.T) {
	d, err := bodies.Rod(2, 0.5, 0.1)
	require.NoError(t, err)
	b := build.New("arm")
	z := spatial.Vec3{0, 0, 1}
	arm := b.Body("arm", d, build.At(1, 2, 3).WithZX(z, spatial.Vec3{0, 1, 0}))
	b.Frame("tool", arm, build.At(1, 4, 3).WithZX(z, spatial.Vec3{0, 1, 0}))
	b.Frame("home", build.World, build.At(0, 0, 5))
	b.Visual(arm, build.At(1, 3, 3).WithZX(z, spatial.Vec3{0, 1, 0}), model.Visual{Kind: model.BoxVisual, Size: [3]float64{2, 1, 1}})
	m, err := b.Model()
	require.NoError(t, err)
	id := model.Pose{Orientation: [4]float64{1, 0, 0, 0}}
	near := func(want, got model.Pose) {
		closeTo(t, got.Position, want.Position, directionTol, 3, "position")
		closeTo(t, spatial.Vec3(got.Orientation[1:]), spatial.Vec3(want.Orientation[1:]), directionTol, 1, "orientation")
	}
	near(model.Pose{Position: [3]float64{2}}, m.Frames[0].Pose)
	near(model.Pose{Position: [3]float64{1}}, m.Visuals[0].Pose)
	assert.Equal(t, model.Frame{Name: "home", Body: "world", Pose: model.Pose{Position: [3]float64{0, 0, 5}, Orientation: id.Orientation}}, m.Frames[1])
	assert.Equal(t, "arm", m.Visuals[0].Body)
	b.Frame("later", arm, build.At(0, 0, 0))
	m.Frames[0].Name = "other"
	again, err := b.Model()
	require.NoError(t, err)
	assert.Len(t, m.Frames, 2)
	assert.Equal(t, []string{"tool", "home", "later"}, []string{again.Frames[0].Name, again.Frames[1].Name, again.Frames[2].Name})

	b = build.New("wrong")
	var none build.Body
	b.Frame("tool\n", none, build.Place{})
	b.Frame("tilt", build.World, build.Place{}.WithX(spatial.Vec3{}))
	b.Visual(none, build.Place{}, model.Visual{Kind: model.SphereVisual, Size: [3]float64{1}})
	_, err = b.Model()
	require.Error(t, err)
	assert.Equal(t, []string{
		`build: frame "tool\n": the handle of the body is the zero value`, `build: frame "tilt": axis [0 0 0] is zero or not finite`, `build: visual 0: the handle of the body is the zero value`,
	}, strings.Split(err.Error(), "\n"))
}
