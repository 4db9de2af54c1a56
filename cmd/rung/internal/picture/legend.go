//go:build !small

package picture

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a legend in rows, points.
const (
	legendRow    = 13 // height of a row
	legendSample = 14 // length of the line before a name
	legendGap    = 5  // between that line and the name
	legendApart  = 14 // between entries
)

// rowLegend is a legend of names with samples of their lines, in as many rows as they need.
type rowLegend struct {
	names []string
	style text.Style
	width vg.Length
}

// newRowLegend returns the legend of the curves of a panel, in rows of a width.
func newRowLegend(p *Panel, style text.Style, width vg.Length) *rowLegend {
	l := &rowLegend{style: style, width: width}
	l.style.XAlign, l.style.YAlign = draw.XLeft, draw.YCenter
	for _, c := range p.Curves {
		l.names = append(l.names, c.Name)
	}
	return l
}

// each calls visit, unless it is nil, with each entry, its distance from the left and the number of its row, and returns the number of
// rows.
func (l *rowLegend) each(visit func(i int, x vg.Length, row int)) int {
	x, row := vg.Length(0), 0
	for i, name := range l.names {
		size := vg.Points(legendSample+legendGap) + l.style.Width(name)
		if x > 0 && x+size > l.width {
			x, row = 0, row+1
		}
		if visit != nil {
			visit(i, x, row)
		}
		x += size + vg.Points(legendApart)
	}
	return row + 1
}

// height returns the height of all rows.
func (l *rowLegend) height() vg.Length { return vg.Points(legendRow) * vg.Length(l.each(nil)) }

// draw draws the legend with its lower left corner at a point.
func (l *rowLegend) draw(c draw.Canvas, at vg.Point) {
	rows := l.each(nil)
	l.each(func(i int, x vg.Length, row int) {
		p := vg.Point{X: at.X + x, Y: at.Y + vg.Points(legendRow)*(vg.Length(rows-1-row)+0.5)}
		to := vg.Point{X: p.X + vg.Points(legendSample), Y: p.Y}
		c.StrokeLine2(draw.LineStyle{Color: plotColors[i%len(plotColors)], Width: vg.Points(2)}, p.X, p.Y, to.X, to.Y)
		c.FillText(l.style, vg.Point{X: to.X + vg.Points(legendGap), Y: to.Y}, l.names[i])
	})
}
