package couplings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
)

// What the search for jumps and kinks looks at. Each finds some of them sooner, or finer ones.
const (
	sampled   = 128   // intervals along the coordinate of a law of one
	lines     = 9     // along each coordinate of a law of two
	lineParts = 32    // intervals on each of them
	suspects  = 6     // intervals whose change is narrowed down, for each number
	narrow    = 1e-12 // length to which, relative to that of the law. A smaller value costs time only.

	// jumpTol is the change, over so short an interval and relative to the number's size, that is a jump.
	jumpTol = 1e-3
	// noise is the size of what is rounding, relative to the other numbers of the law.
	noise = 1e-9
	// seamTol is by how much both ends of a period may differ, relative to the number's size.
	seamTol = 1e-6
	// everywhere is up to which coordinate a law without a range is looked at.
	everywhere = 20.0
)

// numbers are f and its derivatives up to the second order, each times the power of a length.
type numbers [6]float64

// derivativeNames says which they are.
var derivativeNames = [6]string{"value", "slope", "slope", "second derivative", "second derivative", "second derivative"}

// ends returns where the law is looked at along a coordinate.
func (s *Span) ends() (from, to float64) {
	if s.From == s.To {
		return -everywhere, everywhere
	}
	return s.From, s.To
}

// smooth looks for a place at which the formula or one of its derivatives is not finite or jumps.
func (l *Law) smooth(f *faults) {
	p := *l
	p.Spans = make([]Span, len(l.Spans)) // without periods
	p.prepare()
	for i := range l.Spans {
		w := walk{law: &p, span: &l.Spans[i], along: i, parts: sampled}
		w.from, w.to = w.span.ends()
		if len(l.Spans) == 1 {
			w.look(f, l.Expression)
			continue
		}
		w.parts = lineParts
		from, to := l.Spans[1-i].ends()
		for k := range lines {
			if w.at[1-i] = from + (to-from)*float64(k)/(lines-1); !f.any {
				w.look(f, l.Expression)
			}
		}
	}
}

// walk goes through a law along one coordinate.
type walk struct {
	law      *Law
	span     *Span
	along    int
	at       [2]float64 // the other coordinate
	parts    int
	from, to float64
	size     numbers // of each number
}

// value returns the numbers at x, in units of the length of the walk, and whether they are finite.
func (w *walk) value(x float64) (n numbers, ok bool) {
	h := w.to - w.from
	at := w.at
	at[w.along] = x
	v := w.law.At(at)
	return numbers{v.F, v.D[0] * h, v.D[1] * h, v.DD[0][0] * h * h, v.DD[0][1] * h * h, v.DD[1][1] * h * h}, v.Finite()
}

// name returns the place x of the walk.
func (w *walk) name(x float64) string {
	at := w.at
	at[w.along] = x
	text := fmt.Sprintf("x = %.7g", at[0])
	if w.law.Coordinates() > 1 {
		text += fmt.Sprintf(", y = %.7g", at[1])
	}
	return text
}

// look adds the first fault that it finds.
func (w *walk) look(f *faults, expression string) {
	n := make([]numbers, w.parts+1)
	ok := make([]bool, w.parts+1)
	w.size = numbers{}
	all := 0.0
	place := func(i int) float64 { return w.from + (w.to-w.from)*float64(i)/float64(w.parts) }
	for i := range n {
		x := place(i)
		if i == w.parts {
			x = w.to
		}
		if n[i], ok[i] = w.value(x); !ok[i] {
			if w.span.From != w.span.To {
				f.add("expression", fault.Name(expression), "has no finite value, slope or second derivative at "+w.name(x))
				return
			}
			continue
		}
		for k, v := range n[i] {
			w.size[k] = max(w.size[k], math.Abs(v))
			all = max(all, w.size[k])
		}
	}
	for k := range w.size {
		w.size[k] = max(w.size[k], noise*all)
	}
	for k := range w.size {
		for _, i := range oddest(n, ok, k) {
			if x, jump := w.narrow(place(i), place(i+1), k); jump != 0 {
				f.add("expression", fault.Name(expression), fmt.Sprintf("its %s jumps by %.3g at %s: a law has two continuous derivatives%s",
					derivativeNames[k], jump/w.unit(k), w.name(x), w.hint()))
				return
			}
		}
	}
	w.seam(f, expression, &n[0], &n[w.parts])
}

// unit returns what number k has been multiplied by.
func (w *walk) unit(k int) float64 {
	h := w.to - w.from
	return [6]float64{1, h, h, h * h, h * h, h * h}[k]
}

// hint says how a law without a range can do without the place.
func (w *walk) hint() string {
	if w.span.From == w.span.To {
		return "; a range says where it holds"
	}
	return ""
}

// oddest returns the intervals in which number k changes most unlike in their neighbours.
func oddest(n []numbers, ok []bool, k int) []int {
	change := func(i int) (float64, bool) {
		if i < 0 || i+1 >= len(n) || !ok[i] || !ok[i+1] {
			return 0, false
		}
		return n[i+1][k] - n[i][k], true
	}
	odd := make([]float64, len(n)-1)
	var list []int
	for i := range odd {
		d, fine := change(i)
		if !fine {
			continue
		}
		before, first := change(i - 1)
		after, second := change(i + 1)
		switch {
		case first && second:
			d -= (before + after) / 2
		case first:
			d -= before
		case second:
			d -= after
		}
		odd[i] = math.Abs(d)
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(odd[b], odd[a]) })
	return list[:min(suspects, len(list))]
}

// narrow halves an interval twice at a time, goes on with the quarter whose change of number k is most unlike the others',
// and returns the place where it ends with the change there; 0 where the numbers are not finite, or where all quarters
// change by too little for a jump.
func (w *walk) narrow(a, b float64, k int) (x, jump float64) {
	for least := narrow * (w.to - w.from); ; {
		var v, change [5]float64
		largest := 0.0
		for i := range v {
			n, ok := w.value(a + (b-a)*float64(i)/4)
			if !ok {
				return a, 0
			}
			if v[i] = n[k]; i > 0 {
				change[i-1] = v[i] - v[i-1]
				largest = max(largest, math.Abs(change[i-1]))
			}
		}
		if largest <= jumpTol*w.size[k] {
			return a, 0
		}
		sorted := change
		slices.Sort(sorted[:4])
		middle := (sorted[1] + sorted[2]) / 2
		at := 0
		for i := range 4 {
			if math.Abs(change[i]-middle) > math.Abs(change[at]-middle) {
				at = i
			}
		}
		h := (b - a) / 4
		a = a + h*float64(at)
		if b = a + h; h <= least || !(a+h/4 > a) {
			return a, change[at]
		}
	}
}

// seam compares both ends of a law that repeats.
func (w *walk) seam(f *faults, expression string, start, end *numbers) {
	if !w.span.Periodic {
		return
	}
	for k := range w.size {
		gain := end[k] - start[k]
		if k == 0 {
			gain -= w.span.Advance
		}
		if !(math.Abs(gain) <= seamTol*max(w.size[k], w.size[0]*noise)) {
			text := fmt.Sprintf("its %s at %s is %.10g more than at the start of the period",
				derivativeNames[k], w.name(w.to), (end[k]-start[k])/w.unit(k))
			if k == 0 {
				text += fmt.Sprintf(", the advance is %.10g", w.span.Advance)
			}
			f.add("expression", fault.Name(expression), text+": a law has two continuous derivatives")
			return
		}
	}
}
