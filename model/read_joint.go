package model

import (
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/joints"
)

// joint reads a joint after its opening brace.
func (d *decoder) joint(j *Joint) {
	j.PredecessorFrame.Orientation[0] = 1
	j.SuccessorFrame.Orientation[0] = 1
	var seen uint32
	for {
		k, ok := d.Member(jointFields, &seen)
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
		case jointPitch, jointLength, jointRadius, jointTyreRadius, jointBowlRadius:
			d.Number(j.number(k))
		case jointSlip:
			j.Slip = choice(d, joints.SlipBoth)
		case jointLiftsOff:
			j.LiftsOff = d.Bool()
		case jointTerrain:
			j.Terrain = d.name()
		case jointCurve:
			j.Curve = d.curve()
		case jointSuccessorCurve:
			j.SuccessorCurve = d.curve()
		case jointTurns:
			d.readTurns()
		case jointMotion:
			j.Motion = entries(d, d.motion)
		case jointLimits:
			j.Limits = entries(d, d.limit)
		case jointAxes:
			d.axes(j)
		case jointFriction:
			j.Friction = d.frictions()
		case jointSprings:
			j.Springs = entries(d, d.openLaw)
		case jointDampers:
			j.Dampers = entries(d, d.openLaw)
		default:
			d.lists[k-jointForce] = d.Numbers(d.lists[k-jointForce][:0], maxList)
		}
	}
	if !d.Fatal {
		d.finishJoint(j, seen)
	}
}

// number returns a pointer to the number of j with the name jointFields[k].
func (j *Joint) number(k int) *float64 {
	switch k {
	case jointPitch:
		return &j.Pitch
	case jointLength:
		return &j.Length
	case jointRadius:
		return &j.Radius
	case jointTyreRadius:
		return &j.TyreRadius
	}
	return &j.BowlRadius
}

// finishJoint checks and stores the fields that depend on the type, once it is known; the type may come last in the document.
func (d *decoder) finishJoint(j *Joint, seen uint32) {
	d.Require(jointFields, seen, jointName, jointType, jointPredecessor, jointSuccessor)
	if d.Flaw.Has(jointType) {
		return
	}
	d.parameter(j, seen, jointPitch, &j.Pitch, Helical)
	d.parameter(j, seen, jointLength, &j.Length, Distance)
	d.parameter(j, seen, jointRadius, &j.Radius, Rolling)
	if j.Type != Rolling && seen&(1<<jointTyreRadius|1<<jointBowlRadius|1<<jointSlip|1<<jointTerrain) != 0 {
		d.Refuse(jointFields, seen, meaningless("joint type", j.Type.String()), jointTyreRadius, jointBowlRadius, jointSlip, jointTerrain)
		j.Wheel = Wheel{Radius: j.Radius}
	}
	if seen>>jointTerrain&1 != 0 && j.Terrain == "" && j.Type == Rolling && !d.Flaw.Has(jointTerrain) {
		d.ProblemAt(jointFields, jointTerrain, `""`, "is empty")
	}
	if j.Type != CurveOnCurve && seen>>jointLiftsOff&1 != 0 {
		d.Refuse(jointFields, seen, meaningless("joint type", j.Type.String()), jointLiftsOff)
		j.LiftsOff = false
	}
	d.curves(j, seen)
	if j.Type == Composite {
		d.Require(jointFields, seen, jointAxes)
	} else if seen>>jointAxes&1 != 0 && !d.Flaw.Has(jointAxes) {
		d.ProblemAt(jointFields, jointAxes, "", meaningless("joint type", j.Type.String()))
		j.Axes = nil
	}
	for k, list := range []*[]float64{&j.Force, &j.Stiffness, &j.Damping, &j.Rest, &j.Armature} {
		if seen>>(jointForce+k)&1 != 0 {
			*list = d.keep(d.lists[k], j.Kind().Freedoms())
		}
	}
	if seen>>jointTurns&1 != 0 {
		j.Turns = append([]int64{}, d.turns...)
		if len(d.turns) == j.Kind().Turns() && allZero(d.turns) {
			j.Turns = nil
		}
	}
	if len(j.Motion) == j.Kind().Freedoms() && !someOf(j.Motion) {
		j.Motion = nil
	}
	if len(j.Limits) == j.Kind().Freedoms() {
		j.Limits = canonicalLimits(j.Limits)
	}
	if len(j.Friction) == j.Kind().Freedoms() && !rubs(j.Friction) {
		j.Friction = nil
	}
	for _, list := range [2]*[]*SpringLaw{&j.Springs, &j.Dampers} {
		if len(*list) == j.Kind().Freedoms() && !someOf(*list) {
			*list = nil
		}
	}
}

