package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// builder records the parts of the mechanism one after the other: a joint with all that acts along its freedoms, a coupling, or a force
// element.
type builder struct {
	d *Derivatives
	c chain.Chain
	x []float64 // accelerations, then multipliers with their signs changed
	// bare records nothing but the forces of multipliers.
	bare bool
	want want
	// given is the direction that is built for: the builder may leave out terms that it does not change; nil: nothing is left out.
	given *direction

	number  int         // number of the part
	ports   []port      // frames of the part
	list    []row       // rows of a joint
	numbers []numbered  // numbers that parameters change
	forces  []forced    // generalized forces of freedoms
	lambdas []placed    // multipliers, and numbers of flywheels
	rows    []placedRow // equations
	legs    []legOf
	loads   []loadOf
	time    chain.Num    // time of the state; none if nothing depends on it
	total   [2]chain.Vec // total wrench of a joint on the successor: moment and force

	darm    []spatial.Vec3 // changes of the arms of the ports (setTangents)
	tangent bodyTangent    // scratch, of one body
	kin     mechanism.JointKinematics
	rel     []relation // joints of the part: one, or one for each leg of a coupling
	own     []ownPart  // parts with derivatives of their own, without a record
}

// want are bits that select what is recorded of a part.
type want uint8

const (
	wantDelta       want = 1 << iota // position errors of rows
	wantRate                         // their rates
	wantSecond                       // the rows at the level of accelerations
	wantForce                        // wrenches on the bodies
	wantCoordinates                  // coordinates, with their rates and accelerations if these are wanted
	wantAll         = wantDelta | wantRate | wantSecond | wantForce | wantCoordinates
)

// numbered is a number that a parameter changes, with its index in direction.scalars.
type numbered struct {
	node chain.Num
	at   int32
}

// forced is the generalized force of a freedom.
type forced struct {
	node    chain.Num
	freedom int8
}

// placed is a multiplier, or the number of a flywheel, with its index in the solution.
type placed struct {
	node chain.Num
	at   int32
	sign float64 // the node is sign times the entry of the solution
}

// placedRow is an equation with its indices in right sides. second, rate and delta are its residuals at the levels of acceleration,
// velocity and position, none where it has no such level.
type placedRow struct {
	at, plain           int32 // in the dynamics; and in the system without flywheels, −1 if it is not there
	second, rate, delta chain.Num
}

// legOf is the wrench of a coupling along a freedom of a joint, a part of the total wrench of that joint.
type legOf struct {
	joint         int
	moment, force chain.Vec
}

// loadOf is a reaction that friction grows with: leaf is the number that friction depends on, load the same reaction as a function of the
// multipliers.
type loadOf struct {
	bearing    int32
	leaf, load chain.Num
}

// begin starts the record of part number, and forgets the part before.
func (b *builder) begin(number int) {
	b.c.Reset()
	b.number = number
	b.ports, b.numbers, b.forces, b.lambdas = b.ports[:0], b.numbers[:0], b.forces[:0], b.lambdas[:0]
	b.rows, b.legs, b.loads, b.rel, b.own = b.rows[:0], b.legs[:0], b.loads[:0], b.rel[:0], b.own[:0]
	b.time = none
	b.total = [2]chain.Vec{none, none}
}

// scalar adds the number s of the part with the value x, as a number that a parameter changes if there is such a parameter.
func (b *builder) scalar(s slot, x float64) chain.Num {
	n := b.c.Num(x)
	if at := b.d.scalarAt(b.number, s); at >= 0 {
		b.numbers = append(b.numbers, numbered{n, at})
	}
	return n
}

// now returns the time as a node.
func (b *builder) now() chain.Num {
	if b.time < 0 {
		b.time = b.c.Num(b.d.st.Time)
	}
	return b.time
}

// multiplier adds the multiplier λ at index at of the solution, which holds −λ.
func (b *builder) multiplier(at int32) chain.Num {
	n := b.c.Num(-b.x[at])
	b.lambdas = append(b.lambdas, placed{n, at, -1})
	return n
}

