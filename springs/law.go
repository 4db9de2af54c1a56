package springs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
	"github.com/rung-mbd/rung/internal/spline"
)

var (
	// ErrOutside is returned for a coordinate or a rate outside the points of a table that ends there (Stop).
	ErrOutside = errors.New("springs: outside of the table")
	// ErrNotFinite is returned for a coordinate and rate at which a formula has no finite value or slope.
	ErrNotFinite = errors.New("springs: the formula has no finite value or slope")
)

// MaxPoints is the largest number of points of a table.
const MaxPoints = 1_000_000

// Kind says how a Law is given.
type Kind uint8

// The kinds of laws.
const (
	Table    Kind = iota // by points
	Function             // by a formula
)

// Interpolation is the interpolation of a table between its points.
type Interpolation uint8

// The interpolations of a table.
const (
	Monotone Interpolation = iota // cubics with a continuous slope that are monotone where the points are (Fritsch & Butland 1984)
	Spline                        // the cubic spline with a continuous second derivative, spline.NotAKnot
	Linear                        // straight lines; the slope jumps at the points
)

// Outside is the continuation of a table before its first and after its last point.
type Outside uint8

// The continuations of a table.
const (
	Tangent Outside = iota // a straight line with the slope at the end
	Level                  // the force at the end
	Stop                   // none: ErrOutside
)

// The names of rung-model/1.
var (
	KindNames          = []string{Table: "table", Function: "function"}
	InterpolationNames = []string{Monotone: "monotone", Spline: "spline", Linear: "linear"}
	OutsideNames       = []string{Tangent: "tangent", Level: "level", Stop: "stop"}
)

// String returns the name of rung-model/1.
func (k Kind) String() string { return nameOf(KindNames, int(k), "Kind") }

// String returns the name of rung-model/1.
func (i Interpolation) String() string { return nameOf(InterpolationNames, int(i), "Interpolation") }

// String returns the name of rung-model/1.
func (o Outside) String() string { return nameOf(OutsideNames, int(o), "Outside") }

// nameOf returns names[i], or for an i without a name the type, what, with the number.
func nameOf(names []string, i int, what string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", what, i)
}

// Law is a force, N or N m, as a function of a coordinate x, m or rad, and of its
// rate y: a Table of one of the two, or a Function of both. A positive force of a
// spring between two points pulls them together; a positive force of a freedom acts in its negative direction.
//
// A table is a function of x in Laws.Spring, and of y in Laws.Damper.
type Law struct {
	Kind          Kind
	At            []float64     // Table: coordinates or rates of the points, increasing
	Forces        []float64     // Table: one for each point
	Interpolation Interpolation // Table
	Outside       Outside       // Table
	Expression    string        // Function of x and y, in the grammar of docs/ground.md

	slopes []float64        // of a prepared Table, at the points
	sums   []float64        // of a prepared Table: integrals from the first point to each point
	f      *formula.Formula // of a prepared Function
}

// Faults calls report for each fault of l, with the field of
// rung-model/1, the value and the rule that it breaks.
func (l *Law) Faults(report func(field, value, rule string)) {
	switch l.Kind {
	case Table:
		l.tableFaults(report)
	case Function:
		if _, wrong := formula.Parse(l.Expression); wrong != nil {
			report("expression", fault.Name(l.Expression), fault.Line(fmt.Sprintf("expression, character %d: %s", wrong.Position, wrong.Text)))
		} else if _, _, _, err := l.prepared().at(0, 0); err != nil {
			report("expression", fault.Name(l.Expression), "has no finite value or slope where x and y are 0")
		}
		if len(l.At)+len(l.Forces) > 0 || l.Interpolation != 0 || l.Outside != 0 {
			report("at", "", "has no meaning for a function")
		}
	default:
		report("kind", l.Kind.String(), "unknown kind")
	}
}

