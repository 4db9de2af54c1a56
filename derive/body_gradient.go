package derive

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// BodiesTo stores in dst the derivatives of the output w at the state of At by the loads on all bodies, their masses, centres of mass and
// inertias: the part of the gradient of AdjointTo that needs no sweep over the joints, theory.md (D9). The entries of dst for the state are
// zero.
//
// Shapes: dst has an entry a body. Cost: a refined solve, O(bodies), and the joints on which w has weights; it allocates at the first call
// only. It returns the errors of AdjointTo, and ErrNoDerivatives where friction grows with a reaction. It panics without At, on a length
// mismatch, or if w belongs to other Derivatives.
func (d *Derivatives) BodiesTo(dst []BodyDirection, w *Weights) error {
	d.enter()
	defer d.guard.Leave()
	d.mustBeReady()
	if w.d != d {
		panic("derive: foreign weights")
	}
	if len(dst) != len(d.bodies) {
		panic("derive: length mismatch")
	}
	if n := d.mech.NumBearings(); n > 0 {
		return d.mech.AtJoint(d.mech.Bearing(0), -1, fault.Errorf("%w: friction that grows with a reaction takes AdjointTo", ErrNoDerivatives))
	}
	if err := d.determined(w); err != nil {
		return err
	}
	if err := d.setCarried(); err != nil {
		return err
	}
	if d.scratch == nil || d.scratch.versions != d.versions {
		d.scratch = d.NewGradient()
	}
	g := d.scratch
	g.clear()
	if err := d.seedOutputs(g, w); err != nil {
		return err
	}
	if err := d.answerAdjoint(g); err != nil {
		return err
	}
	for i := range d.bodies {
		d.bodies[i].gradientTo(&dst[i], (*[6]float64)(g.y[6*i:]), (*[6]float64)(g.x[6*i:]), &d.mech.Gravity)
		if g.used {
			dst[i].Com = dst[i].Com.Add(g.bodies[i].Com)
		}
	}
	return nil
}

// gradientTo stores in u the derivatives by the loads, mass, centre of mass and inertia of the body. y is its part of the solution of (D2),
// and x its part of x̄. The derivatives follow from (D8), and from the cotangent (D9) of the acceleration of the frame's origin.
func (b *bodyAt) gradientTo(u *BodyDirection, y, x *[6]float64, gravity *spatial.Vec3) {
	m, f := vec{-y[0], -y[1], -y[2]}, vec{-y[3], -y[4], -y[5]} // −y, as the gradient is −(∂r)ᵀy
	w, al, lift := vecOf(&b.omega), vecOf(&b.alpha), vecOf(&b.c).sub(vecOf(gravity))
	*u = BodyDirection{Force: f.scale(-1).vec3(), Torque: m.scale(-1).vec3(), Mass: lift.dot(f)}
	a := f.scale(-b.mass).sub(vec{x[3], x[4], x[5]}) // the cotangent of (D9)
	// com moves k: the moment δk×m(c̈ − g), (D8), and the change of ö, (D7).
	lift.scale(b.mass).cross(m).sub(a.cross(al)).sub(w.cross(w.cross(a))).within(&b.E).addTo(&u.Com)
	// m·δI·ω̇ + m·(ω×δI·ω)
	addOuter(&u.Inertia, al.within(&b.E), m.within(&b.E))
	addOuter(&u.Inertia, w.within(&b.E), m.cross(w).within(&b.E))
}
