package couplings

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
	"github.com/rung-mbd/rung/internal/spline"
)

// MaxPoints is the largest number of points of a table, or of a grid.
const MaxPoints = 1_000_000

// Kind says how a Law is given.
type Kind uint8

// The kinds of laws.
const (
	Table      Kind = iota // the cubic spline through Values at X
	Grid                   // the product of cubic splines through Lines at X and Y
	Function               // a formula, Expression
	polynomial             // of NewPolynomial
)

// KindNames are the names of rung-model/1.
var KindNames = []string{Table: "table", Grid: "grid", Function: "function"}

// String returns the name of rung-model/1.
func (k Kind) String() string { return fault.Enum(KindNames, k, "Kind") }

// Ends is the condition at both ends of a spline.
type Ends uint8

// The ends of a spline.
const (
	// The third derivative is continuous at the second point and at the second to last; three points give a parabola, two a line.
	NotAKnot = Ends(spline.NotAKnot)

	Natural = Ends(spline.Natural) // the second derivative is zero at both ends
	Clamped = Ends(spline.Clamped) // the slopes at both ends are given
)

// EndNames are the names of rung-model/1.
var EndNames = []string{NotAKnot: "not_a_knot", Natural: "natural", Clamped: "clamped"}

// String returns the name of rung-model/1.
func (e Ends) String() string { return fault.Enum(EndNames, e, "Ends") }

// Span says where a law holds along a coordinate, m or rad. For tables and grids, Prepared sets From and To by the points; a
// formula with zero for both holds everywhere.
type Span struct {
	From, To float64
	Periodic bool    // the law repeats with the period To − From, and Ends has no meaning
	Advance  float64 // increase of a periodic law in a period, in the unit of the law
}

// bounded reports whether the law holds only from From to To.
func (s *Span) bounded() bool { return s.From != s.To && !s.Periodic }

// Law is a function f of one coordinate x, or of two, x and y, m or rad, with two continuous derivatives.
//
// The spline of a table satisfies Ends, unless it is periodic: then both ends have the same slope and second derivative,
// and the last value is the first plus Advance. A grid satisfies Ends, other than Clamped, along each coordinate that is not periodic.
type Law struct {
	Kind       Kind
	Spans      []Span      // one for each coordinate
	X, Y       []float64   // Table, Grid: coordinates of the points, increasing; Y of a Grid alone
	Values     []float64   // Table: one for each point
	Lines      [][]float64 // Grid: a list for each x, with a value for each y
	Ends       Ends        // Table, Grid
	Slopes     [2]float64  // Table with Clamped ends: at the first point and at the last
	Expression string      // Function of x and y, in the grammar of docs/ground.md

	coefficients []float64        // of a polynomial
	pieces       []spline.Piece   // of a prepared Table
	grid         []node           // of a prepared Grid, line by line
	f            *formula.Formula // of a prepared Function
	seamless     bool             // a periodic Function of one coordinate has the same third derivative at both ends of a period
}

// Value has the value and derivatives of a law at given coordinates.
type Value struct {
	F  float64       // f
	D  [2]float64    // its derivatives by x and y
	DD [2][2]float64 // its second derivatives
}

// NewPolynomial returns the law c[0] + c[1]·x + c[2]·x² + … of one coordinate, prepared, with a copy of c. In
// rung-model/1 such a law is the field polynomial of a coupling.
func NewPolynomial(c []float64) *Law {
	return &Law{Kind: polynomial, Spans: make([]Span, 1), coefficients: slices.Clone(c)}
}

// Coordinates returns the number of coordinates, 1 or 2.
func (l *Law) Coordinates() int { return len(l.Spans) }

// Prepared returns a copy of l that is ready for At, and shares no memory with l. l must have no Faults.
//
// Cost: O(points) or O(length); allocates.
func (l *Law) Prepared() *Law {
	out := l.Clone()
	out.prepare()
	return out
}

// Clone returns a copy of l that is not prepared, and shares no memory with l.
func (l *Law) Clone() *Law {
	out := l.Settings()
	out.Spans = slices.Clone(l.Spans)
	out.X, out.Y, out.Values = slices.Clone(l.X), slices.Clone(l.Y), slices.Clone(l.Values)
	out.Lines = slices.Clone(l.Lines)
	for i := range out.Lines {
		out.Lines[i] = slices.Clone(out.Lines[i])
	}
	return &out
}

// Settings returns the exported fields of l, and the coefficients of a polynomial, for comparing two laws: l without the results of
// Prepared. It shares the lists of l.
func (l *Law) Settings() Law {
	out := *l
	out.pieces, out.grid, out.f, out.seamless = nil, nil, nil, false
	return out
}

