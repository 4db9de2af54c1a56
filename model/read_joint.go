package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rung-mbd/rung/joints"
)

// joint reads a joint after its opening brace.
func (d *decoder) joint(j *Joint) {
	j.PredecessorFrame.Orientation[0] = 1
	j.SuccessorFrame.Orientation[0] = 1
	var seen uint32
	for {
		k, ok := d.member(jointFields, &seen)
		if !ok {
			break
		}
		switch k {
		case jointName:
			j.Name = d.name()
		case jointType:
			d.jointType(&j.Type)
		case jointPredecessor:
			j.Predecessor = d.reference()
		case jointSuccessor:
			j.Successor = d.reference()
		case jointPredecessorFrame:
			d.pose(&j.PredecessorFrame)
		case jointSuccessorFrame:
			d.pose(&j.SuccessorFrame)
		case jointPitch:
			d.number(&j.Pitch)
		case jointLength:
			d.number(&j.Length)
		case jointTurns:
			d.readTurns()
		case jointMotion:
			j.Motion = d.motions()
		default:
			d.lists[k-jointForce] = d.numbers(d.lists[k-jointForce][:0], maxList)
		}
	}
	if !d.fatal {
		d.finishJoint(j, seen)
	}
}

// finishJoint applies what depends on the type, which may come last.
func (d *decoder) finishJoint(j *Joint, seen uint32) {
	d.require(jointFields, seen, jointName, jointType, jointPredecessor, jointSuccessor)
	if d.flaw.has(jointType) {
		return
	}
	d.parameter(j, seen, jointPitch, &j.Pitch, Helical)
	d.parameter(j, seen, jointLength, &j.Length, Distance)
	for k, list := range []*[]float64{&j.Force, &j.Stiffness, &j.Damping, &j.Rest} {
		if seen>>(jointForce+k)&1 != 0 {
			*list = d.keep(d.lists[k], j.Type.Freedoms())
		}
	}
	if seen>>jointTurns&1 != 0 {
		j.Turns = append([]int64{}, d.turns...)
		if len(d.turns) == j.Type.Turns() && allZeroInts(d.turns) {
			j.Turns = nil
		}
	}
	if len(j.Motion) == j.Type.Freedoms() && !driven(j.Motion) {
		j.Motion = nil
	}
}

// parameter checks that pitch or length is there where only owner has it.
func (d *decoder) parameter(j *Joint, seen uint32, field int, x *float64, owner JointType) {
	there := seen>>field&1 != 0
	switch {
	case j.Type == owner && !there:
		d.problemAt(jointFields, field, "", ruleMissing)
	case j.Type != owner && there && !d.flaw.has(field):
		d.problemAt(jointFields, field, formatFloat(*x), meaningless("joint type", j.Type.String()))
		*x = 0
	}
}

// keep returns a copy of list that lives as long as the model; nil for zeros
// of the right number.
func (d *decoder) keep(list []float64, freedoms int) []float64 {
	const block = 4096
	n := len(list)
	switch {
	case n == freedoms && allZero(list):
		return nil
	case n == 0 || n > block/16:
		return append([]float64{}, list...)
	case n > len(d.arena):
		d.arena = make([]float64, block)
	}
	kept := d.arena[:n:n]
	d.arena = d.arena[n:]
	copy(kept, list)
	return kept
}

func (d *decoder) jointType(t *JointType) {
	s, ok := d.text()
	if !ok {
		return
	}
	for k := range joints.NumKinds {
		if k.String() == string(s) {
			*t = k
			return
		}
	}
	d.problem(quoteBytes(s), "unknown joint type")
}

// reference reads a body's name; it shares the body's string if that is known.
func (d *decoder) reference() string {
	s, ok := d.text()
	switch {
	case !ok:
		return ""
	case string(s) == World:
		return World
	}
	if d.bodies != nil {
		if i, ok := d.bodies.findBytes(s); ok {
			return d.m.Bodies[i].Name
		}
	}
	return string(s)
}

func (d *decoder) readTurns() {
	d.turns = d.turns[:0]
	if !d.openArray() {
		return
	}
	n := 0
	for ; d.element(n); n++ {
		if n >= maxList {
			d.skip()
			continue
		}
		d.turns = append(d.turns, d.integer())
	}
	d.bound(n, maxList)
}

