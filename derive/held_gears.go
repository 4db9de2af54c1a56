package derive

import (
	"github.com/rung-mbd/rung/spatial"
)

// Armature I adds gᵀ·I·q̈ to a residual of Hold, with the row g of its freedom: the system with flywheels has unknowns that implicit steps
// do not have. To the residual for a change a of velocities it adds gᵀ·I·g·a, which is gᵀ·I·q̈ of bodies at rest with the accelerations a.

// heldGears returns the joints whose armature the residual contains; a projection has none.
func (d *Derivatives) heldGears() []int32 {
	if d.held.projected.active {
		return nil
	}
	return d.mech.Geared()
}

// gearsTo adds to r the change of the armature's part of the residual along u, with the changes dx of accelerations; nil: they are held.
func (d *Derivatives) gearsTo(r []float64, u *direction, dx []float64) {
	for _, j := range d.heldGears() {
		saved := d.stop(int(j))
		if d.b.gears(int(j)) {
			d.b.pull(u, dx)
			d.b.gather(r)
		}
		d.resume(int(j), &saved)
	}
}

// gearsBack is the transpose of gearsTo: it adds cotangents to g and dx for the cotangent load of r at the bodies.
func (d *Derivatives) gearsBack(g *Gradient, dx, load []float64) {
	for _, j := range d.heldGears() {
		saved := d.stop(int(j))
		if d.b.gears(int(j)) {
			d.b.back(&g.direction, load, dx)
		}
		d.resume(int(j), &saved)
	}
}

// stop sets the velocities of the bodies of joint j to zero if the residual is HeldRates. It returns the successor and the predecessor as
// they were.
func (d *Derivatives) stop(j int) (saved [2]bodyAt) {
	jt := &d.mech.Joints[j]
	for side, i := range [2]int32{jt.Succ, jt.Pred} {
		if i < 0 || d.held.kind != HeldRates {
			continue
		}
		b := &d.bodies[i]
		saved[side] = *b
		b.omega, b.v = spatial.Vec3{}, spatial.Vec3{}
		b.a = b.c.Sub(b.alpha.Cross(b.k))
	}
	return saved
}

// resume restores the bodies that stop has changed.
func (d *Derivatives) resume(j int, saved *[2]bodyAt) {
	jt := &d.mech.Joints[j]
	for side, i := range [2]int32{jt.Succ, jt.Pred} {
		if i >= 0 && d.held.kind == HeldRates {
			d.bodies[i] = saved[side]
		}
	}
}

// gears records the forces −I·q̈ of the armature of joint j and nothing else, and reports whether there are any. With HeldRates prescribed
// freedoms have none: their rates do not change. With HeldDynamics they have one, as the multipliers of implicit steps do not contain it.
func (b *builder) gears(j int) bool {
	b.begin(j)
	b.reserve(2, 1)
	b.want = wantSecond | wantForce
	r := b.relation(j)
	if b.d.held.kind == HeldRates {
		r.qd = [6]float64{}
	}
	b.setFreedoms(r)
	some := false
	for i, I := range r.joint.Armature {
		if I == 0 || b.d.held.kind == HeldRates && r.joint.Prescribed(i) {
			continue
		}
		some = true
		f := &r.freedoms[i]
		inertia := b.scalar(slot{kind: slotArmature, freedom: uint8(i)}, I)
		b.push(r, &f.line, b.c.Times1(-1, b.c.Mul(inertia, f.qdd)))
	}
	return some
}