// prepare makes l ready for At, in place. It may change the last value of a periodic table or grid.
func (l *Law) prepare() {
	switch l.Kind {
	case Function:
		l.f, _ = formula.Parse(l.Expression)
		l.setSeam()
	case Table:
		l.Spans[0].From, l.Spans[0].To = l.X[0], l.X[len(l.X)-1]
		l.pieces = l.through(&l.Spans[0], l.X, l.Values)
	case Grid:
		l.Spans[0].From, l.Spans[0].To = l.X[0], l.X[len(l.X)-1]
		l.Spans[1].From, l.Spans[1].To = l.Y[0], l.Y[len(l.Y)-1]
		l.setGrid()
	}
}

// through returns the spline through values at the points at, along the coordinate of span s. It sets the last value of a periodic one to
// the first plus the advance.
func (l *Law) through(s *Span, at, values []float64) []spline.Piece {
	if !s.Periodic {
		return spline.Through(nil, at, values, spline.Ends(l.Ends), l.Slopes)
	}
	values[len(values)-1] = values[0] + s.Advance
	return spline.Through(nil, at, values, spline.Periodic, [2]float64{})
}

// At returns the value and derivatives of l at the coordinates x; a law of one coordinate uses the first one. Beyond the points of a
// table or a grid it continues with the last cubics, so that a search may pass there; Outside reports such coordinates. The numbers of a
// formula may be infinite or NaN.
//
// Units: those of f and of the coordinates. Cost: O(log points) or O(length), no allocation. l must be Prepared.
func (l *Law) At(x [2]float64) (v Value) {
	advance := 0.0 // of the whole periods that are subtracted from x
	for i := range l.Spans {
		if s := &l.Spans[i]; s.Periodic {
			period := s.To - s.From
			n := math.Floor((x[i] - s.From) / period)
			x[i] -= n * period
			advance += n * s.Advance
		}
	}
	switch l.Kind {
	case polynomial:
		return l.horner(x[0])
	case Table:
		v.F, v.D[0], v.DD[0][0] = spline.At(l.pieces, x[0])
	case Grid:
		v = l.gridAt(x)
	case Function:
		y := 0.0
		if len(l.Spans) > 1 {
			y = x[1]
		}
		j := l.f.At(x[0], y)
		v = Value{F: j.Z, D: [2]float64{j.X, j.Y}, DD: [2][2]float64{{j.XX, j.XY}, {j.XY, j.YY}}}
	}
	v.F += advance
	return v
}

// horner is At for a polynomial, by Horner's rule.
func (l *Law) horner(x float64) (v Value) {
	var p, slope, curve float64 // curve is half the second derivative
	for _, a := range slices.Backward(l.coefficients) {
		curve = curve*x + slope
		slope = slope*x + p
		p = p*x + a
	}
	v.F, v.D[0], v.DD[0][0] = p, slope, 2*curve
	return v
}

// seamTol is the difference of the third derivatives at both ends of a period up to which they count as equal, relative to the larger one,
// or to the value over the cube of the period if that is larger.
const seamTol = 1e-9

// setSeam stores in l.seamless whether the third derivative of a periodic formula of one coordinate is continuous between periods.
func (l *Law) setSeam() {
	if len(l.Spans) != 1 || !l.Spans[0].Periodic || l.f == nil {
		return
	}
	s := &l.Spans[0]
	a, b, v := l.f.ThirdAt(s.From, 0), l.f.ThirdAt(s.To, 0), l.f.At(s.From, 0)
	period := s.To - s.From
	size := max(math.Abs(a[0]), math.Abs(b[0]), math.Abs(v.Z)/(period*period*period))
	l.seamless = math.Abs(a[0]-b[0]) <= seamTol*size
}

// Bent reports whether a third derivative may jump somewhere (Piece): accelerations then have corners.
//
// l must be Prepared.
func (l *Law) Bent() bool {
	switch l.Kind {
	case Table, Grid:
		return true
	case Function:
		return l.f.Bent() || l.Spans[0].Periodic && !l.seamless || len(l.Spans) > 1 && l.Spans[1].Periodic
	}
	return false
}

// periodBase combines the branch of a formula and the periods of its coordinates into one number, as digits to this base.
const periodBase = 16777619

// Piece returns the number of the smooth piece that contains the coordinates x. It changes wherever a third derivative may jump: at the
// points of tables and grids, where abs, min or max of a formula choose another branch, and between periods of a formula.
//
// Cost: O(log points) or O(length), no allocation. l must be Prepared.
func (l *Law) Piece(x [2]float64) int {
	var periods [2]int // number of the period of each coordinate
	for i := range l.Spans {
		if s := &l.Spans[i]; s.Periodic {
			period := s.To - s.From
			n := math.Floor((x[i] - s.From) / period)
			x[i] -= n * period
			periods[i] = int(n)
		}
	}
	switch l.Kind {
	case Table:
		return l.pieceAt(0, l.X, x[0])
	case Grid:
		return l.pieceAt(0, l.X, x[0])*len(l.Y) + l.pieceAt(1, l.Y, x[1])
	case Function:
		piece := int(l.f.Branch(x[0], x[1]))
		if !l.seamless {
			for _, n := range periods {
				piece = piece*periodBase + n // a sum could stay the same where a period begins and a branch changes
			}
		}
		return piece
	}
	return 0
}

