package taskfile

import (
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
)

// writer appends to a document.
type writer struct {
	b   []byte
	err error // the first reason why a document cannot represent the task
}

// fail stores the reason why the task cannot be written, unless there is one already.
func (o *writer) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// sep appends a comma unless the document ends in an opening bracket.
func (o *writer) sep() {
	switch o.b[len(o.b)-1] {
	case '[', '{':
	default:
		o.b = append(o.b, ',')
	}
}

// line begins a field of the document on a line of its own.
func (o *writer) line(key string) {
	o.b = append(o.b, ",\n \""+key+"\": "...)
}

// open begins an object.
func (o *writer) open() { o.b = append(o.b, '{') }

// key begins a field of an object on the same line.
func (o *writer) key(key string) {
	o.sep()
	if o.b[len(o.b)-1] == ',' {
		o.b = append(o.b, ' ')
	}
	o.text(key)
	o.b = append(o.b, ": "...)
}

// text writes a string.
func (o *writer) text(s string) {
	if !utf8.ValidString(s) {
		o.fail(errText)
	}
	o.b = document.AppendText(o.b, s)
}

// number writes a number, 0 for one that is not finite, which fails.
func (o *writer) number(x float64) {
	if !algebra.Finite(x) {
		o.fail(errNumber)
		x = 0
	}
	o.b = document.AppendNumber(o.b, x)
}

// field writes a number after key.
func (o *writer) field(key string, x float64) {
	o.key(key)
	o.number(x)
}

// given writes a number after key, unless it is 0, which stands for the default.
func (o *writer) given(key string, x float64) {
	if x != 0 {
		o.field(key, x)
	}
}

// vector writes a list of numbers after key.
func (o *writer) vector(key string, x []float64) {
	o.key(key)
	o.numbers(x)
}

// numbers writes a list of numbers.
func (o *writer) numbers(x []float64) {
	o.b = append(o.b, '[')
	for i, v := range x {
		if i > 0 {
			o.b = append(o.b, ", "...)
		}
		o.number(v)
	}
	o.b = append(o.b, ']')
}

// string writes a string after key.
func (o *writer) string(key, s string) {
	o.key(key)
	o.text(s)
}

// flag writes true after key if is is true, and nothing else.
func (o *writer) flag(key string, is bool) {
	if is {
		o.key(key)
		o.b = append(o.b, "true"...)
	}
}

// names writes a list of strings.
func (o *writer) names(list []string) {
	o.b = append(o.b, '[')
	for i, s := range list {
		if i > 0 {
			o.b = append(o.b, ", "...)
		}
		o.text(s)
	}
	o.b = append(o.b, ']')
}
