//go:build !small

package picture

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	viewHeight = 11 * vg.Centimeter
	roomPart   = 0.9 // part of a view that its lines fill
)

// placeViews draws views beside each other.
func placeViews(all draw.Canvas, views []View) error {
	margin := vg.Points(8)
	width := (all.Max.X - all.Min.X) / vg.Length(max(2, len(views)))
	for i := range views {
		p, err := views[i].plot()
		if err != nil {
			return err
		}
		c := draw.Canvas{Canvas: all.Canvas, Rectangle: all.Rectangle}
		c.Min.X += width * vg.Length(i)
		c.Max.X = c.Min.X + width
		c = draw.Crop(c, margin, -margin, margin, -margin)
		around := [4]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}
		for range 2 { // labels of the axes change with their ranges
			square(p, p.DataCanvas(c), around, len(views[i].Poses))
		}
		p.Draw(c)
	}
	return nil
}

// plot draws a view without regard to the scales of its axes.
func (v *View) plot() (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = v.X, v.Y
	setFont(p)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2.5)
	p.Add(plotter.NewGrid())
	for i, pose := range v.Poses {
		c := poseColor(i, len(v.Poses))
		for k, points := range pose.Lines {
			xy := make(plotter.XYs, len(points))
			for j, x := range points {
				xy[j] = plotter.XY{X: x[0], Y: x[1]}
			}
			line, dots, err := plotter.NewLinePoints(xy)
			if err != nil {
				return nil, err
			}
			line.Color, line.Width = c, vg.Points(1.5)
			dots.Color, dots.Shape, dots.Radius = c, draw.CircleGlyph{}, vg.Points(1.75)
			p.Add(line, dots)
			if k == 0 {
				p.Legend.Add(pose.Name, line)
			}
		}
	}
	return p, nil
}

// poseColor returns the colour of pose i of n: a blue that is paler for earlier poses, and another colour for the last.
func poseColor(i, n int) color.RGBA {
	if i == n-1 {
		return plotColors[1]
	}
	pale := 0.75 * (1 - float64(i+1)/float64(n))
	mix := func(x uint8) uint8 { return uint8(float64(x) + pale*(255-float64(x))) }
	c := plotColors[0]
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// square chooses the ranges of p so that both axes have the same scale on c. around is the range of the data, x from and to, then y; there
// is some room around them, and room at the top for a legend with a number of lines.
func square(p *plot.Plot, c draw.Canvas, around [4]float64, lines int) {
	legend := float64(p.Legend.TextStyle.Font.Size+p.Legend.Padding) * 1.2 * float64(lines)
	w, h := float64(c.Max.X-c.Min.X), float64(c.Max.Y-c.Min.Y)
	scale := max((around[1]-around[0])/(roomPart*w), (around[3]-around[2])/(roomPart*(h-legend)))
	if !(scale > 0) {
		scale = 1 / w
	}
	mx, my := (around[0]+around[1])/2, (around[2]+around[3])/2+scale*legend/2
	p.X.Min, p.X.Max = mx-scale*w/2, mx+scale*w/2
	p.Y.Min, p.Y.Max = my-scale*h/2, my+scale*h/2
}
