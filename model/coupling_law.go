package model

import (
	"fmt"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/document"
)

// Coupled is a freedom of a joint, with a scalar coordinate.
type Coupled struct {
	Joint   string
	Freedom int // from 0 on, in the order of the joint's lists
}

// CouplingLaw is the function f of a Coupling, of the coordinate of one freedom or the coordinates of two.
type CouplingLaw struct {
	Of []Coupled // x, or x and y
	couplings.Law
}

var couplingLawFields = []string{"kind", "of", "x", "y", "values", "ends", "slopes", "interpolation", "expression"}

const (
	couplingLawKind = iota
	couplingLawOf
	couplingLawX
	couplingLawY
	couplingLawValues
	couplingLawEnds
	couplingLawSlopes
	couplingLawInterpolation
	couplingLawExpression
)

// couplingLawParts has the mandatory and the optional fields of each kind of law, beside kind and of.
var couplingLawParts = [...]parts{
	couplings.Table:    {[]int{couplingLawX, couplingLawValues}, []int{couplingLawEnds, couplingLawSlopes, couplingLawInterpolation}},
	couplings.Grid:     {[]int{couplingLawX, couplingLawY, couplingLawValues}, []int{couplingLawEnds, couplingLawInterpolation}},
	couplings.Function: {must: []int{couplingLawExpression}},
}

var lawOfFields = []string{"joint", "freedom", "range", "periodic", "advance"}

const (
	ofJoint = iota
	ofFreedom
	ofRange
	ofPeriodic
	ofAdvance
)

// couplingLaw reads a law after its opening brace.
func (d *decoder) couplingLaw() *CouplingLaw {
	l := new(CouplingLaw)
	var seen uint32
	known := false
	for f := range d.Members(couplingLawFields, &seen) {
		switch f {
		case couplingLawKind:
			before := d.faults.Len()
			l.Kind = couplings.Kind(d.Choice(couplings.KindNames...))
			known = d.faults.Len() == before
		case couplingLawOf:
			d.lawOf(l)
		case couplingLawX:
			l.X = d.Numbers(nil, couplings.MaxPoints)
		case couplingLawY:
			l.Y = d.Numbers(nil, couplings.MaxPoints)
		case couplingLawValues:
			d.lawValues(l)
		case couplingLawEnds:
			l.Ends = couplings.Ends(d.Choice(couplings.EndNames...))
		case couplingLawSlopes:
			d.Vector(l.Slopes[:])
		case couplingLawInterpolation:
			if names := []string{"spline", "linear", "monotone"}; !d.Fatal {
				if k := d.Choice(names...); k > 0 {
					d.Problem(`"`+names[k]+`"`, "has no second derivative at the points: a law of a coupling is C², a spline")
				}
			}
		case couplingLawExpression:
			l.Expression = d.name()
		}
	}
	if d.Fatal {
		return l
	}
	d.Require(couplingLawFields, seen, couplingLawKind, couplingLawOf)
	if known {
		d.lawParts(l, seen)
	}
	return l
}

// lawParts reports the fields of a law that are missing, and fields of the document that its kind or its ends do not have. Bit k of seen
// stands for field k of couplingLawFields in the document.
func (d *decoder) lawParts(l *CouplingLaw, seen uint32) {
	own := &couplingLawParts[l.Kind]
	d.Require(couplingLawFields, seen, own.must...)
	d.refuseOthers(couplingLawFields, couplingLawX, seen, own, meaningless("kind", l.Kind.String()))
	if l.Kind == couplings.Table {
		if l.Ends == couplings.Clamped {
			d.Require(couplingLawFields, seen, couplingLawSlopes)
		} else {
			d.Refuse(couplingLawFields, seen, meaningless("ends", l.Ends.String()), couplingLawSlopes)
		}
	}
}

// lawOf reads the freedoms of a law, with their spans. It skips entries beyond maxLawOf and reports them.
func (d *decoder) lawOf(l *CouplingLaw) {
	if !d.OpenArray() {
		return
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxLawOf {
			d.Skip()
			continue
		}
		var c Coupled
		var s couplings.Span
		if d.OpenObject() {
			d.lawCoordinate(&c, &s)
		}
		l.Of, l.Spans = append(l.Of, c), append(l.Spans, s)
	}
	d.Bound(n, maxLawOf)
}

// maxLawOf is the largest number of coordinates of a law.
const maxLawOf = 2

// lawCoordinate reads a freedom of a law and its span after the opening brace.
func (d *decoder) lawCoordinate(c *Coupled, s *couplings.Span) {
	var seen uint32
	for f := range d.Members(lawOfFields, &seen) {
		switch f {
		case ofJoint, ofFreedom:
			d.coupledField(c, f)
		case ofRange:
			var ends [2]float64
			if d.Vector(ends[:]) && !(ends[1] > ends[0]) {
				d.Problem(document.Numbers(ends[:]), "must rise")
			}
			s.From, s.To = ends[0], ends[1]
		case ofPeriodic:
			s.Periodic = d.Bool()
		case ofAdvance:
			d.Number(&s.Advance)
		}
	}
	d.Require(lawOfFields, seen, ofJoint)
}

// coupledField reads one field of a freedom: termJoint, or termFreedom.
func (d *decoder) coupledField(c *Coupled, field int) {
	if field == termJoint {
		c.Joint = d.name()
	} else if n := d.Integer(); n < 0 || n >= maxList {
		d.Problem(document.Number(float64(n)), "is no freedom of a joint")
	} else {
		c.Freedom = int(n)
	}
}

