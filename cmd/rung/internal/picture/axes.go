//go:build !small

package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sameValues is the extent of values, relative to the largest of them, up to which they are drawn as equal. Smaller differences may be
// the errors to which joints close, and would need labels with more digits than there is room for.
const sameValues = 1e-9

// rounds is a marker of axes that marks about six round numbers.
type rounds struct{}

// Ticks implements plot.Ticker.
func (rounds) Ticks(lo, hi float64) (ticks []plot.Tick) {
	list, decimals := levels(lo, hi, 6)
	for _, x := range list {
		text := levelText(x, decimals)
		if size := max(math.Abs(lo), math.Abs(hi)); size >= 1e6 || size < 1e-3 {
			text = strconv.FormatFloat(x, 'g', 4, 64)
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: text})
	}
	return ticks
}

// ofRuns returns an empty plot with a title, the labels of its axes, and round numbers on them.
func ofRuns(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.X.Tick.Marker, p.Y.Tick.Marker = rounds{}, rounds{}
	setFont(p)
	return p
}

// ends returns the least and the largest value of two lists.
func ends(a, b []float64) (lo, hi float64) {
	lo, hi = slices.Min(a), slices.Max(a)
	if len(b) > 0 {
		lo, hi = min(lo, slices.Min(b)), max(hi, slices.Max(b))
	}
	return lo, hi
}

// equal returns the n + 1 edges of n equal intervals from lo to hi, or around lo if both are equal (room).
func equal(lo, hi float64, n int) []float64 {
	lo, hi = room(lo, hi, 0)
	list := make([]float64, n+1)
	for i := range list {
		u := float64(i) / float64(n)
		list[i] = lo*(1-u) + hi*u
	}
	return list
}

// drawBelow writes p with its legend below it.
func drawBelow(w io.Writer, p *plot.Plot, format string) error {
	legend := p.Legend
	legend.Left, legend.Top = true, false
	p.Legend = plot.NewLegend()
	to, err := draw.NewFormattedCanvas(plotWidth, plotHeight, format)
	if err != nil {
		return err
	}
	all := draw.New(to)
	whiten(all)
	margin := vg.Points(6)
	height := max(0, legend.Rectangle(all).Size().Y)
	p.Draw(draw.Crop(all, margin, -3*margin, height+2*margin, -margin))
	legend.Draw(draw.Crop(all, 2*margin, 0, margin, 0))
	_, err = to.WriteTo(w)
	return err
}

// whiten fills a canvas with white, as programs show transparent parts in colours of their own.
func whiten(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// room returns the ends of an axis for values from lo to hi. beside is the free part on each side, relative to their extent. Equal values
// (sameValues) are in the middle.
func room(lo, hi, beside float64) (float64, float64) {
	if hi-lo <= sameValues*max(math.Abs(lo), math.Abs(hi)) {
		d := 0.05 * max(math.Abs(lo), math.Abs(hi))
		if d == 0 {
			d = 1
		}
		return lo - d, hi + d
	}
	d := beside * (hi - lo)
	return lo - d, hi + d
}

// binOf returns the index of the interval between edges that contains v; a v outside belongs to the first or the last one.
func binOf(edges []float64, v float64) int {
	i, found := slices.BinarySearch(edges, v)
	if !found {
		i--
	}
	return min(max(i, 0), len(edges)-2)
}

// scale is a scale of colours for numbers of any size.
type scale struct {
	bar
	label  string
	factor float64 // by which values are divided, a power of ten
}

// newScale returns a scale of the values z, NaN left out. If whole, its marks are whole numbers.
func newScale(z []float64, label string, whole bool) *scale {
	r := raster{z: z}
	s := &scale{label: label, factor: 1}
	lo, hi, _ := r.bounds()
	if size := max(math.Abs(lo), math.Abs(hi)); size >= 1e5 || size < 1e-2 {
		e := 3 * math.Floor(math.Log10(size)/3)
		s.factor = math.Pow(10, e)
		s.label = fmt.Sprintf("%s × 1e%+.0f", label, -e)
	}
	s.lo, s.hi = lo/s.factor, hi/s.factor
	s.levels, s.decimals = levels(s.lo, s.hi, contourLines)
	if whole && s.decimals > 0 {
		s.levels, s.decimals = levels(s.lo, s.hi, max(1, int(s.hi-s.lo)))
	}
	return s
}

// color returns the colour of a value.
func (s *scale) color(z float64) color.RGBA { return tint((z/s.factor-s.lo)/(s.hi-s.lo), 1) }

// drawBeside writes p with the scale beside it, in the format svg or png.
func (s *scale) drawBeside(w io.Writer, p *plot.Plot, format string) error {
	texts, label := p.X.Tick.Label, p.X.Label.TextStyle
	texts.Font.Size, texts.YAlign = vg.Points(8), draw.YCenter
	room := roomOfBar(texts, s.levels, s.decimals, "")
	name := 1.6 * label.Font.Size
	to, err := draw.NewFormattedCanvas(plotWidth+room, plotHeight, format)
	if err != nil {
		return err
	}
	margin := vg.Points(6)
	whiten(draw.New(to))
	all := draw.Crop(draw.New(to), margin, -margin, margin, -margin)
	c := draw.Crop(all, 0, -room-name, 0, 0)
	p.Draw(c)
	data := p.DataCanvas(c)
	drawBar(all, data, texts, &s.bar)
	label.XAlign, label.YAlign, label.Rotation = draw.XCenter, draw.YBottom, math.Pi/2
	all.FillText(label, vg.Point{X: all.Max.X - vg.Points(2), Y: (data.Min.Y + data.Max.Y) / 2}, s.label)
	return writeImages(w, format, to)
}