// integer reads a number with an integer value, written in any way.
func (d *decoder) integer() int64 {
	if d.dec.PeekKind() != jsontext.KindNumber {
		d.wrong("a number")
		return 0
	}
	raw, err := d.dec.ReadValue()
	if err != nil {
		d.fail(err)
		return 0
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		if n > maxTurns || n < -maxTurns {
			d.problem(cutShort(string(raw)), ruleTurns)
			return 0
		}
		return n
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || x > maxTurns || x < -maxTurns || x != float64(int64(x)) {
		d.problem(cutShort(string(raw)), ruleTurns)
		return 0
	}
	return int64(x)
}

func (d *decoder) motions() []*Motion {
	if !d.openArray() {
		return nil
	}
	list := []*Motion{}
	n := 0
	for ; d.element(n); n++ {
		if n >= maxList {
			d.skip()
			continue
		}
		if d.dec.PeekKind() == jsontext.KindNull {
			d.skip()
			list = append(list, nil)
			continue
		}
		m := new(Motion)
		list = append(list, m)
		if d.open(jsontext.KindBeginObject, "an object or null") {
			d.motion(m)
		}
	}
	d.bound(n, maxList)
	return list
}

func (d *decoder) motion(m *Motion) {
	numbers := [...]*float64{&m.Offset, &m.Amplitude, &m.Frequency, &m.Phase}
	var seen uint32
	known := false
	for {
		k, ok := d.member(motionFields, &seen)
		if !ok {
			break
		}
		switch k {
		case motionKind:
			known = d.motionKind(&m.Kind)
		case motionCoefficients:
			m.Coefficients = d.numbers(nil, joints.MaxCoefficients)
		case motionTimes:
			m.Times = d.numbers(nil, joints.MaxTimes)
		case motionValues:
			m.Values = d.numbers(nil, joints.MaxTimes)
		case motionAccelerations:
			m.Accelerations = d.numbers(nil, joints.MaxTimes)
		case motionEnds:
			m.Ends = joints.Ends(d.choice(joints.NotAKnot.String(), joints.Natural.String(), joints.Clamped.String()))
		case motionRates:
			d.vector(m.Rates[:])
		case motionValue:
			d.number(&m.Value)
		case motionRate:
			d.number(&m.Rate)
		case motionInterpolation:
			m.Steps = d.choice("linear", "constant") == 1
		case motionOutside:
			m.Hold = d.choice("error", "hold") == 1
		default:
			d.number(numbers[k-motionOffset])
		}
	}
	if d.fatal {
		return
	}
	d.require(motionFields, seen, motionKind)
	if known {
		d.wantParts(m, seen)
	}
}

// motionParts are the fields that a kind of motion must have, and those that it may have.
var motionParts = [...]struct{ must, may []int }{
	joints.Harmonic:   {[]int{motionAmplitude, motionFrequency}, []int{motionOffset, motionPhase}},
	joints.Polynomial: {must: []int{motionCoefficients}},
	joints.Spline:     {[]int{motionTimes, motionValues}, []int{motionEnds, motionRates, motionOutside}},
	joints.Table:      {[]int{motionTimes, motionAccelerations}, []int{motionValue, motionRate, motionInterpolation, motionOutside}},
}

// wantParts reports the fields of m that are missing or have no meaning.
func (d *decoder) wantParts(m *Motion, seen uint32) {
	parts := &motionParts[m.Kind]
	d.require(motionFields, seen, parts.must...)
	for k := motionKind + 1; k < len(motionFields); k++ {
		if !slices.Contains(parts.must, k) && !slices.Contains(parts.may, k) {
			d.refuse(motionFields, seen, meaningless("motion kind", m.Kind.String()), k)
		}
	}
	switch {
	case m.Kind != joints.Spline:
	case m.Ends == joints.Clamped:
		d.require(motionFields, seen, motionRates)
	default:
		d.refuse(motionFields, seen, meaningless("ends", m.Ends.String()), motionRates)
		m.Rates = [2]float64{}
	}
}

// choice reads one of the given texts and returns its number; 0 after a problem.
func (d *decoder) choice(texts ...string) int {
	s, ok := d.text()
	if !ok {
		return 0
	}
	for i, t := range texts {
		if t == string(s) {
			return i
		}
	}
	d.problem(quoteBytes(s), "must be one of "+strings.Join(texts, ", "))
	return 0
}

// refuse reports the fields that were seen but have no meaning; those of an
// element only if they have no other problem.
func (d *decoder) refuse(fields []string, seen uint32, rule string, forbidden ...int) {
	element := len(d.path) == 2
	for _, k := range forbidden {
		if seen>>k&1 != 0 && !(element && d.flaw.has(k)) {
			d.problemAt(fields, k, "", rule)
		}
	}
}

func (d *decoder) motionKind(kind *MotionKind) bool {
	s, ok := d.text()
	if !ok {
		return false
	}
	for k := joints.None + 1; k.Valid(); k++ {
		if k.String() == string(s) {
			*kind = k
			return true
		}
	}
	d.problem(quoteBytes(s), "unknown motion kind")
	return false
}