// tableFaults is Faults for a table.
func (l *Law) tableFaults(report func(field, value, rule string)) {
	if l.Expression != "" {
		report("expression", fault.Name(l.Expression), "has no meaning for a table")
	}
	if int(l.Interpolation) >= len(InterpolationNames) {
		report("interpolation", l.Interpolation.String(), "unknown interpolation")
	}
	if int(l.Outside) >= len(OutsideNames) {
		report("outside", l.Outside.String(), "unknown end")
	}
	n := len(l.At)
	if n < 2 || n > MaxPoints {
		report("at", "", fmt.Sprintf("wrong length %d, a table has from 2 to %d points", n, MaxPoints))
		return
	}
	if len(l.Forces) != n {
		report("forces", "", fmt.Sprintf("wrong length %d, at has %d entries", len(l.Forces), n))
		return
	}
	for i := range n {
		switch {
		case !algebra.Finite(l.At[i]):
			report(document.Entry("at", i), document.Number(l.At[i]), document.RuleNotFinite)
			return
		case !algebra.Finite(l.Forces[i]):
			report(document.Entry("forces", i), document.Number(l.Forces[i]), document.RuleNotFinite)
			return
		case i > 0 && !(l.At[i] > l.At[i-1]):
			report(document.Entry("at", i), document.Number(l.At[i]), "is not above the one before, "+document.Number(l.At[i-1]))
			return
		}
	}
	p := l.prepared()
	for i := range n {
		if x := p.slopes[i] + p.sums[i]; !algebra.Finite(x) {
			report(document.Entry("at", i), document.Number(l.At[i]), "makes a slope or an integral that overflows")
			return
		}
	}
}

// Prepared returns a copy of l that is ready for use in Laws, and shares no memory with l. l must have no Faults.
//
// Cost: O(points) or O(length); allocates.
func (l *Law) Prepared() *Law {
	out := *l
	out.At, out.Forces = slices.Clone(l.At), slices.Clone(l.Forces)
	return out.prepared()
}

// prepared is Prepared, but shares the points of l.
func (l *Law) prepared() *Law {
	out := *l
	if l.Kind == Function {
		out.f, _ = formula.Parse(l.Expression)
		return &out
	}
	n := len(l.At)
	out.slopes, out.sums = make([]float64, n), make([]float64, n)
	switch l.Interpolation {
	case Monotone:
		out.setMonotone()
	case Spline:
		p := spline.Through(nil, l.At, l.Forces, spline.NotAKnot, [2]float64{})
		for i, x := range l.At {
			_, out.slopes[i], _ = spline.At(p, x)
		}
	}
	for i := 1; i < n; i++ {
		_, _, sum := out.piece(i-1, l.At[i])
		out.sums[i] = out.sums[i-1] + sum
	}
	return &out
}

// setMonotone stores in l.slopes the slopes of Monotone. At an inner point between chords of the slopes s and t, on intervals of
// the lengths g and h, the slope is zero if s and t differ in sign, and otherwise their weighted harmonic mean (Fritsch & Butland 1984)
//
//	3(g + h)/((2h + g)/s + (h + 2g)/t).
//
// At an end it is the slope of the parabola through three points. If the curve would then not
// be monotone, it is 0 or three times the slope of the chord.
func (l *Law) setMonotone() {
	n := len(l.At)
	chord := func(i int) float64 { return (l.Forces[i+1] - l.Forces[i]) / (l.At[i+1] - l.At[i]) }
	if n == 2 {
		l.slopes[0], l.slopes[1] = chord(0), chord(0)
		return
	}
	for i := 1; i < n-1; i++ {
		s, t := chord(i-1), chord(i)
		if g, h := l.At[i]-l.At[i-1], l.At[i+1]-l.At[i]; s > 0 && t > 0 || s < 0 && t < 0 {
			l.slopes[i] = 3 * (g + h) / ((2*h+g)/s + (h+2*g)/t)
		}
	}
	// end returns the slope at an end, with the length h and chord s of the interval there, and g and t of the next one.
	end := func(h, g, s, t float64) float64 {
		d := ((2*h+g)*s - h*t) / (h + g)
		switch {
		case d*s <= 0:
			return 0
		case s*t <= 0 && math.Abs(d) > 3*math.Abs(s):
			return 3 * s
		}
		return d
	}
	l.slopes[0] = end(l.At[1]-l.At[0], l.At[2]-l.At[1], chord(0), chord(1))
	l.slopes[n-1] = end(l.At[n-1]-l.At[n-2], l.At[n-2]-l.At[n-3], chord(n-2), chord(n-3))
}

