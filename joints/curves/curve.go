package curves

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
	"github.com/rung-mbd/rung/internal/spline"
	"github.com/rung-mbd/rung/spatial"
)

// MaxPoints is the largest number of points of a spline.
const MaxPoints = 100_000

// Kind says which curve a Curve is.
type Kind uint8

// The kinds of curves.
const (
	Line     Kind = iota // from Ends[0] to Ends[1]
	Circle               // about Center, or an arc of it
	Spline               // the cubic spline through Points
	Function             // X, Y and Z, expressions in u
)

// KindNames are the names of rung-model/1.
var KindNames = []string{Line: "line", Circle: "circle", Spline: "spline", Function: "function"}

// String returns the name of rung-model/1.
func (k Kind) String() string { return fault.Enum(KindNames, k, "Kind") }

// Curve is a curve c(u) with two continuous derivatives.
type Curve struct {
	Kind Kind
	Ends [2]spatial.Vec3 // Line, m: u is the distance from the first

	// Circle: u is the angle about Axis from the direction of Start. Both vectors may have any length, and Start need not be at right
	// angles to Axis. Zeros stand for z and x.
	Center, Axis, Start spatial.Vec3
	Radius              float64 // Circle, m

	Points     []spatial.Vec3 // Spline, m; a closed spline continues from the last point to the first
	Parameters []float64      // Spline: u at the points, increasing; a closed spline has u at its end too; nil: sums of the chords, m
	Natural    bool           // Spline, open: second derivatives zero at both ends; else third derivative continuous one point inwards
	File       string         // Spline: a table of points in the folder of a document (Load)

	X, Y, Z string // Function: expressions in u, m, in the grammar of docs/ground.md; an empty Z is zero

	Range  [2]float64 // of u: Function; Circle: an arc, less than a turn; zeros: the whole circle
	Closed bool       // Spline, Function: the end of u is its start again

	// Set by prepare and measure.
	span   [2]float64 // first and last u
	ring   bool       // the curve is closed; so is a whole circle
	pieces [3][]spline.Piece
	f      [3]*formula.Formula // nil: zero
	x, y   spatial.Vec3        // circle: from the centre to the points at u = 0 and u = π/2, m; line: x is its direction
	size   float64             // diagonal of the box around the curve, m
	speed  float64             // the largest |c′| of the samples
	sums   [2][]float64        // lengths up to the starts of intervals, in space and in the plane (MeasureArc)
}

// Place is the point of a curve at a parameter, with its derivatives.
type Place struct {
	C, D, DD spatial.Vec3 // c, c′ and c″
}

// Prepared returns a copy of c that shares nothing with it and is ready for use. c has no Faults.
//
// Cost: O(points) or O(length); allocates.
func (c *Curve) Prepared() *Curve {
	out := c.Clone()
	out.prepare()
	out.measure()
	return out
}

// Clone returns a copy of the settings of c, not prepared, that shares nothing with c.
func (c *Curve) Clone() *Curve {
	out := c.Settings()
	out.Points, out.Parameters = slices.Clone(c.Points), slices.Clone(c.Parameters)
	return &out
}

// Settings returns c without its prepared parts. Two curves are compared by their settings.
func (c *Curve) Settings() Curve {
	return Curve{
		Kind: c.Kind, Ends: c.Ends, Center: c.Center, Axis: c.Axis, Start: c.Start, Radius: c.Radius,
		Points: c.Points, Parameters: c.Parameters, Natural: c.Natural, File: c.File,
		X: c.X, Y: c.Y, Z: c.Z, Range: c.Range, Closed: c.Closed,
	}
}

