//go:build !small

package picture

import (
	"fmt"

	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mostNames is the largest number of tracks that are named.
const mostNames = 16

var (
	outlineColor = color.RGBA{0x10, 0x10, 0x10, 0xff}
	pastColor    = color.RGBA{0x58, 0x58, 0x58, 0xff}
	wheelColor   = color.RGBA{0xb0, 0xb4, 0xb8, 0xff}
)

// trackStyle returns the style of track i.
func trackStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: plotColors[i%len(plotColors)], Width: vg.Points(1.2)}
}

// drivePlot plots tracks, and outlines over them, as seen from above.
type drivePlot struct{ t *Terrain }

// Plot implements plot.Plotter.
func (p *drivePlot) Plot(c draw.Canvas, plt *plot.Plot) {
	to := transform(&c, plt)
	for i, t := range p.t.Tracks {
		c.StrokeLines(trackStyle(i), c.ClipLinesXY(to(t.Points))...)
	}
	drawOutlines(c, to, p.t.Outlines)
}

// transform returns a function that maps positions to points of the canvas.
func transform(c *draw.Canvas, plt *plot.Plot) func(places [][2]float64) []vg.Point {
	x, y := plt.Transforms(c)
	return func(places [][2]float64) []vg.Point {
		pts := make([]vg.Point, len(places))
		for i, at := range places {
			pts[i] = vg.Point{X: x(at[0]), Y: y(at[1])}
		}
		return pts
	}
}

// drawOutlines draws closed outlines, and fills wheels. to maps positions to points of the canvas.
func drawOutlines(c draw.Canvas, to func([][2]float64) []vg.Point, list []Outline) {
	for _, o := range list {
		line := draw.LineStyle{Color: outlineColor, Width: vg.Points(0.8)}
		if o.Past {
			line = draw.LineStyle{Color: pastColor, Width: vg.Points(0.5)}
		}
		pts := to(o.Points)
		if len(pts) == 0 {
			continue
		}
		if inside := c.ClipPolygonXY(pts); o.Wheel && len(inside) > 2 {
			c.FillPolygon(wheelColor, inside)
		}
		c.StrokeLines(line, c.ClipLinesXY(append(pts, pts[0]))...)
	}
}

// lineHeight is the height of the name of a track.
var lineHeight = vg.Points(13)

// trackRoom returns the width of the list of tracks, with the samples of their lines.
func trackRoom(t *Terrain, style draw.TextStyle) vg.Length {
	width := style.Width("and 99 more") - vg.Points(18)
	for i := range t.Tracks[:min(len(t.Tracks), mostNames)] {
		width = max(width, style.Width(t.Tracks[i].Name))
	}
	return width + vg.Points(26)
}

// drawTracks writes the list of tracks to the right of the data, at the distance from. If there is no room for all names, the last line
// has the number of the others.
func drawTracks(c, data draw.Canvas, t *Terrain, from vg.Length, style draw.TextStyle) {
	left := data.Max.X + from
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	lines := min(len(t.Tracks), max(1, int((data.Max.Y-data.Min.Y-vg.Points(6))/lineHeight)+1))
	names := min(lines, mostNames)
	if names < len(t.Tracks) {
		names = max(0, min(lines, mostNames+1)-1)
	}
	for i := range names + 1 {
		y := data.Max.Y - vg.Length(i)*lineHeight - vg.Points(6)
		if i == names {
			if more := len(t.Tracks) - names; more > 0 {
				c.FillText(style, vg.Point{X: left, Y: y}, fmt.Sprintf("and %d more", more))
			}
			break
		}
		line := trackStyle(i)
		line.Width = vg.Points(2)
		c.StrokeLine2(line, left, y, left+vg.Points(14), y)
		c.FillText(style, vg.Point{X: left + vg.Points(18), Y: y}, t.Tracks[i].Name)
	}
}