// piece returns the force and slope at x in interval i of a table, and the integral of the force
// from the start of the interval. Unless the table is Linear, it is the cubic with the forces and slopes at both ends.
func (l *Law) piece(i int, x float64) (f, slope, sum float64) {
	h, x := l.At[i+1]-l.At[i], x-l.At[i] // x counts from the start of the interval
	f0, chord := l.Forces[i], (l.Forces[i+1]-l.Forces[i])/h
	if l.Interpolation == Linear {
		return f0 + chord*x, chord, x * (f0 + chord*x/2)
	}
	s0, s1 := l.slopes[i], l.slopes[i+1]
	a, b := (3*chord-2*s0-s1)/h, (s0+s1-2*chord)/h/h
	return f0 + x*(s0+x*(a+x*b)), s0 + x*(2*a+3*x*b), x * (f0 + x*(s0/2+x*(a/3+x*b/4)))
}

// interval returns the number of the interval of a table that contains x: −1 before the first of n points, and n−1 after the last.
func (l *Law) interval(x float64) int {
	lo, hi := -1, len(l.At)
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) / 2); x < l.At[mid] {
			hi = mid
		} else {
			lo = mid
		}
	}
	if lo == len(l.At)-1 && x == l.At[lo] {
		lo--
	}
	return lo
}

// tableAt returns the force and slope of a table at x, and the integral of the force from its first point. It returns ErrOutside, with the
// integral NaN, outside a table that ends there.
func (l *Law) tableAt(x float64) (f, slope, sum float64, err error) {
	i, last := l.interval(x), len(l.At)-1
	if i >= 0 && i < last {
		f, slope, sum = l.piece(i, x)
		return f, slope, l.sums[i] + sum, nil
	}
	end, inner := 0, 0 // point and interval at the end where x is outside
	if i >= 0 {
		end, inner = last, last-1
	}
	if l.Outside == Stop {
		return 0, 0, math.NaN(), fault.Errorf("%w: at %v, the points are from %v to %v", ErrOutside, x, l.At[0], l.At[last])
	}
	f, slope, _ = l.piece(inner, l.At[end])
	x -= l.At[end]
	if l.Outside == Level {
		return f, 0, l.sums[end] + f*x, nil
	}
	return f + slope*x, slope, l.sums[end] + x*(f+slope*x/2), nil
}

// at returns the force of a function at x and y, and its derivatives by x and y. It returns ErrNotFinite.
func (l *Law) at(x, y float64) (f, fx, fy float64, err error) {
	p := l.f.At(x, y)
	if z := p.Z*0 + p.X*0 + p.Y*0; z != 0 {
		return 0, 0, 0, fault.Errorf("%w: x %v, y %v", ErrNotFinite, x, y)
	}
	return p.Z, p.X, p.Y, nil
}

// Laws are the spring and the damper of one coordinate, docs/springs.md (E1). Either may be nil.
type Laws struct {
	Spring *Law // its table is a function of x
	Damper *Law // its table is a function of y
}

// At returns the sum of both forces at the coordinate x with the rate y, and its derivatives by x and y.
//
// Cost: O(log points) or O(length); it allocates only for errors. It returns ErrOutside and ErrNotFinite.
// The laws must be Prepared.
func (l *Laws) At(x, y float64) (f, fx, fy float64, err error) {
	if s := l.Spring; s != nil {
		if s.Kind == Function {
			f, fx, fy, err = s.at(x, y)
		} else {
			f, fx, _, err = s.tableAt(x)
		}
		if err != nil {
			return 0, 0, 0, err
		}
	}
	if d := l.Damper; d != nil {
		var g, gx, gy float64
		if d.Kind == Function {
			g, gx, gy, err = d.at(x, y)
		} else {
			g, gy, _, err = d.tableAt(y)
		}
		if err != nil {
			return 0, 0, 0, err
		}
		f, fx, fy = f+g, fx+gx, fy+gy
	}
	return f, fx, fy, nil
}

// Bent reports whether the force may have corners: at the points of a Linear table, at the ends of a Level one,
// and where abs, min or max of a formula choose another branch.
func (l *Laws) Bent() bool { return l.Spring.bent() || l.Damper.bent() }

// bent is Bent for one law, which may be nil.
func (l *Law) bent() bool {
	if l == nil || l.Kind == Function {
		return l != nil && l.f.Bent()
	}
	return l.Interpolation == Linear || l.Outside == Level
}

// Piece returns a number for the smooth pieces of both laws at the coordinate x and the rate y. It changes where the force has a corner
// (Bent).
//
// Cost: O(log points) or O(length), no allocation. The laws must be Prepared.
func (l *Laws) Piece(x, y float64) int {
	return l.Spring.pieceOf(x, x, y) + (MaxPoints+2)*l.Damper.pieceOf(y, x, y)
}

