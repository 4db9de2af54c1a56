package draw

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// What the polygons of an SVG show at a place, drawn one over the other, is the facet that is nearest to the eye there,
// found by looking at all of them.
func TestNearest(t *testing.T) {
	check.Long(t)
	views := []View{{Width: 300, Height: 220}, {Width: 300, Height: 220, Angles: true, Azimuth: 2, Elevation: -0.4}, {Width: 300, Height: 220, Angles: true}}
	for _, family := range []string{"nfourbar", "stewart", "rover", "scissor", "ball-net"} {
		m, err := bench.Generate(family, 2, 1)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		for _, v := range views {
			compareNearest(t, family, scene.New(mech, scene.Options{}), mech.Initial(), v)
		}
	}
	crowds := check.Random(10, 0)
	for seed := range crowds {
		s, st := crowd(t, uint64(seed))
		compareNearest(t, "crowd", s, st, views[seed%len(views)])
	}
	s, st := circle(t)
	compareNearest(t, "circle", s, st, View{Width: 300, Height: 220, Angles: true, Elevation: math.Pi / 2})
}

// compareNearest does so at random places that are not next to the edge of a facet.
func compareNearest(t *testing.T, name string, s *scene.Scene, st *mechanism.State, v View) {
	t.Helper()
	bodies, err := facets(s, st, &v)
	require.NoError(t, err)
	h, err := newHidden(context.Background(), bodies, v)
	require.NoError(t, err)
	type drawn struct {
		f     *facet
		loops [][]point
	}
	var all []drawn
	require.NoError(t, h.draw(func(f *facet, loops [][]point) error {
		d := drawn{f: f}
		for _, l := range loops {
			d.loops = append(d.loops, append([]point(nil), l...))
		}
		all = append(all, d)
		return nil
	}))
	rand, compared, covered := check.Rand(3), 0, 0
	for range check.Few(1500, 500) {
		p := point{300 * rand.Float64(), 220 * rand.Float64()}
		want, near := math.Inf(-1), false
		for i := range bodies {
			for k := range bodies[i].facets {
				f := &bodies[i].facets[k]
				d := inwards(f.corners, p)
				if near = near || math.Abs(d) < 0.02; d > 0 {
					want = max(want, f.at(p))
				}
			}
		}
		if near {
			continue
		}
		compared++
		got := math.Inf(-1)
		for i := len(all) - 1; i >= 0; i-- {
			if winding(all[i].loops, p) != 0 {
				got = all[i].f.at(p)
				covered++
				break
			}
		}
		const pixels = 0.03 // where two facets go through each other, what is given up as a scrap is as deep
		if math.IsInf(want, -1) != math.IsInf(got, -1) || math.Abs(want-got) > pixels {
			t.Fatalf("%s: at %v a facet of depth %g is seen, not %g", name, p, got, want)
		}
	}
	require.Greater(t, compared, check.Few(500, 150), name)
	require.Greater(t, covered, check.Few(10, 3), name)
}

// inwards is how far inside a convex polygon a place is, pixels; negative: outside.
func inwards(p []point, at point) float64 {
	d := math.Inf(1)
	for k := range p {
		a, b := p[k], p[(k+1)%len(p)]
		d = min(d, side(a, b, at)/math.Hypot(b[0]-a[0], b[1]-a[1]))
	}
	return d
}

// winding is how often loops go round a place.
func winding(loops [][]point, at point) (n int) {
	for _, l := range loops {
		for k := range l {
			a, b := l[k], l[(k+1)%len(l)]
			switch s := side(a, b, at); {
			case a[1] <= at[1] && b[1] > at[1] && s < 0:
				n--
			case a[1] > at[1] && b[1] <= at[1] && s > 0:
				n++
			}
		}
	}
	return n
}

