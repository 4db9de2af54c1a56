package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// Remark is a question about numbers of a model that break no rule, and look as if they were in another unit than the
// format's. It is never an error.
type Remark struct {
	Path  string // JSON path of the first place, such as $.joints[1].limits[0]
	Value string // what is there, cut short
	Unit  string // in which the numbers may be: degrees, mm, cm or g
	Text  string // what is odd, and the question
	More  int    // further places for which the same question stands
}

// String returns the remark on one line.
func (r *Remark) String() string {
	s := r.Path + ": " + r.Text + " (value " + r.Value
	if r.More > 0 {
		s += fmt.Sprintf("; and %d more", r.More)
	}
	return fault.Line(s + ")")
}

// The questions. One remark stands for all places of one.
const (
	askGravity = iota
	askLimits
	askAngles
	askInertia
	askLengths
	numQuestions
)

// Remarks returns what in a model that passes Check looks as if it were in another unit, at most one remark a question and in the
// order of the questions: gravity in mm/s² or cm/s²; limits, and other angles, that are whole degrees; inertias
// hundreds of times too large or too small for a mass and the distances of the joints on its body; lengths and
// positions a hundred times as far as the bodies are large.
//
// Angles and lengths without a doubt are not listed, and neither is a model whose units are all wrong alike.
//
// Cost: O(bodies + joints + forces); allocates about 100 bytes a body.
func (m *Model) Remarks() []Remark {
	a := asker{m: m}
	a.gravity()
	a.angles()
	a.measure()
	a.inertias()
	a.lengths()
	var list []Remark
	for _, r := range a.list {
		if r.Path != "" {
			list = append(list, r)
		}
	}
	return list
}

// asker collects remarks.
type asker struct {
	m    *Model
	list [numQuestions]Remark

	bodies  *nameTable
	near    int     // the body that was found last
	spans   []span  // of the bodies
	typical float64 // size of a body, m; 0: not known
	alike   bool    // the sizes are those between joints, and of one scale
	joints  *nameTable
}

// ask records a remark, the first of its question.
func (a *asker) ask(question int, path, value, unit, text string) {
	a.list[question] = Remark{Path: path, Value: value, Unit: unit, Text: text}
}

// asked reports whether a question has been asked at another place, and counts this one.
func (a *asker) asked(question int) bool {
	r := &a.list[question]
	if r.Path != "" {
		r.More++
		return true
	}
	return false
}

// Gravity of the earth, m/s², and how far it differs from place to place, with what is rounded away.
const earth, earthSpread = 9.8, 0.1

// gravity asks whether gravity is that of the earth in smaller units.
func (a *asker) gravity() {
	g := norm(a.m.Gravity)
	for _, c := range [2]struct {
		unit   string
		factor float64
	}{{"mm", 1000}, {"cm", 100}} {
		if math.Abs(g/c.factor-earth) < earthSpread {
			a.ask(askGravity, "$.gravity", document.Numbers(a.m.Gravity[:]), c.unit, fmt.Sprintf("is %g times that of the earth; %s/s²?", c.factor, c.unit))
		}
	}
}

const (
	leastDegrees = 30  // rad: nearly five turns
	mostDegrees  = 720 // rad: more is a number of turns, not an angle in degrees
)

// roundDegrees is what angles in degrees mostly are multiples of, degrees.
const roundDegrees = 5

// degrees reports whether an angle, rad, is large and a number as degrees mostly are.
func degrees(x float64) bool {
	return math.Abs(x) >= leastDegrees && math.Abs(x) <= mostDegrees && math.Mod(x, roundDegrees) == 0
}