// pieceOf returns the number of the interval between corners of a table at the coordinate or rate at, or of the branch of a formula at x
// and y; 0 for laws without corners and for nil.
func (l *Law) pieceOf(at, x, y float64) int {
	switch {
	case !l.bent():
		return 0
	case l.Kind == Function:
		return int(l.f.Branch(x, y))
	}
	i, last := l.interval(at), len(l.At)-1
	switch {
	case l.Interpolation != Linear && i >= 0 && i < last: // no corners between the ends
		return 0
	case l.Outside == Tangent && i < 0:
		return 0 // continues the first line
	case l.Outside == Tangent && i == last:
		return last - 1 // continues the last line
	}
	return i
}

// Potential returns the integral of the force at the rate 0 from 0 to x, docs/springs.md (E2), J. It is NaN if a law has
// no force somewhere between 0 and x.
//
// Cost: as At for tables; for functions an adaptive quadrature to 1e-13 of the integral of the magnitude. No
// allocation. The laws must be Prepared.
func (l *Laws) Potential(x float64) (u float64) {
	if s := l.Spring; s != nil {
		if s.Kind == Function {
			u = s.integral(x)
		} else {
			_, _, to, _ := s.tableAt(x)
			_, _, from, _ := s.tableAt(0)
			u = to - from
		}
	}
	if d := l.Damper; d != nil {
		if d.Kind == Function {
			u += d.integral(x)
		} else if f, _, _, err := d.tableAt(0); err == nil {
			u += f * x
		} else { // the table has no force at the rate 0
			return math.NaN()
		}
	}
	return u
}

// Dissipates reports whether the force may depend on the rate: there is a damper, or the spring is a formula with y.
func (l *Laws) Dissipates() bool {
	return l.Damper != nil || l.Spring != nil && l.Spring.Kind == Function && l.Spring.f.HasY()
}

// ByForce returns the derivative of the force of a table at x by Forces[k].
//
// Cost: O(points); allocates. l must be Prepared, and x must be a coordinate or rate at which the table has a force.
func (l *Law) ByForce(k int, x float64) float64 {
	if l.Interpolation == Monotone {
		return l.monotoneBy(k, x)
	}
	one := *l
	one.Forces = make([]float64, len(l.Forces))
	one.Forces[k] = 1
	f, _, _, _ := one.prepared().tableAt(x)
	return f
}

// monotoneBy is ByForce for Monotone. It differentiates the slopes of setMonotone, which are not linear in the forces, at the points next
// to point k.
func (l *Law) monotoneBy(k int, x float64) float64 {
	n := len(l.At)
	one := *l
	one.Interpolation, one.Forces, one.slopes, one.sums = Spline, make([]float64, n), make([]float64, n), make([]float64, n)
	one.Forces[k] = 1
	long := func(i int) float64 { return l.At[i+1] - l.At[i] }
	chord := func(f []float64, i int) float64 { return (f[i+1] - f[i]) / long(i) }
	if n == 2 {
		one.slopes[0], one.slopes[1] = chord(one.Forces, 0), chord(one.Forces, 0)
	} else {
		for i := 1; i < n-1; i++ {
			s, t, g, h := chord(l.Forces, i-1), chord(l.Forces, i), long(i-1), long(i)
			if d := l.slopes[i]; d != 0 { // by 1/d = ((2h + g)/s + (h + 2g)/t)/3(g + h)
				ds, dt := chord(one.Forces, i-1), chord(one.Forces, i)
				one.slopes[i] = d * d * ((2*h+g)*ds/(s*s) + (h+2*g)*dt/(t*t)) / (3 * (g + h))
			}
		}
		// end returns the derivative of the slope at an end, with the length h and number i of the interval there, and g and j of the next one.
		end := func(h, g float64, i, j int, slope float64) float64 {
			s, ds, dt := chord(l.Forces, i), chord(one.Forces, i), chord(one.Forces, j)
			switch slope {
			case 0:
				return 0
			case 3 * s:
				return 3 * ds
			}
			return ((2*h+g)*ds - h*dt) / (h + g)
		}
		one.slopes[0] = end(long(0), long(1), 0, 1, l.slopes[0])
		one.slopes[n-1] = end(long(n-2), long(n-3), n-2, n-3, l.slopes[n-1])
	}
	f, _, _, _ := one.tableAt(x)
	return f
}
