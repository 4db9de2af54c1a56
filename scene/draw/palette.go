package draw

import (
	"image/color"
	"math"
	"slices"

	"github.com/rung-mbd/rung/scene"
)

// Indices of the palette.
const (
	unchanged       = 0 // a pixel that is as in the picture before
	backgroundIndex = 1
	paletteSize     = 64
)

// Colours are told apart by the first cellBits bits of each channel. Colours with the same bits are in one cell.
const cellBits = 5

// cellOf returns the number of the cell of a colour.
func cellOf(c scene.Color) int {
	const drop = 8 - cellBits
	return int(c[0]>>drop)<<(2*cellBits) | int(c[1]>>drop)<<cellBits | int(c[2]>>drop)
}

// histogram counts the pixels in each cell, and sums their channels.
type histogram [1 << (3 * cellBits)]struct {
	n   int
	sum [3]int
}

// count adds a pixel.
func (h *histogram) count(c scene.Color) {
	at := &h[cellOf(c)]
	at.n++
	for k := range c {
		at.sum[k] += int(c[k])
	}
}

// palette has the colours of a film and, for each cell, the index of the nearest colour.
type palette struct {
	colors  color.Palette
	nearest [1 << (3 * cellBits)]uint8
}

// index returns the index of the colour that stands for c.
func (p *palette) index(c scene.Color) uint8 { return p.nearest[cellOf(c)] }

// tint is a colour with its weight: the square root of its pixels, so that small marks keep their colours.
type tint struct {
	at     [3]float64
	weight float64
}

// newPalette chooses the colours for the pixels of a histogram. It cuts the box of all colours in two at the mean of the channel
// that varies most, and then again the box with the greatest sum of squares, until there is a box for each free index. Each box
// gives its mean.
func newPalette(h *histogram, back scene.Color) *palette {
	var all []tint
	for i := range h {
		if n := float64(h[i].n); n > 0 && i != cellOf(back) {
			all = append(all, tint{[3]float64{float64(h[i].sum[0]) / n, float64(h[i].sum[1]) / n, float64(h[i].sum[2]) / n}, math.Sqrt(n)})
		}
	}
	p := &palette{colors: color.Palette{unchanged: transparent, backgroundIndex: color.NRGBA{back[0], back[1], back[2], 255}}}
	for _, b := range cutBoxes(all, paletteSize-len(p.colors)) {
		p.colors = append(p.colors, color.NRGBA{uint8(b.mean[0] + 0.5), uint8(b.mean[1] + 0.5), uint8(b.mean[2] + 0.5), 255})
	}
	for i := range p.nearest {
		p.nearest[i] = p.find(i, h)
	}
	p.nearest[cellOf(back)] = backgroundIndex
	return p
}

// find returns the index of the colour nearest to a cell: to the mean of its counted pixels or, without any, to its middle.
func (p *palette) find(cell int, h *histogram) uint8 {
	const width = 1 << (8 - cellBits)
	var at [3]float64
	for k := range at {
		at[k] = width * (float64(cell>>((2-k)*cellBits)&(1<<cellBits-1)) + 0.5)
		if n := h[cell].n; n > 0 {
			at[k] = float64(h[cell].sum[k]) / float64(n)
		}
	}
	best, least := backgroundIndex, math.Inf(1)
	for i := backgroundIndex; i < len(p.colors); i++ {
		c := p.colors[i].(color.NRGBA)
		r, g, b := at[0]-float64(c.R), at[1]-float64(c.G), at[2]-float64(c.B)
		if d := r*r + g*g + b*b; d < least {
			best, least = i, d
		}
	}
	return uint8(best)
}

// box is a set of colours.
type box struct {
	tints   []tint
	mean    [3]float64
	channel int     // colour channel that varies most
	spread  float64 // weighted sum of squared deviations from the mean in that channel
}

// newBox returns the box of some tints.
func newBox(tints []tint) box {
	b := box{tints: tints}
	var total float64
	var sum, squares [3]float64
	for i := range tints {
		t := &tints[i]
		total += t.weight
		for k, x := range t.at {
			sum[k] += t.weight * x
			squares[k] += t.weight * x * x
		}
	}
	for k := range sum {
		b.mean[k] = sum[k] / total
		if s := squares[k] - sum[k]*b.mean[k]; len(tints) > 1 && s > b.spread {
			b.channel, b.spread = k, s
		}
	}
	return b
}

// cutBoxes divides colours into at most n boxes.
func cutBoxes(all []tint, n int) []box {
	if len(all) == 0 {
		return nil
	}
	boxes := []box{newBox(all)}
	for len(boxes) < n {
		most := 0
		for i := range boxes {
			if boxes[i].spread > boxes[most].spread {
				most = i
			}
		}
		b := &boxes[most]
		below := slices.Clone(b.tints)
		above := slices.DeleteFunc(slices.Clone(b.tints), func(t tint) bool { return t.at[b.channel] <= b.mean[b.channel] })
		below = slices.DeleteFunc(below, func(t tint) bool { return t.at[b.channel] > b.mean[b.channel] })
		if len(above) == 0 || len(below) == 0 {
			break // all are one colour
		}
		boxes[most] = newBox(below)
		boxes = append(boxes, newBox(above))
	}
	return boxes
}
