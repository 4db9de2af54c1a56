package draw_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	stddraw "image/draw"
	"image/gif"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/draw"
)

// lift is a motion: all bodies go up by speed times the time.
type lift struct {
	times []float64
	start *mechanism.State
	speed float64
}

func (l lift) Times() []float64 { return l.times }

func (l lift) StateTo(st *mechanism.State, i int) error {
	copy(st.Bodies, l.start.Bodies)
	for k := range st.Bodies {
		st.Bodies[k].Position[2] += l.speed * l.times[i]
	}
	return nil
}

// seconds returns times from 0 to the end, n steps apart.
func seconds(end float64, n int) (times []float64) {
	for k := range n + 1 {
		times = append(times, end*float64(k)/float64(n))
	}
	return times
}

// film writes and reads a GIF.
func film(t *testing.T, s *scene.Scene, m scene.Recording, v draw.View, f draw.Film) *gif.GIF {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, draw.GIF(context.Background(), &b, s, m, v, f))
	g, err := gif.DecodeAll(&b)
	require.NoError(t, err)
	return g
}

// shown returns what is seen of a GIF after its first n frames.
func shown(g *gif.GIF, n int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for _, frame := range g.Image[:n] {
		stddraw.Draw(out, frame.Bounds(), frame, frame.Bounds().Min, stddraw.Over)
	}
	return out
}

func total(list []int) (sum int) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// A film has a frame a picture, each as long as the clock says, and one palette.
func TestFilm(t *testing.T) {
	check.Long(t)
	s, st := scissor(t)
	m := lift{times: seconds(1, 100), start: st, speed: 1}
	v := draw.View{Width: 200, Height: 150}
	type films struct {
		film   draw.Film
		frames int
		ticks  int
		delay  int
		loops  int
	}
	for _, c := range []films{
		{draw.Film{}, 26, 104, 4, 0},
		{draw.Film{FPS: 30}, 31, 103, 3, 0},
		{draw.Film{FPS: 10, Seconds: 3}, 31, 310, 10, 0},
		{draw.Film{FPS: 50, Seconds: 0.2, Passes: 1}, 11, 22, 2, -1},
		{draw.Film{FPS: 10, Passes: 4}, 11, 110, 10, 3},
	} {
		g := film(t, s, m, v, c.film)
		assert.Len(t, g.Image, c.frames, "%+v", c.film)
		assert.Equal(t, c.ticks, total(g.Delay), "%+v: hundredths of a second", c.film)
		assert.Equal(t, c.loops, g.LoopCount)
		for k, d := range g.Delay {
			assert.InDelta(t, c.delay, d, 1, "%+v: frame %d", c.film, k)
			require.Equal(t, g.Config.ColorModel.(color.Palette)[1:], g.Image[k].Palette[1:], "frame %d has a palette of its own", k)
		}
		assert.Equal(t, image.Rect(0, 0, 200, 150), g.Image[0].Bounds())
	}
}

// What stands still is one frame; rows that are rarer than pictures are shown for longer.
func TestFilmStands(t *testing.T) {
	check.Long(t)
	s, st := scissor(t)
	v := draw.View{Width: 200, Height: 150}
	g := film(t, s, lift{times: seconds(2, 100), start: st}, v, draw.Film{})
	assert.Len(t, g.Image, 1)
	assert.Equal(t, []int{204}, g.Delay)

	g = film(t, s, lift{times: []float64{0, 0.5, 1}, start: st, speed: 1}, v, draw.Film{FPS: 20})
	assert.Len(t, g.Image, 3)
	assert.Equal(t, 105, total(g.Delay))
	assert.Equal(t, 30, g.Delay[0], "pictures at 0 to 0.25 s are nearest to the row at 0")

	g = film(t, s, lift{times: []float64{3}, start: st}, v, draw.Film{})
	assert.Len(t, g.Image, 1)

	g = film(t, s, lift{times: seconds(2000, 2), start: st}, draw.View{Width: 20, Height: 15}, draw.Film{FPS: 1})
	assert.Equal(t, 200_100, total(g.Delay), "longer than a frame can be")
}

// A frame after the first has only what changes: a small arm moves, and the rest is not written again.
func TestFilmChanges(t *testing.T) {
	check.Long(t)
	s, st := scissor(t)
	m := &one{lift{times: seconds(0.2, 5), start: st, speed: 0.5}}
	g := film(t, s, m, draw.View{Width: 400, Height: 300}, draw.Film{})
	require.Len(t, g.Image, 6)
	for k, frame := range g.Image[1:] {
		assert.Less(t, frame.Bounds().Dx()*frame.Bounds().Dy(), 400*300*2/3, "frame %d: %v", k+1, frame.Bounds())
		left := 0
		for _, p := range frame.Pix {
			if _, _, _, a := frame.Palette[p].RGBA(); a == 0 {
				left++
			}
		}
		assert.Greater(t, left, len(frame.Pix)/4, "frame %d: pixels that stay", k+1)
	}
}

