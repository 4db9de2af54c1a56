package ground

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// PNG says which heights a grey picture of 8 or 16 bits has: height = Lowest + (Highest − Lowest) · value / largest value. Gamma
// and colour profiles are left out.
type PNG struct {
	Origin, Spacing [2]float64 // m
	Lowest, Highest float64    // of black and of white, m
	First           Side       // of the first line of pixels
}

// Places in the head of a PNG file, and the colour of a grey picture.
const (
	pngWidth  = 16
	pngHeight = 20
	pngBits   = 24
	pngColor  = 25
	pngHead   = 33
	pngGrey   = 0
)

// deflated is how many bytes one byte of compressed data makes at most. A picture of more than manyPixels has to be
// smallPart of its pixels' size at least, as all measured ground is: else a file of a megabyte could fill any memory.
const (
	deflated   = 1032
	manyPixels = 1 << 26
	smallPart  = 1. / 100
)

// Read reads the heights of a picture. See Format. It needs memory for the file, the pixels and the heights; a file
// whose head promises more pixels than its length can hold is refused before, and so is one of more than 2²⁶ pixels
// that is less than a hundredth of their size.
//
// Cost: O(pixels).
func (c *PNG) Read(ctx context.Context, r io.Reader, name string) (*Field, error) {
	halt.Must(ctx)
	p := &Problems{File: name}
	data, err := io.ReadAll(&ended{ctx, r})
	if err != nil {
		return nil, err
	}
	if !c.head(data, p) {
		return nil, p
	}
	img, err := png.Decode(&ended{ctx, bytes.NewReader(data)})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		p.add(0, 0, "%s", fault.Line(decodeText(err)))
		return nil, p
	}
	f, err := c.heights(ctx, img)
	if err != nil {
		return nil, err
	}
	if f == nil {
		p.add(0, 0, "transparent pixels; a picture of heights is grey")
		return nil, p
	}
	return p.checked(f)
}

// decodeText says why a picture cannot be decoded.
func decodeText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the picture ends too early"
	}
	return err.Error()
}

// head checks what the beginning of a file says, before anything is allocated.
func (c *PNG) head(data []byte, p *Problems) bool {
	const signature = "\x89PNG\r\n\x1a\n"
	if len(data) < pngHead || string(data[:len(signature)]) != signature || string(data[12:16]) != "IHDR" {
		p.add(0, 0, "not a PNG picture")
		return false
	}
	nx, ny := number32(data[pngWidth:]), number32(data[pngHeight:])
	bits, color := data[pngBits], data[pngColor]
	switch {
	case color != pngGrey:
		p.add(0, 0, "a picture of %s; heights are grey, without transparency", pngColorName(color))
	case bits != 8 && bits != 16:
		p.add(0, 0, "a grey picture of 8 or 16 bits is wanted (value %d)", bits)
	case nx < 2 || ny < 2 || ny > MaxNodes/nx:
		p.add(0, 0, "%d × %d pixels; from 2 × 2 to 2³¹ are wanted", nx, ny)
	case ny*(1+nx*int64(bits/8)) > deflated*int64(len(data)):
		p.add(0, 0, "the picture ends too early: %d × %d pixels in %d bytes", nx, ny, len(data))
	case nx*ny > manyPixels && float64(nx*ny*int64(bits/8))*smallPart > float64(len(data)):
		p.add(0, 0, "%d × %d pixels in %d bytes; a picture of more than 2²⁶ pixels has to have a hundredth of their size at least", nx, ny, len(data))
	}
	return p.err() == nil
}

// number32 is the number of four bytes.
func number32(b []byte) int64 {
	return int64(b[0])<<24 | int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])
}

// pngColorName names a type of colour.
func pngColorName(color byte) string {
	switch color {
	case 2, 6:
		return "colours"
	case 3:
		return "a palette"
	case 4:
		return "grey with transparency"
	}
	return fmt.Sprintf("an unknown colour type %d", color)
}

// heights returns the heights of the pixels, docs/ground.md (G8), or nil if they are not grey.
func (c *PNG) heights(ctx context.Context, img image.Image) (*Field, error) {
	size := img.Bounds().Size()
	f := &Field{Origin: c.Origin, Spacing: c.Spacing, Size: [2]int{size.X, size.Y}}
	f.Heights = make([]float64, size.X*size.Y)
	for j := range size.Y {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		to := f.Heights[j*size.X : (j+1)*size.X]
		if c.First != South {
			to = f.Heights[(size.Y-1-j)*size.X:][:size.X]
		}
		switch img := img.(type) {
		case *image.Gray:
			row := img.Pix[j*img.Stride:]
			for i := range to {
				to[i] = c.height(float64(row[i]) / 0xff)
			}
		case *image.Gray16:
			row := img.Pix[j*img.Stride:]
			for i := range to {
				to[i] = c.height(float64(int(row[2*i])<<8|int(row[2*i+1])) / 0xffff)
			}
		default:
			return nil, nil
		}
	}
	return f, nil
}

// height returns the height of a grey from 0 to 1, m.
func (c *PNG) height(grey float64) float64 { return c.Lowest + (c.Highest-c.Lowest)*grey }
