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

// PNG describes heights in a grey picture of 8 or 16 bits: height = Lowest + (Highest − Lowest) · value / largest value. Gamma
// and colour profiles are ignored.
type PNG struct {
	Origin, Spacing [2]float64 // as in Field, m
	Lowest, Highest float64    // heights of black and of white, m
	First           Side       // side of the first line of pixels
}

// Offsets of fields in the header of a PNG file, and the length of the header.
const (
	pngChunk  = 12 // the type of the first chunk, four letters
	pngWidth  = 16
	pngHeight = 20
	pngBits   = 24
	pngColor  = 25
	pngHead   = 33
)

// Colour types of a PNG file, the values of its field pngColor.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// One byte of compressed data makes at most deflated bytes. A picture of more than manyPixels pixels needs a file of at
// least smallPart of the size of its pixels, as files of measured ground have; without this limit a file of a megabyte could fill any
// memory.
const (
	deflated   = 1032
	manyPixels = 1 << 26
	smallPart  = 1. / 100
)

// Read reads the heights of a picture, as Format says. It needs memory for the file, the pixels and the heights. Before it
// allocates the latter two, it refuses a file whose header promises more pixels than its length can hold, and a file of more than
// 2²⁶ pixels that is shorter than a hundredth of their size.
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

// decodeText returns the message for an error of decoding a picture.
func decodeText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the picture ends too early"
	}
	return err.Error()
}

// head checks the header of a file before anything is allocated. It adds the faults to p, and returns false if there are any.
func (c *PNG) head(data []byte, p *Problems) bool {
	const signature = "\x89PNG\r\n\x1a\n"
	if len(data) < pngHead || string(data[:len(signature)]) != signature || string(data[pngChunk:pngWidth]) != "IHDR" {
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

// number32 returns the number in the first four bytes, the highest byte first.
func number32(b []byte) int64 {
	return int64(b[0])<<24 | int64(b[1])<<16 | int64(b[2])<<8 | int64(b[3])
}

// pngColorName returns the words for a colour type other than pngGrey.
func pngColorName(color byte) string {
	switch color {
	case pngRGB, pngRGBA:
		return "colours"
	case pngPalette:
		return "a palette"
	case pngGreyAlpha:
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

// height returns the height, m, of a grey value from 0 to 1.
func (c *PNG) height(grey float64) float64 { return c.Lowest + (c.Highest-c.Lowest)*grey }
