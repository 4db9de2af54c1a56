package check

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io/fs"
	"os"
	"slices"
	"testing"
)

// pictureShade is the largest difference of a channel, which goes up to 65535, at which two pixels count as equal.
const pictureShade = 6000

// Picture compares a PNG with the file at path. The sizes have to be equal, and at most the fraction
// part of the pixels may differ by more than pictureShade, since processors round the
// edges of shapes differently. With -update a file that differs is written.
func Picture(t testing.TB, path string, got []byte, part float64) {
	t.Helper()
	picture(t, path, got, func(want []byte) error { return pictureDiff(want, got, part) })
}

// Film compares a GIF with the file at path. The numbers of frames and their durations have to be equal, and the frames are compared
// as in Picture.
func Film(t testing.TB, path string, got []byte, part float64) {
	t.Helper()
	picture(t, path, got, func(want []byte) error { return filmDiff(want, got, part) })
}

// picture compares got with the picture at path by diff, which returns an error if they differ. It fails the test then or, with
// -update, writes got to the file.
func picture(t testing.TB, path string, got []byte, diff func(want []byte) error) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err == nil {
		err = diff(want)
	}
	switch {
	case err == nil:
	case *update && (!isPathError(err) || errors.Is(err, fs.ErrNotExist)):
		if err := write(path, got); err != nil {
			t.Errorf("picture: %v", err)
		}
	default:
		t.Errorf("picture %s: %v (-update rewrites it)", path, err)
	}
}

// pictureDiff returns an error if the sizes of two PNG pictures differ, or more than the fraction part of their pixels.
func pictureDiff(want, got []byte, part float64) error {
	w, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return fmt.Errorf("it is no PNG: %w", err)
	}
	g, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		return fmt.Errorf("the new one is no PNG: %w", err)
	}
	return imageDiff(w, g, part)
}

// imageDiff returns an error if the sizes of two images differ, or more than the fraction part of their pixels.
func imageDiff(w, g image.Image, part float64) error {
	if w.Bounds() != g.Bounds() {
		return fmt.Errorf("size %v, want %v", g.Bounds().Size(), w.Bounds().Size())
	}
	b := w.Bounds()
	if n := differing(w, g); float64(n) > part*float64(b.Dx()*b.Dy()) {
		return fmt.Errorf("%d of %d pixels differ", n, b.Dx()*b.Dy())
	}
	return nil
}

// filmDiff returns an error if the numbers of frames or the durations of two GIF films differ, or more than the fraction part of the
// pixels of a frame.
func filmDiff(want, got []byte, part float64) error {
	w, err := gif.DecodeAll(bytes.NewReader(want))
	if err != nil {
		return fmt.Errorf("it is no GIF: %w", err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(got))
	if err != nil {
		return fmt.Errorf("the new one is no GIF: %w", err)
	}
	if !slices.Equal(g.Delay, w.Delay) || g.LoopCount != w.LoopCount {
		return fmt.Errorf("%d frames, %d hundredths of a second each, loops %d; want %d, %d, %d", len(g.Image), g.Delay, g.LoopCount, len(w.Image), w.Delay, w.LoopCount)
	}
	was, is := canvas(w), canvas(g)
	for i := range w.Image {
		for _, c := range []struct {
			on   *image.NRGBA
			from *image.Paletted
		}{{was, w.Image[i]}, {is, g.Image[i]}} {
			draw.Draw(c.on, c.from.Bounds(), c.from, c.from.Bounds().Min, draw.Over)
		}
		if err := imageDiff(was, is, part); err != nil {
			return fmt.Errorf("frame %d: %w", i+1, err)
		}
	}
	return nil
}

// canvas returns a white image of the size of a GIF, on which its frames are drawn one after another.
func canvas(g *gif.GIF) *image.NRGBA {
	c := image.NewNRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	draw.Draw(c, c.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	return c
}

// differing returns the number of pixels of two pictures of one size that differ by more than pictureShade.
func differing(w, g image.Image) (n int) {
	far := func(x, y uint32) bool { return x > y+pictureShade || y > x+pictureShade }
	b := w.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, s, u, a := w.At(x, y).RGBA()
			r1, s1, u1, a1 := g.At(x, y).RGBA()
			if far(r, r1) || far(s, s1) || far(u, u1) || far(a, a1) {
				n++
			}
		}
	}
	return n
}
