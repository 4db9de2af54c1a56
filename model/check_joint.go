package model

import (
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
)

// checkJoint checks the ends, frames and type of a joint, then the fields of the type, and last the lists with an entry for each freedom,
// as the type determines their length.
func (c *checker) checkJoint(j *Joint, f document.Flaws) {
	if !f.Has(jointName) {
		c.checkName(j.Name)
	}
	pred := f.Has(jointPredecessor) || c.reference(".predecessor", &j.Predecessor, 0)
	succ := f.Has(jointSuccessor) || c.reference(".successor", &j.Successor, 1)
	if pred && succ && !f.Has(jointPredecessor) && !f.Has(jointSuccessor) && j.Predecessor == j.Successor {
		c.report(".successor", fault.Name(j.Successor), "joins a body to itself")
	}
	if !f.Has(jointPredecessorFrame) {
		c.checkPose(&j.PredecessorFrame, ".predecessor_frame.position", ".predecessor_frame.orientation")
	}
	if !f.Has(jointSuccessorFrame) {
		c.checkPose(&j.SuccessorFrame, ".successor_frame.position", ".successor_frame.orientation")
	}
	if f.Has(jointType) {
		return
	}
	if !j.Type.Valid() {
		c.report(".type", j.Type.String(), unknownType(""))
		return
	}
	c.checkParameters(j, f)
	c.checkWheel(j, f)
	c.checkCurves(j, f)
	if f.Has(jointAxes) || !c.checkAxes(j) {
		return
	}
	for k, list := range j.lists() {
		if !f.Has(jointForce + k) {
			c.checkList(j.Kind(), jointForce+k, list)
		}
	}
	if !f.Has(jointTurns) {
		c.checkTurns(j)
	}
	if !f.Has(jointMotion) {
		c.checkMotions(j)
	}
	if !f.Has(jointLimits) {
		c.checkLimits(j)
	}
	if !f.Has(jointFriction) {
		c.checkFrictions(j)
	}
	c.checkLaws(j, f)
}

// lists returns the lists of numbers with an entry for each freedom, in the order of jointFields.
func (j *Joint) lists() [5][]float64 {
	return [5][]float64{j.Force, j.Stiffness, j.Damping, j.Rest, j.Armature}
}

// reference finds the body that a name means and notes it as one end of the current element: 0 is the predecessor or A, 1 the
// successor or B, ofCable a point of a cable. It reports a name that no body has, and returns whether the name is known. With intern,
// *name is made to share the string of the body's name.
func (c *checker) reference(tail string, name *string, end int) bool {
	if *name == World {
		c.note(end, -1)
		return true
	}
	i, ok := c.bodies.findNear(*name, c.near, len(c.m.Bodies))
	if !ok || *name == "" {
		if !c.noRefs {
			c.unknown(tail, *name, "body", len(c.m.Bodies)+1, c.bodyOrWorld)
		}
		return false
	}
	if c.intern {
		*name = c.m.Bodies[i].Name
	}
	c.near = i
	c.note(end, int32(i))
	return true
}

// bodyOrWorld returns the name of body i, and World behind the last one.
func (c *checker) bodyOrWorld(i int) string {
	if i == len(c.m.Bodies) {
		return World
	}
	return c.bodies.at(i)
}

// note stores the index of the body at one end of the current element if links are wanted.
func (c *checker) note(end int, body int32) {
	switch {
	case c.links == nil:
	case end == ofCable:
		last := &c.links.Cables[len(c.links.Cables)-1]
		*last = append(*last, body)
	case c.sec == secJoints:
		c.links.Joints[c.index][end] = body
	case c.sec == secForces:
		c.links.Forces[c.index][end] = body
	}
}

// meaningless is the text of the rule that a field breaks if the type name of a kind of object does not have it.
func meaningless(kind, name string) string {
	return "has no meaning for " + kind + " " + name
}

// checkParameters checks pitch and length.
func (c *checker) checkParameters(j *Joint, f document.Flaws) {
	if !f.Has(jointPitch) && c.number(".pitch", j.Pitch) {
		switch {
		case j.Type != Helical && j.Pitch != 0:
			c.report(".pitch", document.Number(j.Pitch), meaningless("joint type", j.Type.String()))
		case j.Type == Helical && j.Pitch == 0:
			c.report(".pitch", "0", "is zero (a helical joint without pitch is a revolute)")
		}
	}
	if !f.Has(jointLength) && c.number(".length", j.Length) {
		switch {
		case j.Type != Distance && j.Length != 0:
			c.report(".length", document.Number(j.Length), meaningless("joint type", j.Type.String()))
		case j.Type == Distance && !(j.Length > 0):
			c.report(".length", document.Number(j.Length), ruleNotPositive)
		}
	}
}

