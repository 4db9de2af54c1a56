package taskfile

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// target writes a target on a line: the fields of its type that are not defaults.
func (o *writer) target(t *ik.Target) {
	if t.Type >= ik.NumTargetTypes {
		o.fail(errType)
		return
	}
	o.open()
	o.string("name", t.Name)
	o.string("type", t.Type.String())
	parts := &targetParts[t.Type]
	for k := targetBody; k < targetWeight; k++ {
		if slices.Contains(parts.must, k) || slices.Contains(parts.wanted, k) || slices.Contains(parts.may, k) {
			o.part(t, k)
		}
	}
	if t.Weight != nil {
		o.vector("weight", t.Weight)
	}
	o.given("priority", float64(t.Priority))
	if t.Tolerance != [2]float64{} {
		o.vector("tolerance", t.Tolerance[:])
	}
	if t.Rate != nil {
		o.vector("rate", t.Rate)
	}
	o.b = append(o.b, '}')
}

// part writes a field of t between type and weight.
func (o *writer) part(t *ik.Target, k int) {
	switch key := targetFields[k]; k {
	case targetBody:
		o.string(key, t.Body)
	case targetFrame: // includes the point of the target
		o.pose(key, &t.Frame)
	case targetRelativeTo:
		if t.RelativeTo != "" {
			o.string(key, t.RelativeTo)
		}
	case targetPosition:
		o.vector(key, t.Position[:])
	case targetOrientation:
		q := t.Orientation
		if q == [4]float64{} {
			q[0] = 1
		}
		o.vector(key, q[:])
	case targetAxis:
		o.vector(key, t.Axis[:])
	case targetDirection:
		o.vector(key, t.Direction[:])
	case targetTo:
		o.key(key)
		o.open()
		o.string("body", cmp.Or(t.RelativeTo, model.World))
		if t.Position != [3]float64{} {
			o.vector("point", t.Position[:])
		}
		o.b = append(o.b, '}')
	case targetLength:
		o.field(key, t.Length)
	case targetFreedom:
		o.string(key, t.Freedom)
	case targetValue:
		o.field(key, t.Value)
	case targetTurns:
		o.flag(key, t.Turns)
	case targetBodies:
		if t.Bodies != nil {
			o.key(key)
			o.names(t.Bodies)
		}
	}
}

// path writes a path, with a line for each target. The waypoints of a file are written as lists.
func (o *writer) path(p *ik.Path) {
	o.line("path")
	o.open()
	o.vector("times", p.Times)
	if p.Spline {
		o.string("interpolation", "spline")
	}
	o.given("step", p.Step)
	o.flag("exact", p.Exact)
	if p.FromPose {
		o.string("from", "pose")
	}
	o.flag("stretch", p.Stretch)
	for i := range p.Targets {
		w := &p.Targets[i]
		if slices.Contains(pathFields, w.Target) {
			o.fail(errOwn)
		}
		o.b = append(o.b, ",\n  "...)
		o.text(w.Target)
		o.b = append(o.b, ": {"...)
		if w.Position != nil {
			o.key("position")
			vectorsOf(o, w.Position, func(v *[3]float64) []float64 { return v[:] })
		}
		if w.Orientation != nil {
			o.key("orientation")
			vectorsOf(o, w.Orientation, func(v *[4]float64) []float64 { return v[:] })
		}
		if w.Value != nil {
			o.vector("value", w.Value)
		}
		o.b = append(o.b, '}')
	}
	o.b = append(o.b, '}')
}

// vectorsOf writes a list of vectors, each as the list that numbers returns.
func vectorsOf[T any](o *writer, list []T, numbers func(*T) []float64) {
	o.b = append(o.b, '[')
	for i := range list {
		if i > 0 {
			o.b = append(o.b, ", "...)
		}
		o.numbers(numbers(&list[i]))
	}
	o.b = append(o.b, ']')
}

// solver writes the options that are not the defaults.
func (o *writer) solver(s *ik.Options) {
	if *s == (ik.Options{}) {
		return
	}
	o.line("solver")
	o.open()
	choice(o, "method", s.Method, ik.NumMethods)
	choice(o, "engine", s.Engine, ik.NumEngines)
	choice(o, "metric", s.Metric, ik.NumMetrics)
	o.given("steps", float64(s.Steps))
	if s.Restarts != 0 {
		o.field("restarts", float64(max(s.Restarts, 0)))
	}
	if s.Seed > document.MaxInteger {
		o.fail(errSeed)
	}
	o.given("seed", float64(s.Seed))
	o.given("damping", s.Damping)
	o.given("max_time", s.MaxTime.Seconds())
	o.flag("all", s.All)
	o.flag("nearest", s.Nearest)
	if s.Passive {
		o.string("passive", "least")
	}
	o.given("length", s.Length)
	o.given("threads", float64(s.Threads))
	o.b = append(o.b, '}')
}

// choice writes a choice from the first n of its type after key, unless it is the first, which is the default. A task with another one is
// undefined, and cannot be written.
func choice[T interface {
	~uint8
	String() string
}](o *writer, key string, x, n T) {
	if x >= n {
		o.fail(errType)
	}
	if x != 0 {
		o.string(key, x.String())
	}
}

// fik writes the options of feedback inverse kinematics that are not the defaults.
func (o *writer) fik(f *ik.FIKOptions) {
	o.open()
	choice(o, "form", f.Form, fik.NumForms)
	choice(o, "design", f.Design, fik.NumDesigns)
	o.matrix("A", f.A)
	o.matrix("P", f.P)
	o.given("h", f.H)
	o.given("inner", float64(f.Inner))
	o.flag("adapt", f.Adapt)
	o.given("w", f.Riccati.W)
	o.matrix("m", f.Riccati.M)
	o.matrix("v", f.Riccati.V)
	if f.Q0 != nil {
		o.coordinates("q0", f.Q0)
	}
	if f.GainOf != nil {
		o.coordinates("gains", f.GainOf)
	}
	o.given("feedback", f.Feedback)
	o.b = append(o.b, '}')
}

// matrix writes one number as a number, several as a list, and nothing for none.
func (o *writer) matrix(key string, x []float64) {
	switch len(x) {
	case 0:
	case 1:
		o.field(key, x[0])
	default:
		o.vector(key, x)
	}
}
