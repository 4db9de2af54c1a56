package check

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"testing"
)

// TestPictureDiff tells pictures apart that differ by more than their part of pixels, and sizes, and what is no picture.
func TestPictureDiff(t *testing.T) {
	made := func(w, h, changed int, shade uint8) []byte {
		m := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range changed {
			m.SetRGBA(i%w, i/w, color.RGBA{R: shade, A: 255})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	white := made(10, 10, 0, 0)
	for name, c := range map[string]struct {
		got  []byte
		same bool
	}{
		"equal": {white, true}, "one pixel": {made(10, 10, 1, 200), true}, "two pixels": {made(10, 10, 2, 200), false},
		"another size": {made(10, 11, 0, 0), false}, "no picture": {[]byte("text"), false},
	} {
		if err := pictureDiff(white, c.got, 0.01); (err == nil) != c.same {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Films are equal if each frame, laid over those before, is, and lasts as long.
func TestFilmDiff(t *testing.T) {
	film := func(delay int, shades ...uint8) []byte {
		g := &gif.GIF{}
		for _, y := range shades {
			p := image.NewPaletted(image.Rect(0, 0, 10, 10), color.Palette{color.Gray{0}, color.Gray{255}, color.Gray{y}})
			for i := range p.Pix {
				p.Pix[i] = 2
			}
			g.Image, g.Delay = append(g.Image, p), append(g.Delay, delay)
		}
		var b bytes.Buffer
		if err := gif.EncodeAll(&b, g); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	want := film(4, 10, 100)
	for _, c := range []struct {
		name string
		got  []byte
		same bool
	}{
		{"itself", film(4, 10, 100), true},
		{"a slight shade", film(4, 12, 101), true},
		{"slower", film(5, 10, 100), false},
		{"a frame more", film(4, 10, 100, 100), false},
		{"another last frame", film(4, 10, 200), false},
		{"another first frame", film(4, 100, 100), false},
		{"no GIF", []byte("GIF"), false},
	} {
		if err := filmDiff(want, c.got, 0.01); (err == nil) != c.same {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
