package draw_test

import (
	"bytes"
	"context"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
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

// Equal scenes have equal bytes, whatever was drawn before.
func TestSameBytes(t *testing.T) {
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
