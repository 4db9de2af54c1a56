//go:build !small

package picture

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Drawn tells whether this build draws pictures.
const Drawn = true

const (
	plotWidth   = 16 * vg.Centimeter
	legendWidth = 7 * vg.Centimeter // of a legend beside the plot
)

// plotColors can be distinguished with any colour vision (Okabe & Ito).
var plotColors = [...]color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

// setFont gives all texts of a plot a sans-serif font and sizes.
func setFont(p *plot.Plot) {
	set := func(f *font.Font, size float64) {
		f.Variant, f.Size = "Sans", vg.Points(size)
	}
	set(&p.Title.TextStyle.Font, 12)
	p.Title.Padding = vg.Points(8)
	set(&p.Legend.TextStyle.Font, 9)
	for _, a := range [...]*plot.Axis{&p.X, &p.Y} {
		set(&a.Label.TextStyle.Font, 10)
		set(&a.Tick.Label.Font, 9)
	}
}
