package draw

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
)

// Film says how fast and how often a moving picture plays. The zero value plays in real time, 25 pictures a second, for
// ever.
type Film struct {
	FPS     float64 // pictures a second, at most MostFPS and at least one in ten minutes; 0: 25
	Seconds float64 // duration of one pass; 0: as long as the motion takes
	Passes  int     // at most MostPasses; 0: for ever
}

const (
	// MostFPS is the largest number of pictures a second. Browsers slow down faster films.
	MostFPS = 50
	// mostFilm is the largest number of pixels of all pictures of a GIF.
	mostFilm = 1 << 30
	// MostPasses is the largest number of passes.
	MostPasses = 65536

	defaultFPS   = 25
	ticks        = 100       // of a GIF, 1/s
	longestDelay = 1<<16 - 1 // of one picture in a GIF, ticks
	longestLook  = 600       // longest time of one picture, s, which is less than longestDelay
	colorSamples = 12        // pictures whose colours make the palette
)

// GIF writes the motion m of s as a moving picture. The camera stands still and has the whole motion in view; all pictures share
// a palette of 64 colours, without dithering. Each picture stores only the pixels that have changed.
//
// A picture shows the row that is nearest to its time, and the last one shows the last row. So m should have at least as many
// rows a second as the film has pictures.
//
// Cost: O(pictures·(pixels + triangles)), and the pictures in memory, a byte a pixel. It returns the errors of PNG and of
// m, and an error for a film that is out of range or has more pixels than mostFilm.
func GIF(ctx context.Context, w io.Writer, s *scene.Scene, m scene.Recording, v View, f Film) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	if err := v.check(); err != nil {
		return err
	}
	list, err := f.pictures(m.Times(), v)
	if err != nil {
		return err
	}
	c := &filmer{scene: s, motion: m, st: s.Mechanism.Initial(), list: list}
	if err := c.survey(ctx, v); err != nil {
		return err
	}
	g, err := c.film(ctx)
	if err != nil {
		return err
	}
	switch f.Passes {
	case 0, 1:
		g.LoopCount = -f.Passes // in image/gif 0 plays for ever and −1 once
	default:
		g.LoopCount = f.Passes - 1 // repetitions after the first pass
	}
	return gif.EncodeAll(w, g)
}

// picture is a row of a motion and the time for which it is shown, in ticks.
type picture struct{ row, delay int }

// pictures returns the rows that the film shows. Consecutive pictures of one row become one longer picture. It returns an error
// for a film that is out of range or too large.
func (f *Film) pictures(times []float64, v View) ([]picture, error) {
	if !(f.FPS >= 0 && f.FPS <= MostFPS) || !(f.Seconds >= 0) || math.IsInf(f.Seconds, 0) || f.Passes < 0 || f.Passes > MostPasses {
		return nil, fmt.Errorf("draw: film of %v pictures a second, %v s and %d passes: want 0 to %d, a finite time and 0 to %d", f.FPS, f.Seconds, f.Passes, MostFPS, MostPasses)
	}
	if f.FPS > 0 && f.FPS*longestLook < 1 {
		return nil, fmt.Errorf("draw: film of %v pictures a second: want a picture in %d s at least", f.FPS, longestLook)
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("draw: no rows in the motion")
	}
	fps, span := f.FPS, times[len(times)-1]-times[0]
	if fps == 0 {
		fps = defaultFPS
	}
	seconds := f.Seconds
	if seconds == 0 {
		seconds = span
	}
	steps := math.Max(1, math.Round(seconds*fps))
	if len(times) == 1 {
		steps = 0
	}
	if pixels := (steps + 1) * float64(v.Width) * float64(v.Height); !(pixels <= mostFilm) {
		return nil, fmt.Errorf("draw: %v pictures of %d × %d pixels: %s", steps+1, v.Width, v.Height,
			fault.TooDear(pixels, mostFilm, "pixels", "choose smaller or fewer pictures"))
	}
	var list []picture
	for k := range int(steps) + 1 {
		row := nearest(times, times[0]+span*float64(k)/math.Max(1, steps))
		delay := int(math.Round(float64(k+1)/fps*ticks)) - int(math.Round(float64(k)/fps*ticks))
		if n := len(list); n > 0 && list[n-1].row == row {
			list[n-1].delay += delay
		} else {
			list = append(list, picture{row, delay})
		}
	}
	return list, nil
}

// nearest returns the index of the time nearest to t, the earlier of two at the same distance. times increase.
func nearest(times []float64, t float64) int {
	i, found := slices.BinarySearch(times, t)
	if found || i == 0 {
		return i
	}
	if i == len(times) || t-times[i-1] <= times[i]-t {
		return i - 1
	}
	return i
}

