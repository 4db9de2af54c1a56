package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// builder records one part of the mechanism after the other: a joint with all that acts along its freedoms, a coupling, a force element.
type builder struct {
	d *Derivatives
	c chain.Chain
	x []float64 // accelerations, then multipliers with their signs changed
	// bare leaves out all but what multipliers do.
	bare bool
	want want
	// given is the direction that is built for: what it does not change may be left out; nil: everything counts.
	given *direction

	number  int         // of the part
	ports   []port      // of the part
	list    []row       // of rows
	numbers []numbered  // what parameters change
	forces  []forced    // generalized forces of freedoms
	lambdas []placed    // multipliers, and numbers of flywheels
	rows    []placedRow // equations
	legs    []legOf
	loads   []loadOf
	time    chain.Num // of the state; none where nothing depends on it
	total   [2]chain.Vec

	darm    []spatial.Vec3 // of the ports, by setTangents
	tangent bodyTangent    // of one body
	kin     mechanism.JointKinematics
	rel     []relation
	own     []ownPart
}

// want are bits of what of a part is recorded.
type want uint8

const (
	wantDelta       want = 1 << iota // position errors of rows
	wantRate                         // their rates
	wantSecond                       // the rows at the level of accelerations
	wantForce                        // what acts on the bodies
	wantCoordinates                  // coordinates, with what else is wanted of them
	wantAll         = wantDelta | wantRate | wantSecond | wantForce | wantCoordinates
)

// numbered is a number that a parameter changes, at its place among Directions.scalars.
type numbered struct {
	node chain.Num
	at   int32
}

// forced is the generalized force of a freedom.
type forced struct {
	node    chain.Num
	freedom int8
}

// placed is a multiplier, or the number of a flywheel, with its place in the solution.
type placed struct {
	node chain.Num
	at   int32
	sign float64 // of the leaf in terms of the solution
}

// placedRow is an equation with its place in the right side: its residual at the levels of acceleration, velocity and position, none
// where there is none.
type placedRow struct {
	at, plain           int32 // plain in the system without flywheels, −1 for none
	second, rate, delta chain.Num
}

// legOf is what a coupling does along a freedom of a joint, for the total wrench of the joint.
type legOf struct {
	joint         int
	moment, force chain.Vec
}

// loadOf is the reaction that friction grows with: the leaf that friction takes, and what multipliers make of it.
type loadOf struct {
	bearing    int32
	leaf, load chain.Num
}

// begin forgets the part before.
func (b *builder) begin(number int) {
	b.c.Reset()
	b.number = number
	b.ports, b.numbers, b.forces, b.lambdas = b.ports[:0], b.numbers[:0], b.forces[:0], b.lambdas[:0]
	b.rows, b.legs, b.loads, b.rel, b.own = b.rows[:0], b.legs[:0], b.loads[:0], b.rel[:0], b.own[:0]
	b.time = none
	b.total = [2]chain.Vec{none, none}
}

// scalar adds a number of the part: one that a parameter changes if there is one.
func (b *builder) scalar(s slot, x float64) chain.Num {
	n := b.c.Num(x)
	if at := b.d.scalarAt(b.number, s); at >= 0 {
		b.numbers = append(b.numbers, numbered{n, at})
	}
	return n
}

// now returns the time.
func (b *builder) now() chain.Num {
	if b.time < 0 {
		b.time = b.c.Num(b.d.st.Time)
	}
	return b.time
}

// multiplier adds λ at a place of the solution.
func (b *builder) multiplier(at int32) chain.Num {
	n := b.c.Num(-b.x[at])
	b.lambdas = append(b.lambdas, placed{n, at, -1})
	return n
}

// pull gives all leaves of the part their tangents for a direction, and computes those of all nodes. dx, if it is not nil, has the
// changes of accelerations and multipliers.
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

// gather adds to r the change of the residual of (D1) that pull has found.
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

// back adds to out the cotangents of all leaves, for those that have been added to nodes and for the cotangent y of the residual: the
// transpose of pull and gather. dx gets those of accelerations and multipliers; it may be nil.
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
	c.Backward()
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

// weigh adds a weight on a vector; none counts as zero.
func (b *builder) weigh(v chain.Vec, w spatial.Vec3) {
	if v >= 0 {
		b.c.AddAdjoint(v, w)
	}
}
