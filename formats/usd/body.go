package usd

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// water is the default density of shapes, kg/m³.
const water = 1000

// stated has the mass properties that a prim states, in units of the stage.
type stated struct {
	mass, density float64       // 0: not stated
	com           *spatial.Vec3 // in the prim's frame, before its scale; nil: not stated
	inertia       *spatial.Sym3 // about the centre of mass, axes of the prim; nil: not stated
}

// massOf reads the mass properties that a prim states. Default values of the schema count as not stated.
func (r *reader) massOf(p *prim) (s stated) {
	for _, x := range [...]struct {
		name string
		to   *float64
	}{{"physics:mass", &s.mass}, {"physics:density", &s.density}} {
		if *x.to = r.finite(p, x.name, 0); *x.to < 0 {
			r.bad(p.prop(x.name), fmt.Sprintf("is negative, %g", *x.to))
		}
	}
	if x, v := r.get(p, "physics:centerOfMass"); v != nil && !(len(v.nums) == 3 && math.IsInf(v.nums[0], -1)) {
		if c := r.numbers(p, x.name, 3); c != nil {
			s.com = (*spatial.Vec3)(c)
		}
	}
	d := r.numbers(p, "physics:diagonalInertia", 3)
	if d == nil || spatial.Vec3(d) == (spatial.Vec3{}) {
		return s
	}
	I := spatial.Diag3(d[0], d[1], d[2])
	if v := r.numbers(p, "physics:principalAxes", 4); v != nil && spatial.Quat(v) != (spatial.Quat{}) {
		if q, ok := r.quaternion(p, "physics:principalAxes"); ok {
			I = I.Rotate(q.Mat())
		}
	}
	s.inertia = &I
	return s
}

// body completes link i: its mass properties, as stated or derived from its shapes, and its velocity.
func (r *reader) body(i int) {
	b, l := &r.bodies[i], &r.a.Links[i]
	p := b.node.p
	r.velocity(b, l)
	s := r.massOf(p)
	r.between(p, p)
	if l.Ground {
		return // the ground needs no mass
	}
	var m mesh.Moments
	if s.mass == 0 || s.com == nil || s.inertia == nil {
		var ok bool
		if m, ok = r.derived(b, s); !ok {
			return
		}
	}
	if s.mass > 0 {
		if m.Mass > 0 {
			m.Inertia = m.Inertia.Scale(s.mass / m.Mass)
		}
		m.Mass = s.mass
	}
	if s.inertia != nil {
		m.Inertia = *s.inertia
	}
	if s.com != nil {
		m.Com = times(b.scale, *s.com)
		if s.inertia == nil {
			r.report.Change(p, "inertia of "+fault.Name(p.name), "the centre of mass is stated, and the inertia is that of the shapes",
				"it counts about the stated centre")
		}
	}
	l.Mass, l.Com, l.Inertia = m.Mass*r.mass, m.Com.Scale(r.length), m.Inertia.Scale(r.mass*r.length*r.length)
}

// times returns the products of the entries of a and b.
func times(a, b spatial.Vec3) spatial.Vec3 {
	return spatial.Vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]}
}

// between refuses masses of prims within p that are neither bodies nor shapes, and reports colliders without a shape.
func (r *reader) between(p, body *prim) {
	for _, c := range p.children {
		n := r.nodes[c]
		if n == nil || c.has("PhysicsRigidBodyAPI") {
			continue
		}
		if x := c.prop("physics:mass"); x != nil && x.value != nil && !isShape(c.kind) {
			if r.finite(c, "physics:mass", 0) != 0 {
				r.bad(x, "is that of a prim that is neither a body nor a shape, which is not read")
			}
		}
		if c.has("PhysicsCollisionAPI") && !isShape(c.kind) {
			c.class = source.Dropped
			r.report.Drop(c, "collider "+fault.Name(c.name), "it is no shape that is read",
				"it gives its body "+fault.Name(body.name)+" no mass")
		}
		r.between(c, body)
	}
}

// derived returns the mass properties of the shapes of a body, in its frame and in units of the stage. It refuses a body without
// such shapes, with the properties that are not stated, and returns false.
func (r *reader) derived(b *body, s stated) (mesh.Moments, bool) {
	p := b.node.p
	missing := ""
	for _, x := range [...]struct {
		name string
		not  bool
	}{{"mass", s.mass == 0}, {"centre of mass", s.com == nil}, {"inertia", s.inertia == nil}} {
		if x.not {
			if missing != "" {
				missing += ", "
			}
			missing += x.name
		}
	}
	// The centre of mass of a body without shapes is its origin.
	if len(b.colliders) == 0 && s.mass > 0 && s.inertia != nil {
		return mesh.Moments{}, true
	}
	var sum assembly.Link
	good := true
	for _, n := range b.colliders {
		m, err := r.part(b, n)
		if err != nil {
			r.report.Refuse(n.p, "the mass of shape "+fault.Name(n.p.name), fault.Plain(err).Error())
			good = false
			continue
		}
		n.p.class = source.Used
		sum.Add(&assembly.Link{Mass: m.Mass, Com: m.Com, Inertia: m.Inertia}, assembly.Identity())
	}
	if good && !(sum.Mass > 0) {
		r.report.Refuse(p, "body "+fault.Name(p.name),
			"does not state its "+missing+", and has no shapes with PhysicsCollisionAPI that give it one")
		return mesh.Moments{}, false
	}
	if good {
		r.report.Note(p, "body "+fault.Name(p.name), "its "+missing+" are those of its shapes")
	}
	return mesh.Moments{Mass: sum.Mass, Com: sum.Com, Inertia: sum.Inertia}, good
}