// checkWheel checks radius, tyre_radius and slip.
func (c *checker) checkWheel(j *Joint, f document.Flaws) {
	rolls := j.Type == Rolling
	radius := !f.Has(jointRadius) && c.number(".radius", j.Radius)
	tyre := !f.Has(jointTyreRadius) && c.number(".tyre_radius", j.TyreRadius)
	switch {
	case !radius:
	case !rolls && j.Radius != 0:
		c.report(".radius", document.Number(j.Radius), meaningless("joint type", j.Type.String()))
	case rolls && !(j.Radius > 0):
		c.report(".radius", document.Number(j.Radius), ruleNotPositive)
		radius = false
	}
	switch {
	case !tyre:
	case !rolls && j.TyreRadius != 0:
		c.report(".tyre_radius", document.Number(j.TyreRadius), meaningless("joint type", j.Type.String()))
	case rolls && j.TyreRadius < 0:
		c.report(".tyre_radius", document.Number(j.TyreRadius), ruleNegative)
	case rolls && radius && j.TyreRadius > j.Radius:
		c.report(".tyre_radius", document.Number(j.TyreRadius), "is above radius, "+document.Number(j.Radius))
	}
	c.checkBowl(j, f, rolls && radius && tyre)
	switch sphere := j.TyreRadius == j.Radius; {
	case f.Has(jointSlip):
	case !j.Slip.Valid():
		c.report(".slip", j.Slip.String(), "is none of none, along, across and both")
	case !rolls && j.Slip != joints.SlipNone:
		c.report(".slip", j.Slip.String(), meaningless("joint type", j.Type.String()))
	case rolls && radius && tyre && sphere && j.Slip != joints.SlipNone && j.Slip != joints.SlipBoth:
		c.report(".slip", document.Quote([]byte(j.Slip.String())), "needs a heading, which a sphere (tyre_radius as large as radius) has not")
	}
}

// checkBowl checks bowl_radius; known tells that the joint is a wheel whose radius and tyre_radius are valid.
func (c *checker) checkBowl(j *Joint, f document.Flaws, known bool) {
	if f.Has(jointBowlRadius) || !c.number(".bowl_radius", j.BowlRadius) || j.BowlRadius == 0 {
		return
	}
	switch at := document.Number(j.BowlRadius); {
	case j.Type != Rolling:
		c.report(".bowl_radius", at, meaningless("joint type", j.Type.String()))
	case known && j.TyreRadius != j.Radius:
		c.report(".bowl_radius", at, "needs a ball: tyre_radius as large as radius")
	case known && j.BowlRadius > 0 && j.BowlRadius <= j.Radius:
		c.report(".bowl_radius", at, "is not above radius, "+document.Number(j.Radius))
	}
}

// checkAxes checks the axes of a composite joint, and that joints of other types have none. It returns whether
// the freedoms of the joint are known.
func (c *checker) checkAxes(j *Joint) bool {
	switch n := len(j.Axes); {
	case j.Type != Composite && n == 0:
		return true
	case j.Type != Composite:
		c.report(".axes", "", meaningless("joint type", j.Type.String()))
		return true
	case n == 0:
		c.report(".axes", "[]", "has no entries")
		return false
	case n > joints.MaxAxes:
		c.report(".axes", "", fmt.Sprintf("wrong length %d, must have at most %d entries", n, joints.MaxAxes))
		return false
	}
	good := true
	for k := range j.Axes {
		tail := document.Entry(".axes", k)
		j.Axes[k].Faults(func(field, value, rule string) {
			c.report(tail+"."+field, value, rule)
			good = false
		})
	}
	if !good {
		return false
	}
	if k := joints.DependentAxis(j.Axes); k >= 0 {
		c.report(document.Entry(".axes", k), "", "follows from the axes before it at every pose")
	}
	return true
}

// length reports a list of n entries if a joint of type t must have want entries. It returns whether the length is right.
func (c *checker) length(tail string, n, want int, t JointType) bool {
	if n != want {
		c.report(tail, "", fmt.Sprintf("wrong length %d, joint type %s has %d entries", n, t, want))
	}
	return n == want
}

