package couplings

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
)

// Where a formula is looked at.
const (
	sampled   = 128 // intervals along the coordinate of a law of one
	lines     = 9   // along each coordinate of a law of two
	lineParts = 32  // intervals on each of them

	// everywhere is up to which coordinate a law without a range is looked at.
	everywhere = 20.0
)

// derivativeNames says what the numbers of a walk are.
var derivativeNames = [6]string{"value", "slope", "slope", "second derivative", "second derivative", "second derivative"}

// ends returns where the law is looked at along a coordinate.
func (s *Span) ends() (from, to float64) {
	if s.From == s.To {
		return -everywhere, everywhere
	}
	return s.From, s.To
}

// smooth looks for a place at which the formula or one of its derivatives is not finite or jumps.
func (l *Law) smooth(f *document.Broken) {
	p := *l
	p.Spans = make([]Span, len(l.Spans)) // without periods
	p.prepare()
	for i := range l.Spans {
		w := walk{law: &p, span: &l.Spans[i], along: i}
		w.Parts = sampled
		w.From, w.To = w.span.ends()
		w.Holes = w.span.From == w.span.To
		if w.Value = w.value; len(l.Spans) == 1 {
			w.look(f, l.Expression)
			continue
		}
		w.Parts = lineParts
		from, to := l.Spans[1-i].ends()
		for k := range lines {
			if w.at[1-i] = from + (to-from)*float64(k)/(lines-1); !f.Any {
				w.look(f, l.Expression)
			}
		}
	}
}

// walk goes through a law along one coordinate.
type walk struct {
	formula.Walk
	law   *Law
	span  *Span
	along int
	at    [2]float64 // the other coordinate
}

// value returns the numbers at x, in units of the length of the walk, and whether they are finite.
func (w *walk) value(x float64) (n formula.Numbers, ok bool) {
	h := w.To - w.From
	at := w.at
	at[w.along] = x
	v := w.law.At(at)
	return formula.Numbers{v.F, v.D[0] * h, v.D[1] * h, v.DD[0][0] * h * h, v.DD[0][1] * h * h, v.DD[1][1] * h * h}, v.Finite()
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
func (w *walk) look(f *document.Broken, expression string) {
	jump, found := w.Look()
	switch {
	case !found:
		w.seam(f, expression)
	case jump.Number < 0:
		f.Add("expression", fault.Name(expression), "has no finite value, slope or second derivative at "+w.name(jump.X))
	default:
		f.Add("expression", fault.Name(expression), fmt.Sprintf("its %s jumps by %.3g at %s: a law has two continuous derivatives%s",
			derivativeNames[jump.Number], jump.Size/w.unit(jump.Number), w.name(jump.X), w.hint()))
	}
}

// unit returns what number k has been multiplied by.
func (w *walk) unit(k int) float64 {
	h := w.To - w.From
	return [6]float64{1, h, h, h * h, h * h, h * h}[k]
}

// hint says how a law without a range can do without the place.
func (w *walk) hint() string {
	if w.span.From == w.span.To {
		return "; a range says where it holds"
	}
	return ""
}

// seam compares both ends of a law that repeats.
func (w *walk) seam(f *document.Broken, expression string) {
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
