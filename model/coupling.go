package model

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/document"
)

const (
	// MaxTerms is the largest number of terms of a coupling.
	MaxTerms = 10_000
	// MaxPower is the highest power of the polynomial of a coupling.
	MaxPower = 4
	// mostFactor is the largest magnitude of a factor, and its inverse the smallest: squares of rows are finite numbers.
	mostFactor = 1e100
)

// Coupling makes scalar freedoms of joints depend on each other, as gears,
// racks, screws, belts and differentials do. It is one constraint row,
//
//	Σ Factor·q − Offset − p(q of Polynomial.Of) = 0,   p(x) = c0 + c1·x + … + c4·x⁴.
//
// The coordinates q are those of the joints: m, or rad with whole
// turns. The row has the unit of its terms as they are written.
type Coupling struct {
	Name       string
	Terms      []CouplingTerm      // at least one
	Offset     float64             // in the unit of the terms
	Polynomial *CouplingPolynomial // nil: none
}

// CouplingTerm is a factor times the coordinate of a freedom.
type CouplingTerm struct {
	Coupled
	Factor float64 // not 0; from 1e-100 to 1e100 in magnitude
}

// CouplingPolynomial is a polynomial of the coordinate of a freedom.
type CouplingPolynomial struct {
	Of           Coupled
	Coefficients []float64 // c0, c1, …: from 1 to MaxPower + 1 of them
}

// Coupled is a freedom of a joint, with a scalar coordinate.
type Coupled struct {
	Joint   string
	Freedom int // from 0 on, in the order of the joint's lists
}

var couplingFields = []string{"name", "terms", "offset", "polynomial"}

const (
	couplingName = iota
	couplingTerms
	couplingOffset
	couplingPolynomial
)

var termFields = []string{"joint", "freedom", "factor"}

const (
	termJoint = iota
	termFreedom
	termFactor
)

var couplingPolynomialFields = []string{"of", "coefficients"}

const (
	polynomialOf = iota
	polynomialCoefficients
)

// coupling reads a coupling after its opening brace.
func (d *decoder) coupling(k *Coupling) {
	var seen uint32
	for {
		f, ok := d.Member(couplingFields, &seen)
		if !ok {
			break
		}
		switch f {
		case couplingName:
			k.Name = d.name()
		case couplingTerms:
			k.Terms = d.couplingTerms()
		case couplingOffset:
			d.Number(&k.Offset)
		case couplingPolynomial:
			if d.OpenObject() {
				k.Polynomial = d.couplingPolynomial()
			}
		}
	}
	if !d.Fatal {
		d.Require(couplingFields, seen, couplingName, couplingTerms)
	}
}

func (d *decoder) couplingTerms() []CouplingTerm {
	if !d.OpenArray() {
		return nil
	}
	list := []CouplingTerm{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= MaxTerms {
			d.Skip()
			continue
		}
		var t CouplingTerm
		if d.OpenObject() {
			d.coupled(&t.Coupled, termFields, &t.Factor)
		}
		list = append(list, t)
	}
	d.Bound(n, MaxTerms)
	return list
}

// coupled reads a freedom after its opening brace, and a factor if fields has one.
func (d *decoder) coupled(c *Coupled, fields []string, factor *float64) {
	var seen uint32
	for {
		f, ok := d.Member(fields, &seen)
		if !ok {
			break
		}
		switch f {
		case termJoint:
			c.Joint = d.name()
		case termFreedom:
			if n := d.Integer(); n < 0 || n >= maxList {
				d.Problem(document.Number(float64(n)), "is no freedom of a joint")
			} else {
				c.Freedom = int(n)
			}
		case termFactor:
			d.Number(factor)
		}
	}
	d.Require(fields, seen, termJoint)
	if len(fields) > termFactor {
		d.Require(fields, seen, termFactor)
	}
}

func (d *decoder) couplingPolynomial() *CouplingPolynomial {
	p := new(CouplingPolynomial)
	var seen uint32
	for {
		f, ok := d.Member(couplingPolynomialFields, &seen)
		if !ok {
			break
		}
		switch f {
		case polynomialOf:
			if d.OpenObject() {
				d.coupled(&p.Of, termFields[:termFactor], nil)
			}
		case polynomialCoefficients:
			p.Coefficients = d.Numbers(nil, MaxPower+1)
		}
	}
	d.Require(couplingPolynomialFields, seen, polynomialOf, polynomialCoefficients)
	return p
}

// checkCoupling applies the rules to a coupling. A coupling of freedoms that all have motions leaves nothing to couple.
func (c *checker) checkCoupling(k *Coupling, f document.Flaws) {
	if !f.Has(couplingName) {
		c.checkName(k.Name)
	}
	c.number(".offset", k.Offset)
	known, free := !f.Has(couplingTerms) && !f.Has(couplingPolynomial), false
	if !f.Has(couplingTerms) {
		if len(k.Terms) == 0 {
			c.report(".terms", "[]", "is empty")
		}
		if len(k.Terms) > MaxTerms {
			c.report(".terms", "", fmt.Sprintf("more than %d entries", MaxTerms))
		}
		for i := range k.Terms {
			t := &k.Terms[i]
			tail := document.Entry(".terms", i)
			ok, open := c.checkCoupled(tail, &t.Coupled)
			known, free = known && ok, free || open
			switch size := math.Abs(t.Factor); {
			case !c.number(tail+".factor", t.Factor):
			case size == 0:
				c.report(tail+".factor", "0", "is zero")
			case size < 1/mostFactor || size > mostFactor:
				c.report(tail+".factor", document.Number(t.Factor), fmt.Sprintf("is beyond %g to %g", 1/mostFactor, mostFactor))
			}
		}
	}
	if p := k.Polynomial; p != nil && !f.Has(couplingPolynomial) {
		ok, open := c.checkCoupled(".polynomial.of", &p.Of)
		known, free = known && ok, free || open
		switch n := len(p.Coefficients); {
		case n == 0:
			c.report(".polynomial.coefficients", "[]", "is empty")
		case n > MaxPower+1:
			c.report(".polynomial.coefficients", "", fmt.Sprintf("more than %d entries", MaxPower+1))
		default:
			c.finite(".polynomial.coefficients", p.Coefficients)
		}
	}
	if known && !free && len(k.Terms) > 0 {
		c.report(".terms", "", "couples only freedoms that are prescribed by motions")
	}
}

// checkCoupled checks the freedom at a path and notes its joint. It reports whether there is such a freedom, and
// whether that has no motion.
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
	return true, jf.Has(jointMotion) || q.Freedom >= len(jt.Motion) || jt.Motion[q.Freedom] == nil
}

func (o *writer) coupling(k *Coupling) {
	o.text(`"name": `, k.Name)
	o.b = append(o.b, `, "terms": [`...)
	for i := range k.Terms {
		o.comma(i)
		o.coupled(&k.Terms[i].Coupled)
		o.always(`, "factor": `, k.Terms[i].Factor)
		o.b = append(o.b, '}')
	}
	o.b = append(o.b, ']')
	o.number(`, "offset": `, k.Offset)
	if p := k.Polynomial; p != nil {
		o.b = append(o.b, `, "polynomial": {"of": `...)
		o.coupled(&p.Of)
		o.vector(`}, "coefficients": `, p.Coefficients)
		o.b = append(o.b, '}')
	}
}

// coupled writes a freedom without its closing brace.
func (o *writer) coupled(q *Coupled) {
	o.text(`{"joint": `, q.Joint)
	if q.Freedom != 0 {
		o.always(`, "freedom": `, float64(q.Freedom))
	}
}
