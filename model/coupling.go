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
//	Σ Factor·q − Offset − f = 0
//
// with f zero, the polynomial p(q of Polynomial.Of), p(x) = c0 + c1·x + … + c4·x⁴, or the Law of one coordinate or two.
// The coordinates q are those of the joints: m, or rad with whole
// turns. The row has the unit of its terms as they are written.
type Coupling struct {
	Name       string
	Terms      []CouplingTerm      // at least one
	Offset     float64             // in the unit of the terms
	Polynomial *CouplingPolynomial // nil: none
	Law        *CouplingLaw        // nil: none; not beside a Polynomial
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

// Of returns the freedoms that the terms follow: that of the polynomial, or those of the law.
func (k *Coupling) Of() []Coupled {
	switch {
	case k.Polynomial != nil:
		return []Coupled{k.Polynomial.Of}
	case k.Law != nil:
		return k.Law.Of
	}
	return nil
}

var couplingFields = []string{"name", "terms", "offset", "polynomial", "law"}

const (
	couplingName = iota
	couplingTerms
	couplingOffset
	couplingPolynomial
	couplingLaw
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
	for f := range d.Members(couplingFields, &seen) {
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
		case couplingLaw:
			if d.OpenObject() {
				k.Law = d.couplingLaw()
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
	for f := range d.Members(fields, &seen) {
		switch f {
		case termJoint, termFreedom:
			d.coupledField(c, f)
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
	for f := range d.Members(couplingPolynomialFields, &seen) {
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
	c.named = c.named[:0]
	known, free := !f.Has(couplingTerms) && !f.Has(couplingPolynomial) && !f.Has(couplingLaw), false
	before := c.faults.Len()
	and := func(ok, open bool) { known, free = known && ok, free || open }
	if !f.Has(couplingTerms) {
		and(c.checkTerms(k))
	}
	if p := k.Polynomial; p != nil && !f.Has(couplingPolynomial) {
		and(c.checkCoupled(".polynomial.of", &p.Of))
		switch n := len(p.Coefficients); {
		case n == 0:
			c.report(".polynomial.coefficients", "[]", "is empty")
		case n > MaxPower+1:
			c.report(".polynomial.coefficients", "", fmt.Sprintf("more than %d entries", MaxPower+1))
		default:
			c.finite(".polynomial.coefficients", p.Coefficients)
		}
	}
	if k.Law != nil && !f.Has(couplingLaw) {
		and(c.checkLaw(k.Law, k.Polynomial != nil))
	}
	if known && !free && len(k.Terms) > 0 {
		c.report(".terms", "", "couples only freedoms that are prescribed by motions")
	}
	if known && len(k.Terms) <= MaxTerms && (k.Polynomial == nil || k.Law == nil) {
		c.checkItself(k)
	}
	if known && c.faults.Len() == before {
		c.notice(k)
	}
}

// checkTerms checks the terms of a coupling. It reports whether their freedoms are known, and whether one of them has no
// motion.
func (c *checker) checkTerms(k *Coupling) (known, free bool) {
	if len(k.Terms) == 0 {
		c.report(".terms", "[]", "is empty")
	}
	if len(k.Terms) > MaxTerms {
		c.report(".terms", "", fmt.Sprintf("more than %d entries", MaxTerms))
	}
	known = true
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
	return known, free
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
	if k.Law != nil {
		o.couplingLaw(k.Law)
	}
}
