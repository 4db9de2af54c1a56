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

// Remark is a question about numbers of a model that break no rule but may be in another unit than the
// format's. It is never an error.
type Remark struct {
	Path  string // JSON path of the first place, such as $.joints[1].limits[0]
	Value string // the value there, shortened
	Unit  string // likely unit of the numbers: degrees, mm, cm or g
	Text  string // the observation and the question
	More  int    // number of further places with the same question
}

// String returns the remark on one line.
func (r *Remark) String() string {
	s := r.Path + ": " + r.Text + " (value " + r.Value
	if r.More > 0 {
		s += fmt.Sprintf("; and %d more", r.More)
	}
	return fault.Line(s + ")")
}

// The questions. There is one remark for all places of a question.
const (
	askGravity = iota
	askLimits
	askAngles
	askInertia
	askLengths
	numQuestions
)

// Remarks returns the values of a model, which must pass Check, that seem to be in another unit. There is at most one remark for each
// question, in this order: gravity in mm/s² or cm/s²; limits, and then other angles, in degrees; inertias hundreds of times too large or
// too small for the mass of the body and the distances of its joints; lengths and positions a hundred times the size of the bodies.
//
// It does not find a model in which all units are wrong by the same factor.
//
// Cost: O(bodies + joints + forces); allocates about 100 bytes per body.
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

// asker collects the remarks on a model.
type asker struct {
	m    *Model
	list [numQuestions]Remark

	bodies  *nameTable
	near    int     // index of the body that was found last
	spans   []span  // of each body
	typical float64 // the median size of a body, m; 0: unknown
	alike   bool    // the sizes are distances between joints, and all within a factor of scales around typical
	joints  *nameTable
}

// ask records the first remark of a question.
func (a *asker) ask(question int, path, value, unit, text string) {
	a.list[question] = Remark{Path: path, Value: value, Unit: unit, Text: text}
}

// asked returns whether a question has been asked already, and then counts a further place of it.
func (a *asker) asked(question int) bool {
	r := &a.list[question]
	if r.Path != "" {
		r.More++
		return true
	}
	return false
}

// earth is the gravity of the earth, m/s²; earthSpread covers its variation from place to place, and rounding.
const earth, earthSpread = 9.8, 0.1

// gravity asks about a gravity that is the earth's, 9.8 m/s², if read in mm/s² or cm/s².
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
	leastDegrees = 30  // smallest value that seems to be in degrees: 30 rad are nearly five turns
	mostDegrees  = 720 // largest one: larger values are rather many turns, in rad
)

// roundDegrees: angles in degrees are mostly multiples of 5 degrees.
const roundDegrees = 5

// degrees reports whether an angle x, rad, seems to be in degrees: a multiple of roundDegrees from leastDegrees to mostDegrees.
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

// angle reports whether the coordinate of freedom k is an angle and is not known to make whole turns. Helical freedoms are taken to make
// turns.
func (j *Joint) angle(k int) bool {
	kind := j.Kind()
	if !kind.Scalar(k) || !kind.Rotational(k) || j.Type == Helical || k < len(j.Axes) && j.Axes[k].Kind == Helical {
		return false
	}
	return k >= len(j.Turns) || j.Turns[k] == 0
}

// joint returns the joint with a name, and false if there is none.
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

// tableOf returns a table of the n names at(i).
func tableOf(n int, at func(i int) string) *nameTable {
	t := newNameTable(n, at)
	for i := range n {
		t.insert(i)
	}
	return t
}

// limit asks about a limit if one bound seems to be in degrees and the other is infinite or a multiple of roundDegrees, as in 0 to 90.
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

// turnsOf is the text of a remark on an angle x, rad.
func turnsOf(x float64) string {
	return fmt.Sprintf("%g rad are %.3g turns; degrees?", math.Abs(x), math.Abs(x)/(2*math.Pi))
}

// angle asks about an angle x that seems to be in degrees.
func (a *asker) angle(x float64, path func() string) {
	if !a.asked(askAngles) {
		a.ask(askAngles, path(), document.Number(x), "degrees", turnsOf(x))
	}
}

// motion asks about a motion of an angle whose numbers seem to be in degrees.
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
		if len(m.Coefficients) == 1 { // a constant; other polynomials may reach large angles
			at(m.Coefficients[0], ".coefficients[0]")
		}
	case Spline:
		if slices.ContainsFunc(m.Values, func(x float64) bool { return math.Mod(x, roundDegrees) != 0 }) {
			return
		}
		at(slices.MaxFunc(m.Values, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) }), ".values")
	}
}
