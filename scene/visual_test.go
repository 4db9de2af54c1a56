package scene_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// cube is a cube of edge 1 at the first octant, as OBJ.
const cube = `v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
`

func volume(s *scene.Scene, sh *scene.Shape) float64 {
	m := s.Mesh(sh, scene.NewMeshes(96))
	sum := 0.0
	for _, tri := range m.Triangles {
		var p [3]spatial.Vec3
		for k := range p {
			m.PointTo(&p[k], sh, int(tri[k]))
		}
		sum += p[0].Dot(p[1].Cross(p[2])) / 6
	}
	return sum
}

// Visuals take the place of the made-up shapes: kinds, sizes, poses and colours as the model has them, meshes once
// however many bodies have them. What cannot be read is said, and its body has the made-up shape.
func TestVisuals(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "in", "m"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in", "m", "cube.obj"), []byte(cube), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "outside.obj"), []byte(cube), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in", "broken.stl"), []byte("solid\nfacet"), 0o666))
	root, err := os.OpenRoot(filepath.Join(dir, "in"))
	require.NoError(t, err)
	defer root.Close()

	m := model.New("visuals")
	for _, name := range []string{"mesh", "mirror", "shapes", "outside", "broken", "collides", "gone", "none"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	quarter := model.Pose{Position: [3]float64{1, 2, 3}, Orientation: [4]float64{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2}}
	red := [4]float64{1, 0, 0.5, 1}
	m.Visuals = []model.Visual{
		{Body: "mesh", Kind: model.MeshVisual, File: "m/cube.obj", Pose: quarter, Color: red, Scale: [3]float64{1, 2, 3}},
		{Body: "mirror", Kind: model.MeshVisual, File: "m/cube.obj", Scale: [3]float64{1, -2, 3}},
		{Body: "mirror", Kind: model.MeshVisual, File: "./m/cube.obj", Scale: [3]float64{1, 2, 3}},
		{Body: "shapes", Kind: model.BoxVisual, Size: [3]float64{1, 2, 3}},
		{Body: "shapes", Kind: model.SphereVisual, Size: [3]float64{2}},
		{Body: "shapes", Kind: model.CylinderVisual, Size: [3]float64{1, 3}},
		{Body: "shapes", Kind: model.CapsuleVisual, Size: [3]float64{1, 3}},
		{Body: "shapes", Kind: model.EllipsoidVisual, Size: [3]float64{1, 2, 3}},
		{Body: "shapes", Kind: model.BoxVisual, Size: [3]float64{9, 9, 9}, Collision: true},
		{Body: "outside", Kind: model.MeshVisual, File: "../outside.obj"},
		{Body: "broken", Kind: model.MeshVisual, File: "broken.stl"},
		{Body: "collides", Kind: model.SphereVisual, Size: [3]float64{1}, Collision: true},
		{Body: "gone", Kind: model.MeshVisual, File: "m/gone.dae"},
		{Body: model.World, Kind: model.BoxVisual, Size: [3]float64{1, 1, 1}},
		{Body: "none", Kind: model.MeshVisual, File: "package://m/cube.obj"},
	}
	m.Canonicalize()
	s := scene.New(made(t, m), scene.Options{Visuals: m.Visuals, Files: root.FS()})
	assert.Len(t, s.Meshes, 3, "the cube, its mirror image, the ellipsoid")

	of := map[int32][]*scene.Shape{}
	for i := range s.Shapes {
		of[s.Shapes[i].Body] = append(of[s.Shapes[i].Body], &s.Shapes[i])
	}
	require.Len(t, of[0], 1)
	assert.Equal(t, scene.Color{255, 0, 128}, of[0][0].Color)
	assert.InDelta(t, 6, volume(s, of[0][0]), rounding)
	far := of[0][0].At.Origin.Add(of[0][0].At.E.MulVec(spatial.Vec3{1, 2, 3})) // turned about z by 90°
	assert.InDeltaSlice(t, []float64{-1, 3, 6}, far[:], rounding)
	require.Len(t, of[1], 2)
	assert.InDelta(t, 6, volume(s, of[1][0]), rounding, "a mirror image is not inside out")
	assert.Equal(t, of[0][0].Mesh, of[1][1].Mesh)

	want := []float64{6, 4. / 3 * math.Pi * 8, 3 * math.Pi, 3*math.Pi + 4./3*math.Pi, 4. / 3 * math.Pi * 6}
	require.Len(t, of[2], len(want))
	for i, v := range want {
		assert.InEpsilon(t, v, volume(s, of[2][i]), 0.02, "shape %d", i) // an ellipsoid of 32 corners is less by 1.6 %
	}
	for _, i := range []int32{3, 4, 6, 7} {
		require.Len(t, of[i], 1, "made up: %d", i)
		assert.Equal(t, scene.Box, of[i][0].Kind)
	}
	require.Len(t, of[5], 1)
	assert.Equal(t, scene.Sphere, of[5][0].Kind)
	assert.Len(t, of[mechanism.World], 1)

	require.Len(t, s.Faults, 4)
	assert.ErrorContains(t, s.Faults[0], `$.visuals[9], of body "outside": mesh "../outside.obj": not in the folder of the model`)
	assert.ErrorContains(t, s.Faults[1], `$.visuals[10], of body "broken": mesh "broken.stl": no triangle`)
	assert.ErrorContains(t, s.Faults[2], `$.visuals[12], of body "gone": mesh "m/gone.dae": no such file`)
	assert.ErrorContains(t, s.Faults[3], `$.visuals[14], of body "none": mesh "package://m/cube.obj": an address, not a file`)
	center, radius := s.Bounds(s.Mechanism.Initial())
	s.Balls(s.Mechanism.Initial(), func(p spatial.Vec3, r float64) {
		require.LessOrEqual(t, p.Sub(center).Norm()+r, radius*(1+rounding))
	})
}