// parameter checks that the number field is there if the type of j is owner. For other types it reports the field and sets *x to 0.
func (d *decoder) parameter(j *Joint, seen uint32, field int, x *float64, owner JointType) {
	there := seen>>field&1 != 0
	switch {
	case j.Type == owner && !there:
		d.ProblemAt(jointFields, field, "", document.RuleMissing)
	case j.Type != owner && there && !d.Flaw.Has(field):
		d.ProblemAt(jointFields, field, document.Number(*x), meaningless("joint type", j.Type.String()))
		*x = 0
	}
}

// keep returns a copy of list that lives as long as the model. It returns nil for zeros whose
// number is freedoms.
func (d *decoder) keep(list []float64, freedoms int) []float64 {
	const (
		block = 4096       // numbers that are allocated at a time
		most  = block / 16 // longest list that shares a block, so that little of the end of a block is wasted
	)
	n := len(list)
	switch {
	case n == freedoms && allZero(list):
		return nil
	case n == 0 || n > most:
		return append([]float64{}, list...)
	case n > len(d.arena):
		d.arena = make([]float64, block)
	}
	kept := d.arena[:n:n]
	d.arena = d.arena[n:]
	copy(kept, list)
	return kept
}

// jointType reads the type of a joint by its name.
func (d *decoder) jointType(t *JointType) {
	s, ok := d.Text()
	if !ok {
		return
	}
	for k := range joints.NumKinds {
		if k.String() == string(s) {
			*t = k
			return
		}
	}
	d.Problem(document.Quote(s), unknownType(string(s)))
}

