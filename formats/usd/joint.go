package usd

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The joints of the schema, with the frames P on body 0 and S on body 1, and an axis e with the same coordinates in P and S:
//
//	PhysicsRevoluteJoint   origins meet, e are parallel: S turns about e
//	PhysicsPrismaticJoint  axes are parallel, S's origin is on P's e
//	PhysicsSphericalJoint  origins meet
//	PhysicsFixedJoint      frames coincide
//	PhysicsDistanceJoint   the origins have a distance
//	PhysicsJoint           S moves along and about the axes that no limit locks
var converters = map[string]func(*reader, *assembly.Joint, *prim) bool{
	"PhysicsRevoluteJoint":  (*reader).revolute,
	"PhysicsPrismaticJoint": (*reader).prismatic,
	"PhysicsSphericalJoint": (*reader).spherical,
	"PhysicsFixedJoint":     func(*reader, *assembly.Joint, *prim) bool { return true },
	"PhysicsDistanceJoint":  (*reader).distance,
	"PhysicsJoint":          (*reader).generic,
}

// isJoint reports whether prims of a kind are joints with a converter.
func isJoint(kind string) bool { return converters[kind] != nil }

// joint adds a joint. Bodies keep the poses of the file: no joint determines the pose of a body.
func (r *reader) joint(n *node) {
	p := n.p
	if !r.truth(p, "physics:jointEnabled", true) {
		leave(p, source.Dropped)
		r.report.Drop(p, "joint "+fault.Name(p.name), "is not enabled", "it holds nothing")
		return
	}
	p.class = source.Used
	j := assembly.Joint{At: p, Name: p.name, Loop: true}
	var ok0, ok1 bool
	j.Predecessor, j.P, ok0 = r.end(p, "0")
	j.Successor, j.S, ok1 = r.end(p, "1")
	if !ok0 || !ok1 {
		return
	}
	if j.Predecessor == j.Successor {
		if j.Predecessor == assembly.World {
			r.report.Refuse(p, "joint "+fault.Name(p.name), "has no body at either end")
		} else {
			r.report.Refuse(p, "joint "+fault.Name(p.name), "joins body "+fault.Name(r.a.Links[j.Predecessor].Name)+" to itself")
		}
		return
	}
	for _, name := range [...]string{"physics:breakForce", "physics:breakTorque"} {
		if x := r.number(p, name, math.Inf(1)); !math.IsInf(x, 1) {
			p.prop(name).class = source.Dropped
			r.report.Drop(p.prop(name), "joint "+fault.Name(p.name), "joints that break are not read",
				fmt.Sprintf("it holds beyond %g", x))
		}
	}
	if !converters[p.kind](r, &j, p) {
		return
	}
	if !j.Typed && len(j.Axes) == 0 {
		r.fix(&j)
	}
	r.a.Joints = append(r.a.Joints, j)
	r.made[p] = len(r.a.Joints)
}

// end returns the link at an end of the joint p, "0" for the predecessor or "1" for the successor, and the frame of the joint in this link,
// m. The link is the world if the joint names no body. ok is false after a refusal of the body; a rotation that is refused is left out.
func (r *reader) end(p *prim, which string) (link int, x assembly.Pose, ok bool) {
	body, ok := r.target(p, "physics:body"+which)
	x = assembly.Identity()
	if v := r.numbers(p, "physics:localPos"+which, 3); v != nil {
		x.R = spatial.Vec3(v)
	}
	x.Q, _ = r.quaternion(p, "physics:localRot"+which)
	link = assembly.World
	if body != nil {
		link, x, ok = r.carried(body, x, func(why string) {
			r.report.Refuse(p, "joint "+fault.Name(p.name), "its body "+which+", "+fault.Name(body.path())+", "+why)
		})
	}
	x.R = x.R.Scale(r.length)
	return link, x, ok
}

