//go:build !small

package picture

import (
	"bytes"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// wave returns values from middle − size to middle + size.
func wave(middle, size float64) []float64 {
	y := make([]float64, 101)
	for i := range y {
		y[i] = middle + size*math.Sin(float64(i)/8)
	}
	return y
}

// TestSplit: curves of one unit are on one axis where each is seen to move there, and on several elsewhere.
func TestSplit(t *testing.T) {
	still := make([]float64, 101)
	for name, c := range map[string]struct {
		curves []Curve
		want   [][]string
	}{
		"alike":          {[]Curve{{"a", wave(0, 1)}, {"b", wave(1, 0.5)}}, [][]string{{"a", "b"}}},
		"small and far":  {[]Curve{{"q", wave(0.01, 0.01)}, {"y", wave(1.1, 0.2)}}, [][]string{{"q"}, {"y"}}},
		"small and near": {[]Curve{{"q", wave(0, 0.01)}, {"y", wave(0, 1)}, {"r", wave(0, 0.02)}}, [][]string{{"q", "r"}, {"y"}}},
		"far apart":      {[]Curve{{"x", wave(0, 1)}, {"y", wave(100, 1)}}, [][]string{{"x"}, {"y"}}},
		"one stands":     {[]Curve{{"x", wave(0, 1)}, {"y", still}}, [][]string{{"x", "y"}}},
		"one stands far": {[]Curve{{"x", wave(100, 1)}, {"y", still}}, [][]string{{"x"}, {"y"}}},
		"all stand":      {[]Curve{{"x", still}, {"y", still}}, [][]string{{"x", "y"}}},
	} {
		var got [][]string
		for _, p := range split([]Panel{{Label: "m", Curves: c.curves}}) {
			assert.Equal(t, "m", p.Label)
			var names []string
			for _, c := range p.Curves {
				names = append(names, c.Name)
			}
			got = append(got, names)
		}
		assert.Equal(t, c.want, got, name)
	}
	var many []Curve
	for k := range 20 {
		many = append(many, Curve{"c", wave(0, math.Pow(100, float64(k)))})
	}
	assert.Len(t, split([]Panel{{Curves: many}}), mostParts)
	drift := Panel{Log: true, Curves: many}
	assert.Equal(t, []Panel{drift}, split([]Panel{drift}), "a logarithmic axis has all magnitudes")
}

// TestChanges: of energies that are large and change little it is seen how they change, and values are left as they were.
func TestChanges(t *testing.T) {
	kinetic, potential := wave(30, 30), wave(1600, -30)
	list := split([]Panel{{Changes: true, Curves: []Curve{{"kinetic", kinetic}, {"potential", potential}}}})
	require.Len(t, list, 1)
	assert.Zero(t, list[0].Curves[1].Y[0])
	assert.InDelta(t, potential[10]-potential[0], list[0].Curves[1].Y[10], 1e-9)
	assert.InDelta(t, 1600, potential[0], 1e-9)
}

// TestSmooth: few points become many on a curve with the same values at the points and none outside those beside them; a
// sine of 21 points is within a hundredth, where straight lines are not.
func TestSmooth(t *testing.T) {
	var xy plotter.XYs
	for i := range 21 {
		x := 2 * math.Pi * float64(i) / 20
		xy = append(xy, plotter.XY{X: x, Y: math.Sin(x)})
	}
	fine := smooth(xy)
	require.Greater(t, len(fine), 600)
	off := 0.0
	for _, p := range fine {
		off = max(off, math.Abs(p.Y-math.Sin(p.X)))
	}
	assert.Less(t, off, 0.01)

	step := plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 2, Y: 1}, {X: 4, Y: 1}, {X: 4, Y: 3}, {X: 5, Y: 3}} // two rows at one time
	k := 0
	for _, p := range smooth(step) {
		require.False(t, math.IsNaN(p.Y))
		for k < len(step)-2 && p.X > step[k+1].X {
			k++
		}
		lo, hi := min(step[k].Y, step[k+1].Y), max(step[k].Y, step[k+1].Y)
		if k+2 < len(step) && p.X == step[k+1].X { // at a corner either side
			lo, hi = min(lo, step[k+2].Y), max(hi, step[k+2].Y)
		}
		assert.GreaterOrEqual(t, p.Y, lo-1e-12, "at %v", p.X)
		assert.LessOrEqual(t, p.Y, hi+1e-12, "at %v", p.X)
	}
	assert.Equal(t, xy[:2], smooth(xy[:2]), "two points are a line")
	long := make(plotter.XYs, finePoints)
	assert.Len(t, smooth(long), finePoints)
}

// TestLegendRows: entries that do not fit in a row begin another, and none is longer than the plot is wide.
func TestLegendRows(t *testing.T) {
	c := Chart{X: []float64{0, 1}}
	panel := Panel{}
	for range 9 {
		panel.Curves = append(panel.Curves, Curve{"a.long.name.of.px", []float64{0, 1}})
	}
	p, err := c.linearPanel(&panel)
	require.NoError(t, err)
	width := 17 * vg.Centimeter
	l := newRowLegend(&panel, p.Legend.TextStyle, width)
	count := map[int]int{}
	rows := l.each(func(i int, x vg.Length, row int) {
		count[row]++
		assert.LessOrEqual(t, x+vg.Points(legendSample+legendGap)+l.style.Width(l.names[i]), width)
	})
	assert.Greater(t, rows, 1)
	assert.Len(t, count, rows)
	assert.Equal(t, vg.Points(legendRow)*vg.Length(rows), l.height())
}

// TestRunFillsItsWidth: the data of a run reach nearly to the right edge of the picture.
func TestRunFillsItsWidth(t *testing.T) {
	var b bytes.Buffer
	x := make([]float64, 101)
	for i := range x {
		x[i] = float64(i)
	}
	require.NoError(t, Run(&b, "png", "a run", x, []Panel{{Label: "m", Curves: []Curve{{"q", wave(0, 1)}}}}))
	img, err := png.Decode(&b)
	require.NoError(t, err)
	right := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, _, bl, _ := img.At(x, y).RGBA(); bl > r+0x6000 { // the blue of the first curve
				right = max(right, x)
			}
		}
	}
	assert.Greater(t, right, img.Bounds().Dx()*95/100)
}
