package usd

import (
	"math"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// number reads the next number: digits, or a word (wordNumber).
func (p *parser) number() float64 {
	if p.kind == word {
		return p.wordNumber()
	}
	if p.kind != number {
		p.fail("%s in place of a number", p.shown())
	}
	x, err := strconv.ParseFloat(p.s, 64)
	if err != nil {
		p.fail("%s is not a number", fault.Name(p.s))
	}
	p.next()
	return x
}

// wordNumber reads a number that is written as a word: inf, nan, or true and false for 1 and 0.
func (p *parser) wordNumber() float64 {
	s := p.expect(word, "a number")
	switch s {
	case "inf":
		return math.Inf(1)
	case "nan":
		return math.NaN()
	case "true", "True":
		return 1
	case "false", "False":
		return 0
	}
	p.fail("%s is not a number", fault.Name(s))
	return 0
}

// value reads the next value. None gives a value of kind none.
func (p *parser) value() value {
	var v value
	if p.take("None") {
		return v
	}
	p.into(&v)
	return v
}

// into reads the next value and appends its numbers or texts to v: one, or all in a list or tuple. A dictionary is skipped.
func (p *parser) into(v *value) {
	defer p.deeper()()
	switch {
	case p.kind == number || p.is("inf") || p.is("nan") || p.is("true") || p.is("false") || p.is("True") || p.is("False"):
		p.only(v, numbers)
		v.nums = append(v.nums, p.number())
	case p.kind == text || p.kind == asset || p.kind == path:
		p.only(v, texts)
		v.texts = append(v.texts, p.s)
		p.next()
		if p.kind == path { // a path may follow a file
			p.next()
		}
	case p.take("["):
		p.row(v, "]")
	case p.take("("):
		p.row(v, ")")
	case p.take("{"):
		v.kind = other
		p.skip("}")
	case p.take("None"):
		p.only(v, other)
	default:
		p.fail("%s in place of a value", p.shown())
	}
}

// only sets the kind of v. It fails if v already has values of another kind.
func (p *parser) only(v *value, k kind) {
	if v.kind != none && v.kind != k {
		p.fail("%s in a list of other values", p.shown())
	}
	v.kind = k
}

// row reads the entries of a list or a tuple into v, up to its closing character.
func (p *parser) row(v *value, closing string) {
	if p.take(closing) {
		if v.kind == none {
			v.kind = other // empty
		}
		return
	}
	for {
		p.into(v)
		if comma := p.take(","); p.take(closing) {
			return
		} else if !comma {
			p.fail("%s in place of a comma or %s", p.shown(), fault.Name(closing))
		}
	}
}

// finite reports whether all numbers of v are finite.
func (v *value) finite() bool {
	for _, x := range v.nums {
		if !algebra.Finite(x) {
			return false
		}
	}
	return true
}