// carried returns the link that carries the prim p, which may be the world, and the frame in the link that is x in p. Lengths are in units
// of the stage, in x before the scale of p. It returns false after it has called refuse with the reason.
func (r *reader) carried(p *prim, x assembly.Pose, refuse func(why string)) (link int, _ assembly.Pose, ok bool) {
	n := r.nodes[p]
	if n == nil {
		refuse("is not part of the scene")
		return assembly.World, x, false
	}
	frame, scale, rigid := n.world.rigid()
	if !rigid {
		refuse("is sheared, mirrored or flat")
		return assembly.World, x, false
	}
	x.R = times(scale, x.R)
	switch link = n.link; {
	case link == assembly.World:
		x = frame.Mul(x)
	case r.bodies[link].node != n: // p is within the body
		x = r.bodies[link].frame.Inverse().Mul(frame).Mul(x)
	}
	return link, x, true
}

// at returns the pose in the world of a frame x in a link.
func (r *reader) at(link int, x assembly.Pose) assembly.Pose {
	if link == assembly.World {
		return x
	}
	return r.a.Links[link].Pose.Mul(x)
}

// fix makes a fixed joint merge its links, if it is satisfied in the poses of the file. Else it stays a joint of an open
// loop.
func (r *reader) fix(j *assembly.Joint) {
	x := r.at(j.Predecessor, j.P).Inverse().Mul(r.at(j.Successor, j.S))
	tol := r.o.Snap
	if tol == 0 {
		tol = source.DefaultSnap
	}
	off, turned := x.R.Norm(), x.Q.Log().Norm()
	if max(off, turned) > max(tol, source.Closed) {
		return
	}
	j.Loop = false
	j.S = j.S.Mul(x.Inverse())
}

// common returns the axis e of a joint, which P and S have in common.
func (r *reader) common(p *prim) spatial.Vec3 {
	e, ok := axisOf(r.word(p, "physics:axis", "X"))
	if !ok {
		r.bad(p.prop("physics:axis"), "is none of X, Y and Z")
	}
	return e
}

// revolute makes j a rotation about its axis, with limits and drive.
func (r *reader) revolute(j *assembly.Joint, p *prim) bool {
	e := r.common(p)
	lo, hi := r.number(p, "physics:lowerLimit", math.Inf(-1)), r.number(p, "physics:upperLimit", math.Inf(1))
	j.Axes = []assembly.Axis{r.axis(p, assembly.Revolute, e, p.name, "angular", lo, hi)}
	return true
}

// prismatic makes j a translation along its axis, with limits and drive.
func (r *reader) prismatic(j *assembly.Joint, p *prim) bool {
	e := r.common(p)
	lo, hi := r.number(p, "physics:lowerLimit", math.Inf(-1)), r.number(p, "physics:upperLimit", math.Inf(1))
	j.Axes = []assembly.Axis{r.axis(p, assembly.Prismatic, e, p.name, "linear", lo, hi)}
	return true
}

// spherical makes j a ball, and reports the cone of its limits as dropped.
func (r *reader) spherical(j *assembly.Joint, p *prim) bool {
	r.common(p)
	for _, name := range [...]string{"physics:coneAngle0Limit", "physics:coneAngle1Limit"} {
		if x := r.number(p, name, -1); x >= 0 && !math.IsInf(x, 1) {
			p.prop(name).class = source.Dropped
			r.report.Drop(p.prop(name), "joint "+fault.Name(p.name), "the rotations of a ball have no limits in the model",
				fmt.Sprintf("the cone is one of %g degrees", x))
		}
	}
	j.Axes = []assembly.Axis{r.ball(p)}
	return true
}