// checkList checks the list jointFields[field], which has a number for each freedom of a joint of type t.
func (c *checker) checkList(t JointType, field int, list []float64) {
	if list == nil {
		return
	}
	tail := "." + jointFields[field]
	if !c.length(tail, len(list), t.Freedoms(), t) {
		return
	}
	for k, x := range list {
		switch {
		case !algebra.Finite(x):
			c.report(document.Entry(tail, k), document.Number(x), document.RuleNotFinite)
		case x != 0 && field != jointForce && field != jointDamping && !t.Scalar(k):
			c.report(document.Entry(tail, k), document.Number(x), "is not zero on a ball rotation")
		case x < 0 && field == jointArmature:
			c.report(document.Entry(tail, k), document.Number(x), ruleNegative)
		case x != 0 && field == jointArmature && t.Type() == CurveOnCurve:
			c.report(document.Entry(tail, k), document.Number(x), "is not zero on the gap of two curves")
		}
	}
}

// checkTurns checks the numbers of whole turns: integers that a float64 represents exactly, and zero on prismatic axes.
func (c *checker) checkTurns(j *Joint) {
	if j.Turns == nil || !c.length(".turns", len(j.Turns), j.Kind().Turns(), j.Type) {
		return
	}
	for k, n := range j.Turns {
		if n > document.MaxInteger || n < -document.MaxInteger {
			c.report(document.Entry(".turns", k), strconv.FormatInt(n, 10), document.RuleInteger)
		}
		if n != 0 && j.Type == Composite && j.Axes[k].Kind == Prismatic {
			c.report(document.Entry(".turns", k), strconv.FormatInt(n, 10), "is not zero on an axis that slides")
		}
	}
}

// checkMotions checks the motions of a joint. The rotations of a ball, which have no coordinate, must have none.
func (c *checker) checkMotions(j *Joint) {
	if j.Motion == nil || !c.length(".motion", len(j.Motion), j.Kind().Freedoms(), j.Type) {
		return
	}
	for k, m := range j.Motion {
		if m == nil {
			continue
		}
		tail := document.Entry(".motion", k)
		if !j.Kind().Scalar(k) {
			c.report(tail, m.Kind.String(), "prescribes a ball rotation")
			continue
		}
		m.Faults(func(field, value, rule string) { c.report(tail+"."+field, value, rule) })
	}
}

// checkLimits checks the limits of a joint with their stops. The rotations of a ball, which have no coordinate, must have none.
func (c *checker) checkLimits(j *Joint) {
	if j.Limits == nil || !c.length(".limits", len(j.Limits), j.Kind().Freedoms(), j.Type) {
		return
	}
	for k, l := range j.Limits {
		if !l.bounds() {
			continue
		}
		tail := document.Entry(".limits", k)
		if !j.Kind().Scalar(k) {
			c.report(tail, "", "bounds a ball rotation")
			continue
		}
		if !(l.Lower < l.Upper) {
			c.report(tail+".lower", document.Number(l.Lower), "is not below upper, "+document.Number(l.Upper))
		}
		c.magnitude(tail+".rate", l.Rate)
		c.magnitude(tail+".force", l.Force)
		c.checkStop(tail, l, j.prescribes(k))
	}
}

// magnitude checks an upper bound of a magnitude: finite, and not negative; 0 means no bound.
func (c *checker) magnitude(tail string, x float64) {
	if c.number(tail, x) && x < 0 {
		c.report(tail, document.Number(x), ruleNotPositive)
	}
}

// checkForce checks a force element by its type.
func (c *checker) checkForce(e *ForceElement, f document.Flaws) {
	if !f.Has(forceName) {
		c.checkName(e.Name)
	}
	if f.Has(forceType) {
		return
	}
	c.checkOthers(e)
	switch e.Type {
	case SpringDamper:
		c.checkSpring(e, f)
	case Wrench:
		c.checkWrench(e, f)
	case ContactForce:
		c.checkContact(e, f)
	case ActuatorForce:
		c.checkActuator(e, f)
	case BushingForce:
		c.checkBushing(e, f)
	case CableForce:
		c.checkCable(e, f)
	default:
		c.report(".type", e.Type.String(), "unknown force element type")
	}
}

