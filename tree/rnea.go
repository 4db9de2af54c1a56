package tree

import "github.com/rung-mbd/rung/spatial"

// InverseTo stores in tau the generalized forces that, in addition to the loads of the mechanism, give the tree the accelerations qdd:
// τ = H·q̈ + C by the recursive Newton-Euler algorithm (RBDA Table 5.1). A nil qdd stands for zeros, so that tau is C. Gravity, force
// elements and the drives of all joints, loop joints too, are in C (C − τᵃ of RBDA Table 8.3).
//
// Shapes: tau and qdd have NumDof entries; they may be the same.
// Cost: O(links), no allocation.
// It panics on a length mismatch or without a state in use.
func (w *Workspace) InverseTo(tau, qdd []float64) {
	w.mustBeReady()
	if len(tau) != w.plan.nv || qdd != nil && len(qdd) != w.plan.nv {
		panic("tree: length mismatch")
	}
	// Outward: a_i = X·a_λ + c_i + S·q̈ and f_i = I·a_i − fˣ_i.
	w.accelerate(qdd)
	p := w.plan
	for i := range p.consts {
		w.inertialForceTo(&w.wr[i], i)
	}
	// Inward: τ_i = Sᵀf_i and f_λ += X*·f_i.
	for i := len(p.consts) - 1; i >= 0; i-- {
		l, f := &p.Links[i], &w.wr[i]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			x := w.s[d].Dot(f)
			if p.rotors != nil && qdd != nil {
				x += p.rotors[d] * qdd[d]
			}
			tau[d] = x
		}
		if l.Parent != World {
			addShifted(&w.wr[l.Parent], f, &w.links[i].r)
		}
	}
}

// inertialForceTo stores in f the force that link i alone needs through its joint for its acceleration a: diag(I, m·1)·a less its loads.
func (w *Workspace) inertialForceTo(f *spatial.Force, i int) {
	c, a := &w.plan.consts[i], &w.links[i].a
	I, fx := &w.kin.I[c.body], &w.force[c.body]
	f[0] = I[0]*a[0] + I[3]*a[1] + I[4]*a[2] - fx[0]
	f[1] = I[3]*a[0] + I[1]*a[1] + I[5]*a[2] - fx[1]
	f[2] = I[4]*a[0] + I[5]*a[1] + I[2]*a[2] - fx[2]
	f[3] = c.mass*a[3] - fx[3]
	f[4] = c.mass*a[4] - fx[4]
	f[5] = c.mass*a[5] - fx[5]
}

// addShifted adds to dst the force f, whose reference point is at r from the reference point of dst: (n + r×f, f).
func addShifted(dst, f *spatial.Force, r *spatial.Vec3) {
	dst[0] += f[0] + (r[1]*f[5] - r[2]*f[4])
	dst[1] += f[1] + (r[2]*f[3] - r[0]*f[5])
	dst[2] += f[2] + (r[0]*f[4] - r[1]*f[3])
	dst[3] += f[3]
	dst[4] += f[4]
	dst[5] += f[5]
}
