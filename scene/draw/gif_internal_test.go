package draw

import (
	"context"
	"image"
	"image/color"
	stddraw "image/draw"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

// sway moves all bodies to the right and back.
type sway struct{ start *mechanism.State }

func (s sway) Times() []float64 { return []float64{0, 0.04, 0.08, 0.12} }

func (s sway) StateTo(st *mechanism.State, i int) error {
	copy(st.Bodies, s.start.Bodies)
	for k := range st.Bodies {
		st.Bodies[k].Position[0] += [4]float64{0, 1, 2, 0.5}[i]
	}
	return nil
}

// Each frame, laid over those before, is the still picture of its row from the camera of the film in the film's colours,
// and all of the motion is in view.
func TestFramesAreStills(t *testing.T) {
	m, err := bench.Excavator(1, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s := scene.New(mech, scene.Options{Visuals: m.Visuals})
	v := View{Width: 240, Height: 180}
	list, err := (&Film{}).pictures(sway{}.Times(), v)
	require.NoError(t, err)
	require.Len(t, list, 4)
	c := &filmer{scene: s, motion: sway{mech.Initial()}, st: mech.Initial(), list: list}
	require.NoError(t, c.survey(context.Background(), v))
	g, err := c.film(context.Background())
	require.NoError(t, err)
	require.Len(t, g.Image, 4)
	seen := image.NewPaletted(image.Rect(0, 0, v.Width, v.Height), c.palette.colors)
	for i, frame := range g.Image {
		stddraw.Draw(seen, frame.Bounds(), frame, frame.Bounds().Min, stddraw.Over)
		require.NoError(t, c.draw(context.Background(), i))
		wrong, edge := 0, 0
		c.raster.each(func(x, y int, col scene.Color) {
			index := c.palette.index(col)
			if seen.ColorIndexAt(x, y) != index && c.palette.colors[seen.ColorIndexAt(x, y)] != c.palette.colors[index] {
				wrong++
			}
			if index != backgroundIndex && (x == 0 || y == 0 || x == v.Width-1 || y == v.Height-1) {
				edge++
			}
		})
		assert.Zero(t, wrong, "pixels of frame %d", i)
		assert.Zero(t, edge, "frame %d leaves the picture", i)
	}
}

// Of two rows the nearer is shown, whatever rounding does to the time of the picture.
func TestNearestRow(t *testing.T) {
	times := []float64{0, 1, 2, 4}
	for _, c := range []struct {
		t    float64
		want int
	}{{-1, 0}, {0, 0}, {0.4, 0}, {0.6, 1}, {1, 1}, {1 - 1e-15, 1}, {3.1, 3}, {4, 3}, {9, 3}} {
		assert.Equal(t, c.want, nearest(times, c.t), c.t)
	}
}

// A palette keeps a background and few colours exactly, and the colour of a few pixels among many.
func TestPalette(t *testing.T) {
	var h histogram
	back, red, mark := scene.Color{255, 255, 255}, scene.Color{200, 10, 10}, scene.Color{10, 90, 250}
	for range 10_000 {
		h.count(back)
		h.count(red)
	}
	h.count(mark)
	p := newPalette(&h, back)
	for _, c := range []scene.Color{back, red, mark} {
		r, g, b, a := p.colors[p.index(c)].RGBA()
		assert.Equal(t, [4]uint32{uint32(c[0]) * 0x101, uint32(c[1]) * 0x101, uint32(c[2]) * 0x101, 0xffff}, [4]uint32{r, g, b, a}, "%v", c)
	}
	assert.Len(t, p.colors, 4)
	for r := range 256 {
		for g := 0; g < 256; g += 4 {
			h.count(scene.Color{uint8(r), uint8(g), uint8(r ^ g)})
		}
	}
	many := newPalette(&h, back).colors
	assert.Len(t, many, paletteSize)
	once := map[color.Color]bool{}
	for _, c := range many {
		assert.False(t, once[c], "%v is there twice", c)
		once[c] = true
	}
}
