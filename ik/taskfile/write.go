package taskfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// Errors for tasks that a document cannot represent.
var (
	errNumber = errors.New("ik/taskfile: a task with a number that is not finite cannot be written")
	errSeed   = fmt.Errorf("ik/taskfile: a task with a seed above %d cannot be written", int64(document.MaxInteger))
	errType   = errors.New("ik/taskfile: a task with a target type, a method or another choice that is none cannot be written")
	errText   = errors.New("ik/taskfile: a task with a name that is not valid UTF-8 cannot be written")
	errOwn    = errors.New("ik/taskfile: a task with a path of a target whose name is that of a field of paths cannot be written")
)

// Write writes t as a document of rung-ik/1: a line for each field and target, without defaults, numbers with the
// fewest digits that read back to the same value. Read of the document gives an equivalent task.
//
// It returns an error for numbers that are not finite, other than bounds of limits, for undefined types and choices, for names that are
// not valid UTF-8, for seeds above document.MaxInteger, and for the path of a target with the name of a field of paths, such as step. It
// returns the errors of w wrapped. It does not check other rules, which ik.NewProblem checks.
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

// textOf returns the document of t, with the fields in the order of taskFields, by which problems are sorted. It returns the first error of
// Write.
func textOf(t *ik.Task) ([]byte, error) {
	o := &writer{b: []byte("{\n \"format\": \"" + format + "\"")}
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
	return o.b, o.err
}

// coordinates writes numbers by the names of freedoms.
func (o *writer) coordinates(key string, list []ik.Coordinated) {
	o.key(key)
	o.open()
	for _, c := range list {
		o.field(c.Freedom, c.Value)
	}
	o.b = append(o.b, '}')
}

// limits writes the bounds and rates of limits. A limit without a rate always gets bounds, [null, null] for none. A limit with a rate
// alone, both bounds 0, leaves the bounds of the model and is written without them.
func (o *writer) limits(list []ik.Limit) {
	bounds := func(l ik.Limit) bool { return l.Lower != 0 || l.Upper != 0 || l.Rate == 0 }
	if slices.ContainsFunc(list, bounds) {
		o.line("limits")
		o.open()
		for _, l := range list {
			if bounds(l) {
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

// bound writes a bound, or null if it is the infinity of the given sign.
func (o *writer) bound(x float64, sign int) {
	if math.IsInf(x, sign) {
		o.b = append(o.b, "null"...)
		return
	}
	o.number(x)
}

// pose writes the parts of p that differ from the identity after key; nothing for the identity.
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
