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

// Film is how fast a moving picture plays. The zero value plays at the speed of the clock, 25 pictures a second, for
// ever.
type Film struct {
	FPS     float64 // pictures a second, at most MostFPS and at least one in ten minutes; 0: 25
	Seconds float64 // for which one pass plays; 0: as long as the motion takes
	Passes  int     // 0: it begins anew for ever; at most MostPasses
}

const (
	// MostFPS is the largest number of pictures a second. Browsers slow down what has more.
	MostFPS = 50
	// mostFilm is the largest number of pixels of all pictures of a GIF.
	mostFilm = 1 << 30
	// MostPasses is the largest number of passes.
	MostPasses = 65536

	defaultFPS   = 25
	ticks        = 100 // of a GIF, 1/s
	longestDelay = 1<<16 - 1
	longestLook  = 600 // of one picture, s, which is less than longestDelay
	colorSamples = 12  // pictures whose colours make the palette
)

// GIF writes the motion m of s as a moving picture: a camera that stands still and has all of the motion in view, and one
// palette of 64 colours without dithering. Each picture stores what differs from the one before.
//
// A picture shows the row that is nearest to its time, and the last one shows the last row. So rows should come at least
// as often as pictures.
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
	c := &cutter{scene: s, motion: m, st: s.Mechanism.Initial(), list: list}
	if err := c.survey(ctx, v); err != nil {
		return err
	}
	g, err := c.film(ctx)
	if err != nil {
		return err
	}
	switch f.Passes {
	case 0, 1:
		g.LoopCount = -f.Passes // as image/gif has it: −1 plays once
	default:
		g.LoopCount = f.Passes - 1 // times that it begins anew
	}
	return gif.EncodeAll(w, g)
}

// picture is a row of a motion and for how long it is seen, in ticks.
type picture struct{ row, delay int }

// pictures returns the rows that the film shows. A row that is nearest to the times of several pictures is one.
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

// nearest returns which of increasing times is nearest to t, of two that are the earlier.
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

// cutter makes the pictures of a film.
type cutter struct {
	scene  *scene.Scene
	motion scene.Recording
	st     *mechanism.State
	list   []picture

	raster, empty *raster // the second has the ground alone
	palette       *palette
}

// survey finds the stage of all pictures and their palette.
func (c *cutter) survey(ctx context.Context, v View) error {
	a := audience{scene: c.scene, cam: newCamera(v, scene.Upright(c.scene.Mechanism))}
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
	for k := range min(colorSamples, len(c.list)) {
		if err := c.draw(ctx, k*(len(c.list)-1)/max(1, min(colorSamples, len(c.list))-1)); err != nil {
			return err
		}
		c.raster.each(func(_, _ int, col scene.Color) { h.count(col) })
	}
	c.palette = newPalette(&h, c.raster.back)
	return nil
}

// draw draws picture i.
func (c *cutter) draw(ctx context.Context, i int) error {
	if err := c.motion.StateTo(c.st, c.list[i].row); err != nil {
		return err
	}
	c.raster.copy(c.empty)
	return c.raster.draw(ctx, c.scene, c.st, solidsAt(c.scene, c.st))
}

// film draws all pictures.
func (c *cutter) film(ctx context.Context) (*gif.GIF, error) {
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

// differing returns the box around the pixels that are not as they were.
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

// cut returns a box of a picture. Pixels that are as they were are left out. At the start last has only those.
func (c *cutter) cut(now, last []uint8, box image.Rectangle) *image.Paletted {
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

// transparent is the colour of pixels that are left out.
var transparent = color.NRGBA{}