// prepare makes c ready for At; measure does the rest.
func (c *Curve) prepare() {
	switch c.Kind {
	case Line:
		d := c.Ends[1].Sub(c.Ends[0])
		c.span = [2]float64{0, d.Norm()}
		c.x = d.Scale(1 / c.span[1])
	case Circle:
		c.span, c.ring = c.Range, c.Range == [2]float64{}
		if c.ring {
			c.span[1] = 2 * math.Pi
		}
		z, x := c.axes()
		c.x, c.y = x.Scale(c.Radius), z.Cross(x).Scale(c.Radius)
	case Spline:
		c.ring = c.Closed
		c.thread()
	case Function:
		c.span, c.ring = c.Range, c.Closed
		for i, text := range [3]string{c.X, c.Y, c.Z} {
			if text != "" {
				c.f[i], _ = formula.ParseIn(text, parameter)
			}
		}
	}
}

// parameter is the name of the variable in expressions.
const parameter = "u"

// axes returns unit vectors: z along the axis of a circle, and x at right angles to it in the direction of u = 0. x is zero if
// Start is parallel to Axis.
func (c *Curve) axes() (z, x spatial.Vec3) {
	z, x = spatial.Vec3{0, 0, 1}, spatial.Vec3{1, 0, 0}
	if c.Axis != (spatial.Vec3{}) {
		z = unit(c.Axis)
	}
	if c.Start != (spatial.Vec3{}) {
		x = unit(c.Start)
	}
	spatial.AddScaledTo(&x, &x, -spatial.Dot(&x, &z), &z)
	if n := x.Norm(); n > parallel {
		return z, x.Scale(1 / n)
	}
	return z, spatial.Vec3{}
}

// parallel is the sine of the angle below which two directions count as parallel.
const parallel = 1e-6

// unit returns v with length 1; v is not zero.
func unit(v spatial.Vec3) spatial.Vec3 {
	most := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	v = spatial.Vec3{v[0] / most, v[1] / most, v[2] / most} // so that no square underflows or overflows
	return v.Scale(1 / v.Norm())
}

// thread makes the splines of the three coordinates, theory.md (U1).
func (c *Curve) thread() {
	at, points := c.Parameters, c.Points
	if c.Closed {
		points = append(slices.Clone(points), points[0])
	}
	if at == nil {
		at = make([]float64, len(points))
		for i := range points[1:] {
			at[i+1] = at[i] + points[i+1].Sub(points[i]).Norm()
		}
	}
	ends := spline.NotAKnot
	if c.Closed {
		ends = spline.Periodic
	} else if c.Natural {
		ends = spline.Natural
	}
	c.span = [2]float64{at[0], at[len(at)-1]}
	values := make([]float64, len(points))
	for k := range c.pieces {
		for i := range points {
			values[i] = points[i][k]
		}
		c.pieces[k] = spline.Through(nil, at, values, ends, [2]float64{})
	}
}

// Span returns the first and the last u. On a closed curve they are the same point.
//
// c is Prepared.
func (c *Curve) Span() (from, to float64) { return c.span[0], c.span[1] }

// IsClosed reports whether the curve is closed, as a whole circle is.
//
// c is Prepared.
func (c *Curve) IsClosed() bool { return c.ring }

// Size returns the diagonal of the box around the curve, m.
//
// c is Prepared.
func (c *Curve) Size() float64 { return c.size }

// slack allows for rounding of u: an open curve counts as reaching beyond its ends by this part of the range of u.
const slack = 1e-9

// Outside reports whether u is beyond the ends of an open curve.
//
// c is Prepared.
func (c *Curve) Outside(u float64) bool {
	more := slack * (c.span[1] - c.span[0])
	return !c.ring && !(u >= c.span[0]-more && u <= c.span[1]+more)
}

// Past reports whether u is beyond the ends of an open curve, as Outside does, and returns the ends of u.
//
// Cost: O(points) or O(length); allocates. c has no Faults, and need not be Prepared.
func (c *Curve) Past(u float64) (from, to float64, past bool) {
	p := c.Clone()
	p.prepare()
	return p.span[0], p.span[1], p.Outside(u)
}