// lawValues reads the values of a table, which are numbers, or the values of a grid, which are lists of numbers.
func (d *decoder) lawValues(l *CouplingLaw) {
	if !d.OpenArray() {
		return
	}
	n, points := 0, 0
	for ; d.Element(n); n++ {
		switch {
		case points >= couplings.MaxPoints:
			d.Skip()
		case d.NextIsList():
			line := d.Numbers(nil, couplings.MaxPoints-points)
			points += max(1, len(line))
			l.Lines = append(l.Lines, line)
		default:
			var x float64
			d.Number(&x)
			points++
			l.Values = append(l.Values, x)
		}
	}
	d.Bound(n, couplings.MaxPoints)
	if len(l.Lines) > 0 && len(l.Values) > 0 && !d.Fatal {
		d.Problem("", "has numbers and lists: a table has numbers, a grid a list for each x")
	}
}

// checkLaw applies the rules to the law of a coupling; polynomial tells that the coupling has a polynomial, too. It returns whether
// all freedoms of the law exist, and whether one of these has no motion.
func (c *checker) checkLaw(l *CouplingLaw, polynomial bool) (known, free bool) {
	if polynomial {
		c.report(".law", "", "stands beside a polynomial: a coupling has one of both")
	}
	known = true
	for i := range l.Of {
		ok, open := c.checkCoupled(document.Entry(".law.of", i), &l.Of[i])
		known, free = known && ok, free || open
	}
	if len(l.Spans) != len(l.Of) {
		c.report(".law.of", "", fmt.Sprintf("wrong length %d, the law has %d spans", len(l.Of), len(l.Spans)))
		return known, free
	}
	formula := ""
	if l.Kind == couplings.Function { // models often have many equal cams: check each function once
		formula = fmt.Sprintf("%q", l.Expression) + fmt.Sprint(l.Spans, l.X, l.Y, l.Values, l.Lines, l.Ends, l.Slopes)
		if c.smooth[formula] {
			return known, free
		}
	}
	good := true
	l.Faults(func(field, value, rule string) {
		c.report(".law."+field, value, rule)
		good = false
	})
	if good && formula != "" {
		if c.smooth == nil {
			c.smooth = map[string]bool{}
		}
		c.smooth[formula] = true
	}
	return known, free
}

// checkCoupled checks the freedom at path tail of the current coupling, and appends it to c.named and its joint to the links. It
// returns whether the freedom exists, and whether it has no motion.
func (c *checker) checkCoupled(tail string, q *Coupled) (ok, open bool) {
	j, found := c.joints.find(q.Joint)
	if !found || q.Joint == "" {
		c.unknown(tail+".joint", q.Joint, "joint", len(c.m.Joints), c.joints.at)
		return false, false
	}
	jt, jf := &c.m.Joints[j], c.flaws[document.Place{Section: secJoints, Index: j}]
	if c.intern {
		q.Joint = jt.Name
	}
	if c.links != nil {
		c.links.Couplings[c.index] = append(c.links.Couplings[c.index], int32(j))
	}
	if jf.Has(jointType) || !jt.Type.Valid() {
		return false, false
	}
	value := fmt.Sprint(q.Freedom)
	switch n := jt.Kind().Freedoms(); {
	case q.Freedom < 0 || q.Freedom >= n:
		c.report(tail+".freedom", value, fmt.Sprintf("joint type %s has %d freedoms", jt.Type, n))
		return false, false
	case !jt.Kind().Scalar(q.Freedom):
		c.report(tail+".freedom", value, "is a ball rotation, which has no coordinate")
		return false, false
	}
	c.named = append(c.named, named{jointIndex: j, freedom: q.Freedom, tail: tail})
	return true, jf.Has(jointMotion) || q.Freedom >= len(jt.Motion) || jt.Motion[q.Freedom] == nil
}

// coupled writes a freedom up to its closing brace, which is left out so that fields may follow.
func (o *writer) coupled(q *Coupled) {
	o.text(`{"joint": `, q.Joint)
	if q.Freedom != 0 {
		o.always(`, "freedom": `, float64(q.Freedom))
	}
}

// couplingLaw writes a law.
func (o *writer) couplingLaw(l *CouplingLaw) {
	o.text(`, "law": {"kind": `, l.Kind.String())
	o.b = append(o.b, `, "of": [`...)
	for i := range l.Of {
		o.comma(i)
		o.coupled(&l.Of[i])
		s := &l.Spans[i]
		if l.Kind == couplings.Function && s.From != s.To {
			o.vector(`, "range": `, []float64{s.From, s.To})
		}
		if s.Periodic {
			o.b = append(o.b, `, "periodic": true`...)
		}
		o.number(`, "advance": `, s.Advance)
		o.b = append(o.b, '}')
	}
	o.b = append(o.b, ']')
	if l.Kind == couplings.Function {
		o.text(`, "expression": `, l.Expression)
		o.b = append(o.b, '}')
		return
	}
	o.vector(`, "x": `, l.X)
	if l.Kind == couplings.Grid {
		o.vector(`, "y": `, l.Y)
		o.b = append(o.b, `, "values": [`...)
		for i, line := range l.Lines {
			o.comma(i)
			o.vector("", line)
		}
		o.b = append(o.b, ']')
	} else {
		o.vector(`, "values": `, l.Values)
	}
	choose(o, `, "ends": `, l.Ends)
	if l.Ends == couplings.Clamped {
		o.vector(`, "slopes": `, l.Slopes[:])
	}
	o.b = append(o.b, '}')
}
