package draw

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// outlined returns the length of the rims of a scene, pixels, and the pixels of a metre, as seen along −y.
func outlined(t *testing.T, shapes []scene.Shape) (length, scale float64, rims []rim) {
	m := model.New("rims")
	for _, name := range []string{"a", "b"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	m.Canonicalize()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	for i := range shapes {
		shapes[i].Joint, shapes[i].At.E = -1, spatial.Identity3()
	}
	s := &scene.Scene{Mechanism: mech, Unit: 1, Shapes: shapes}
	v := View{Width: 400, Height: 300, Angles: true, Azimuth: -math.Pi / 2}
	bodies, err := facets(s, mech.Initial(), &v)
	require.NoError(t, err)
	h, err := newHidden(context.Background(), bodies, v)
	require.NoError(t, err)
	for _, r := range h.rims {
		length += math.Hypot(r.to[0]-r.from[0], r.to[1]-r.from[1])
	}
	on, _, err := prepare(s, mech.Initial(), &v)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, SVG(context.Background(), &b, s, mech.Initial(), v))
	assert.Equal(t, 1, strings.Count(b.String(), "<g fill=\"none\""), "the lines are in the picture")
	return length, on.cam.scale, h.rims
}

// Rims are outlines: of a ball its circle, of a box its edges that turn away; what another body hides is no part of
// them, and boxes of one body that touch have one outline.
func TestRims(t *testing.T) {
	box := func(body int32, x, y, half float64) scene.Shape {
		return scene.Shape{Kind: scene.Box, Color: scene.Color{200, 100, 0}, Body: body, Size: spatial.Vec3{half, half, half}, At: mechanism.Frame{Origin: spatial.Vec3{x, y, 0}}}
	}
	const part = 0.01 // polygons for circles
	length, scale, rims := outlined(t, []scene.Shape{{Kind: scene.Sphere, Color: scene.Color{200, 0, 0}, Size: spatial.Vec3{2, 2, 2}}})
	assert.InEpsilon(t, 2*math.Pi*2*scale, length, part, "ball")
	assert.Less(t, rims[0].color[0], uint8(91), "dark")

	length, scale, _ = outlined(t, []scene.Shape{box(0, 0, 0, 1)})
	assert.InEpsilon(t, 8*scale, length, part, "box")

	// A smaller box before the right half of a larger one hides nothing of the outline of the larger but what it covers.
	length, scale, _ = outlined(t, []scene.Shape{box(0, 0, 0, 1), box(1, 1, -3, 0.5)})
	assert.InEpsilon(t, (8+4-1)*scale, length, part, "a box before the edge of another")
	length, scale, _ = outlined(t, []scene.Shape{box(0, 0, 0, 1), box(1, 1, 3, 0.5)})
	assert.InEpsilon(t, (8+2)*scale, length, part, "a box behind the edge of another")

	length, scale, _ = outlined(t, []scene.Shape{box(0, 0, 0, 1), box(0, 2, 0, 1)})
	assert.InEpsilon(t, 12*scale, length, part, "two boxes of a body that touch")
	length, scale, _ = outlined(t, []scene.Shape{box(0, 0, 0, 1), box(1, 2, 0, 1)})
	assert.Greater(t, length, 13.9*scale, "two boxes of two bodies")
}

// A line is cut by a convex polygon into what lies before and behind it.
func TestCutRims(t *testing.T) {
	square := []point{{0, 0}, {0, 10}, {10, 10}, {10, 0}}
	if area(square) < 0 {
		square = []point{{0, 0}, {10, 0}, {10, 10}, {0, 10}}
	}
	for _, c := range []struct {
		from, to point
		grow     float64
		want     [][2]point
	}{
		{point{-5, 5}, point{15, 5}, 0, [][2]point{{{-5, 5}, {0, 5}}, {{10, 5}, {15, 5}}}},
		{point{-5, 5}, point{5, 5}, 0, [][2]point{{{-5, 5}, {0, 5}}}},
		{point{2, 5}, point{8, 5}, 0, nil},
		{point{-5, 12}, point{15, 12}, 0, [][2]point{{{-5, 12}, {15, 12}}}},
		{point{-5, 10}, point{15, 10}, 0, [][2]point{{{-5, 10}, {15, 10}}}},
		{point{-5, 10}, point{15, 10}, 1, [][2]point{{{-5, 10}, {-1, 10}}, {{11, 10}, {15, 10}}}},
	} {
		h := &hidden{lines: [][2]point{{c.from, c.to}}}
		h.cutRims(square, c.grow)
		require.Len(t, h.lines, len(c.want), "%v", c)
		for k := range c.want {
			for end := range 2 {
				assert.InDeltaSlice(t, c.want[k][end][:], h.lines[k][end][:], 1e-12)
			}
		}
	}
}
