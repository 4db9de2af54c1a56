package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// MaxTerms is the largest number of terms of a coupling.
	MaxTerms = 10_000
	// MaxPower is the highest power of the polynomial of a coupling.
	MaxPower = 4
	// mostFactor is the largest magnitude of a factor and of a coefficient; its inverse is the smallest magnitude of a factor.
	// Within these bounds the squares of the entries of rows neither overflow nor underflow.
	mostFactor = 1e100
)

// Coupling makes scalar freedoms of joints depend on each other, as gears,
// racks, screws, belts and differentials do. It is one constraint row,
//
//	Σ Factor·q − Offset − f = 0
//
// where f is zero, a polynomial p(x) = c0 + c1·x + … + c4·x⁴ of the coordinate x of Polynomial.Of, or the Law of one coordinate or two.
// The coordinates q of the joints are in m, or in rad with whole turns. The row has the unit of its terms.
type Coupling struct {
	Name       string
	Terms      []CouplingTerm      // from 1 to MaxTerms
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
	Coefficients []float64 // c0, c1, …: from 1 to MaxPower + 1 of them, up to 1e100 in magnitude
}

// Of returns the freedoms that f depends on: one for a polynomial, one or two for a law, nil for neither. It shares the law's memory.
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

// couplingTerms reads the list of terms. It skips entries beyond MaxTerms and reports them.
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

// coupled reads a freedom after its opening brace, and its factor if the list fields has that field.
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

// couplingPolynomial reads a polynomial after its opening brace.
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

// checkCoupling applies the rules to a coupling. Among them, at least one of its freedoms has to be without a motion.
func (c *checker) checkCoupling(k *Coupling, f document.Flaws) {
	if !f.Has(couplingName) {
		c.checkName(k.Name)
	}
	c.number(".offset", k.Offset)
	c.named = c.named[:0]
	known, free := !f.Has(couplingTerms) && !f.Has(couplingPolynomial) && !f.Has(couplingLaw), false
	before := c.faults.Len()
	and := func(ok, open bool) { known, free = known && ok, free || open } // all freedoms exist; one of them has no motion
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
		case c.finite(".polynomial.coefficients", p.Coefficients):
			for i, x := range p.Coefficients {
				if math.Abs(x) > mostFactor {
					c.report(document.Entry(".polynomial.coefficients", i), document.Number(x), fmt.Sprintf("is beyond %g", mostFactor))
				}
			}
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
		c.noteTie(k)
	}
}

// checkTerms checks the terms of a coupling. It returns whether all their freedoms exist, and whether one of these has no motion.
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

// checkItself reports freedoms that coupling k ties to themselves: the polynomial or the law depends on a freedom of the terms, or on
// the same freedom twice, or terms of a freedom cancel each other.
func (c *checker) checkItself(k *Coupling) {
	var first map[[2]int]int
	if len(c.named) > fewNames {
		first = make(map[[2]int]int, len(c.named))
	}
	for i := range c.named {
		n := &c.named[i]
		before := -1
		if first == nil {
			before = slices.IndexFunc(c.named[:i], func(p named) bool { return p.jointIndex == n.jointIndex && p.freedom == n.freedom })
		} else if p, again := first[[2]int{n.jointIndex, n.freedom}]; again {
			before = p
		} else {
			first[[2]int{n.jointIndex, n.freedom}] = i
		}
		if i < len(k.Terms) { // factors of terms with the same freedom are summed up
			p := n
			if before >= 0 {
				p = &c.named[before]
			}
			p.sum, p.size = p.sum+k.Terms[i].Factor, p.size+math.Abs(k.Terms[i].Factor)
		} else if before >= 0 {
			c.report(n.tail+".joint", fault.Name(c.m.Joints[n.jointIndex].Name),
				fmt.Sprintf("is the freedom of %s again: the coupling ties it to itself", c.named[before].tail[1:]))
		}
	}
	for i := range c.named[:min(len(k.Terms), len(c.named))] {
		if n := &c.named[i]; n.size > 0 && algebra.Finite(n.size) && math.Abs(n.sum) <= balanced*n.size {
			c.report(n.tail+".joint", fault.Name(c.m.Joints[n.jointIndex].Name), "has terms that cancel each other: the coupling ties it to itself")
		}
	}
}

// noteTie appends coupling k, the current one, to c.ties if it is linear in one freedom or two.
func (c *checker) noteTie(k *Coupling) {
	t := tie{index: int32(c.index), rhs: k.Offset}
	if len(c.named) > 2 || len(c.named) == 2 && c.named[0].jointIndex == c.named[1].jointIndex && c.named[0].freedom == c.named[1].freedom ||
		k.Law != nil || !algebra.Finite(k.Offset) {
		return
	}
	angle := false
	add := func(i int, f float64) {
		n := &c.named[i]
		t.freedoms[t.count], t.factors[t.count] = int32(6*n.jointIndex+n.freedom), f
		t.count++
	}
	for i := range k.Terms {
		f, turns := k.Terms[i].Factor, c.m.Joints[c.named[i].jointIndex].Kind().Rotational(c.named[i].freedom)
		switch size := math.Abs(f); {
		case turns && !angle:
			angle, t.norm = true, size
		case turns == angle:
			t.norm = max(t.norm, size)
		}
		add(i, f)
	}
	if p := k.Polynomial; p != nil {
		if len(p.Coefficients) > 2 {
			return
		}
		t.rhs += p.Coefficients[0]
		if len(p.Coefficients) > 1 && p.Coefficients[1] != 0 {
			add(len(k.Terms), -p.Coefficients[1])
		}
	}
	c.ties = append(c.ties, t)
}

// checkCycles reports linear couplings last one freedom or two that contradict earlier ones, whatever the coordinates.
func (c *checker) checkCycles() {
	if len(c.ties) < 2 {
		return
	}
	w := &forest{edges: c.ties, starts: make([]int32, len(c.m.Joints))}
	for i := range w.starts {
		w.starts[i] = -1
	}
	for i := range w.edges {
		if c.flag.Every(i) || w.searches == namedCycles {
			return
		}
		others, off := w.addTie(int32(i))
		if others == nil {
			continue
		}
		names := make([]string, 0, len(others))
		for _, p := range others[:min(len(others), namedTies)] {
			names = append(names, fault.Name(c.m.Couplings[w.edges[p].index].Name))
		}
		if more := len(others) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		last := &c.m.Couplings[w.edges[i].index]
		c.at(secCouplings, int(w.edges[i].index))
		c.report("", fault.Name(last.Name),
			fmt.Sprintf("contradicts %s: where these hold, it is off by %.3g, whatever the coordinates", strings.Join(names, ", "), off))
	}
}

// coupling writes the fields of a coupling, without braces.
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
