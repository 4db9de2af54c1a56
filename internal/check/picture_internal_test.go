package check

import (
	"bytes"
	"image"
	"image/color"
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
