package curves

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/formula"
	"github.com/rung-mbd/rung/spatial"
)

// cusp is the |c′|, relative to the largest |c′| of the curve, up to which a place counts as one without a tangent.
const cusp = 1e-6

// Faults calls report for each fault of c, with the field of rung-model/1, the value and the rule that it breaks. Jumps and kinks of
// formulas, and places without a tangent, are searched for between samples. With flat, a place where the curve runs along z counts as
// one without a tangent.
//
// Cost: O(points); of a formula some ten thousand values.
func (c *Curve) Faults(flat bool, report func(field, value, rule string)) {
	f := &document.Broken{Report: report}
	if int(c.Kind) >= len(KindNames) {
		f.Add("kind", c.Kind.String(), "unknown kind")
		return
	}
	c.foreign(f)
	switch c.Kind {
	case Line:
		c.vectors(f, "ends", c.Ends[:])
		if !f.Any && !(c.Ends[1].Sub(c.Ends[0]).Norm() > 0) {
			f.Add("ends", "", "are one point")
		}
	case Circle:
		c.circleFaults(f)
	case Spline:
		c.splineFaults(f)
	case Function:
		c.functionFaults(f, flat)
	}
	if f.Any || c.Kind == Function {
		return
	}
	p := c.Prepared()
	if !p.overflowed(f) {
		p.cusps(f, flat)
	}
}

// foreign adds a fault for each field that is set and belongs to other kinds.
func (c *Curve) foreign(f *document.Broken) {
	note := func(field string, there bool, kinds ...Kind) {
		for _, k := range kinds {
			there = there && c.Kind != k
		}
		if there {
			f.Add(field, "", fmt.Sprintf("has no meaning for the kind %v", c.Kind))
		}
	}
	zero := spatial.Vec3{}
	note("ends", c.Ends != [2]spatial.Vec3{}, Line)
	note("center", c.Center != zero, Circle)
	note("axis", c.Axis != zero, Circle)
	note("start", c.Start != zero, Circle)
	note("radius", c.Radius != 0, Circle)
	note("points", c.Points != nil, Spline)
	note("parameters", c.Parameters != nil, Spline)
	note("natural", c.Natural, Spline)
	note("file", c.File != "", Spline)
	note("x", c.X != "", Function)
	note("y", c.Y != "", Function)
	note("z", c.Z != "", Function)
	note("range", c.Range != [2]float64{}, Function, Circle)
	note("closed", c.Closed, Spline, Function)
}

// vectors adds a fault for the first component in the list that is not finite.
func (c *Curve) vectors(f *document.Broken, field string, list []spatial.Vec3) {
	for i := range list {
		for k, x := range list[i] {
			if !algebra.Finite(x) {
				f.Add(document.Entry(document.Entry(field, i), k), document.Number(x), document.RuleNotFinite)
				return
			}
		}
	}
}

// circleFaults adds the faults of a circle.
func (c *Curve) circleFaults(f *document.Broken) {
	for _, v := range []struct {
		field string
		of    *spatial.Vec3
	}{{"center", &c.Center}, {"axis", &c.Axis}, {"start", &c.Start}} {
		for k, x := range v.of {
			if !algebra.Finite(x) {
				f.Add(document.Entry(v.field, k), document.Number(x), document.RuleNotFinite)
				break
			}
		}
	}
	if !(c.Radius > 0) || !algebra.Finite(c.Radius) {
		f.Add("radius", document.Number(c.Radius), "is not positive and finite")
	}
	c.rangeFaults(f, 2*math.Pi)
	if f.Any {
		return
	}
	if _, x := c.axes(); x == (spatial.Vec3{}) {
		f.Add("start", "", "is along the axis")
	}
}

// rangeFaults adds a fault unless the range increases and is shorter than most. A circle may have no range.
func (c *Curve) rangeFaults(f *document.Broken, most float64) {
	from, to := c.Range[0], c.Range[1]
	switch length := to - from; {
	case c.Kind == Circle && from == 0 && to == 0:
	case !algebra.Finite(length):
		f.Add("range", "", document.RuleNotFinite)
	case !(length > 0):
		f.Add("range", document.Numbers(c.Range[:]), "must rise")
	case !(length < most):
		f.Add("range", document.Numbers(c.Range[:]), "is a turn or more: a whole circle has no range")
	}
}

