package model

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/springs"
)

// SpringLaw is the force of a spring or a damper as a table or a function, as in package springs.
type SpringLaw = springs.Law

// maxCablePoints is the largest number of points of a cable.
const maxCablePoints = 10_000

// Bushing is an elastic coupling between the frames A and B of a ForceElement (docs/springs.md). Matrices are symmetric and positive
// semidefinite, with the three rotations first, then the three translations: N m/rad and N/m, N m s/rad and N s/m.
type Bushing struct {
	Stiffness, Damping [6][6]float64
	Rest               Pose // pose of B in A at which the load is Force and Torque of the element alone
}

// Diagonal returns the matrix with the given diagonal, for a Bushing.
func Diagonal(d [6]float64) (m [6][6]float64) {
	for i, x := range d {
		m[i][i] = x
	}
	return m
}

// Cable is the path of a cable: it leads from the first point to the last, and slides without friction through the points between
// them (docs/springs.md). Stiffness, damping and rest length are fields of the ForceElement.
type Cable struct {
	Points  []Attachment
	Tension float64 // N, constant, in addition to spring and damper
}

// canonicalizeBushing normalizes the orientations of a bushing's frames and rest pose; it does nothing for other elements.
func (e *ForceElement) canonicalizeBushing() {
	if e.Type != BushingForce || e.Bushing == nil {
		return
	}
	for _, q := range [2]*[4]float64{&e.A.Orientation, &e.B.Orientation} {
		p := Pose{Orientation: *q}
		p.canonicalize()
		*q = p.Orientation
	}
	e.Bushing.Rest.canonicalize()
}

// ofCable is the argument end of reference and note for a point of a cable.
const ofCable = 2

// checkLaws checks the springs and the dampers of a joint. The rotations of a ball, which have no coordinate, must have none.
func (c *checker) checkLaws(j *Joint, f document.Flaws) {
	for k, list := range [2][]*SpringLaw{j.Springs, j.Dampers} {
		field := jointSprings + k
		tail := "." + jointFields[field]
		if f.Has(field) || list == nil || !c.length(tail, len(list), j.Kind().Freedoms(), j.Type) {
			continue
		}
		for i, l := range list {
			if l == nil {
				continue
			}
			at := document.Entry(tail, i)
			if !j.Kind().Scalar(i) {
				c.report(at, l.Kind.String(), "is a law of a ball rotation")
				continue
			}
			l.Faults(func(field, value, rule string) { c.report(at+"."+field, value, rule) })
		}
	}
}

// checkBushing checks frames, matrices, rest pose and load of a bushing, and that its frames are in different bodies.
func (c *checker) checkBushing(e *ForceElement, f document.Flaws) {
	b := e.Bushing
	if b == nil {
		c.note(0, -1)
		c.note(1, -1)
		c.report("", "", "has no bushing")
		return
	}
	c.checkFrame(".a", &e.A, 0, f.Has(forceA))
	c.checkFrame(".b", &e.B, 1, f.Has(forceB))
	if !f.Has(forceA) && !f.Has(forceB) && e.A.Body == e.B.Body {
		c.report(".b.body", fault.Name(e.B.Body), "joins a body to itself")
	}
	if !f.Has(forceStiffness) {
		springs.MatrixFaults(&b.Stiffness, func(entry, value, rule string) { c.report(".stiffness"+entry, value, rule) })
	}
	if !f.Has(forceDamping) {
		springs.MatrixFaults(&b.Damping, func(entry, value, rule string) { c.report(".damping"+entry, value, rule) })
	}
	if !f.Has(forceRest) {
		c.checkPose(&b.Rest, ".rest.position", ".rest.orientation")
		if q := b.Rest.Orientation; q != [4]float64{} && math.Abs(q[0]) < halfTurn {
			c.report(".rest.orientation", document.Numbers(q[:]), "is half a turn, of which the direction is not unique")
		}
	}
	if !f.Has(forceForce) {
		c.finite(".force", e.Force[:])
	}
	if !f.Has(forceTorque) {
		c.finite(".torque", e.Torque[:])
	}
}

// halfTurn is the cosine of half the angle of a rest orientation below which the angle counts as π: then the axis has no unique
// direction.
const halfTurn = 1e-9

// checkFrame checks the frame of a bushing, unless the reader has found it flawed. end is as in reference.
func (c *checker) checkFrame(tail string, a *Attachment, end int, flawed bool) {
	c.checkAttachment(tail, a, end, flawed)
	if q := &a.Orientation; !flawed && *q != [4]float64{} && c.finite(tail+".orientation", q[:]) && !document.NearUnit(q) {
		c.report(tail+".orientation", document.Numbers(q[:]), document.RuleQuaternion)
	}
}

// checkCable checks that the points of a cable belong to at least two bodies, and that none of its numbers is negative. It adds
// the bodies of the points to the links if these are wanted.
func (c *checker) checkCable(e *ForceElement, f document.Flaws) {
	c.note(0, -1)
	c.note(1, -1)
	if c.links != nil {
		c.links.Cables = append(c.links.Cables, nil)
	}
	if e.Cable == nil {
		c.report("", "", "has no cable")
		return
	}
	if n := len(e.Cable.Points); !f.Has(forcePoints) && (n < 2 || n > maxCablePoints) {
		c.report(".points", "", fmt.Sprintf("wrong length %d, a cable has from 2 to %d points", n, maxCablePoints))
	} else if !f.Has(forcePoints) {
		same := true
		for i := range e.Cable.Points {
			p := &e.Cable.Points[i]
			tail := document.Entry(".points", i)
			const flawed = true
			c.checkAttachment(tail, p, ofCable, !flawed)
			if p.Orientation != [4]float64{} {
				c.report(tail+".orientation", document.Numbers(p.Orientation[:]), meaningless("force element", e.Type.String()))
			}
			same = same && p.Body == e.Cable.Points[0].Body
		}
		if same {
			c.report(".points", "", "are all of one body")
		}
	}
	for _, x := range [...]struct {
		field int
		value float64
	}{{forceStiffness, e.Stiffness}, {forceDamping, e.Damping}, {forceRestLength, e.RestLength}, {forceTension, e.Cable.Tension}} {
		if !f.Has(x.field) {
			c.notNegative("."+forceFields[x.field], x.value)
		}
	}
}