// reference reads a body's name. It returns the string of the body if the body has been read already, else a new one; "" after a problem.
func (d *decoder) reference() string {
	s, ok := d.Text()
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

// readTurns reads the numbers of turns of the current joint into d.turns. It skips entries beyond maxList and reports them.
func (d *decoder) readTurns() {
	d.turns = d.turns[:0]
	if !d.OpenArray() {
		return
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxList {
			d.Skip()
			continue
		}
		d.turns = append(d.turns, d.Integer())
	}
	d.Bound(n, maxList)
}

// entries reads a list of objects, one for each freedom; null gives nil. It skips entries beyond maxList and reports them.
func entries[T any](d *decoder, read func(*T)) []*T {
	if !d.OpenArray() {
		return nil
	}
	list := []*T{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxList {
			d.Skip()
			continue
		}
		if d.Null() {
			list = append(list, nil)
			continue
		}
		e := new(T)
		list = append(list, e)
		if d.OpenObjectOr("null") {
			read(e)
		}
	}
	d.Bound(n, maxList)
	return list
}

// axes reads the axes of a composite joint.
func (d *decoder) axes(j *Joint) {
	if !d.OpenArray() {
		return
	}
	j.Axes = []Axis{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= joints.MaxAxes {
			d.Skip()
			continue
		}
		j.Axes = append(j.Axes, Axis{})
		if d.OpenObject() {
			d.axis(&j.Axes[n])
		}
	}
	d.Bound(n, joints.MaxAxes)
}

// axis reads an axis after its opening brace.
func (d *decoder) axis(a *Axis) {
	var seen uint32
	for k := range d.Members(axisFields, &seen) {
		switch k {
		case axisKind:
			a.Kind = [...]joints.Kind{Revolute, Prismatic, Helical}[d.Choice("revolute", "prismatic", "helical")]
		case axisAxis:
			d.Vector(a.Axis[:])
		case axisPoint:
			d.Vector(a.Point[:])
		case axisPitch:
			d.Number(&a.Pitch)
		}
	}
	if d.Fatal {
		return
	}
	d.Require(axisFields, seen, axisKind, axisAxis)
}

// limit reads a limit after its opening brace.
func (d *decoder) limit(l *Limit) {
	*l = NoLimit()
	numbers := [...]*float64{&l.Lower, &l.Upper, &l.Rate, &l.Force}
	var seen uint32
	for k := range d.Members(limitFields, &seen) {
		if k == limitStop {
			d.stop(&l.Stop)
		} else if d.Number(numbers[k]) && k >= limitRate && *numbers[k] == 0 {
			d.Problem("0", ruleNotPositive)
		}
	}
}

// motion reads a motion after its opening brace.
func (d *decoder) motion(m *Motion) {
	numbers := [...]*float64{&m.Offset, &m.Amplitude, &m.Frequency, &m.Phase}
	var seen uint32
	known := false
	for k := range d.Members(motionFields, &seen) {
		switch k {
		case motionKind:
			known = d.motionKind(&m.Kind)
		case motionCoefficients:
			m.Coefficients = d.Numbers(nil, joints.MaxCoefficients)
		case motionTimes:
			m.Times = d.Numbers(nil, joints.MaxTimes)
		case motionValues:
			m.Values = d.Numbers(nil, joints.MaxTimes)
		case motionAccelerations:
			m.Accelerations = d.Numbers(nil, joints.MaxTimes)
		case motionEnds:
			m.Ends = choice(d, joints.Clamped)
		case motionRates:
			d.Vector(m.Rates[:])
		case motionValue:
			d.Number(&m.Value)
		case motionRate:
			d.Number(&m.Rate)
		case motionInterpolation:
			m.Steps = d.Choice("linear", "constant") == 1
		case motionOutside:
			m.Hold = d.Choice("error", "hold") == 1
		default:
			d.Number(numbers[k-motionOffset])
		}
	}
	if d.Fatal {
		return
	}
	d.Require(motionFields, seen, motionKind)
	if known {
		d.wantParts(m, seen)
	}
}

// motionParts has the fields of each kind of motion.
var motionParts = [...]parts{
	joints.Harmonic:   {[]int{motionAmplitude, motionFrequency}, []int{motionOffset, motionPhase}},
	joints.Polynomial: {must: []int{motionCoefficients}},
	joints.Spline:     {[]int{motionTimes, motionValues}, []int{motionEnds, motionRates, motionOutside}},
	joints.Table:      {[]int{motionTimes, motionAccelerations}, []int{motionValue, motionRate, motionInterpolation, motionOutside}},
}

// wantParts reports the fields of m that are missing, and fields of the document that the kind of m does not have. Bit k of seen stands
// for field k of motionFields in the document.
func (d *decoder) wantParts(m *Motion, seen uint32) {
	own := &motionParts[m.Kind]
	d.Require(motionFields, seen, own.must...)
	d.refuseOthers(motionFields, motionOffset, seen, own, meaningless("motion kind", m.Kind.String()))
	if m.Kind == joints.Spline {
		d.wantRates(m, seen)
	}
}

// wantRates reports rates at the ends of a spline that are missing at clamped ends. At other ends they have no meaning: they are reported
// and cleared.
func (d *decoder) wantRates(m *Motion, seen uint32) {
	if m.Ends == joints.Clamped {
		d.Require(motionFields, seen, motionRates)
		return
	}
	d.Refuse(motionFields, seen, meaningless("ends", m.Ends.String()), motionRates)
	m.Rates = [2]float64{}
}

// motionKind reads the kind of a motion by its name. It returns whether the name is known.
func (d *decoder) motionKind(kind *MotionKind) bool {
	s, ok := d.Text()
	if !ok {
		return false
	}
	var names []string
	for k := joints.None + 1; k.Valid(); k++ {
		if k.String() == string(s) {
			*kind = k
			return true
		}
		names = append(names, k.String())
	}
	d.Problem(document.Quote(s), "unknown motion kind"+d.Meant(string(s), names))
	return false
}