// one moves the first body only.
type one struct{ lift }

func (o *one) StateTo(st *mechanism.State, i int) error {
	copy(st.Bodies, o.start.Bodies)
	st.Bodies[0].Position[2] += o.speed * o.times[i]
	return nil
}

// The film of what stands still is its still picture, but for the colours that the palette leaves out.
func TestFilmIsThePicture(t *testing.T) {
	check.Long(t)
	s, st := scissor(t)
	v := draw.View{Width: 320, Height: 240}
	got := shown(film(t, s, lift{times: seconds(1, 10), start: st}, v, draw.Film{}), 1)
	var b bytes.Buffer
	require.NoError(t, draw.PNG(context.Background(), &b, s, st, v))
	want, err := png.Decode(&b)
	require.NoError(t, err)
	requireNear(t, want, got)
}

// requireNear holds that of two pictures no channel is off by more than a small step of shading.
func requireNear(t *testing.T, want, got image.Image) {
	t.Helper()
	const (
		most = 48  // of 255, of lines that are mixed with two colours
		mean = 1.0 // of 255
	)
	sum, n := 0.0, 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			w, g := color.NRGBAModel.Convert(want.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA)
			for _, d := range []int{int(w.R) - int(g.R), int(w.G) - int(g.G), int(w.B) - int(g.B)} {
				require.LessOrEqual(t, math.Abs(float64(d)), float64(most), "pixel %d, %d: %v, want %v", x, y, g, w)
				sum, n = sum+math.Abs(float64(d)), n+1
			}
		}
	}
	require.Less(t, sum/float64(n), mean)
}

// Equal motions have equal bytes.
func TestFilmSameBytes(t *testing.T) {
	s, st := scissor(t)
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		require.NoError(t, draw.GIF(context.Background(), w, s, lift{times: seconds(0.2, 5), start: st, speed: 1}, draw.View{Width: 200, Height: 150}, draw.Film{}))
	}
	assert.Equal(t, a.Bytes(), b.Bytes())
}

func TestFilmRefused(t *testing.T) {
	s, st := scissor(t)
	m := lift{times: seconds(1, 10), start: st, speed: 1}
	var b bytes.Buffer
	write := func(m scene.Recording, v draw.View, f draw.Film) error {
		return draw.GIF(context.Background(), &b, s, m, v, f)
	}
	for _, f := range []draw.Film{{FPS: 51}, {FPS: -1}, {FPS: math.NaN()}, {Seconds: -1}, {Seconds: math.Inf(1)}, {Seconds: math.NaN()}, {Passes: -1}, {Passes: draw.MostPasses + 1}} {
		assert.ErrorContains(t, write(m, draw.View{}, f), "want 0 to 50, a finite time and 0 to 65536", "%+v", f)
	}
	for _, fps := range []float64{math.SmallestNonzeroFloat64, 1e-12, 1. / 601} {
		assert.ErrorContains(t, write(m, draw.View{}, draw.Film{FPS: fps}), "want a picture in 600 s at least", "%v", fps)
	}
	assert.ErrorContains(t, write(m, draw.View{}, draw.Film{Seconds: 1e6}),
		"draw: 2.5000001e+07 pictures of 1200 × 900 pixels: takes 2.7e+13 pixels, more than 1.07e+09 pixels: choose smaller or fewer pictures")
	assert.ErrorContains(t, write(m, draw.View{}, draw.Film{Seconds: math.MaxFloat64}), "pixels, more than")
	assert.ErrorContains(t, write(m, draw.View{Width: 9000}, draw.Film{}), "want 1 to 8192 a side")
	assert.ErrorContains(t, write(lift{start: st}, draw.View{}, draw.Film{}), "no rows in the motion")
	assert.ErrorContains(t, write(lift{times: seconds(1, 2), start: st, speed: math.Inf(1)}, draw.View{}, draw.Film{}), "no finite extent")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, draw.GIF(ctx, &b, s, m, draw.View{}, draw.Film{}), context.Canceled)
	assert.PanicsWithValue(t, "rung: nil context", func() { var none context.Context; _ = draw.GIF(none, &b, s, m, draw.View{}, draw.Film{}) })
	assert.Zero(t, b.Len(), "nothing is written beside an error")
}
