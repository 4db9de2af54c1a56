package scene_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// TestMisuse: what the caller could know is a panic with a constant text.
func TestMisuse(t *testing.T) {
	plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	terrain := scene.NewTerrain(plane, spatial.Vec3{}, 1, 4)
	for _, x := range []struct {
		want string
		do   func()
	}{
		{"scene: no mechanism", func() { scene.New(nil, scene.Options{}) }},
		{"scene: body out of range", func() { scene.BodyColor(-1) }},
		{"scene: number of corners out of range", func() { scene.NewMesh(scene.Box, -1) }},
		{"scene: number of corners out of range", func() { scene.NewMesh(scene.Sphere, 1<<30) }},
		{"scene: no solid of this kind", func() { scene.NewMesh(scene.Kind(99), 8) }},
		{"scene: number of corners out of range", func() { scene.LinkMesh(scene.Coil, 1<<30) }},
		{"scene: unknown look", func() { scene.LinkMesh(scene.Look(99), 8) }},
		{"scene: no surface", func() { scene.NewTerrain(nil, spatial.Vec3{}, 1, 4) }},
		{"scene: reach out of range", func() { scene.NewTerrain(plane, spatial.Vec3{}, math.NaN(), 4) }},
		{"scene: number of nodes out of range", func() { scene.NewTerrain(plane, spatial.Vec3{}, 1, 1) }},
		{"scene: number of nodes out of range", func() { scene.NewTerrain(plane, spatial.Vec3{}, 1, 1<<30) }},
		{"scene: node out of range", func() { terrain.At(-1, 0) }},
		{"scene: node out of range", func() { terrain.At(0, 4) }},
		{"scene: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { (&scene.Scene{Mechanism: new(mechanism.Mechanism)}).Balls(nil, nil) }},
	} {
		require.PanicsWithValue(t, x.want, x.do)
	}
}