// angles asks whether angles of joints and actuators are in degrees.
func (a *asker) angles() {
	for i := range a.m.Joints {
		j := &a.m.Joints[i]
		for k := range j.Kind().Freedoms() {
			if !j.angle(k) {
				continue
			}
			if k < len(j.Limits) && j.Limits[k] != nil {
				a.limit(j.Limits[k], func() string { return document.Entry(elementPath(secJoints, i)+".limits", k) })
			}
			if k < len(j.Rest) && degrees(j.Rest[k]) {
				a.angle(j.Rest[k], func() string { return document.Entry(elementPath(secJoints, i)+".rest", k) })
			}
			if k < len(j.Motion) && j.Motion[k] != nil {
				a.motion(j.Motion[k], func() string { return document.Entry(elementPath(secJoints, i)+".motion", k) })
			}
		}
	}
	for i := range a.m.Forces {
		e := &a.m.Forces[i]
		if e.Type != ActuatorForce || e.Actuator.Law != ActuatorPosition {
			continue
		}
		if j, ok := a.joint(e.Actuator.Joint); ok && j.angle(e.Actuator.Freedom) {
			a.motion(e.Actuator.Value, func() string { return elementPath(secForces, i) + ".value" })
		}
	}
}

// angle reports whether the coordinate of a freedom is an angle that is not known to make turns, as screws do.
func (j *Joint) angle(k int) bool {
	kind := j.Kind()
	if !kind.Scalar(k) || !kind.Rotational(k) || j.Type == Helical || k < len(j.Axes) && j.Axes[k].Kind == Helical {
		return false
	}
	return k >= len(j.Turns) || j.Turns[k] == 0
}

// joint returns the joint of a name.
func (a *asker) joint(name string) (*Joint, bool) {
	if a.joints == nil {
		a.joints = tableOf(len(a.m.Joints), func(i int) string { return a.m.Joints[i].Name })
	}
	i, ok := a.joints.find(name)
	if !ok {
		return nil, false
	}
	return &a.m.Joints[i], true
}

// tableOf returns the table of n names.
func tableOf(n int, at func(i int) string) *nameTable {
	t := newNameTable(n, at)
	for i := range n {
		t.insert(i)
	}
	return t
}

// limit asks about a limit with a bound like degrees, if the other one is none or a multiple of roundDegrees, too: 0 to 90.
func (a *asker) limit(l *Limit, path func() string) {
	round := func(x float64) bool { return math.IsInf(x, 0) || math.Mod(x, roundDegrees) == 0 }
	if !(degrees(l.Lower) || degrees(l.Upper)) || !round(l.Lower) || !round(l.Upper) || a.asked(askLimits) {
		return
	}
	most := 0.0
	var value []string
	for _, x := range [2]float64{l.Lower, l.Upper} {
		if !math.IsInf(x, 0) {
			most = max(most, math.Abs(x))
			value = append(value, document.Number(x))
		}
	}
	a.ask(askLimits, path(), strings.Join(value, ", "), "degrees", turnsOf(most))
}

// turnsOf is the text about an angle, rad.
func turnsOf(x float64) string {
	return fmt.Sprintf("%g rad are %.3g turns; degrees?", math.Abs(x), math.Abs(x)/(2*math.Pi))
}

// angle asks about an angle like degrees.
func (a *asker) angle(x float64, path func() string) {
	if !a.asked(askAngles) {
		a.ask(askAngles, path(), document.Number(x), "degrees", turnsOf(x))
	}
}

// motion asks about a motion of an angle.
func (a *asker) motion(m *Motion, path func() string) {
	at := func(x float64, field string) {
		if degrees(x) {
			a.angle(x, func() string { return path() + field })
		}
	}
	switch m.Kind {
	case Harmonic:
		at(m.Offset, ".offset")
		at(m.Amplitude, ".amplitude")
		at(m.Phase, ".phase")
	case Polynomial:
		if len(m.Coefficients) == 1 { // with a rate, it turns on
			at(m.Coefficients[0], ".coefficients[0]")
		}
	case Spline:
		if slices.ContainsFunc(m.Values, func(x float64) bool { return math.Mod(x, roundDegrees) != 0 }) {
			return
		}
		at(slices.MaxFunc(m.Values, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) }), ".values")
	}
}
