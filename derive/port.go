package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// none is the index of a node, frame or row that does not exist.
const none = -1

// port is a frame, in a body or in the world, at which a part of the mechanism acts.
type port struct {
	body  int32
	frame int32        // index in direction.frames, −1 if no parameter can change it
	arm   spatial.Vec3 // from the origin of the body's frame to its own, world axes
	E     spatial.Mat3 // axes of the body; the unit matrix for the world

	axes chain.Frame // axes of the frame, world axes as the vectors below
	p    chain.Vec   // position of its origin, relative to a point near the joint
	w, v chain.Vec   // angular velocity of the body, velocity of the origin
	al   chain.Vec   // angular acceleration of the body
	a    chain.Vec   // acceleration of the origin

	moment, force chain.Vec // wrench on the body about its origin, or none
}

// place records a frame f of a body. frame is its index in direction.frames. ref is the body relative to the origin of whose frame
// positions are taken, World for the origin of the world.
func (b *builder) place(f *mechanism.Frame, body, frame, ref int32) port {
	d := b.d
	p := port{body: body, frame: frame, moment: none, force: none, E: spatial.Identity3(), arm: f.Origin}
	axes := f.E
	var at, w, v, al, a spatial.Vec3
	if ref >= 0 {
		at = d.st.Bodies[ref].Position.Neg()
	}
	if body >= 0 {
		k := &d.bodies[body]
		p.E = k.E
		axes = k.E.Mul(f.E)
		p.arm = k.E.MulVec(f.Origin)
		if at = (spatial.Vec3{}); ref != body {
			at = d.st.Bodies[body].Position
			if ref >= 0 {
				at = at.Sub(d.st.Bodies[ref].Position)
			}
		}
		w, al = k.omega, k.alpha
		v = k.v.Add(w.Cross(p.arm))
		a = k.a.Add(al.Cross(p.arm)).Add(w.Cross(w.Cross(p.arm)))
	}
	c := &b.c
	for j := range 3 {
		p.axes[j] = c.Vec(axes.Col(j))
	}
	p.p, p.w, p.v, p.al, p.a = c.Vec(at.Add(p.arm)), c.Vec(w), c.Vec(v), c.Vec(al), c.Vec(a)
	return p
}

// act adds a wrench on the body of p about the origin of the frame.
func (b *builder) act(p *port, moment, force chain.Vec) {
	b.sum(&p.moment, moment)
	b.sum(&p.force, force)
}

// sum adds more to to; none counts as zero.
func (b *builder) sum(to *chain.Vec, more chain.Vec) {
	switch {
	case more < 0:
	case *to < 0:
		*to = more
	default:
		*to = b.c.Add(*to, more)
	}
}

// setTangents sets the tangents of the leaves of a port: t is the change of its body, nil for the world, and f the change of the frame in
// it, nil for none. It appends the change of the arm to b.darm.
func (b *builder) setTangents(p *port, t *bodyTangent, f *FrameChange) {
	c := &b.c
	w, al := c.Value(p.w), c.Value(p.al)
	x := frameTangentOf(&p.E, &p.arm, &w, &al, t, f)
	for _, e := range p.axes {
		c.SetTangent(e, x.phi.Cross(c.Value(e)))
	}
	c.SetTangent(p.p, x.p)
	c.SetTangent(p.w, x.w)
	c.SetTangent(p.v, x.v)
	c.SetTangent(p.al, x.al)
	c.SetTangent(p.a, x.a)
	b.darm = append(b.darm, x.darm)
}

// wrenchTangent returns the change of the port's wrench about the origin of the body's frame, for the change darm of the arm.
func (b *builder) wrenchTangent(p *port, darm *spatial.Vec3) (moment, force spatial.Vec3) {
	c := &b.c
	if p.moment >= 0 {
		moment = c.Tangent(p.moment)
	}
	if p.force >= 0 {
		force = c.Tangent(p.force)
		moment = moment.Add(darm.Cross(c.Value(p.force))).Add(p.arm.Cross(force))
	}
	return moment, force
}

