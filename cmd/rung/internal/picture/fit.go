//go:build !small

package picture

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Fits draws data as points and the values of a model as lines, in a panel for each entry of list, below each other, in the format svg or
// png. There must be a panel, and each must have points.
func Fits(w io.Writer, format, title string, list []Fitted) error {
	s := stack{title: title}
	for i := range list {
		f := &list[i]
		p := plot.New()
		p.Y.Label.Text, p.X.Tick.Marker, p.Y.Tick.Marker = f.Label, rounds{}, rounds{}
		setFont(p)
		p.Add(plotter.NewGrid())
		panel := Panel{Curves: []Curve{{Name: "data"}}}
		points, err := plotter.NewScatter(pairs(f.X, f.Data))
		if err != nil {
			return err
		}
		points.GlyphStyle = draw.GlyphStyle{Color: plotColors[0], Radius: vg.Points(2), Shape: draw.RingGlyph{}}
		p.Add(points)
		for k, c := range f.Curves {
			line, err := plotter.NewLine(pairs(f.X, c.Y))
			if err != nil {
				return err
			}
			line.Color, line.Width = plotColors[(k+1)%len(plotColors)], vg.Points(1)
			p.Add(line)
			panel.Curves = append(panel.Curves, Curve{Name: c.Name})
		}
		p.X.Min, p.X.Max = room(p.X.Min, p.X.Max, 0)
		p.Y.Min, p.Y.Max = room(p.Y.Min, p.Y.Max, 0.03)
		s.plots = append(s.plots, []*plot.Plot{p})
		l := newRowLegend(&panel, p.Legend.TextStyle, runWidth-2.5*vg.Centimeter)
		s.legends, s.above = append(s.legends, l), max(s.above, l.height())
	}
	s.plots[len(list)-1][0].X.Label.Text = "time, s"
	to, err := draw.NewFormattedCanvas(runWidth, s.height(), format)
	if err != nil {
		return err
	}
	all := draw.New(to)
	whiten(all)
	s.draw(all)
	_, err = to.WriteTo(w)
	return err
}

// pairs returns the points with coordinates x and y.
func pairs(x, y []float64) plotter.XYs {
	list := make(plotter.XYs, len(x))
	for i := range x {
		list[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return list
}
