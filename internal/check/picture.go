package check

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"testing"
)

// pictureShade is the difference of a channel, of 65535, from which on pixels differ.
const pictureShade = 6000

// Picture compares a PNG with the file at path: the sizes are equal, and at most
// the given part of the pixels differ by more than a shade. Processors round the
// edges of shapes each in their way. With -update a file that differs is written.
func Picture(t testing.TB, path string, got []byte, part float64) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err == nil {
		err = pictureDiff(want, got, part)
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

func pictureDiff(want, got []byte, part float64) error {
	w, err := png.Decode(bytes.NewReader(want))
	if err != nil {
		return fmt.Errorf("it is no PNG: %w", err)
	}
	g, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		return fmt.Errorf("the new one is no PNG: %w", err)
	}
	if w.Bounds() != g.Bounds() {
		return fmt.Errorf("size %v, want %v", g.Bounds().Size(), w.Bounds().Size())
	}
	b := w.Bounds()
	if n := differing(w, g); float64(n) > part*float64(b.Dx()*b.Dy()) {
		return fmt.Errorf("%d of %d pixels differ", n, b.Dx()*b.Dy())
	}
	return nil
}

// differing counts the pixels of two pictures of one size that differ by more than a shade.
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
