package tree

import "github.com/rung-mbd/rung/spatial"

// This file has products with the Jacobians of the links, by walks along their root paths.

// AddGeneralizedForceTo adds scale·Jᵀf to tau, with J the Jacobian of link i for the joints between the links i and stop. stop is an
// ancestor of link i, link i itself, or World for the whole path. The rows of a loop constraint (K of RBDA Table 8.4) are sums of such
// forces: for each column of T one on each body of the joint, with the nearest common ancestor as stop.
//
// Shapes: tau has NumDof entries; f is about the centre of mass of link i.
// Cost: O(links between i and stop), no allocation. It panics on a length mismatch, without a
// state in use or a force, or if i or stop is out of range.
func (w *Workspace) AddGeneralizedForceTo(tau []float64, i, stop int, f *spatial.Force, scale float64) {
	w.mustBeReady()
	w.plan.mustHaveLink(i)
	w.plan.mustHaveLink(stop)
	switch {
	case len(tau) != w.plan.nv:
		panic("tree: length mismatch")
	case f == nil:
		panic("tree: no force")
	}
	g := *f
	for i != stop {
		if i == World {
			panic("tree: path mismatch")
		}
		l := &w.plan.Links[i]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			tau[d] += scale * w.s[d].Dot(&g)
		}
		shiftForce(&g, &w.links[i].r)
		i = int(l.Parent)
	}
}

// JacobianTo stores in J the Jacobian of link i about the point at r from its centre of mass: the velocity about that point is Σ
// J[k]·q̇[k]. Entries outside the root path are zero.
//
// Shapes: J has NumDof entries; r is in world axes, m.
// Cost: O(NumDof), no allocation.
// It panics on a length mismatch, without a state in use, or if i is out of range.
func (w *Workspace) JacobianTo(J []spatial.Motion, i int, r spatial.Vec3) {
	w.mustBeReady()
	w.plan.mustHaveLink(i)
	if len(J) != w.plan.nv {
		panic("tree: length mismatch")
	}
	clear(J)
	for i != World {
		l := &w.plan.Links[i]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			carryVelocity(&J[d], &w.s[d], &r)
		}
		r = r.Add(w.links[i].r)
		i = int(l.Parent)
	}
}

// shiftForce moves f to a reference point that is −r away: (n + r×f, f).
func shiftForce(f *spatial.Force, r *spatial.Vec3) {
	f[0] += r[1]*f[5] - r[2]*f[4]
	f[1] += r[2]*f[3] - r[0]*f[5]
	f[2] += r[0]*f[4] - r[1]*f[3]
}
