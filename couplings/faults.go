package couplings

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
)

// advanceTol is the largest difference of the last value of a periodic table from the first plus the advance, relative to the largest
// value, that counts as rounding. The law uses the first value plus the advance.
const advanceTol = 1e-9

// Faults calls report for each fault of l, with the field of rung-model/1, the value and the rule that it breaks.
// It searches for jumps and kinks of a formula by samples where the law holds, or from −20 to 20 if it has no range, and bisects the
// largest changes between two samples.
//
// Cost: O(points); some thousand values of a formula of one coordinate, some ten thousand of two.
func (l *Law) Faults(report func(field, value, rule string)) {
	f := &document.Broken{Report: report}
	if n := len(l.Spans); n != 1 && n != 2 || n == 2 && l.Kind == Table || n == 1 && l.Kind == Grid {
		want := "1 or 2 coordinates"
		switch l.Kind {
		case Table:
			want = "1 coordinate"
		case Grid:
			want = "2 coordinates"
		}
		f.Add("of", "", fmt.Sprintf("wrong length %d, a law of the kind %v is of %s", n, l.Kind, want))
		return
	}
	for i := range l.Spans {
		l.spanFaults(f, i)
	}
	switch l.Kind {
	case Function:
		l.formulaFaults(f)
	case Table:
		l.pointFaults(f)
		l.tableFaults(f)
	case Grid:
		l.pointFaults(f)
		l.gridFaults(f)
	default:
		f.Add("kind", l.Kind.String(), "unknown kind")
	}
}

// spanFaults checks the span of coordinate i.
func (l *Law) spanFaults(f *document.Broken, i int) {
	s, at := &l.Spans[i], document.Entry("of", i)
	switch {
	case !algebra.Finite(s.From) || !algebra.Finite(s.To) || !algebra.Finite(s.To-s.From):
		f.Add(at+".range", "", document.RuleNotFinite)
	case l.Kind != Function && (s.From != 0 || s.To != 0):
		f.Add(at+".range", "", fmt.Sprintf("has no meaning for the kind %v, whose points say it", l.Kind))
	case l.Kind == Function && (s.From != 0 || s.To != 0) && !(s.To > s.From):
		f.Add(at+".range", document.Number(s.To), "is not above the start, "+document.Number(s.From))
	case l.Kind == Function && s.Periodic && s.From == s.To:
		f.Add(at+".periodic", "true", "needs a range, whose length is the period")
	}
	switch {
	case !algebra.Finite(s.Advance):
		f.Add(at+".advance", document.Number(s.Advance), document.RuleNotFinite)
	case s.Advance != 0 && !s.Periodic:
		f.Add(at+".advance", document.Number(s.Advance), "has no meaning unless the law is periodic")
	}
}

// pointFaults checks the coordinates of the points of tables and grids, and their ends and slopes.
func (l *Law) pointFaults(f *document.Broken) {
	if l.Expression != "" {
		f.Add("expression", fault.Name(l.Expression), fmt.Sprintf("has no meaning for the kind %v", l.Kind))
	}
	if int(l.Ends) >= len(EndNames) {
		f.Add("ends", l.Ends.String(), "unknown end")
	}
	periodic := true
	for i := range l.Spans {
		periodic = periodic && l.Spans[i].Periodic
	}
	switch {
	case l.Ends != NotAKnot && periodic:
		f.Add("ends", l.Ends.String(), "has no meaning where the law is periodic")
	case l.Ends == Clamped && l.Kind == Grid:
		f.Add("ends", l.Ends.String(), "a grid has no slopes at its ends")
	}
	if l.Slopes != [2]float64{} && (l.Ends != Clamped || l.Kind == Grid) {
		f.Add("slopes", "", fmt.Sprintf("has no meaning for ends %v", l.Ends))
	}
	for i, x := range l.Slopes {
		if !algebra.Finite(x) {
			f.Add(document.Entry("slopes", i), document.Number(x), document.RuleNotFinite)
		}
	}
	l.axisFaults(f, "x", l.X)
	if l.Kind == Grid {
		l.axisFaults(f, "y", l.Y)
	} else if len(l.Y) > 0 || len(l.Lines) > 0 {
		f.Add("y", "", fmt.Sprintf("has no meaning for the kind %v", l.Kind))
	}
}

// axisFaults checks the coordinates at of the points along an axis: their number, that they are finite, and that they increase.
func (l *Law) axisFaults(f *document.Broken, field string, at []float64) {
	if n := len(at); n < 2 || n > MaxPoints {
		f.Add(field, "", fmt.Sprintf("wrong length %d, from 2 to %d points", n, MaxPoints))
		return
	}
	for i, x := range at {
		switch {
		case !algebra.Finite(x):
			f.Add(document.Entry(field, i), document.Number(x), document.RuleNotFinite)
			return
		case i > 0 && !(x > at[i-1]):
			f.Add(document.Entry(field, i), document.Number(x), "is not above the one before, "+document.Number(at[i-1]))
			return
		}
	}
}