// part returns the mass properties of shape n in the frame of its body, as stated or derived from the shape.
func (r *reader) part(b *body, n *node) (mesh.Moments, error) {
	inv := b.frame.Inverse()
	rel := affine{A: inv.Q.Mat(), t: inv.R}.mul(n.world)
	var s stated
	if n.p != b.node.p {
		s = r.massOf(n.p)
	}
	var m mesh.Moments
	if s.mass == 0 || s.com == nil || s.inertia == nil {
		var err error
		if m, err = r.moments(n.p); err != nil {
			return m, err
		}
		m = rel.apply(m)
	}
	rho := 1.0
	switch {
	case s.mass == 0:
		rho = r.density(n.p, b.node.p)
	case m.Mass > 0:
		rho = s.mass / m.Mass
	}
	m.Mass, m.Inertia = m.Mass*rho, m.Inertia.Scale(rho)
	if s.mass > 0 {
		m.Mass = s.mass
	}
	if s.com != nil {
		m.Com = rel.A.MulVec(*s.com).Add(rel.t)
	}
	if s.inertia != nil {
		x, _, ok := rel.rigid()
		if !ok {
			return m, fmt.Errorf("formats/usd: its inertia is stated in a frame that is sheared, mirrored or flat")
		}
		m.Inertia = s.inertia.Rotate(x.Q.Mat())
	}
	return m, nil
}

// density returns the density of shape p, in units of the stage. It is stated by the nearest prim from p up to its body, or else by the
// material that is bound to p or to the nearest prim above. Without either it is the density of water, with a note.
func (r *reader) density(p, body *prim) float64 {
	for q := p; q != nil; q = q.parent {
		if d := r.finite(q, "physics:density", 0); d > 0 {
			return d
		}
		if q == body {
			break
		}
	}
	for q := p; q != nil; q = q.parent {
		for _, name := range [...]string{"material:binding:physics", "material:binding"} {
			if q.prop(name) == nil {
				continue
			}
			if m, ok := r.target(q, name); ok && m != nil {
				if d := r.finite(m, "physics:density", 0); d > 0 {
					m.class = source.Used
					return d
				}
			}
		}
	}
	r.report.Note(p, "shapes do not say their density", fmt.Sprintf("it is that of water, %d kg/m³", water))
	return water * r.length * r.length * r.length / r.mass
}

// velocity reads the velocity of a body: of its origin, in units of the stage, and the angular one in degrees per second, both in
// axes of the parent prim, as for the transformation. A kinematic body becomes ground.
func (r *reader) velocity(b *body, l *assembly.Link) {
	p := b.node.p
	v, w := r.numbers(p, "physics:velocity", 3), r.numbers(p, "physics:angularVelocity", 3)
	moves := false
	for _, x := range [...][]float64{v, w} {
		moves = moves || x != nil && spatial.Vec3(x) != (spatial.Vec3{})
	}
	if r.truth(p, "physics:kinematicEnabled", false) {
		l.Ground = true
		r.report.Note(p, "kinematic bodies", "are part of the ground")
		if moves {
			for _, name := range [...]string{"physics:velocity", "physics:angularVelocity"} {
				if x := p.prop(name); x != nil {
					x.class = source.Dropped
				}
			}
			r.report.Drop(p, "velocity of "+fault.Name(p.name), "kinematic bodies stand still", "")
		}
		return
	}
	if !moves {
		return
	}
	outer, s := assembly.Identity(), spatial.Vec3{1, 1, 1}
	if up := r.nodes[p.parent]; up != nil && !b.reset {
		var ok bool
		if outer, s, ok = up.world.rigid(); !ok {
			r.report.Refuse(p, "velocity of "+fault.Name(p.name), "is in a frame that is sheared, mirrored or flat")
		}
	}
	if v != nil {
		l.Linear = outer.Dir(times(s, spatial.Vec3(v))).Scale(r.length)
	}
	if w != nil {
		l.Angular = outer.Dir(spatial.Vec3(w)).Scale(math.Pi / 180)
	}
	if q := outer.Q.Conj().Mul(b.frame.Q); math.Abs(q[0]) < 1-orthogonal {
		r.report.Note(p, "velocities of bodies that are turned", "are along the axes of what the body stands in")
	}
}
