//go:build !small

package picture

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	// mostPoints is the largest number of single points. Above it Scatter draws the number of points in each cell of a grid.
	mostPoints = 5000
	// cellsAcross and cellsUp are the numbers of cells in a row and in a column.
	cellsAcross, cellsUp = 90, 60
	// besideCloud is the part of the extent of the points that is left free beside them.
	besideCloud = 0.04
)

// Scatter draws a point for each run in the format svg or png. For more than mostPoints it draws cells with the number of their points or,
// if points have values Z, with the mean value. There must be at least one point.
func Scatter(w io.Writer, format string, s *Cloud) error {
	if len(s.X) > mostPoints && !s.Joined {
		return Response(w, format, s.cells())
	}
	p := ofRuns(s.Title, s.XLabel, s.YLabel)
	x0, x1 := ends(s.X, s.Failed)
	y0, y1 := ends(s.Y, nil)
	p.X.Min, p.X.Max = room(x0, x1, besideCloud)
	p.Y.Min, p.Y.Max = room(y0, y1, besideCloud)
	p.Add(plotter.NewGrid())
	xy := make(plotter.XYs, len(s.X))
	for i := range xy {
		xy[i] = plotter.XY{X: s.X[i], Y: s.Y[i]}
	}
	radius := vg.Points(max(1.2, min(2.6, 60/math.Sqrt(float64(len(xy))))))
	if s.Joined {
		for _, part := range s.parts() {
			p.Add(&plotter.Line{XYs: xy[part[0]:part[1]], LineStyle: draw.LineStyle{Color: plotColors[0], Width: vg.Points(1)}})
		}
	}
	style := draw.GlyphStyle{Color: plotColors[0], Shape: draw.CircleGlyph{}, Radius: radius}
	points := &plotter.Scatter{XYs: xy, GlyphStyle: style}
	p.Add(&missing{s.Failed})
	if s.Z == nil {
		p.Add(points)
		return drawBelow(w, p, format)
	}
	scale := newScale(s.Z, s.ZLabel, false)
	style.Radius = max(radius, vg.Points(1.8))
	style.Shape = outlined{}
	points.GlyphStyleFunc = func(i int) draw.GlyphStyle {
		style.Color = scale.color(s.Z[i])
		return style
	}
	p.Add(points)
	return scale.drawBeside(w, p, format)
}

// parts returns the ranges of points, first and last+1, between which no run has failed. The points are sorted by X.
func (s *Cloud) parts() (list [][2]int) {
	failed := slices.Clone(s.Failed)
	slices.Sort(failed)
	first := 0
	for i := range s.X {
		last := i == len(s.X)-1
		if !last {
			k, _ := slices.BinarySearch(failed, s.X[i])
			last = k < len(failed) && failed[k] <= s.X[i+1]
		}
		if last {
			list = append(list, [2]int{first, i + 1})
			first = i + 1
		}
	}
	return list
}

// outlined is a circle with an outline, so that pale ones are visible.
type outlined struct{}

// DrawGlyph draws a mark of the cloud (the interface of glyph drawers of gonum/plot).
func (outlined) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	draw.CircleGlyph{}.DrawGlyph(c, s, at)
	c.SetLineStyle(draw.LineStyle{Color: color.Gray{0x70}, Width: vg.Points(0.3)})
	var path vg.Path
	path.Move(vg.Point{X: at.X + s.Radius, Y: at.Y})
	path.Arc(at, s.Radius, 0, 2*math.Pi)
	path.Close()
	c.Stroke(path)
}

// cells returns the field of numbers, or mean values, by which many points are drawn. An empty cell is NaN.
func (s *Cloud) cells() *Field {
	x0, x1 := ends(s.X, s.Failed)
	y0, y1 := ends(s.Y, nil)
	f := &Field{Title: s.Title, XLabel: s.XLabel, YLabel: s.YLabel, ZLabel: "runs in a cell", Whole: s.Z == nil}
	f.XEdges, f.YEdges = equal(x0, x1, cellsAcross), equal(y0, y1, cellsUp)
	counts := make([]float64, cellsAcross*cellsUp)
	sums := make([]float64, len(counts))
	for i := range s.X {
		k := binOf(f.YEdges, s.Y[i])*cellsAcross + binOf(f.XEdges, s.X[i])
		counts[k]++
		if s.Z != nil {
			sums[k] += s.Z[i]
		}
	}
	f.Z = counts
	if s.Z != nil {
		f.ZLabel = s.ZLabel
		f.Title += "\ncells: the mean of their runs"
	}
	for k, n := range counts {
		switch {
		case n == 0:
			f.Z[k] = math.NaN()
		case s.Z != nil:
			f.Z[k] = sums[k] / n
		}
	}
	return f
}

// missing plots marks at the lower edge for the x of failed runs.
type missing struct{ x []float64 }

// Plot implements plot.Plotter.
func (m *missing) Plot(c draw.Canvas, plt *plot.Plot) {
	x, _ := plt.Transforms(&c)
	const arm = 2.6
	style := draw.LineStyle{Color: plotColors[1], Width: vg.Points(1)}
	last := vg.Length(math.Inf(-1))
	list := slices.Clone(m.x)
	slices.Sort(list)
	for _, v := range list {
		at := x(v)
		if at-last < vg.Points(0.5) { // so near that one mark is enough
			continue
		}
		last = at
		y := c.Min.Y + vg.Points(arm+1.5)
		c.StrokeLine2(style, at-arm, y-arm, at+arm, y+arm)
		c.StrokeLine2(style, at-arm, y+arm, at+arm, y-arm)
	}
}