// tableFaults checks the values of a table, and that its spline is finite and not too steep at the points (Value.Finite).
func (l *Law) tableFaults(f *document.Broken) {
	if n := len(l.X); len(l.Values) != n {
		f.Add("values", "", fmt.Sprintf("wrong length %d, x has %d entries", len(l.Values), n))
		return
	}
	largest := l.valueFaults(f, "values", l.Values)
	if n := len(l.Values); !f.Any {
		l.advanceFaults(f, 0, document.Entry("values", n-1), l.Values[n-1], l.Values[0], largest)
	}
	if f.Any {
		return
	}
	p := l.Prepared()
	for i, x := range l.X {
		if v := p.At([2]float64{x}); !v.Finite() {
			f.Add(document.Entry("x", i), document.Number(x), "makes a slope that overflows")
			return
		}
	}
}

// valueFaults checks that values are finite, and returns their largest magnitude, 0 if one is not finite.
func (l *Law) valueFaults(f *document.Broken, field string, values []float64) (largest float64) {
	for i, x := range values {
		if !algebra.Finite(x) {
			f.Add(document.Entry(field, i), document.Number(x), document.RuleNotFinite)
			return 0
		}
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// advanceFaults checks that the last value along a periodic coordinate is the first plus the advance. largest is the largest magnitude of
// all values.
func (l *Law) advanceFaults(f *document.Broken, coordinate int, field string, last, first, largest float64) {
	s := &l.Spans[coordinate]
	if s.Periodic && !(math.Abs(last-first-s.Advance) <= advanceTol*max(largest, math.Abs(s.Advance))) {
		f.Add(field, document.Number(last),
			fmt.Sprintf("must be %s: the first value and the advance of a period", document.Number(first+s.Advance)))
	}
}

// gridFaults checks the values of a grid, and that its splines are finite and not too steep at the points (Value.Finite).
func (l *Law) gridFaults(f *document.Broken) {
	if len(l.Values) > 0 || len(l.Lines) != len(l.X) {
		f.Add("values", "", fmt.Sprintf("wrong length %d, x has %d entries", len(l.Lines), len(l.X)))
		return
	}
	if f.Any {
		return
	}
	if len(l.X)*len(l.Y) > MaxPoints {
		f.Add("values", "", fmt.Sprintf("more than %d points", MaxPoints))
		return
	}
	largest := 0.0
	for i, line := range l.Lines {
		if len(line) != len(l.Y) {
			f.Add(document.Entry("values", i), "", fmt.Sprintf("wrong length %d, y has %d entries", len(line), len(l.Y)))
			return
		}
		largest = max(largest, l.valueFaults(f, document.Entry("values", i), line))
	}
	if f.Any {
		return
	}
	if l.periodFaults(f, largest); f.Any {
		return
	}
	p := l.Prepared()
	for i, x := range l.X {
		for _, y := range l.Y {
			if v := p.At([2]float64{x, y}); !v.Finite() {
				f.Add(document.Entry("x", i), document.Number(x), "makes a slope that overflows")
				return
			}
		}
	}
}

// periodFaults checks, along periodic coordinates, the last value of each line of a grid against the first value, and the last line against
// the first line.
func (l *Law) periodFaults(f *document.Broken, largest float64) {
	end := len(l.Lines) - 1
	for i, line := range l.Lines {
		n := len(line) - 1
		l.advanceFaults(f, 1, document.Entry(document.Entry("values", i), n), line[n], line[0], largest)
	}
	for k, x := range l.Lines[end] {
		l.advanceFaults(f, 0, document.Entry(document.Entry("values", end), k), x, l.Lines[0][k], largest)
	}
}

// formulaFaults checks that the expression is a formula of the right coordinates, and smooth where the law holds.
func (l *Law) formulaFaults(f *document.Broken) {
	if len(l.X)+len(l.Y)+len(l.Values)+len(l.Lines) > 0 || l.Ends != 0 || l.Slopes != [2]float64{} {
		f.Add("x", "", "has no meaning for a function")
	}
	parsed, wrong := formula.Parse(l.Expression)
	switch {
	case wrong != nil:
		f.Add("expression", fault.Name(l.Expression), fault.Line(fmt.Sprintf("expression, character %d: %s", wrong.Position, wrong.Text)))
	case len(l.Spans) == 1 && parsed.HasY():
		f.Add("expression", fault.Name(l.Expression), "has y, which is a second coordinate: the law is of one")
	}
	if !f.Any {
		l.smooth(f)
	}
}