// pieceAt returns the number of the interval of x among the points at along a coordinate. With NotAKnot, the first two intervals have
// one cubic and one number, and so have the last two.
func (l *Law) pieceAt(coordinate int, at []float64, x float64) int {
	i := interval(at, x)
	if l.Ends == NotAKnot && !l.Spans[coordinate].Periodic {
		i = min(max(i, 1), len(at)-3)
	}
	return i
}

// mostSlope is the largest magnitude of a slope, and of a factor of a coupling, with which the squares of a coupling's row do not overflow.
const mostSlope = 1e100

// Finite reports whether all numbers are finite, and both slopes at most mostSlope, 1e100, in magnitude.
func (v *Value) Finite() bool {
	t := v.F * 0 // stays 0 unless a number is infinite or NaN
	for i := range v.DD {
		t += v.DD[i][0]*0 + v.DD[i][1]*0
	}
	return t == 0 && math.Abs(v.D[0]) <= mostSlope && math.Abs(v.D[1]) <= mostSlope
}

// Partial reports whether there may be coordinates at which l does not hold: it is bounded, or a formula.
func (l *Law) Partial() bool {
	return l.Kind == Function || slices.ContainsFunc(l.Spans, func(s Span) bool { return s.bounded() })
}

// slack is the distance beyond its ends up to which a law counts as holding, relative to its length: the rounding of a coordinate.
const slack = 1e-9

// Outside returns the number, 0 or 1, of the first of the coordinates x that is outside the span of l, and the ends of that span; −1, 0
// and 0 if none is. Periodic spans have no outside.
//
// Cost: O(1), no allocation. l must be Prepared.
func (l *Law) Outside(x [2]float64) (coordinate int, from, to float64) {
	for i := range l.Spans {
		s := &l.Spans[i]
		if more := slack * (s.To - s.From); s.bounded() && !(x[i] >= s.From-more && x[i] <= s.To+more) {
			return i, s.From, s.To
		}
	}
	return -1, 0, 0
}

// ThirdAt returns the third derivatives of l at the coordinates x: d[k] is ∂³f/∂x³⁻ᵏ∂yᵏ.
//
// Cost: O(log points) or O(length), no allocation. l must be Prepared.
func (l *Law) ThirdAt(x [2]float64) (d [4]float64) {
	for i := range l.Spans {
		if s := &l.Spans[i]; s.Periodic {
			period := s.To - s.From
			x[i] -= math.Floor((x[i]-s.From)/period) * period
		}
	}
	switch l.Kind {
	case polynomial:
		for i := len(l.coefficients) - 1; i >= 3; i-- {
			d[0] = d[0]*x[0] + l.coefficients[i]*float64(i*(i-1)*(i-2))
		}
	case Table:
		d[0] = spline.ThirdAt(l.pieces, x[0])
	case Grid:
		d = l.gridThird(x)
	case Function:
		y := 0.0
		if len(l.Spans) > 1 {
			y = x[1]
		}
		d = l.f.ThirdAt(x[0], y)
	}
	return d
}

// ByValue returns the derivative of At(x) by parameter k of l. The parameters are the coefficients of a polynomial, the values of a
// table followed by its two slopes, or the values of a grid line by line. It is zero for a formula, which has none.
//
// Cost: O(points); allocates. l must be Prepared.
func (l *Law) ByValue(k int, x [2]float64) Value {
	one := l.Settings() // the law with parameter k one and all others zero, as At is linear in them
	one.Spans = slices.Clone(l.Spans)
	for i := range one.Spans {
		one.Spans[i].Advance = 0
	}
	switch l.Kind {
	case polynomial:
		one.coefficients = make([]float64, len(l.coefficients))
		one.coefficients[k] = 1
	case Table:
		one.Values, one.Slopes = make([]float64, len(l.Values)), [2]float64{}
		if k < len(one.Values) {
			one.Values[k] = 1
		} else {
			one.Slopes[k-len(one.Values)] = 1
		}
	case Grid:
		one.Lines = make([][]float64, len(l.Lines))
		for i := range one.Lines {
			one.Lines[i] = make([]float64, len(l.Lines[i]))
		}
		n := len(l.Y)
		one.Lines[k/n][k%n] = 1
	default:
		return Value{}
	}
	if l.Kind != polynomial {
		one.prepare()
	}
	return one.At(x)
}
