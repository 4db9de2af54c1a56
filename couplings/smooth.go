package couplings

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
)

// Samples of a formula.
const (
	sampled   = 128 // number of intervals between samples of a law of one coordinate
	lines     = 9   // number of lines of samples along each coordinate of a law of two
	lineParts = 32  // number of intervals on each line

	// everywhere is the magnitude of coordinates up to which a law without a range is sampled.
	everywhere = 20.0
)

// derivativeNames are the names of the numbers of a walk, in the order of walk.value.
var derivativeNames = [6]string{"value", "slope", "slope", "second derivative", "second derivative", "second derivative"}

// ends returns the first and last coordinate at which the law is sampled.
func (s *Span) ends() (from, to float64) {
	if s.From == s.To {
		return -everywhere, everywhere
	}
	return s.From, s.To
}

// smooth reports to f the first place that it finds at which the formula or one of its first and second derivatives is not finite or jumps.
func (l *Law) smooth(f *document.Broken) {
	p := *l
	p.Spans = make([]Span, len(l.Spans)) // not periodic, so that coordinates are not reduced to the first period
	p.prepare()
	for i := range l.Spans {
		w := walk{law: &p, span: &l.Spans[i], along: i}
		w.Parts = sampled
		w.From, w.To = w.span.ends()
		w.Holes = w.span.From == w.span.To
		if w.Value = w.value; len(l.Spans) == 1 {
			w.findFault(f, l.Expression)
			continue
		}
		w.Parts = lineParts
		from, to := l.Spans[1-i].ends()
		for k := range lines {
			if w.at[1-i] = from + (to-from)*float64(k)/(lines-1); !f.Any {
				w.findFault(f, l.Expression)
			}
		}
	}
}

// walk is a search for jumps of a law along one coordinate.
type walk struct {
	formula.Walk
	law   *Law
	span  *Span      // of the coordinate, with its period
	along int        // number of the coordinate
	at    [2]float64 // value of the other coordinate, at its place
}

// value returns f and its derivatives at the coordinate x, multiplied by the length of the walk once for each order (unit), and whether
// they are finite.
func (w *walk) value(x float64) (n formula.Numbers, ok bool) {
	h := w.To - w.From
	at := w.at
	at[w.along] = x
	v := w.law.At(at)
	return formula.Numbers{v.F, v.D[0] * h, v.D[1] * h, v.DD[0][0] * h * h, v.DD[0][1] * h * h, v.DD[1][1] * h * h}, v.Finite()
}

// name returns the text of a message for the place at the coordinate x.
func (w *walk) name(x float64) string {
	at := w.at
	at[w.along] = x
	text := fmt.Sprintf("x = %.7g", at[0])
	if w.law.Coordinates() > 1 {
		text += fmt.Sprintf(", y = %.7g", at[1])
	}
	return text
}

// findFault reports to f the first fault that the walk finds.
func (w *walk) findFault(f *document.Broken, expression string) {
	jump, found := w.Look()
	switch {
	case !found:
		w.seamFaults(f, expression)
	case jump.Number < 0:
		f.Add("expression", fault.Name(expression), "has no finite value, slope or second derivative at "+w.name(jump.X))
	default:
		f.Add("expression", fault.Name(expression), fmt.Sprintf("its %s jumps by %.3g at %s: a law has two continuous derivatives%s",
			derivativeNames[jump.Number], jump.Size/w.unit(jump.Number), w.name(jump.X), w.hint()))
	}
}

// unit returns the factor of number k of value.
func (w *walk) unit(k int) float64 {
	h := w.To - w.From
	return [6]float64{1, h, h, h * h, h * h, h * h}[k]
}

// hint returns an addition to a message for laws without a range: a range may exclude the place.
func (w *walk) hint() string {
	if w.span.From == w.span.To {
		return "; a range says where it holds"
	}
	return ""
}

// seamFaults reports to f a difference between both ends of a periodic law, besides the advance.
func (w *walk) seamFaults(f *document.Broken, expression string) {
	if !w.span.Periodic {
		return
	}
	k, gain, found := w.Seam(w.span.Advance)
	if !found {
		return
	}
	text := fmt.Sprintf("its %s at %s is %.10g more than at the start of the period", derivativeNames[k], w.name(w.To), gain/w.unit(k))
	if k == 0 {
		text += fmt.Sprintf(", the advance is %.10g", w.span.Advance)
	}
	f.Add("expression", fault.Name(expression), text+": a law has two continuous derivatives")
}