// seed is the transpose of wrenchTangent: it adds the cotangents t.moment and t.force to the port's wrench, and returns the cotangent of
// the arm.
func (b *builder) seed(p *port, t *bodyTangent) (darm spatial.Vec3) {
	c := &b.c
	if p.moment >= 0 {
		c.AddAdjoint(p.moment, t.moment)
	}
	if p.force >= 0 {
		c.AddAdjoint(p.force, t.force.Add(t.moment.Cross(p.arm)))
		darm = c.Value(p.force).Cross(t.moment)
	}
	return darm
}

// adjoints is the transpose of setTangents: it adds to t, and to f unless f is nil, their cotangents for the cotangents of the leaves and
// darm of the arm.
func (b *builder) adjoints(p *port, t *bodyTangent, f *FrameChange, darm spatial.Vec3) {
	c := &b.c
	var phi spatial.Vec3
	for _, x := range p.axes {
		phi = phi.Add(c.Value(x).Cross(c.Adjoint(x)))
	}
	at, v, a := c.Adjoint(p.p), c.Adjoint(p.v), c.Adjoint(p.a)
	w, al := c.Value(p.w), c.Value(p.al)
	addFrameAdjoint(&p.E, &p.arm, &w, &al, &frameTangent{
		phi: phi, darm: darm, p: at, v: v, a: a, w: c.Adjoint(p.w), al: c.Adjoint(p.al),
	}, t, f)
}

// frameTangent is the change of a frame in a body: the rotation phi of its axes, the change darm of its arm, and the changes of position,
// velocities and accelerations as in port.
type frameTangent struct {
	phi, darm, p, w, v, al, a spatial.Vec3
}

// frameTangentOf returns the change of a frame at an arm in a body with the axes E, the angular velocity w and the angular acceleration al.
// t is the change of the body, nil for the world, and f the change of the frame in it, nil for none.
func frameTangentOf(E *spatial.Mat3, arm, w, al *spatial.Vec3, t *bodyTangent, f *FrameChange) (x frameTangent) {
	if t != nil {
		x.phi, x.darm, x.p = t.phi, t.phi.Cross(*arm), t.r
	}
	if f != nil && *f != (FrameChange{}) {
		x.phi = x.phi.Add(E.MulVec(f.Turn))
		x.darm = x.darm.Add(E.MulVec(f.Origin))
	}
	x.p = x.p.Add(x.darm)
	if t == nil {
		return x
	}
	x.w, x.al = t.w, t.al
	x.v = t.v.Add(t.w.Cross(*arm)).Add(w.Cross(x.darm))
	x.a = t.a.Add(t.al.Cross(*arm)).Add(al.Cross(x.darm))
	x.a = x.a.Add(t.w.Cross(w.Cross(*arm))).Add(w.Cross(t.w.Cross(*arm))).Add(w.Cross(w.Cross(x.darm)))
	return x
}

// addFrameAdjoint is the transpose of frameTangentOf: it adds to t and f, which may be nil, their cotangents for the cotangents x of the
// frame.
func addFrameAdjoint(E *spatial.Mat3, arm, w, al *spatial.Vec3, x *frameTangent, t *bodyTangent, f *FrameChange) {
	darm := x.darm.Add(x.p).Add(x.v.Cross(*w)).Add(x.a.Cross(*al)).Add(w.Cross(w.Cross(x.a)))
	if f != nil {
		f.Turn = f.Turn.Add(E.TMulVec(x.phi))
		f.Origin = f.Origin.Add(E.TMulVec(darm))
	}
	if t == nil {
		return
	}
	t.phi = t.phi.Add(x.phi).Add(arm.Cross(darm))
	t.r = t.r.Add(x.p)
	t.v = t.v.Add(x.v)
	t.a = t.a.Add(x.a)
	t.al = t.al.Add(x.al).Add(arm.Cross(x.a))
	t.w = t.w.Add(x.w).Add(arm.Cross(x.v)).Add(w.Cross(*arm).Cross(x.a)).Add(arm.Cross(x.a.Cross(*w)))
}