// distance reads a joint that keeps a distance constant. A joint that only bounds it is dropped.
func (r *reader) distance(j *assembly.Joint, p *prim) bool {
	lo, hi := r.finite(p, "physics:minDistance", -1), r.number(p, "physics:maxDistance", -1)
	switch {
	case lo >= 0 && lo == hi && hi > 0:
		j.Typed, j.Type, j.Length = true, model.Distance, hi*r.length
	case lo == 0 && hi == 0:
		j.Axes = []assembly.Axis{{At: p, Name: p.name, Kind: assembly.Ball}}
	default:
		leave(p, source.Dropped)
		r.report.Drop(p, "joint "+fault.Name(p.name), "distances that are only bounded are not read",
			fmt.Sprintf("the bounds are %g and %g, of which negative ones are none", lo, hi))
		return false
	}
	return true
}

// freedoms are the names of the motions of a generic joint.
var freedoms = [6]string{"transX", "transY", "transZ", "rotX", "rotY", "rotZ"}

// rotX is the index of the first rotation in freedoms, the twist.
const rotX = 3

// generic reads a joint whose limits lock some of its six motions: a motion is locked if its lower limit is not below the upper one.
// Translations are along the axes of P. Of two rotations one is the twist, about x of S, and the other a swing.
func (r *reader) generic(j *assembly.Joint, p *prim) bool {
	if x := p.prop("limit:distance:physics:high"); x != nil && x.value != nil {
		r.report.Drop(x, "joint "+fault.Name(p.name), "distances that are only bounded are not read", "")
		x.class = source.Dropped
	}
	var lo, hi [6]float64
	free := 0
	for k, name := range freedoms {
		lo[k] = r.number(p, "limit:"+name+":physics:low", math.Inf(-1))
		hi[k] = r.number(p, "limit:"+name+":physics:high", math.Inf(1))
		if lo[k] < hi[k] {
			free++
		}
	}
	if free == 6 {
		r.report.Note(p, "joint "+fault.Name(p.name), "lets everything pass and is left out")
		return false
	}
	var turns []int
	for k, name := range freedoms {
		var e spatial.Vec3
		e[k%3] = 1
		switch {
		case lo[k] < hi[k] && k < rotX:
			j.Axes = append(j.Axes, r.axis(p, assembly.Prismatic, e, p.name+"."+name, name, lo[k], hi[k]))
		case lo[k] < hi[k]:
			turns = append(turns, k)
		case lo[k] == hi[k] && k < rotX:
			j.P = j.P.Mul(assembly.Pose{R: e.Scale(lo[k] * r.length)})
		case lo[k] == hi[k] && lo[k] != 0:
			r.report.Refuse(p, "joint "+fault.Name(p.name),
				fmt.Sprintf("locks %s at %g degrees; only rotations locked at 0 are read", name, lo[k]))
			return false
		}
	}
	return r.turns(j, p, turns, &lo, &hi)
}

// turns reads the free rotations of a generic joint, of which turns has the indices in freedoms.
func (r *reader) turns(j *assembly.Joint, p *prim, turns []int, lo, hi *[6]float64) bool {
	switch {
	case len(turns) == 3:
		for _, k := range turns {
			if !math.IsInf(lo[k], -1) || !math.IsInf(hi[k], 1) {
				x := p.prop("limit:" + freedoms[k] + ":physics:low")
				if x == nil || x.value == nil {
					x = p.prop("limit:" + freedoms[k] + ":physics:high")
				}
				r.report.DropUsed(x, "joint "+fault.Name(p.name), "the rotations of a ball have no limits in the model",
					fmt.Sprintf("those of %s are %g and %g degrees", freedoms[k], lo[k], hi[k]))
			}
		}
		j.Axes = append(j.Axes, r.ball(p))
		return true
	case len(turns) == 2 && turns[0] != rotX:
		r.report.Refuse(p, "joint "+fault.Name(p.name),
			"swings about y and z without a twist about x; the format does not say which of them is next to body 0")
		return false
	}
	slices.Reverse(turns) // the twist is the last
	for _, k := range turns {
		var e spatial.Vec3
		e[k%3] = 1
		j.Axes = append(j.Axes, r.axis(p, assembly.Revolute, e, p.name+"."+freedoms[k], freedoms[k], lo[k], hi[k]))
	}
	return true
}
