package objective

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/document"
)

// reader turns the tokens of a document into an objective.
type reader struct {
	*document.Reader
	o *Objective
}

// some reads a list and reports an empty one.
func some[T any](d *reader, read func(*T)) []T {
	before := d.Len()
	all := document.List(d.Reader, maxEntries, read)
	if len(all) == 0 && !d.Fatal && d.Len() == before {
		d.Problem("", "is empty")
	}
	return all
}

var termFields = []string{"name", "column", "take", "weight", "target", "power", "data", "from", "sigma"}

// Indices in termFields.
const (
	termTake = iota + 2
	termWeight
	termTarget
	termPower
	termData
	termFrom
	termSigma
)

// term reads a term. The defaults of weight and power are 1.
func (d *reader) term(t *Term) {
	t.Weight, t.Power = 1, 1
	before, seen := d.Len(), uint32(0)
	d.Object(termFields, []int{1}, func(k int) {
		seen |= 1 << k
		if k <= termPower {
			d.valueField(t, termFields[k])
			return
		}
		d.dataField(t, termFields[k])
	})
	if t.Name == "" {
		t.Name = t.Column
	}
	if t.From == "" && t.Take == Data {
		t.From = t.Column
	}
	if !d.Fatal && d.Len() == before {
		d.dataTogether(t, seen)
	}
}

// valueField reads a field for the value of the column or for its weight in the term.
func (d *reader) valueField(t *Term, field string) {
	switch field {
	case "name":
		t.Name = d.NotEmpty()
	case "column":
		t.Column = d.NotEmpty()
	case "take":
		t.Take = Take(d.Choice(takeNames...))
	case "weight":
		d.Number(&t.Weight)
	case "target":
		d.Number(&t.Target)
	case "power":
		n := d.Integer()
		if t.Power = int(n); n < 1 || n > maxPower { // an int may have 32 bits
			d.Problem(document.Number(float64(n)), fmt.Sprintf("is not from 1 to %d", maxPower))
		}
	}
}

// dataField reads a field of a term of data.
func (d *reader) dataField(t *Term, field string) {
	switch field {
	case "data":
		t.File = d.NotEmpty()
	case "from":
		t.From = d.NotEmpty()
	case "sigma":
		if d.Number(&t.Sigma) && !(t.Sigma > 0) {
			d.Problem(document.Number(t.Sigma), "is not above 0")
		}
	}
}

// dataTogether reports a term of data without the fields of data, and another term with them. seen has a bit for each field that is
// present.
func (d *reader) dataTogether(t *Term, seen uint32) {
	has := func(k int) bool { return seen>>k&1 != 0 }
	if t.Take != Data {
		for _, k := range []int{termData, termFrom, termSigma} {
			if has(k) {
				d.ProblemAt(termFields, k, "", "is of data: take is "+t.Take.String())
			}
		}
		return
	}
	if !has(termData) {
		d.ProblemAt(termFields, termData, "", document.RuleMissing+": take is data")
	}
	for _, k := range []int{termTarget, termPower} {
		if has(k) {
			d.ProblemAt(termFields, k, "", "is of no use: data have a square of their own")
		}
	}
	if !(t.Weight >= 0) {
		d.ProblemAt(termFields, termWeight, document.Number(t.Weight), "is below 0, and data are to be met")
	}
}

var parameterFields = []string{"name", "path", "paths", "bounds", "at_least", "at_most"}

// parameter reads a parameter with its bounds.
func (d *reader) parameter(p *Parameter) {
	bounds := [2]float64{math.Inf(-1), math.Inf(1)}
	before, seen := d.Len(), uint32(0)
	d.Object(parameterFields, nil, func(k int) {
		seen |= 1 << k
		switch parameterFields[k] {
		case "name":
			p.Name = d.NotEmpty()
		case "path":
			p.Paths = append(p.Paths, d.NotEmpty())
		case "paths":
			p.Paths = append(p.Paths, some(d, func(s *string) { *s = d.NotEmpty() })...)
		case "bounds":
			d.Vector(bounds[:])
		case "at_least":
			d.Number(&bounds[0])
		case "at_most":
			d.Number(&bounds[1])
		}
	})
	if d.Fatal || d.Len() > before {
		return
	}
	const first = 3 // index of "bounds"; at_least and at_most follow
	switch {
	case seen>>first&1 != 0 && seen>>(first+1) != 0:
		d.ProblemAt(parameterFields, first, "", "excludes at_least and at_most")
	case !(bounds[0] < bounds[1]):
		d.ProblemAt(parameterFields, first, document.Number(bounds[0]), "is not below "+document.Number(bounds[1]))
	}
	if seen>>first != 0 {
		p.Bounds = &bounds
	}
	if len(p.Paths) == 0 {
		d.ProblemAt(parameterFields, 1, "", document.RuleMissing)
		return
	}
	if p.Name == "" {
		p.Name = p.Paths[0]
	}
}

var constraintFields = []string{"name", "column", "take", "at_least", "at_most", "equals"}

// constraint reads a constraint.
func (d *reader) constraint(c *Constraint) {
	c.Weight, c.Power = 1, 1
	before, given := d.Len(), 0
	d.Object(constraintFields, []int{1}, func(k int) {
		switch field := constraintFields[k]; field {
		case "at_least", "at_most", "equals":
			c.Kind = ConstraintKind(slices.Index(constraintNames, field))
			d.Number(&c.Bound)
			given++
		default:
			d.valueField(&c.Term, field)
		}
	})
	if c.Name == "" {
		c.Name = c.Column
	}
	switch {
	case d.Fatal || d.Len() > before:
	case given != 1:
		d.ProblemAt(constraintFields, 3, document.Number(float64(given)), "is not one condition: at_least, at_most or equals")
	case c.Take == Data:
		d.ProblemAt(constraintFields, 2, Data.String(), "is for terms")
	}
}

var settingFields = []string{"path", "value"}

// setting reads a number that an experiment changes.
func (d *reader) setting(s *Setting) {
	d.Object(settingFields, []int{0, 1}, func(k int) {
		switch settingFields[k] {
		case "path":
			s.Path = d.NotEmpty()
		case "value":
			d.Number(&s.Value)
		}
	})
}
