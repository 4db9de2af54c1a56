package model

import (
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
)

func (c *checker) checkJoint(j *Joint, f flaws) {
	if !f.has(jointName) {
		c.checkName(j.Name)
	}
	pred := f.has(jointPredecessor) || c.reference(".predecessor", &j.Predecessor, 0)
	succ := f.has(jointSuccessor) || c.reference(".successor", &j.Successor, 1)
	if pred && succ && !f.has(jointPredecessor) && !f.has(jointSuccessor) && j.Predecessor == j.Successor {
		c.report(".successor", fault.Name(j.Successor), "joins a body to itself")
	}
	if !f.has(jointPredecessorFrame) {
		c.checkPose(&j.PredecessorFrame, ".predecessor_frame.position", ".predecessor_frame.orientation")
	}
	if !f.has(jointSuccessorFrame) {
		c.checkPose(&j.SuccessorFrame, ".successor_frame.position", ".successor_frame.orientation")
	}
	if f.has(jointType) {
		return
	}
	if !j.Type.Valid() {
		c.report(".type", j.Type.String(), "unknown joint type")
		return
	}
	c.checkParameters(j, f)
	for k, list := range j.lists() {
		if !f.has(jointForce + k) {
			c.checkList(j.Type, jointForce+k, list)
		}
	}
	if !f.has(jointTurns) {
		c.checkTurns(j)
	}
	if !f.has(jointMotion) {
		c.checkMotions(j)
	}
}

// lists returns the lists with an entry a freedom, in the order of jointFields.
func (j *Joint) lists() [4][]float64 {
	return [4][]float64{j.Force, j.Stiffness, j.Damping, j.Rest}
}

// reference reports a body name that no body has, and notes the body that a name
// means as one end of the current element: 0 is the predecessor or A, 1 the
// successor or B. The reader's references are made to share the body's string.
func (c *checker) reference(tail string, name *string, end int) bool {
	if *name == World {
		c.note(end, -1)
		return true
	}
	i, ok := c.bodies.findNear(*name, c.near, len(c.m.Bodies))
	if !ok || *name == "" {
		if !c.noRefs {
			c.report(tail, fault.Name(*name), "unknown body")
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

// note stores the body at one end of the current element, if links are wanted.
func (c *checker) note(end int, body int32) {
	switch {
	case c.links == nil:
	case c.sec == secJoints:
		c.links.Joints[c.index][end] = body
	default:
		c.links.Forces[c.index][end] = body
	}
}

// meaningless is the rule broken by a field that the type does not have.
func meaningless(kind, name string) string {
	return "has no meaning for " + kind + " " + name
}

// checkParameters checks pitch and length.
func (c *checker) checkParameters(j *Joint, f flaws) {
	if !f.has(jointPitch) && c.number(".pitch", j.Pitch) {
		switch {
		case j.Type != Helical && j.Pitch != 0:
			c.report(".pitch", formatFloat(j.Pitch), meaningless("joint type", j.Type.String()))
		case j.Type == Helical && j.Pitch == 0:
			c.report(".pitch", "0", "is zero (a helical joint without pitch is a revolute)")
		}
	}
	if !f.has(jointLength) && c.number(".length", j.Length) {
		switch {
		case j.Type != Distance && j.Length != 0:
			c.report(".length", formatFloat(j.Length), meaningless("joint type", j.Type.String()))
		case j.Type == Distance && !(j.Length > 0):
			c.report(".length", formatFloat(j.Length), "is not positive")
		}
	}
}

// length reports a list of n entries that should have want.
func (c *checker) length(tail string, n, want int, t JointType) bool {
	if n != want {
		c.report(tail, "", fmt.Sprintf("wrong length %d, joint type %s has %d entries", n, t, want))
	}
	return n == want
}

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
		case !finite(x):
			c.report(entry(tail, k), formatFloat(x), ruleNotFinite)
		case x != 0 && field != jointForce && !t.Scalar(k):
			c.report(entry(tail, k), formatFloat(x), "is not zero on a ball rotation")
		}
	}
}

func (c *checker) checkTurns(j *Joint) {
	if j.Turns == nil || !c.length(".turns", len(j.Turns), j.Type.Turns(), j.Type) {
		return
	}
	for k, n := range j.Turns {
		if n > maxTurns || n < -maxTurns {
			c.report(entry(".turns", k), strconv.FormatInt(n, 10), ruleTurns)
		}
	}
}

func (c *checker) checkMotions(j *Joint) {
	if j.Motion == nil || !c.length(".motion", len(j.Motion), j.Type.Freedoms(), j.Type) {
		return
	}
	for k, m := range j.Motion {
		if m == nil {
			continue
		}
		tail := entry(".motion", k)
		if !j.Type.Scalar(k) {
			c.report(tail, m.Kind.String(), "prescribes a ball rotation")
			continue
		}
		m.Faults(func(field, value, rule string) { c.report(tail+"."+field, value, rule) })
	}
}

func (c *checker) checkForce(e *ForceElement, f flaws) {
	if !f.has(forceName) {
		c.checkName(e.Name)
	}
	if f.has(forceType) {
		return
	}
	switch e.Type {
	case SpringDamper:
		c.checkSpring(e, f)
	case Wrench:
		c.checkWrench(e, f)
	default:
		c.report(".type", e.Type.String(), "unknown force element type")
	}
}

func (c *checker) checkSpring(e *ForceElement, f flaws) {
	c.checkAttachment(".a", &e.A, 0, f.has(forceA))
	c.checkAttachment(".b", &e.B, 1, f.has(forceB))
	c.number(".stiffness", e.Stiffness)
	c.number(".damping", e.Damping)
	c.number(".rest_length", e.RestLength)
	if !f.has(forceForce) {
		c.zero(".force", e.Force[:], e.Type)
	}
	if !f.has(forceTorque) {
		c.zero(".torque", e.Torque[:], e.Type)
	}
}

func (c *checker) checkAttachment(tail string, a *Attachment, end int, flawed bool) {
	if flawed {
		return
	}
	c.reference(tail+".body", &a.Body, end)
	c.finite(tail+".point", a.Point[:])
}

func (c *checker) checkWrench(e *ForceElement, f flaws) {
	c.note(1, -1)
	if e.A.Body == World && !f.has(forceBody) {
		c.report(".body", fault.Name(World), "a wrench needs a body, not the world")
	} else if !f.has(forceBody) {
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

// zero reports values that the force element does not have.
func (c *checker) zero(tail string, x []float64, t ForceType) {
	if !allZero(x) {
		c.report(tail, formatFloats(x), meaningless("force element", t.String()))
	}
}