// At returns the curve at u. On a closed curve u is taken modulo the laps. Beyond the ends of an open curve At returns the parabola that
// has the point and both derivatives of the curve at the end.
//
// Cost: O(1), of a spline O(log points), of a formula O(length); no allocation. c is Prepared.
func (c *Curve) At(u float64) (p Place) {
	from, to := c.span[0], c.span[1]
	beyond := 0.0
	switch {
	case c.ring && (u < from || u >= to):
		period := to - from
		u -= period * math.Floor((u-from)/period)
	case c.ring:
	case u < from:
		u, beyond = from, u-from
	case u > to:
		u, beyond = to, u-to
	}
	switch c.Kind {
	case Line:
		spatial.AddScaledTo(&p.C, &c.Ends[0], u, &c.x)
		p.D = c.x
	case Circle:
		sin, cos := math.Sincos(u)
		for i := range p.C {
			p.DD[i] = -(cos*c.x[i] + sin*c.y[i])
			p.C[i] = c.Center[i] - p.DD[i]
			p.D[i] = cos*c.y[i] - sin*c.x[i]
		}
	case Spline:
		for i := range p.C {
			p.C[i], p.D[i], p.DD[i] = spline.At(c.pieces[i], u)
		}
	case Function:
		for i, f := range c.f {
			if f != nil {
				j := f.At(u, 0)
				p.C[i], p.D[i], p.DD[i] = j.Z, j.X, j.XX
			}
		}
	}
	if beyond != 0 {
		for i := range p.C {
			p.C[i] += beyond * (p.D[i] + beyond/2*p.DD[i])
			p.D[i] += beyond * p.DD[i]
		}
	}
	return p
}

// Bent reports whether the third derivative may jump (Piece).
//
// c is Prepared.
func (c *Curve) Bent() bool {
	return c.Kind == Spline || c.Kind == Function || c.Kind == Circle && !c.ring
}

// Piece returns the number of the piece of the curve on which u is. The number changes where the third derivative may jump: at the
// points of a spline, where abs, min or max of a formula choose another branch, at the ends of an open curve, and at the start of each
// lap of a closed formula. It is −1 before an open curve and −2 behind it.
//
// Cost: O(1), of a spline O(log points), of a formula O(length); no allocation. c is Prepared.
func (c *Curve) Piece(u float64) int {
	from, to := c.span[0], c.span[1]
	laps := 0
	switch {
	case c.Kind == Line || c.Kind == Circle && c.ring:
		return 0
	case c.ring:
		n := math.Floor((u - from) / (to - from))
		u, laps = u-n*(to-from), int(n)
	case u < from:
		return -1
	case u > to:
		return -2
	}
	switch c.Kind {
	case Spline:
		i, last := spline.PieceAt(c.pieces[0], u), len(c.pieces[0])-1
		if !c.Closed && !c.Natural { // the first two and the last two are one cubic
			i = min(max(i, 1), last-1)
		}
		return i
	case Function:
		piece := laps
		for k, f := range c.f {
			if f != nil {
				piece += (k + 1) * int(f.Branch(u, 0))
			}
		}
		return piece
	}
	return 0
}

// finite reports whether no number of p is NaN or infinite.
func (p *Place) finite() bool {
	t := 0.0
	for i := range p.C {
		t += p.C[i]*0 + p.D[i]*0 + p.DD[i]*0
	}
	return t == 0
}

// ThirdAt returns c‴ at u, and where it jumps the value for larger u. It is zero beyond the ends of an open curve, where At is a
// parabola.
//
// Cost: as At, of a formula four times as much. c is Prepared.
func (c *Curve) ThirdAt(u float64) (d spatial.Vec3) {
	from, to := c.span[0], c.span[1]
	switch {
	case c.ring && (u < from || u >= to):
		period := to - from
		u -= period * math.Floor((u-from)/period)
	case c.ring:
	case u < from || u > to:
		return d
	}
	switch c.Kind {
	case Circle: // −c′
		p := c.At(u)
		return p.D.Neg()
	case Spline:
		for i := range d {
			d[i] = spline.ThirdAt(c.pieces[i], u)
		}
	case Function:
		for i, f := range c.f {
			if f != nil {
				d[i] = f.ThirdAt(u, 0)[0]
			}
		}
	}
	return d
}