// filmer makes the pictures of a film.
type filmer struct {
	scene  *scene.Scene
	motion scene.Recording
	st     *mechanism.State
	list   []picture

	raster, empty *raster // the second has the ground alone
	palette       *palette
}

// survey finds the camera of all pictures and their palette.
func (c *filmer) survey(ctx context.Context, v View) error {
	a := framing{scene: c.scene, cam: newCamera(v, scene.Upright(c.scene.Mechanism))}
	for i := range c.list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.motion.StateTo(c.st, c.list[i].row); err != nil {
			return err
		}
		shapes, _ := linkShapes(slices.Clone(c.scene.Shapes), c.scene, c.st)
		if err := a.show(c.st, shapes); err != nil {
			return err
		}
	}
	on := a.stage()
	c.raster, c.empty = newRaster(on.cam, v), newRaster(on.cam, v)
	terrains(c.scene, &on, groundNodes, func(f *face) { c.empty.face(f) })
	var h histogram
	for k := range min(colorSamples, len(c.list)) { // pictures at equal distances, with the first and the last
		if err := c.draw(ctx, k*(len(c.list)-1)/max(1, min(colorSamples, len(c.list))-1)); err != nil {
			return err
		}
		c.raster.each(func(_, _ int, col scene.Color) { h.count(col) })
	}
	c.palette = newPalette(&h, c.raster.back)
	return nil
}

// draw draws picture i into the raster.
func (c *filmer) draw(ctx context.Context, i int) error {
	if err := c.motion.StateTo(c.st, c.list[i].row); err != nil {
		return err
	}
	c.raster.copy(c.empty)
	return c.raster.draw(ctx, c.scene, c.st, solidsAt(c.scene, c.st))
}

// film draws all pictures. A picture without a change prolongs the one before, as far as a GIF allows.
func (c *filmer) film(ctx context.Context) (*gif.GIF, error) {
	size := image.Pt(c.raster.width/oversampling, c.raster.height/oversampling)
	g := &gif.GIF{Config: image.Config{ColorModel: c.palette.colors, Width: size.X, Height: size.Y}, BackgroundIndex: backgroundIndex}
	now, last := make([]uint8, size.X*size.Y), make([]uint8, size.X*size.Y)
	for i := range c.list {
		if err := c.draw(ctx, i); err != nil {
			return nil, err
		}
		c.raster.each(func(x, y int, col scene.Color) { now[y*size.X+x] = c.palette.index(col) })
		frame := image.Rectangle{Max: size}
		if i > 0 {
			frame = differing(now, last, size)
		}
		delay, n := c.list[i].delay, len(g.Delay)-1
		if frame.Empty() && g.Delay[n]+delay <= longestDelay {
			g.Delay[n] += delay
			continue
		}
		if frame.Empty() {
			frame = image.Rect(0, 0, 1, 1)
		}
		for ; delay > longestDelay; delay -= longestDelay {
			g.Image, g.Delay = append(g.Image, c.cut(now, last, frame)), append(g.Delay, longestDelay)
			copy(last, now)
		}
		g.Image, g.Delay = append(g.Image, c.cut(now, last, frame)), append(g.Delay, delay)
		now, last = last, now
	}
	g.Disposal = slices.Repeat([]byte{gif.DisposalNone}, len(g.Image))
	return g, nil
}

// differing returns the smallest box with all pixels that differ between two pictures of a size, now and last; it is not well formed
// if none differs.
func differing(now, last []uint8, size image.Point) (box image.Rectangle) {
	box = image.Rectangle{Min: size}
	for y := range size.Y {
		row, before := now[y*size.X:(y+1)*size.X], last[y*size.X:(y+1)*size.X]
		for x := range row {
			if row[x] != before[x] {
				box.Min.X, box.Max.X = min(box.Min.X, x), max(box.Max.X, x+1)
				box.Min.Y, box.Max.Y = min(box.Min.Y, y), y+1
			}
		}
	}
	return box
}

// cut returns the part of a picture in a box, with pixels that have not changed since last as unchanged. At the start all of last
// is unchanged, so that the first picture is stored whole.
func (c *filmer) cut(now, last []uint8, box image.Rectangle) *image.Paletted {
	p := image.NewPaletted(box, c.palette.colors)
	width := c.raster.width / oversampling
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			index := now[y*width+x]
			if index == last[y*width+x] {
				index = unchanged
			}
			p.Pix[p.PixOffset(x, y)] = index
		}
	}
	return p
}

// transparent is the colour of unchanged pixels.
var transparent = color.NRGBA{}