func single(t *testing.T) *mechanism.Mechanism {
	t.Helper()
	m := model.New("one")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Canonicalize()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// crowd is some solids of all kinds that go through each other.
func crowd(t *testing.T, seed uint64) (*scene.Scene, *mechanism.State) {
	t.Helper()
	mech, r := single(t), rand.New(rand.NewPCG(7, seed))
	mesh := scene.NewMesh(scene.Box, 6)
	for i := range mesh.Points { // not convex: a corner goes in
		if mesh.Points[i] == (spatial.Vec3{1, 1, 1}) {
			mesh.Points[i] = spatial.Vec3{-0.2, -0.3, -0.1}
		}
	}
	mesh.Radius = 2
	s := &scene.Scene{Mechanism: mech, Unit: 1, Meshes: []*scene.Mesh{mesh}}
	for k := range 12 {
		axis := spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		s.Shapes = append(s.Shapes, scene.Shape{Kind: scene.Kind(k % (scene.NumSolids + 1)), Color: scene.BodyColor(k), Body: 0, Joint: -1,
			Size: spatial.Vec3{0.2 + 0.4*r.Float64(), 0.2 + 0.4*r.Float64(), 0.2 + 1.5*r.Float64()},
			At:   mechanism.Frame{E: scene.Along(axis), Origin: spatial.Vec3{r.Float64(), r.Float64(), r.Float64()}}})
	}
	return s, mech.Initial()
}

// circle is three bars each of which lies on the next, so that none can be drawn first as a whole.
func circle(t *testing.T) (*scene.Scene, *mechanism.State) {
	t.Helper()
	mech := single(t)
	s := &scene.Scene{Mechanism: mech, Unit: 1}
	for k := range 3 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / 3)
		along := spatial.Vec3{-sin, cos, 0.4}
		s.Shapes = append(s.Shapes, scene.Shape{Kind: scene.Capsule, Color: scene.BodyColor(k), Body: 0, Joint: -1, Size: spatial.Vec3{0.12, 0.12, 1},
			At: mechanism.Frame{E: scene.Along(along), Origin: spatial.Vec3{0.35 * cos, 0.35 * sin, 0}}})
	}
	return s, mech.Initial()
}

// A scissor mast of 24 bodies is small: what is hidden is not in the file.
func TestSize(t *testing.T) {
	m, err := bench.Scissor(12, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	var b bytes.Buffer
	mast := scene.New(mech, scene.Options{})
	require.NoError(t, SVG(context.Background(), &b, mast, mech.Initial(), View{}))
	assert.Less(t, b.Len(), 250_000)
	seen, _, found := bytes.Cut(b.Bytes(), []byte("<g fill=\"none\"")) // then come the outlines
	assert.True(t, found)
	bodies, err := facets(mast, mech.Initial(), &View{})
	require.NoError(t, err)
	all := 0
	for i := range bodies {
		all += len(bodies[i].facets)
	}
	assert.Less(t, float64(bytes.Count(seen, []byte("M"))), 0.35*float64(all), "polygons of the facets that face the eye")
}

// Too many facets are refused, with the way out.
func TestTooMany(t *testing.T) {
	check.Long(t)
	m, err := bench.Chain(3, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	mesh := scene.NewMesh(scene.Sphere, 400) // half of its facets are seen
	require.Greater(t, 3*len(mesh.Triangles), 2*maxPolygons)
	require.Less(t, 2*len(mesh.Triangles), 2*maxPolygons, "two are not too many")
	mesh.Radius = 1
	s := &scene.Scene{Mechanism: mech, Unit: 1, Meshes: []*scene.Mesh{mesh}}
	for i := range mech.NumBodies() {
		s.Shapes = append(s.Shapes, scene.Shape{Kind: scene.Surface, Body: int32(i), Joint: -1, Size: spatial.Vec3{1, 1, 1}, At: mechanism.Frame{E: spatial.Identity3()}})
	}
	var b bytes.Buffer
	assert.ErrorContains(t, SVG(context.Background(), &b, s, mech.Initial(), View{}), "draw: more than 200000 polygons in an SVG; write a .png")
	assert.Zero(t, b.Len())
}

// Pieces of a polygon that has been cut by polygons in it are joined to loops with the same area, as few as can be.
func TestMerge(t *testing.T) {
	square := func(x, y, half float64) []point {
		return []point{{x - half, y - half}, {x - half, y + half}, {x + half, y + half}, {x + half, y - half}}
	}
	require.Positive(t, area(square(0, 0, 1)))
	sum := func(loops [][]point) (a float64) {
		for _, l := range loops {
			a += area(l)
		}
		return a
	}
	for _, c := range []struct {
		name  string
		out   [][]point
		area  float64
		loops []int // corners
	}{
		{"hole", [][]point{square(5, 5, 1)}, 96, []int{4, 4}},
		{"corner", [][]point{square(0, 0, 2)}, 96, []int{6}},
		{"nothing", [][]point{square(20, 0, 2)}, 100, []int{4}},
		{"two that overlap", [][]point{square(4, 5, 1), square(5, 5, 1)}, 94, []int{4, 4}},
		{"all", [][]point{square(5, 5, 30)}, 0, nil},
	} {
		var k clipper
		k.begin(square(5, 5, 5))
		for _, h := range c.out {
			if len(h) > 2 {
				k.take(h)
			}
		}
		loops := merge(k.pieces)
		assert.InDelta(t, c.area, sum(loops), 1e-9, c.name)
		var corners []int
		for _, l := range loops {
			corners = append(corners, len(l))
		}
		assert.Equal(t, c.loops, corners, c.name)
	}
}
