package derive

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// BodiesTo stores in dst the derivatives of an output by the loads on all bodies, their masses, centres of mass and inertias, at a given
// state: the part of the gradient of AdjointTo that needs no sweep over the joints, theory.md (D9). The numbers of the state in dst are
// zero.
//
// Shapes: dst has an entry a body. Cost: a refined solve and O(bodies), and the joints that w has weights on; no allocation after the first
// time. Errors are those of AdjointTo, and ErrNoDerivatives where friction grows with a reaction. It panics without At, if w is of others
// or on a length mismatch.
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
		b, y := &d.bodies[i], (*[6]float64)(g.y[6*i:])
		for k, x := range y {
			y[k] = -x
		}
		u := BodyDirection{Com: g.bodies[i].Com}
		var t bodyTangent
		var gravity spatial.Vec3
		b.addResidualAdjoint(&u, &t, &d.mech.Gravity, &gravity, y[:])
		// What the rows make of the acceleration of the origin: −Jᵀμ = M·u − x̄.
		for k := range 3 {
			t.a[k] = -b.mass*y[3+k] - g.x[6*i+3+k]
		}
		b.addAdjoint(&u, nil, &t)
		dst[i] = BodyDirection{Force: u.Force, Torque: u.Torque, Mass: u.Mass, Com: u.Com, Inertia: u.Inertia}
	}
	return nil
}
