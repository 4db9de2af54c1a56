package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/joints"
)

// typeRows adds the rows of the joint's type, without prescribed freedoms, in the order of joints.Spec.EvalTo.
func (b *builder) typeRows(r *relation) []row {
	p, z := r.P.axes, r.P.axes[2]
	force := func(k int) { b.row(forceAlong(p[k]), b.c.Dot(p[k], r.R)) }
	across := func() { // moments about x and y, for axes z in line
		b.row(momentAbout(p[0]), b.c.Times1(-1, b.c.Dot(r.S.axes[2], p[1])))
		b.row(momentAbout(p[1]), b.c.Dot(r.S.axes[2], p[0]))
	}
	b.list = b.list[:0]
	switch r.joint.Kind.Type() {
	case joints.Fixed:
		b.turned(r)
		for k := range 3 {
			force(k)
		}
	case joints.Revolute:
		force(0)
		force(1)
		force(2)
		across()
	case joints.Prismatic:
		b.turned(r)
		force(0)
		force(1)
	case joints.Cylindrical, joints.Helical:
		force(0)
		force(1)
		across()
		if r.joint.Kind == joints.Helical {
			b.screw(r)
		}
	case joints.Universal:
		force(0)
		force(1)
		force(2)
		b.rightAngle(r)
	case joints.Planar:
		force(2)
		across()
	case joints.Spherical:
		force(0)
		force(1)
		force(2)
	case joints.SphereInCylinder:
		force(0)
		force(1)
	case joints.PointOnPlane:
		b.row(forceAlong(z), b.c.Dot(z, r.R))
	case joints.Distance:
		b.distance(r)
	default:
		b.special(r)
	}
	return b.list
}

// special adds the rows of the types of joints that bend (joints.Kind.Bends), with their rates.
func (b *builder) special(r *relation) {
	switch r.joint.Kind.Type() {
	case joints.NoSlip:
		b.noSlip(r)
	case joints.Rolling:
		b.rolling(r)
	case joints.PointOnCurve:
		b.bead(r)
	case joints.CurveOnCurve:
		b.touch(r)
	case joints.Composite:
		b.composite(r)
	}
}

// setFreedoms adds the freedoms of a joint with their coordinates.
func (b *builder) setFreedoms(r *relation) {
	c, p := &b.c, r.P.axes
	n := r.joint.Kind.Freedoms()
	set := func(i int, l line, q chain.Num) { r.freedoms[i] = freedom{line: l, q: q} }
	slide := func(i, k int) { set(i, forceAlong(p[k]), b.shifted(c.Dot(p[k], r.R), r.q[i])) }
	ball := func() {
		for k := range 3 {
			set(k, momentAbout(p[k]), none)
		}
	}
	switch r.joint.Kind.Type() {
	case joints.Revolute, joints.Helical:
		set(0, momentAbout(p[2]), b.angle(r, r.q[0]))
	case joints.Prismatic:
		slide(0, 2)
	case joints.Cylindrical:
		set(0, momentAbout(p[2]), b.angle(r, r.q[0]))
		slide(1, 2)
	case joints.Universal:
		y, z := r.S.axes[1], r.S.axes[2]
		set(0, momentAbout(p[0]), b.turn(r.q[0], c.Dot(y, p[2]), c.Dot(y, p[1])))
		set(1, momentAbout(y), b.turn(r.q[1], c.Dot(z, p[0]), c.Dot(r.S.axes[0], p[0])))
	case joints.Planar:
		set(0, momentAbout(p[2]), b.angle(r, r.q[0]))
		slide(1, 0)
		slide(2, 1)
	case joints.Spherical:
		ball()
	case joints.SphereInCylinder:
		ball()
		slide(3, 2)
	case joints.Composite, joints.PointOnCurve, joints.CurveOnCurve:
		if n > 0 {
			b.specialFreedoms(r)
		}
	}
	for i := range n {
		f := &r.freedoms[i]
		f.rotation, f.force = r.joint.Kind.Rotational(i), none
		if f.qdd = b.second(r, &f.line); r.joint.Kind.Type() != joints.Composite { // specialFreedoms has set the rates of these
			f.qd = b.rate(r, &f.line)
		}
	}
}

// specialFreedoms is the part of setFreedoms for types whose rows define their freedoms: it records the rows without adding them.
func (b *builder) specialFreedoms(r *relation) {
	if !r.settled {
		list := b.list
		b.list = nil
		b.special(r)
		b.list = list
	}
}