// splineFaults adds the faults of a spline.
func (c *Curve) splineFaults(f *document.Broken) {
	least := 2
	if c.Closed {
		least = 3
	}
	n := len(c.Points)
	switch {
	case c.Points == nil && c.File != "":
		f.Add("file", fault.Name(c.File), "has not been loaded")
		return
	case n < least || n > MaxPoints:
		f.Add("points", "", fmt.Sprintf("wrong length %d, from %d to %d points", n, least, MaxPoints))
		return
	case c.Natural && c.Closed:
		f.Add("natural", "true", "has no meaning where the curve is closed")
	}
	c.vectors(f, "points", c.Points)
	if c.Parameters == nil && !f.Any {
		for i := range c.Points {
			next := (i + 1) % n
			if (next > 0 || c.Closed) && !(c.Points[next].Sub(c.Points[i]).Norm() > 0) {
				rule := "is the point before it"
				if next == 0 {
					next, rule = n-1, "is the first point: a closed curve goes on from the last to the first by itself"
				}
				f.Add(document.Entry("points", next), "", rule)
				return
			}
		}
	}
	c.parameterFaults(f)
}

// parameterFaults adds a fault unless the parameters of a spline are absent, or finite, increasing and of the right number.
func (c *Curve) parameterFaults(f *document.Broken) {
	at, n := c.Parameters, len(c.Points)
	if at == nil {
		return
	}
	if c.Closed {
		n++
	}
	if len(at) != n {
		rule := fmt.Sprintf("wrong length %d, must have %d entries, one a point", len(at), n)
		if c.Closed {
			rule += " and one for the first point again"
		}
		f.Add("parameters", "", rule)
		return
	}
	for i, x := range at {
		switch {
		case !algebra.Finite(x):
			f.Add(document.Entry("parameters", i), document.Number(x), document.RuleNotFinite)
			return
		case i > 0 && !(x > at[i-1]):
			f.Add(document.Entry("parameters", i), document.Number(x), "is not above the one before, "+document.Number(at[i-1]))
			return
		}
	}
}

// sampled is the number of intervals between the samples in the search for jumps and kinks of a formula, as for laws of couplings.
const sampled = 128

// functionFaults adds the faults of a curve of expressions in u. flat is as in Faults.
func (c *Curve) functionFaults(f *document.Broken, flat bool) {
	c.rangeFaults(f, math.Inf(1))
	texts := [3]string{c.X, c.Y, c.Z}
	var parsed [3]*formula.Formula
	for i, field := range [3]string{"x", "y", "z"} {
		text := texts[i]
		if text == "" {
			if i < 2 {
				f.Add(field, "", document.RuleMissing)
			}
			continue
		}
		var wrong *formula.Problem
		if parsed[i], wrong = formula.ParseIn(text, parameter); wrong != nil {
			f.Add(field, fault.Name(text), fault.Line(fmt.Sprintf("expression, character %d: %s", wrong.Position, wrong.Text)))
		}
	}
	p := *c
	p.Closed = false // so that the walks see both ends
	if !f.Any {
		p.prepare()
		p.measure()
	}
	for i, field := range [3]string{"x", "y", "z"} {
		if parsed[i] != nil && !f.Any {
			p.walk(f, field, texts[i], i, c.Closed)
		}
	}
	if !f.Any {
		p.cusps(f, flat)
	}
	for i, field := range [3]string{"x", "y", "z"} {
		if parsed[i] != nil && !f.Any {
			p.walkCurvature(f, field, texts[i], i, c.Closed)
		}
	}
}

// walk adds a fault if it finds a place where coordinate i is not C¹, or has no finite second derivative. The expression of
// the coordinate is text, in the given field.
func (c *Curve) walk(f *document.Broken, field, text string, i int, closed bool) {
	w := formula.Walk{From: c.Range[0], To: c.Range[1], Parts: sampled, Terms: c.size}
	h := w.To - w.From
	w.Value = func(u float64) (n formula.Numbers, ok bool) {
		at := c.At(u)
		return formula.Numbers{0: at.C[i], 1: at.D[i] * h}, algebra.AllFinite(at.C[i], at.D[i], at.DD[i])
	}
	tell(f, &w, field, text, [6]string{"value", "slope"}, [6]float64{1, h}, closed)
}

// walkCurvature adds a fault if it finds a place where component i of the curvature vector jumps. The curvature vector is the part of c″ at
// right angles to the tangent, over |c′|². The walk sees it times the size of the curve, which is a number without unit. The part of c″
// along the tangent may jump, as it changes the rate of u but not the shape. Rounding errors are relative to the largest |c″|/|c′|².
func (c *Curve) walkCurvature(f *document.Broken, field, text string, i int, closed bool) {
	w := formula.Walk{From: c.Range[0], To: c.Range[1], Parts: sampled}
	for k := range sampled + 1 {
		at := c.At(w.From + (w.To-w.From)*float64(k)/sampled)
		w.Terms = max(w.Terms, at.DD.Norm()/spatial.Dot(&at.D, &at.D)*c.size)
	}
	w.Value = func(u float64) (n formula.Numbers, ok bool) {
		at := c.At(u)
		dd := spatial.Dot(&at.D, &at.D)
		n[0] = (at.DD[i] - at.D[i]*spatial.Dot(&at.D, &at.DD)/dd) / dd * c.size
		return n, algebra.Finite(n[0])
	}
	tell(f, &w, field, text, [6]string{"part of the curvature"}, [6]float64{c.size}, closed)
}

