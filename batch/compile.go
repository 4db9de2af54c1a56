package batch

import (
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Short names of package places: one body in a state, and the constants of a body.
const (
	atPosition = places.Position
	atRotation = places.Rotation
	atVelocity = places.Velocity
	atOmega    = places.Omega
	bodyPlaces = places.State

	atInertia = places.Inertia
	atWeight  = places.Weight
	atNegated = places.Negated
	atMass    = places.Mass
	atCom     = places.Com
	atRoot    = places.Root
	atOwnMass = places.OwnMass
	bodyData  = places.Constants
)

// bodyPlace is where a body is in the workspace.
type bodyPlace struct {
	state, data place
	axes, spin  place // E, Eᵀω; of a body in a group they are the beginning of a frame (package places)
	load, x, a  place // C⁻¹·f, solution, accelerations in world axes
	wrench      place // force and moment from outside, if there are any
}

// jointPlace is what several parts of the mechanics need of a joint.
type jointPlace struct {
	P              place // axes of P in the world
	S              place // axes of S in the world; 0 if nobody needs them
	armP, armS     place // from the centres of mass to the origins of P and S, body axes
	wideP, wideS   place // the same in world axes; without the allowed part of R for P
	R, V           place // relative position and velocity; 0 if nobody needs them
	alongR, alongV place // the same along the axes of P
	w              place // ω_S − ω_P, 0 if nobody needs it
	alongW         place
	inP, inS       place // axes of P in the axes of the two bodies
	swingP, swingS place // of a hinge: ω×(ω×arm) and ω of each body, along the axes of P
}

// prescribed is a freedom whose motion is evaluated for each lane.
type prescribed struct {
	joint, freedom int
	at             place // of the second derivative
	end            place // at the end of a step: coordinate and rate, the sine and the cosine of an angle
}

// loop is the rows W of a joint on a body in a group.
type loop struct {
	h *hung
	W place
}

// compiler makes the tapes of a mechanism.
type compiler struct {
	*program
	mech    *mechanism.Mechanism
	plan    *kkt.Plan // with armature
	reduced *reduction
	sys     *system
	input   place // time, gravity, bodies: what a state is
	length  int   // of it
	bodies  []bodyPlace
	joints  []jointPlace
	zero    place // three zeros, and a matrix of zeros after them
	unit    place // the unit matrix

	loops      map[int32][]loop // of each −1 node: its rows on bodies in groups
	drive      []place          // of freedoms with forces in the state, by joint: 0 for none
	motions    []prescribed
	rareJoints []int32 // nodes whose rows are evaluated one state at a time
	rareForces bool    // what acts on the bodies is evaluated one state at a time
	wrenches   bool
	at         *variables
}

// newCompiler lays out the workspace of a plan.
func newCompiler(p *kkt.Plan, o *Options, at *variables) *compiler {
	c := &compiler{program: newProgram(p.Options().Epsilon), mech: p.Mechanism(), plan: p.Dynamics(), wrenches: o.Wrenches, at: at, loops: map[int32][]loop{}}
	m := c.mech
	nb := m.NumBodies()
	c.zero = c.shared(make([]float64, 12)...)
	c.unit = c.shared(1, 0, 0, 0, 1, 0, 0, 0, 1)
	c.length = at.length
	c.input = c.room(c.length)
	c.drive = make([]place, 6*m.NumJoints())
	for i, f := range o.Forces {
		c.drive[6*f.Joint+f.Freedom] = c.input.at(4 + bodyPlaces*nb + i)
	}
	c.rareForces = c.anyRareForce()
	c.reduced = newReduction(c.plan)
	c.sys = newSystem(c.program, c.reduced.pattern, c.reduced.order)
	for _, g := range c.reduced.groups {
		c.sys.group[g.node] = true
	}
	for i := range m.Bodies {
		b := bodyPlace{state: c.input.at(4 + bodyPlaces*i), data: c.dataPlace(i), a: c.room(6)}
		if h := c.reduced.of[i]; h != nil {
			b.axes = c.room(places.Frame)
			if h.group.snaps {
				h.pin = c.constant(make([]float64, places.Pin)...) // behind the frame
			}
			b.load, b.x = c.room(6), c.room(6)
			h.N = c.room(6 * (h.columns() + 1))
			if !h.group.snaps {
				h.drift = c.room(12) // behind c
			}
			for range h.dof {
				h.free = append(h.free, c.constant(make([]float64, 6)...))
			}
			if h.parent == nil {
				h.add = c.room(6) // behind the last of these
			} else {
				h.add = c.constant(make([]float64, 12)...).at(6)
			}
		} else {
			node := c.reduced.node[i]
			b.axes, b.load, b.x = c.room(places.ArmParent), c.sys.right[node], c.sys.x[node]
		}
		b.spin = b.axes.at(places.Spin)
		if c.wrenches || c.rareForces {
			b.wrench = c.constant(make([]float64, 6)...)
		}
		c.bodies = append(c.bodies, b)
	}
	c.joints = make([]jointPlace, m.NumJoints())
	return c
}

// dataTo stores the constants of a body.
func dataTo(out *[bodyData]float64, b *bodies.Body) {
	w := b.Weight()
	copy(out[atInertia:], b.Inertia[:])
	copy(out[atWeight:], w.Inertia[:])
	out[atWeight+6] = w.Mass
	for k, x := range out[atWeight:atNegated] {
		out[atNegated+k] = -x
	}
	out[atMass] = b.Mass * w.Mass
	copy(out[atCom:], b.Com[:])
	var L spatial.Chol3
	if b.Inertia.CholeskyTo(&L) == nil { // others are not solved in lanes
		copy(out[atRoot:], L[:])
	}
	out[atOwnMass] = b.Mass
}

// gravity and time are inputs.
func (c *compiler) time() place    { return c.input }
func (c *compiler) gravity() place { return c.input.at(1) }

// evaluate adds what depends on bodies, joints and forces: blocks, scales and right sides.
func (c *compiler) evaluate() {
	m := c.mech
	c.opN(tape.Copy, records, 0, c.sys.record, c.sys.null)
	for i := range c.bodies {
		b := &c.bodies[i]
		c.op(tape.Body, b.axes, b.state.at(atRotation), b.data, c.gravity(), b.load)
		c.op(tape.Departure, c.sys.record.at(notUnit), b.state, c.sys.record.at(notFinite))
		if b.wrench > 0 {
			c.op(tape.Weigh, b.load, b.wrench, b.wrench.at(3), b.data.at(atWeight), b.axes)
		}
	}
	c.hang()
	for j := range m.Joints {
		if c.reduced.tree[j] == nil {
			c.passing()
			c.joint(j)
			c.lasting()
		}
	}
	if !c.rareForces {
		c.elements()
	}
	for _, g := range c.reduced.groups {
		c.groupLoads(g, c.sys.right[g.node])
	}
	for i := range m.Couplings {
		node := c.reduced.node[c.plan.Layout().CouplingNode(i)]
		c.rareJoints = append(c.rareJoints, node)
		c.sys.dense[node] = true
	}
}

// results adds accelerations in world axes.
func (c *compiler) results() {
	c.spread()
	for i := range c.bodies {
		b := &c.bodies[i]
		c.op(tape.Unweigh, b.a, b.x, b.axes, b.data.at(atWeight), c.sys.record.at(notFinite))
	}
}

// vector returns three new places that a kernel of two or three operands fills.
func (c *compiler) vector(code tape.Code, operands ...place) place {
	out := c.room(3)
	c.op(code, append([]place{out}, operands...)...)
	return out
}

// sum and difference return B ± C, vectors.
func (c *compiler) sum(a, b place) place {
	out := c.room(3)
	c.opN(tape.Add, 3, 0, out, a, b)
	return out
}

func (c *compiler) difference(a, b place) place {
	out := c.room(3)
	c.opN(tape.Sub, 3, 0, out, a, b)
	return out
}

func vec(v spatial.Vec3) []float64 { return v[:] }

// point is where a point of a body or of the world is.
type point struct {
	far, near place // position of the body, and the arm from there, world axes
	velocity  place
}

// pointOf adds the kinematics of a point of a body.
func (c *compiler) pointOf(body int32, at spatial.Vec3) point {
	if body < 0 {
		return point{far: c.shared(at[:]...), near: c.zero, velocity: c.zero}
	}
	return c.pointAt(body, c.shared(at[:]...))
}

// originOf adds the kinematics of the origin of a frame of joint j.
func (c *compiler) originOf(j int, s side) point {
	body, _ := s.of(&c.mech.Joints[j])
	own := c.originIn(j, s)
	if body < 0 {
		return point{far: own, near: c.zero, velocity: c.zero}
	}
	return c.pointAt(body, own)
}

// pointAt adds the kinematics of a point of a body, own in its frame.
func (c *compiler) pointAt(body int32, own place) point {
	b := &c.bodies[body]
	out := point{far: b.state.at(atPosition)}
	out.near = c.vector(tape.MulVec, b.axes, own)
	out.velocity = c.vector(tape.AddCross, b.state.at(atOmega), out.near, b.state.at(atVelocity))
	return out
}

// armOf adds the arm of a point of a body from the centre of mass, world axes.
func (c *compiler) armOf(body int32, at spatial.Vec3) place {
	var arm place
	if c.at.body[body] > 0 {
		arm = c.difference(c.shared(at[:]...), c.comOf(body))
	} else {
		arm = c.shared(vec(at.Sub(c.mech.Bodies[body].Com))...)
	}
	return c.vector(tape.MulVec, c.bodies[body].axes, arm)
}

// omega returns the angular velocity of a body, zeros for the world.
func (c *compiler) omega(body int32) place {
	if body < 0 {
		return c.zero
	}
	return c.bodies[body].state.at(atOmega)
}

// anyRareForce reports whether something acts on the bodies that has no instructions.
func (c *compiler) anyRareForce() bool {
	m := c.mech
	if m.NumActuators()+m.NumResistors()+m.NumBushings()+m.NumCables()+m.NumContacts()+m.NumOwn() > 0 {
		return true
	}
	for i := range m.Forces {
		if m.Forces[i].Kind > model.Wrench || m.SpringLaw(i) != nil {
			return true
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		d := m.Drive(j)
		if d == nil {
			continue
		}
		for i := range jt.Kind.Freedoms() {
			if d.Law(i) != nil || d.Stiffness[i] != 0 && (jt.Kind.Rotational(i) || jt.Axes != nil) || jt.Axes != nil {
				return true
			}
		}
	}
	return false
}

// dual is the unit wrench of a freedom: a moment about or a force along an axis of P, or a moment about y of S.
type dual struct {
	force bool
	axis  int
	ofS   bool
}

// duals returns those of the freedoms of a type, in their order.
func duals(k joints.Kind) []dual {
	switch k {
	case joints.Revolute, joints.Helical:
		return []dual{{axis: 2}}
	case joints.Prismatic:
		return []dual{{force: true, axis: 2}}
	case joints.Cylindrical:
		return []dual{{axis: 2}, {force: true, axis: 2}}
	case joints.Universal:
		return []dual{{axis: 0}, {axis: 1, ofS: true}}
	case joints.Planar:
		return []dual{{axis: 2}, {force: true, axis: 0}, {force: true, axis: 1}}
	case joints.Spherical:
		return []dual{{axis: 0}, {axis: 1}, {axis: 2}}
	case joints.SphereInCylinder:
		return []dual{{axis: 0}, {axis: 1}, {axis: 2}, {force: true, axis: 2}}
	}
	return nil
}

// triple is a set of rows along columns of the axes of P: forces or moments from axis first on.
type triple struct {
	force    bool
	first, n int
}

// triples returns the rows of a type that are along the axes of P, forces before moments, and whether one more row of
// its own follows.
func triples(k joints.Kind) (list []triple, more bool) {
	const moments, forces = false, true
	switch k {
	case joints.Fixed:
		return []triple{{forces, 0, 3}, {moments, 0, 3}}, false
	case joints.Revolute:
		return []triple{{forces, 0, 3}, {moments, 0, 2}}, false
	case joints.Prismatic:
		return []triple{{forces, 0, 2}, {moments, 0, 3}}, false
	case joints.Helical:
		return []triple{{forces, 0, 2}, {moments, 0, 2}}, true
	case joints.Cylindrical:
		return []triple{{forces, 0, 2}, {moments, 0, 2}}, false
	case joints.Universal:
		return []triple{{forces, 0, 3}}, true
	case joints.Planar:
		return []triple{{forces, 2, 1}, {moments, 0, 2}}, false
	case joints.Spherical:
		return []triple{{forces, 0, 3}}, false
	case joints.SphereInCylinder:
		return []triple{{forces, 0, 2}}, false
	case joints.PointOnPlane:
		return []triple{{forces, 2, 1}}, false
	case joints.Distance:
		return nil, true
	}
	return nil, false
}

// slides says which part of R a type leaves free: along z, across it, along R itself, or none.
type slides int

const (
	pinned slides = iota
	onZ
	offZ
	onR
)

func slidesOf(k joints.Kind) slides {
	switch k {
	case joints.Prismatic, joints.Helical, joints.Cylindrical, joints.SphereInCylinder:
		return onZ
	case joints.Planar, joints.PointOnPlane:
		return offZ
	case joints.Distance:
		return onR
	}
	return pinned
}

// inverseRoot returns −1/√I.
func inverseRoot(I float64) float64 { return -1 / math.Sqrt(I) }
