package ik

import (
	"errors"
	"math"
	"strings"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// filterOptions checks the options of feedback inverse kinematics.
func (c *checker) filterOptions(o *FIKOptions) {
	if o == nil {
		return
	}
	c.numbersOf("$.fik.q0", o.Q0, nil)
	c.numbersOf("$.fik.gains", o.GainOf, nil)
	for _, g := range o.GainOf {
		if g.Value < 0 {
			c.add(document.Key("$.fik.gains", g.Freedom), document.Number(g.Value), "is negative")
		}
	}
	for _, v := range []struct {
		field string
		x     []float64
	}{{"A", o.A}, {"P", o.P}, {"h", []float64{o.H}}, {"w", []float64{o.Riccati.W}}, {"m", o.Riccati.M}, {"v", o.Riccati.V}, {"feedback", []float64{o.Feedback}}} {
		for i, x := range v.x {
			if algebra.Finite(x) && math.Abs(x) > mostNumber {
				c.add("$.fik."+fault.Entry(v.field, i, len(v.x)), document.Number(x), "%s", sizeRule(x))
			}
		}
	}
	if c.p.allStill(o.GainOf) {
		c.add("$.fik.gains", "", "are all zero, so that nothing moves")
	}
	if !(o.Feedback >= 0) || math.IsInf(o.Feedback, 1) {
		c.add("$.fik.feedback", document.Number(o.Feedback), "is no gain")
	}
	own := o.Options
	if c.faults.Len() > 0 || c.p.task.Broken != nil { // rows or freedoms may be missing, so lengths of lists are not judged
		own = scalars(own)
	}
	c.optionErrors(own.Check(c.p.Dims()))
}

// allStill reports whether the gains of all driven freedoms are zero.
func (p *Problem) allStill(gains []Coordinated) bool {
	zero := 0
	for _, g := range gains {
		if g.Value == 0 {
			zero++
		}
	}
	return zero > 0 && zero == len(p.driven)
}

// scalars returns o without lists whose lengths have to agree with the number of rows or freedoms.
func scalars(o fik.Options) fik.Options {
	for _, v := range []*[]float64{&o.A, &o.P, &o.Riccati.M, &o.Riccati.V} {
		if len(*v) > 1 {
			*v = nil
		}
	}
	return o
}

// optionErrors adds each error of options at its field of the document. All fields there are in lower case, but for A and P.
func (c *checker) optionErrors(err error) {
	if one := new(fik.OptionError); errors.As(err, &one) && one == err {
		field := one.Field
		if f, _, _ := strings.Cut(field, "["); f != "A" && f != "P" {
			field = strings.ToLower(field)
		}
		c.add("$.fik."+field, one.Value, "%s", one.Reason)
		return
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range all.Unwrap() {
			c.optionErrors(e)
		}
	}
}