// tell runs the walk and adds the fault that it finds. names are the names of the walk's numbers, and units the factors by which
// they were scaled. For a closed curve, tell also compares the two ends.
func tell(f *document.Broken, w *formula.Walk, field, text string, names [6]string, units [6]float64, closed bool) {
	const rule = ": a curve has a continuous tangent and curvature"
	jump, found := w.Look()
	switch {
	case found && jump.Number < 0:
		f.Add(field, fault.Name(text), fmt.Sprintf("has no finite value, slope or second derivative at u = %.7g", jump.X))
	case found:
		k := jump.Number
		f.Add(field, fault.Name(text), fmt.Sprintf("its %s jumps by %.3g at u = %.7g"+rule, names[k], jump.Size/units[k], jump.X))
	case closed:
		if k, gain, found := w.Seam(0); found {
			f.Add(field, fault.Name(text), fmt.Sprintf("its %s at u = %.7g is %.10g more than at the start, and the curve is closed"+rule,
				names[k], w.To, gain/units[k]))
		}
	}
}

// field returns the field of the document to which faults of the whole curve are attributed.
func (c *Curve) field() string { return [...]string{"ends", "radius", "points", "x"}[c.Kind] }

// overflowed adds a fault and returns true if a number of the prepared curve is not finite.
func (c *Curve) overflowed(f *document.Broken) bool {
	for i := range c.samples() + 1 {
		u := c.sample(i)
		if at := c.At(u); !at.finite() || !algebra.Finite(c.size) || !algebra.Finite(c.speed) {
			f.Add(c.field(), "", "makes a curve that overflows")
			return true
		}
	}
	return false
}

// cusps adds a fault for the first place at which it finds that the prepared curve has no tangent.
func (c *Curve) cusps(f *document.Broken, flat bool) {
	n := c.samples()
	var before, now float64
	for i := range n + 2 {
		after := math.Inf(1)
		if i <= n {
			after = c.speedAt(c.sample(i), flat)
		}
		// If |c′| has a zero near the middle of three samples, it is there a third of a neighbour at most. A minimum of half a
		// neighbour is searched.
		if i > 0 && now <= max(before, after)/2 && now <= after && (i == 1 || now <= before) {
			u := c.slowest(c.sample(max(i-2, 0)), c.sample(min(i, n)), flat)
			if v := c.speedAt(u, flat); !(v > cusp*c.speed) {
				rule := fmt.Sprintf("has no tangent at u = %.7g, where |c′| is %.3g", u, v)
				if flat {
					rule += " in the plane"
				}
				f.Add(c.field(), "", rule+": a cusp, or a place at which the curve turns back")
				return
			}
		}
		before, now = now, after
	}
}

// speedAt returns |c′| at u, with flat without its z component.
func (c *Curve) speedAt(u float64, flat bool) float64 {
	at := c.At(u)
	if flat {
		return math.Hypot(at.D[0], at.D[1])
	}
	return at.D.Norm()
}

// slowest returns the parameter between a and b at which |c′| is smallest, by golden sections.
func (c *Curve) slowest(a, b float64, flat bool) float64 {
	const golden = 0.6180339887498949
	x, y := b-golden*(b-a), a+golden*(b-a)
	v, w := c.speedAt(x, flat), c.speedAt(y, flat)
	for range 60 {
		if v < w {
			b, y, w = y, x, v
			x = b - golden*(b-a)
			v = c.speedAt(x, flat)
		} else {
			a, x, v = x, y, w
			y = a + golden*(b-a)
			w = c.speedAt(y, flat)
		}
	}
	best, least := a, c.speedAt(a, flat)
	for _, u := range [2]float64{(a + b) / 2, b} {
		if s := c.speedAt(u, flat); s < least {
			best, least = u, s
		}
	}
	return best
}

// Cusp reports whether the curve has no tangent at u, seen along z if flat.
//
// c is Prepared.
func (c *Curve) Cusp(u float64, flat bool) bool { return !(c.speedAt(u, flat) > cusp*c.speed) }
