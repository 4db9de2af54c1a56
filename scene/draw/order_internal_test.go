package draw

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// What the polygons of an SVG show at a place, drawn one over the other, is what is nearest to the eye there: it has the depth that a PNG with the same
// corners has. Near edges the two may differ.
func TestOrder(t *testing.T) {
	for _, family := range []string{"nfourbar", "stewart", "rover", "scissor"} {
		m, err := bench.Generate(family, 1, 1)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		s, st := scene.New(mech, scene.Options{}), mech.Initial()
		for _, v := range []View{{Width: 300, Height: 220}, {Width: 300, Height: 220, Angles: true, Azimuth: 2, Elevation: -0.4}} {
			compareOrders(t, family, s, st, v)
		}
	}
}

func compareOrders(t *testing.T, family string, s *scene.Scene, st *mechanism.State, v View) {
	cam, shapes, err := prepare(s, st, &v)
	require.NoError(t, err)
	r, c := newRaster(cam, v), &collector{cam: cam}
	c.eye = c.cam.eye()
	meshes := scene.NewMeshes(svgCorners)
	for i := range shapes {
		r.shape(&shapes[i], s.Mesh(&shapes[i], meshes), st, int32(i))
		c.shape(&shapes[i], s.Mesh(&shapes[i], meshes), st, int32(i))
	}
	tr := &tree{ctx: context.Background(), cam: &c.cam}
	require.NoError(t, tr.sort(c.faces))
	rand, compared := check.Rand(2), 0
	flat := make([][]spatial.Vec3, len(tr.out))
	for i := range flat {
		for _, p := range tr.out[i].points {
			flat[i] = append(flat[i], c.cam.project(p))
		}
	}
	for range 500 {
		x, y := 2+rand.IntN(r.width-4), 2+rand.IntN(r.height-4)
		if !alone(r, x, y) {
			continue
		}
		compared++
		u, v := (float64(x)+0.5)/oversampling, (float64(y)+0.5)/oversampling
		depth := math.Inf(-1)
		for i := len(flat) - 1; i >= 0 && math.IsInf(depth, -1); i-- {
			if inside(flat[i], u, v) {
				depth = depthAt(&c.cam, &tr.out[i], u, v)
			}
		}
		want := float64(r.depth[y*r.width+x]) / oversampling
		const pixels = 0.01 // single precision and eps
		require.False(t, math.Abs(depth-want) > pixels || math.IsInf(depth, -1) != math.IsInf(want, -1), "%s: sample %d, %d has depth %g, not %g", family, x, y, depth, want)
	}
	require.Greater(t, compared, 200)
}

// alone reports whether all samples around one show the same solid, each in nearly the same depth: two solids that go through each other are as
// near as one wants.
func alone(r *raster, x, y int) bool {
	me := y*r.width + x
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			k := (y+dy)*r.width + x + dx
			if r.solid[k] != r.solid[me] || math.Abs(float64(r.depth[k]-r.depth[me])) > 40 {
				return false
			}
		}
	}
	return true
}

// depthAt returns the depth of the plane of a face at a pixel.
func depthAt(cam *camera, f *face, x, y float64) float64 {
	p, n := cam.project(f.points[0]), cam.axes.MulVec(f.normal)
	return p[2] - (n[0]*(x-p[0])-n[1]*(y-p[1]))/n[2]
}

// inside reports whether a convex polygon covers a pixel.
func inside(points []spatial.Vec3, x, y float64) bool {
	left, right := false, false
	for k := range points {
		p, q := &points[k], &points[(k+1)%len(points)]
		side := (q[0]-p[0])*(y-p[1]) - (q[1]-p[1])*(x-p[0])
		if left, right = left || side > 0, right || side < 0; left && right {
			return false
		}
	}
	return true
}
