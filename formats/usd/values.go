package usd

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// get returns an attribute of p and its value, and marks it as used. Both are nil if there is no value. For values only at times it
// returns the earliest, with a report.
func (r *reader) get(p *prim, name string) (*prop, *value) {
	x := p.prop(name)
	if x == nil || x.rel {
		return nil, nil
	}
	x.class = source.Used
	v := x.value
	if x.samples > 0 {
		if v == nil && x.sample != nil {
			r.report.Change(x, "attribute "+name, "has values in time and no other",
				fmt.Sprintf("its value is that at the first time, %g", x.time))
			v = x.sample
		} else {
			r.report.Change(x, "attribute "+name, "values in time are not read", "the value without a time counts")
		}
	}
	if v == nil || v.kind == none {
		return nil, nil
	}
	return x, v
}

// bad refuses an attribute.
func (r *reader) bad(x *prop, why string) {
	x.class = r.report.Bad()
	r.report.Refuse(x, "attribute "+x.name, why)
}

// number returns the number of an attribute, which may be infinite; usual if it has no value or, after a refusal, a wrong one.
func (r *reader) number(p *prim, name string, usual float64) float64 {
	x, v := r.get(p, name)
	switch {
	case v == nil:
		return usual
	case v.kind != numbers || len(v.nums) != 1 || math.IsNaN(v.nums[0]):
		r.bad(x, "is not one number")
		return usual
	}
	return v.nums[0]
}

// finite is number for a finite number; usual may be infinite.
func (r *reader) finite(p *prim, name string, usual float64) float64 {
	y := r.number(p, name, usual)
	if math.IsInf(y, 0) && y != usual {
		r.bad(p.prop(name), fmt.Sprintf("is %g", y))
		return usual
	}
	return y
}

// numbers returns the n finite numbers of an attribute; nil if it has no value or, after a refusal, a wrong one.
func (r *reader) numbers(p *prim, name string, n int) []float64 {
	x, v := r.get(p, name)
	switch {
	case v == nil:
		return nil
	case v.kind != numbers || len(v.nums) != n || !v.finite():
		r.bad(x, fmt.Sprintf("is not made of %d finite numbers", n))
		return nil
	}
	return v.nums
}

// truth returns the truth value of an attribute; usual if it has no value or, after a refusal, a wrong one.
func (r *reader) truth(p *prim, name string, usual bool) bool {
	x, v := r.get(p, name)
	switch {
	case v == nil:
		return usual
	case v.kind != numbers || len(v.nums) != 1:
		r.bad(x, "is neither true nor false")
		return usual
	}
	return v.nums[0] != 0
}

// word returns the text of an attribute; usual if it has no value or, after a refusal, a wrong one.
func (r *reader) word(p *prim, name, usual string) string {
	x, v := r.get(p, name)
	switch {
	case v == nil:
		return usual
	case v.kind != texts || len(v.texts) != 1:
		r.bad(x, "is not one word")
		return usual
	}
	return v.texts[0]
}

// target returns the prim that a relationship of p names, nil if it names none. It refuses a relationship that names several prims or a
// missing one, and returns false.
func (r *reader) target(p *prim, name string) (*prim, bool) {
	x := p.prop(name)
	if x == nil || !x.rel {
		return nil, true
	}
	x.class = source.Used
	list := x.targets.resolve(nil)
	switch len(list) {
	case 0:
		return nil, true
	case 1:
		if t := r.root.find(list[0]); t != nil {
			return t, true
		}
		x.class = r.report.Bad()
		r.report.Refuse(x, "relationship "+name, "there is no prim "+fault.Name(list[0]))
	default:
		x.class = r.report.Bad()
		r.report.Refuse(x, "relationship "+name, fmt.Sprintf("names %d prims in place of one", len(list)))
	}
	return nil, false
}
