package scene_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// star returns a body in the middle, which n bodies turn on, all at one place of it.
func star(t *testing.T, n int) *mechanism.Mechanism {
	t.Helper()
	one, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(1, 1, 1))
	require.NoError(t, err)
	b := build.New("star")
	z := spatial.Vec3{0, 0, 1}
	hub := b.Body("hub", one, build.At(0, 0, 0))
	b.Revolute("axle", build.World, hub, spatial.Vec3{}, z)
	for k := range n {
		arm := b.Body(fmt.Sprint("arm", k), one, build.At(1, 0, 0))
		b.Revolute(fmt.Sprint("joint", k), hub, arm, spatial.Vec3{}, z)
	}
	m, err := b.Model()
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// TestStar: the scene of a body that many others are on takes a time that grows as they do.
func TestStar(t *testing.T) {
	check.Long(t)
	mech := star(t, 60_000)
	start := time.Now()
	s := scene.New(mech, scene.Options{})
	assert.Less(t, time.Since(start), 10*time.Second)
	assert.NotEmpty(t, s.Shapes)
}

// TestManyEllipsoids: ellipsoids of different sizes count among the meshes, which have a bound together.
func TestManyEllipsoids(t *testing.T) {
	var list []model.Visual
	for k := range 3000 {
		list = append(list, model.Visual{Body: "hub", Kind: model.EllipsoidVisual, Size: [3]float64{1, 2, 1 + float64(k)}})
	}
	s := scene.New(star(t, 1), scene.Options{Visuals: list})
	triangles := 0
	for _, m := range s.Meshes {
		triangles += len(m.Triangles)
	}
	assert.LessOrEqual(t, triangles, 1<<21)
	require.NotEmpty(t, s.Faults)
	assert.ErrorContains(t, s.Faults[0], "the meshes have more than 2097152 triangles")
}
