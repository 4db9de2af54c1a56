package draw_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/draw"
	"github.com/rung-mbd/rung/spatial"
)

func scissor(t testing.TB) (*scene.Scene, *mechanism.State) {
	m, err := bench.Scissor(2, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return scene.New(mech, scene.Options{}), mech.Initial()
}

// A ball shows as a disc of its size: the silhouette's area in pixels.
func TestBall(t *testing.T) {
	m := model.New("ball")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Canonicalize()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s := &scene.Scene{Mechanism: mech, Unit: 1, Shapes: []scene.Shape{{Kind: scene.Sphere, Color: scene.Color{200, 0, 0}, Body: 0, Joint: -1,
		Size: spatial.Vec3{2, 2, 2}, At: mechanism.Frame{E: spatial.Identity3()}}}}
	var b bytes.Buffer
	require.NoError(t, draw.PNG(context.Background(), &b, s, mech.Initial(), draw.View{Width: 300, Height: 200}))
	img, err := png.Decode(&b)
	require.NoError(t, err)
	covered := 0
	for y := range 200 {
		for x := range 300 {
			if r, g, _, _ := img.At(x, y).RGBA(); g < r {
				covered++
			}
		}
	}
	radius := 200 / 1.08 / 2 // a twelfth of the height is margin
	assert.InDelta(t, math.Pi*radius*radius, float64(covered), 0.02*float64(covered), "area of the disc, pixels")
}

// What is drawn reaches from margin to margin of one side of the picture and stands in its middle, also where the origin
// of a mesh is at its end.
func TestFills(t *testing.T) {
	check.Long(t)
	m := model.New("bar")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Visuals = []model.Visual{{Body: "b", Kind: model.MeshVisual, File: "bar.obj"}}
	m.Canonicalize()
	models := map[string]*model.Model{"bar": m}
	for _, family := range []string{"excavator", "stewart", "jansen", "miura"} {
		var err error
		models[family], err = bench.Generate(family, 1, 1)
		require.NoError(t, err)
	}
	files := fstest.MapFS{"bar.obj": {Data: []byte("v 0 0 0\nv 5 0 0\nv 5 0.1 0\nv 5 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")}}
	for name, m := range models {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		s := scene.New(mech, scene.Options{Visuals: m.Visuals, Files: files})
		require.Empty(t, s.Faults)
		for _, v := range []draw.View{{Width: 400, Height: 300}, {Width: 300, Height: 400, Angles: true, Azimuth: 2, Elevation: -0.7}} {
			var b bytes.Buffer
			require.NoError(t, draw.PNG(context.Background(), &b, s, mech.Initial(), v))
			img, err := png.Decode(&b)
			require.NoError(t, err)
			seen := image.Rectangle{}
			for y := range v.Height {
				for x := range v.Width {
					if r, g, b, _ := img.At(x, y).RGBA(); min(r, g, b) < 0xd000 {
						seen = seen.Union(image.Rect(x, y, x+1, y+1))
					}
				}
			}
			assert.InDelta(t, v.Width, seen.Min.X+seen.Max.X, 6, "%s: in the middle, left and right", name)
			assert.InDelta(t, v.Height, seen.Min.Y+seen.Max.Y, 6, "%s: in the middle, up and down", name)
			part := max(float64(seen.Dx())/float64(v.Width), float64(seen.Dy())/float64(v.Height))
			assert.InDelta(t, 1/1.08, part, 0.02, "%s: of the picture", name)
		}
	}
}

// Equal scenes have equal bytes, whatever was drawn before.
func TestSameBytes(t *testing.T) {
	check.Long(t)
	s, st := scissor(t)
	for _, f := range []func(w *bytes.Buffer) error{
		func(w *bytes.Buffer) error {
			return draw.PNG(context.Background(), w, s, st, draw.View{Width: 400, Height: 300})
		},
		func(w *bytes.Buffer) error { return draw.SVG(context.Background(), w, s, st, draw.View{}) },
	} {
		var a, b bytes.Buffer
		require.NoError(t, f(&a))
		require.NoError(t, f(&b))
		assert.True(t, bytes.Equal(a.Bytes(), b.Bytes()))
	}
}

func TestRefused(t *testing.T) {
	s, st := scissor(t)
	var b bytes.Buffer
	assert.ErrorContains(t, draw.PNG(context.Background(), &b, s, st, draw.View{Width: 10000}), "picture of 10000 × 900 pixels, want 1 to 8192 a side")
	assert.ErrorContains(t, draw.SVG(context.Background(), &b, s, st, draw.View{Height: -1}), "pixels, want 1 to")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, draw.PNG(ctx, &b, s, st, draw.View{}), context.Canceled)
	assert.ErrorIs(t, draw.SVG(ctx, &b, s, st, draw.View{}), context.Canceled)
	far := st.Clone()
	far.Bodies[0].Position[0] = math.Inf(1)
	assert.ErrorContains(t, draw.PNG(context.Background(), &b, s, far, draw.View{}), "no finite extent")
	assert.Zero(t, b.Len(), "nothing is written beside an error")
}

// What is against gravity is at the top of the picture: a mast along y stands.
func TestUp(t *testing.T) {
	size := func(g spatial.Vec3) image.Rectangle {
		m, err := bench.Scissor(8, 1)
		require.NoError(t, err)
		m.Gravity = g
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		s := scene.New(mech, scene.Options{})
		var b bytes.Buffer
		require.NoError(t, draw.PNG(context.Background(), &b, s, mech.Initial(), draw.View{Width: 400, Height: 400}))
		img, err := png.Decode(&b)
		require.NoError(t, err)
		seen := image.Rectangle{}
		for y := range 400 {
			for x := range 400 {
				if r, g, b, _ := img.At(x, y).RGBA(); min(r, g, b) < 0xd000 {
					seen = seen.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		return seen
	}
	mast := size(spatial.Vec3{0, -9.81, 0})
	assert.Greater(t, mast.Dy(), 3*mast.Dx(), "it stands: %v", mast)
	lying := size(spatial.Vec3{9.81, 0, 0})
	assert.Greater(t, lying.Dx(), lying.Dy(), "with gravity along it does not: %v", lying)
}
