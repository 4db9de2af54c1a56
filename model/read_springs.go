package model

import (
	"github.com/rung-mbd/rung/springs"
)

// numberOrMatrix reads the stiffness or the damping of a force element: a number into *x, or the list of a bushing into its matrix.
func (d *decoder) numberOrMatrix(e *ForceElement, field int, x *float64) {
	if !d.NextIsList() {
		d.Number(x)
		return
	}
	d.lists6 |= 1 << field
	m := &made(&e.Bushing).Stiffness
	if field == forceDamping {
		m = &e.Bushing.Damping
	}
	d.matrix(m)
}

// matrix reads a matrix: a list of the six diagonal entries, or of the six rows.
func (d *decoder) matrix(m *[6][6]float64) {
	if !d.OpenArray() {
		return
	}
	n, rows := 0, false
	for ; d.Element(n); n++ {
		if n == 0 {
			rows = d.NextIsList()
		}
		switch {
		case n >= len(m):
			d.Skip()
		case rows:
			d.Vector(m[n][:])
		default:
			d.Number(&m[n][n])
		}
	}
	if n != len(m) && !d.Fatal {
		d.Problem("", "must have six entries, numbers or lists of six")
	}
}

// wantLists reports a stiffness or damping that is a number for a bushing, or a list for another type of force element.
func (d *decoder) wantLists(t ForceType, seen uint32) {
	for _, k := range [2]int{forceStiffness, forceDamping} {
		if seen>>k&1 == 0 || d.Flaw.Has(k) {
			continue
		}
		switch list := d.lists6>>k&1 != 0; {
		case t == BushingForce && !list:
			d.ProblemAt(forceFields, k, "", "is a number, a bushing has six or a matrix of them")
		case t != BushingForce && list && forceOwn[t].has(k):
			d.ProblemAt(forceFields, k, "", "is a list, which a bushing alone has")
		}
	}
}

// law reads the law of a spring or damper.
func (d *decoder) law(l *SpringLaw) {
	if d.OpenObject() {
		d.openLaw(l)
	}
}

// openLaw reads the law of a spring or damper after its opening brace.
func (d *decoder) openLaw(l *SpringLaw) {
	var seen uint32
	known := false
	for k := range d.Members(lawFields, &seen) {
		switch k {
		case lawKind:
			before := d.faults.Len()
			l.Kind = springs.Kind(d.Choice(springs.KindNames...))
			known = d.faults.Len() == before
		case lawAt:
			l.At = d.Numbers(nil, springs.MaxPoints)
		case lawForces:
			l.Forces = d.Numbers(nil, springs.MaxPoints)
		case lawInterpolation:
			l.Interpolation = springs.Interpolation(d.Choice(springs.InterpolationNames...))
		case lawOutside:
			l.Outside = springs.Outside(d.Choice(springs.OutsideNames...))
		case lawExpression:
			l.Expression = d.name()
		}
	}
	d.Require(lawFields, seen, lawKind)
	if d.Fatal || !known {
		return
	}
	none := meaningless("kind", l.Kind.String())
	if l.Kind == springs.Table {
		d.Require(lawFields, seen, lawAt, lawForces)
		d.Refuse(lawFields, seen, none, lawExpression)
	} else {
		d.Require(lawFields, seen, lawExpression)
		d.Refuse(lawFields, seen, none, lawAt, lawForces, lawInterpolation, lawOutside)
	}
}

// cablePoints reads the points of a cable. It skips entries beyond maxCablePoints and reports them.
func (d *decoder) cablePoints(c *Cable) {
	if !d.OpenArray() {
		return
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxCablePoints {
			d.Skip()
			continue
		}
		var a Attachment
		d.attachment(&a)
		c.Points = append(c.Points, a)
	}
	d.Bound(n, maxCablePoints)
}

// bushing writes the fields of a bushing after its type.
func (o *writer) bushing(e *ForceElement) {
	o.text(`, "a": {"body": `, e.A.Body)
	o.end(&e.A)
	o.text(`}, "b": {"body": `, e.B.Body)
	o.end(&e.B)
	o.b = append(o.b, '}')
	o.matrix(`, "stiffness": `, &e.Bushing.Stiffness)
	o.matrix(`, "damping": `, &e.Bushing.Damping)
	o.pose("rest", &e.Bushing.Rest)
	o.list(`, "force": `, e.Force[:])
	o.list(`, "torque": `, e.Torque[:])
}

// end writes point and orientation of an attachment.
func (o *writer) end(a *Attachment) {
	o.point(&a.Point)
	if a.Orientation != [4]float64{} && a.Orientation != [4]float64{1} {
		o.vector(`, "orientation": `, a.Orientation[:])
	}
}

// matrix writes a matrix after key: the diagonal of a diagonal matrix, else the rows. It writes nothing for a zero matrix.
func (o *writer) matrix(key string, m *[6][6]float64) {
	if *m == [6][6]float64{} {
		return
	}
	var d [6]float64
	for i := range m {
		d[i] = m[i][i]
	}
	if *m == Diagonal(d) {
		o.vector(key, d[:])
		return
	}
	o.b = append(append(o.b, key...), '[')
	for i := range m {
		o.comma(i)
		o.vector("", m[i][:])
	}
	o.b = append(o.b, ']')
}

// cable writes the fields of a cable after its type.
func (o *writer) cable(e *ForceElement) {
	o.b = append(o.b, `, "points": [`...)
	for i := range e.Cable.Points {
		p := &e.Cable.Points[i]
		o.comma(i)
		o.text(`{"body": `, p.Body)
		o.point(&p.Point)
		o.b = append(o.b, '}')
	}
	o.b = append(o.b, ']')
	o.number(`, "stiffness": `, e.Stiffness)
	o.number(`, "damping": `, e.Damping)
	o.number(`, "rest_length": `, e.RestLength)
	o.number(`, "tension": `, e.Cable.Tension)
}

// laws writes a list of laws after key, which ends with the opening bracket. It writes nothing if all entries are nil.
func (o *writer) laws(key string, list []*SpringLaw) {
	if !someOf(list) {
		return
	}
	o.b = append(o.b, key...)
	for i, l := range list {
		o.comma(i)
		if l == nil {
			o.b = append(o.b, "null"...)
			continue
		}
		o.law("", l)
	}
	o.b = append(o.b, ']')
}

// law writes a law after key; nothing for nil.
func (o *writer) law(key string, l *SpringLaw) {
	if l == nil {
		return
	}
	o.b = append(o.b, key...)
	o.text(`{"kind": `, l.Kind.String())
	if l.Kind == springs.Function {
		o.text(`, "expression": `, l.Expression)
	} else {
		o.vector(`, "at": `, l.At)
		o.vector(`, "forces": `, l.Forces)
		choose(o, `, "interpolation": `, l.Interpolation)
		choose(o, `, "outside": `, l.Outside)
	}
	o.b = append(o.b, '}')
}
