//go:build !small

package picture

import (
	"image"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	fieldPixels   = 640 // width of a field
	leastContours = 4   // least number of columns and of rows for contours
	hatch         = 8   // distance of the lines in a hatched cell, pixels
)

// Response draws the numbers of f in cells as colours, with a scale beside them, in the format svg or png. If f has the positions of the
// numbers, and at least leastContours of them along both axes, it draws contours too. At least one number of f must not be NaN.
func Response(w io.Writer, format string, f *Field) error {
	p := ofRuns(f.Title, f.XLabel, f.YLabel)
	s := newScale(f.Z, f.ZLabel, f.Whole)
	nx, ny := len(f.XEdges), len(f.YEdges)
	p.Add(plotter.NewImage(f.image(s), f.XEdges[0], f.YEdges[0], f.XEdges[nx-1], f.YEdges[ny-1]))
	if len(f.X) >= leastContours && len(f.Y) >= leastContours {
		style := p.X.Tick.Label
		style.Font.Size, style.XAlign, style.YAlign = vg.Points(7), draw.XCenter, draw.YCenter
		r := &raster{nx: len(f.X), ny: len(f.Y), max: [2]float64{float64(len(f.X) - 1), float64(len(f.Y) - 1)}, z: make([]float64, len(f.Z))}
		for i, z := range f.Z {
			r.z[i] = z / s.factor
		}
		p.Add(&contourPlot{r: r, levels: s.levels, decimals: s.decimals, style: style, x: f.X, y: f.Y})
	}
	return s.drawBeside(w, p, format)
}

// image returns the colours of the cells. Cells without a number are white, or hatched if their run has failed.
func (f *Field) image(s *scale) image.Image {
	nx, ny := len(f.XEdges)-1, len(f.YEdges)-1
	width := max(fieldPixels, nx)
	height := max(fieldPixels*2/3, ny)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	along := func(edges []float64, n int) []int { // the cell of each of n pixels
		cells := make([]int, n)
		for i := range cells {
			u := (float64(i) + 0.5) / float64(n)
			cells[i] = binOf(edges, edges[0]*(1-u)+edges[len(edges)-1]*u)
		}
		return cells
	}
	columns, rows := along(f.XEdges, width), along(f.YEdges, height)
	grey, dark := color.RGBA{0xe4, 0xe4, 0xe4, 0xff}, color.RGBA{0x60, 0x60, 0x60, 0xff}
	for y, row := range rows {
		for x, column := range columns {
			k := row*nx + column
			c := color.RGBA{0xff, 0xff, 0xff, 0xff}
			switch {
			case !math.IsNaN(f.Z[k]):
				c = s.color(f.Z[k])
			case f.Failed != nil && f.Failed[k] && (x+y)%hatch == 0:
				c = dark
			case f.Failed != nil && f.Failed[k]:
				c = grey
			}
			img.SetRGBA(x, height-1-y, c)
		}
	}
	return img
}

// Edges returns the edges of cells around ascending values: halfway between neighbours, and as far beyond the first and the last.
func Edges(values []float64) []float64 {
	if len(values) == 1 {
		lo, hi := room(values[0], values[0], 0)
		return []float64{lo, hi}
	}
	n := len(values)
	list := slices.Clone(values)
	for i := n - 1; i > 0; i-- {
		list[i] = (values[i-1] + values[i]) / 2
	}
	list[0] = values[0] - (values[1]-values[0])/2
	return append(list, values[n-1]+(values[n-1]-values[n-2])/2)
}
