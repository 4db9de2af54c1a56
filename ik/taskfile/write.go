package taskfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// errNumber says that a document cannot hold a number.
var errNumber = errors.New("ik/taskfile: a task with a number that is not finite cannot be written")

// Write writes t as a document of rung-ik/1: a line for each field and target, defaults left out, numbers with the
// fewest digits that read back to the same value. Read of it gives a task that asks for the same.
//
// It returns an error for numbers that are not finite, other than bounds of limits, for types that are none, and those
// of w. Other rules are those of NewProblem.
func Write(w io.Writer, t *ik.Task) error {
	b, err := textOf(t)
	if err != nil {
		return err
	}
	if _, err = w.Write(b); err != nil {
		return fmt.Errorf("ik/taskfile: write: %w", err)
	}
	return nil
}

// writer appends to a document. Objects and lists are opened and closed by their brackets.
type writer struct {
	b   []byte
	bad bool // a number is not finite, or a type is none
}

func textOf(t *ik.Task) ([]byte, error) {
	o := &writer{b: []byte("{\n \"format\": \"" + Format + "\"")}
	if t.Driven != nil {
		o.line("driven")
		o.names(t.Driven)
	}
	if t.Hold != nil {
		o.line("hold")
		o.names(t.Hold)
	}
	o.limits(t.Limits)
	o.line("targets")
	o.b = append(o.b, '[')
	for i := range t.Targets {
		o.sep()
		o.b = append(o.b, "\n  "...)
		o.target(&t.Targets[i])
	}
	if len(t.Targets) > 0 {
		o.b = append(o.b, "\n "...)
	}
	o.b = append(o.b, ']')
	if t.Posture != nil {
		o.line("posture")
		o.open()
		o.field("gain", t.Posture.Gain)
		o.coordinates("values", t.Posture.Values)
		o.b = append(o.b, '}')
	}
	if t.Path != nil {
		o.path(t.Path)
	}
	o.solver(&t.Solver)
	if t.FIK != nil {
		o.line("fik")
		o.fik(t.FIK)
	}
	o.b = append(o.b, "\n}\n"...)
	if o.bad {
		return nil, errNumber
	}
	return o.b, nil
}

// sep separates what follows from what is before it, unless that is a bracket.
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

func (o *writer) text(s string) { o.b = document.AppendText(o.b, s) } // what is no UTF-8 is replaced

func (o *writer) number(x float64) {
	if !algebra.Finite(x) {
		o.bad = true
		x = 0
	}
	o.b = document.AppendNumber(o.b, x)
}

// field writes a number after key.
func (o *writer) field(key string, x float64) {
	o.key(key)
	o.number(x)
}

// given writes a number that is not zero, which stands for the default.
func (o *writer) given(key string, x float64) {
	if x != 0 {
		o.field(key, x)
	}
}

func (o *writer) vector(key string, x []float64) {
	o.key(key)
	o.numbers(x)
}

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

func (o *writer) string(key, s string) {
	o.key(key)
	o.text(s)
}

// flag writes true after key if it is.
func (o *writer) flag(key string, is bool) {
	if is {
		o.key(key)
		o.b = append(o.b, "true"...)
	}
}

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

func (o *writer) coordinates(key string, list []ik.Coordinated) {
	o.key(key)
	o.open()
	for _, c := range list {
		o.field(c.Freedom, c.Value)
	}
	o.b = append(o.b, '}')
}

// limits writes bounds and rates.
func (o *writer) limits(list []ik.Limit) {
	bounded := func(l ik.Limit) bool { return !math.IsInf(l.Lower, -1) || !math.IsInf(l.Upper, 1) }
	if slices.ContainsFunc(list, bounded) {
		o.line("limits")
		o.open()
		for _, l := range list {
			if bounded(l) {
				o.key(l.Freedom)
				o.b = append(o.b, '[')
				o.bound(l.Lower, -1)
				o.b = append(o.b, ", "...)
				o.bound(l.Upper, 1)
				o.b = append(o.b, ']')
			}
		}
		o.b = append(o.b, '}')
	}
	if slices.ContainsFunc(list, func(l ik.Limit) bool { return l.Rate != 0 }) {
		o.line("rates")
		o.open()
		for _, l := range list {
			o.given(l.Freedom, l.Rate)
		}
		o.b = append(o.b, '}')
	}
}

// bound writes a bound, null for the infinity of the sign.
func (o *writer) bound(x float64, sign int) {
	if math.IsInf(x, sign) {
		o.b = append(o.b, "null"...)
		return
	}
	o.number(x)
}

// pose writes the parts of p that differ from the identity, if any.
func (o *writer) pose(key string, p *model.Pose) {
	moved := p.Position != [3]float64{}
	turned := p.Orientation != [4]float64{} && p.Orientation != [4]float64{1}
	if !moved && !turned {
		return
	}
	o.key(key)
	o.open()
	if moved {
		o.vector("position", p.Position[:])
	}
	if turned {
		o.vector("orientation", p.Orientation[:])
	}
	o.b = append(o.b, '}')
}