// checkOthers reports fields that are set although the type of the force element does not have them. Only models made in Go can have
// such fields: the reader refuses them.
func (c *checker) checkOthers(e *ForceElement) {
	if e.Contact != nil && e.Type != ContactForce {
		c.report(".contact", "", meaningless("force element", e.Type.String()))
	}
	if e.Actuator != nil && e.Type != ActuatorForce {
		c.report(".actuator", "", meaningless("force element", e.Type.String()))
	}
	if e.Bushing != nil && e.Type != BushingForce {
		c.report(".bushing", "", meaningless("force element", e.Type.String()))
	}
	if e.Cable != nil && e.Type != CableForce {
		c.report(".cable", "", meaningless("force element", e.Type.String()))
	}
	if e.Spring != nil && e.Type != SpringDamper {
		c.report(".spring", "", meaningless("force element", e.Type.String()))
	}
	if e.Damper != nil && e.Type != SpringDamper {
		c.report(".damper", "", meaningless("force element", e.Type.String()))
	}
	if e.Type != BushingForce {
		for _, a := range [2]struct {
			tail string
			q    [4]float64
		}{{".a.orientation", e.A.Orientation}, {".b.orientation", e.B.Orientation}} {
			if a.q != [4]float64{} {
				c.report(a.tail, document.Numbers(a.q[:]), meaningless("force element", e.Type.String()))
			}
		}
	}
	rest := *e // with the fields of the type set to zero, so that NaN in them does not count as a difference below
	rest.Name, rest.Type, rest.Contact, rest.Actuator, rest.Bushing, rest.Cable = "", 0, nil, nil, nil, nil
	switch e.Type {
	case ContactForce:
		rest.A.Body = ""
	case ActuatorForce:
	case BushingForce:
		rest.A, rest.B, rest.Force, rest.Torque = Attachment{}, Attachment{}, [3]float64{}, [3]float64{}
	case CableForce:
		rest.Stiffness, rest.Damping, rest.RestLength = 0, 0, 0
	default:
		return
	}
	if rest != (ForceElement{}) {
		c.report("", "", "has fields without meaning for force element "+e.Type.String())
	}
}

// checkSpring checks the ends, the numbers and the laws of a spring-damper, whose fields force and torque must be zero.
func (c *checker) checkSpring(e *ForceElement, f document.Flaws) {
	c.checkAttachment(".a", &e.A, 0, f.Has(forceA))
	c.checkAttachment(".b", &e.B, 1, f.Has(forceB))
	c.number(".stiffness", e.Stiffness)
	c.number(".damping", e.Damping)
	c.number(".rest_length", e.RestLength)
	if e.Spring != nil && !f.Has(forceSpring) {
		e.Spring.Faults(func(field, value, rule string) { c.report(".spring."+field, value, rule) })
	}
	if e.Damper != nil && !f.Has(forceDamper) {
		e.Damper.Faults(func(field, value, rule string) { c.report(".damper."+field, value, rule) })
	}
	if !f.Has(forceForce) {
		c.zero(".force", e.Force[:], e.Type)
	}
	if !f.Has(forceTorque) {
		c.zero(".torque", e.Torque[:], e.Type)
	}
}

// checkAttachment checks the body and the point of an attachment, unless the reader has found it flawed. end is as in reference.
func (c *checker) checkAttachment(tail string, a *Attachment, end int, flawed bool) {
	if flawed {
		return
	}
	c.reference(tail+".body", &a.Body, end)
	c.finite(tail+".point", a.Point[:])
}

// checkWrench checks the body, the point, the force and the torque of a wrench, and that it has neither a second end nor a spring.
func (c *checker) checkWrench(e *ForceElement, f document.Flaws) {
	c.note(1, -1)
	if e.A.Body == World && !f.Has(forceBody) {
		c.report(".body", fault.Name(World), "a wrench needs a body, not the world")
	} else if !f.Has(forceBody) {
		c.reference(".body", &e.A.Body, 0)
	}
	c.finite(".point", e.A.Point[:])
	c.finite(".force", e.Force[:])
	c.finite(".torque", e.Torque[:])
	if e.B != (Attachment{}) {
		c.report(".b", fault.Name(e.B.Body), meaningless("force element", e.Type.String()))
	}
	c.zero(".stiffness", []float64{e.Stiffness}, e.Type)
	c.zero(".damping", []float64{e.Damping}, e.Type)
	c.zero(".rest_length", []float64{e.RestLength}, e.Type)
}

// zero reports x if it is not all zeros, as force elements of type t do not have the field.
func (c *checker) zero(tail string, x []float64, t ForceType) {
	if !allZero(x) {
		c.report(tail, document.Numbers(x), meaningless("force element", t.String()))
	}
}

// unknown reports an unknown name of a kind of element, such as "body", with a similar name among the known ones, at(0) to at(n−1).
func (c *checker) unknown(tail, name, kind string, n int, at func(i int) string) {
	rule := "unknown " + kind
	if !c.faults.Full() {
		rule += c.hints.Meant(name, n, at)
	}
	c.report(tail, fault.Name(name), rule)
}

// unknownType is the text of the problem of an unknown joint type: it lists the joint types, and the type that name may mean.
func unknownType(name string) string {
	text := "unknown joint type; there are"
	names := make([]string, joints.NumKinds)
	for k := range joints.NumKinds {
		names[k] = k.String()
		text += " " + names[k]
	}
	return text + fault.AfterList(fault.MeantType(name, names...))
}