// pull sets the tangents of all leaves of the part for a direction, and computes the tangents of all nodes. dx has the changes of
// accelerations and multipliers; nil: they are held.
func (b *builder) pull(in *direction, dx []float64) {
	c := &b.c
	c.ClearTangents()
	b.darm = b.darm[:0]
	for i := range b.ports {
		p := &b.ports[i]
		var t *bodyTangent
		var f *FrameChange
		if p.body >= 0 {
			b.d.tangentTo(&b.tangent, in, dx, p.body)
			t = &b.tangent
		}
		if p.frame >= 0 && in.frames != nil {
			f = &in.frames[p.frame]
		}
		b.setTangents(p, t, f)
	}
	for _, n := range b.numbers {
		c.SetTangent1(n.node, in.scalars[n.at])
	}
	if in.forces != nil {
		for _, n := range b.forces {
			c.SetTangent1(n.node, in.forces[b.number][n.freedom])
		}
	}
	if b.time >= 0 {
		c.SetTangent1(b.time, in.time)
	}
	if dx != nil {
		for _, n := range b.lambdas {
			c.SetTangent1(n.node, n.sign*dx[n.at])
		}
	}
	for _, n := range b.loads {
		c.SetTangent1(n.leaf, in.bearings[n.bearing])
	}
	for i := range b.own {
		b.own[i].pull(b, in, dx)
	}
	c.Forward()
}

// gather adds to r the change of the residual of (D1) by the part, from the tangents of pull.
func (b *builder) gather(r []float64) {
	c := &b.c
	for i := range b.ports {
		p := &b.ports[i]
		if p.body < 0 {
			continue
		}
		m, f := b.wrenchTangent(p, &b.darm[i])
		b.d.bodies[p.body].gather(r[6*p.body:][:6], &m, &f)
	}
	for _, n := range b.rows {
		if n.second >= 0 {
			r[n.at] += c.Tangent1(n.second)
		}
	}
	for i := range b.own {
		b.own[i].gather(b, r)
	}
}

// back is the transpose of pull and gather. It adds to out the cotangents of all leaves, for the cotangent y of the residual and for
// cotangents that were added to nodes before. It adds to dx, unless dx is nil, the cotangents of accelerations and multipliers.
func (b *builder) back(out *direction, y, dx []float64) {
	c := &b.c
	b.darm = b.darm[:0]
	for i := range b.ports {
		p := &b.ports[i]
		var darm spatial.Vec3
		if p.body >= 0 && y != nil {
			var t bodyTangent
			b.d.bodies[p.body].spread(&t, y[6*p.body:][:6])
			darm = b.seed(p, &t)
		}
		b.darm = append(b.darm, darm)
	}
	if y != nil {
		for _, n := range b.rows {
			if n.second >= 0 {
				c.AddAdjoint1(n.second, y[n.at])
			}
		}
	}
	for i := range b.own {
		b.own[i].back(b, out, y, dx)
	}
	c.Backward() // from the loads and rows above to the leaves
	for i := range b.ports {
		p := &b.ports[i]
		var t *bodyTangent
		var f *FrameChange
		if p.body >= 0 {
			t = &b.tangent
			*t = bodyTangent{}
		}
		if p.frame >= 0 && out.frames != nil {
			f = &out.frames[p.frame]
		}
		b.adjoints(p, t, f, b.darm[i])
		if t != nil {
			b.d.addTangent(out, dx, p.body, t)
		}
	}
	for _, n := range b.numbers {
		out.scalars[n.at] += c.Adjoint1(n.node)
	}
	if out.forces != nil {
		for _, n := range b.forces {
			out.forces[b.number][n.freedom] += c.Adjoint1(n.node)
		}
	}
	if b.time >= 0 {
		out.time += c.Adjoint1(b.time)
	}
	if dx != nil {
		for _, n := range b.lambdas {
			dx[n.at] += n.sign * c.Adjoint1(n.node)
		}
	}
	for _, n := range b.loads {
		out.bearings[n.bearing] += c.Adjoint1(n.leaf)
	}
}

// weigh adds w to the cotangent of v. The node none has no cotangent.
func (b *builder) weigh(v chain.Vec, w spatial.Vec3) {
	if v >= 0 {
		b.c.AddAdjoint(v, w)
	}
}
