package tree

import "github.com/rung-mbd/rung/spatial"

// composite is the inertia of a link with its whole subtree about the link's
// centre of mass, world axes.
type composite struct {
	mass float64      // kg
	h    spatial.Vec3 // first moment, kg m
	J    spatial.Sym3 // rotational inertia about the reference point, kg m²
}

// InertiaTo stores in H the joint-space inertia matrix by the composite-rigid-body
// algorithm (RBDA Table 6.2).
//
// Cost: O(entries of H), no allocation.
// It panics if H is of another plan or without a state in use.
func (w *Workspace) InertiaTo(H *BranchMatrix) { w.inertiaTo(H, false) }

// inertiaTo is InertiaTo. With hold it adds the held inertia N of bodies that have none (held.go).
func (w *Workspace) inertiaTo(H *BranchMatrix, hold bool) {
	w.mustBeReady()
	p := w.plan
	if H.plan != p {
		panic("tree: foreign matrix")
	}
	H.what = symmetric
	for i := range p.consts {
		c := &p.consts[i]
		w.comp[i] = composite{mass: c.mass, J: w.kin.I[c.body]}
	}
	if hold {
		w.holdComposites()
	}
	for i := len(p.Links) - 1; i >= 0 && !w.watch.Every(i); i-- {
		l := &p.Links[i]
		// I^c_λ += X*·I^c_i·X.
		if l.Parent != World {
			w.comp[l.Parent].addShifted(&w.comp[i], &w.links[i].r)
		}
		// Rows of H from F = I^c·S on the way to the root.
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			row := H.Row(int(d))
			w.fillRow(row, i, int(d))
			if p.rotors != nil {
				row[len(row)-1] += p.rotors[d]
			}
		}
	}
}

// fillRow stores in row the products of F = I^c_i·S_d with the columns of S on
// the root path of d.
func (w *Workspace) fillRow(row []float64, i, d int) {
	var F spatial.Force
	p := w.plan
	w.comp[i].mulTo(&F, &w.s[d])
	e := len(row) - 1
	for last := d; ; {
		l := &p.Links[i]
		for k := last; k >= int(l.Dof); k-- {
			row[e] = w.s[k].Dot(&F)
			e--
		}
		if l.Parent == World {
			return
		}
		shiftForce(&F, &w.links[i].r)
		i = int(l.Parent)
		up := &p.Links[i]
		last = int(up.Dof+up.NumDof) - 1
	}
}

// mulTo stores in F the momentum of the composite body with the velocity v:
// m·v + ω×h and J·ω + h×v.
func (c *composite) mulTo(F *spatial.Force, v *spatial.Motion) {
	h, J := &c.h, &c.J
	w0, w1, w2, v0, v1, v2 := v[0], v[1], v[2], v[3], v[4], v[5]
	F[0] = J[0]*w0 + J[3]*w1 + J[4]*w2 + (h[1]*v2 - h[2]*v1)
	F[1] = J[3]*w0 + J[1]*w1 + J[5]*w2 + (h[2]*v0 - h[0]*v2)
	F[2] = J[4]*w0 + J[5]*w1 + J[2]*w2 + (h[0]*v1 - h[1]*v0)
	F[3] = c.mass*v0 + (w1*h[2] - w2*h[1])
	F[4] = c.mass*v1 + (w2*h[0] - w0*h[2])
	F[5] = c.mass*v2 + (w0*h[1] - w1*h[0])
}

// addShifted adds to c the composite b, whose reference point is at r from the reference point of c.
func (c *composite) addShifted(b *composite, r *spatial.Vec3) {
	// J + m(r²·1 − r·rᵀ) + 2(h·r)·1 − h·rᵀ − r·hᵀ, with t = h + m·r/2.
	m := b.mass
	t0, t1, t2 := b.h[0]+0.5*m*r[0], b.h[1]+0.5*m*r[1], b.h[2]+0.5*m*r[2]
	x, y, z := 2*t0*r[0], 2*t1*r[1], 2*t2*r[2]
	c.J[0] += b.J[0] + (y + z)
	c.J[1] += b.J[1] + (x + z)
	c.J[2] += b.J[2] + (x + y)
	c.J[3] += b.J[3] - (t0*r[1] + t1*r[0])
	c.J[4] += b.J[4] - (t0*r[2] + t2*r[0])
	c.J[5] += b.J[5] - (t1*r[2] + t2*r[1])
	c.h[0] += b.h[0] + m*r[0]
	c.h[1] += b.h[1] + m*r[1]
	c.h[2] += b.h[2] + m*r[2]
	c.mass += m
}

// ForwardByInertiaTo stores in qdd the accelerations of the tree, as ForwardTo does, by H⁻¹(τ − C). It fills and factors H (LᵀDL). Each
// refinement adds H⁻¹(τ − H·q̈ − C), with the residual by InverseTo.
//
// On long branches the condition of H grows with the fourth power of their length, and C becomes far larger than the forces that act. A
// solution without refinement loses as many digits; two refinements bring them back.
//
// Shapes: qdd and tau have NumDof entries and do not overlap; a nil tau is zero.
// Cost: as FactorLTDL, and O(entries of H) a refinement; no allocation. It returns an error for a force that is not finite as ForwardTo
// does, and a *PivotError as FactorLTDL does. It panics on a length mismatch, if H is of another plan, or
// without a state in use.
func (w *Workspace) ForwardByInertiaTo(qdd, tau []float64, H *BranchMatrix, refinements int) error {
	if len(qdd) != w.plan.nv || tau != nil && len(tau) != w.plan.nv {
		panic("tree: length mismatch")
	}
	if err := w.plan.mustBeFinite(givenForce, tau); err != nil {
		return err
	}
	w.InertiaTo(H)
	if err := H.FactorLTDL(); err != nil {
		return err
	}
	clear(qdd)
	for range refinements + 1 {
		w.InverseTo(w.y, qdd)
		for k := range w.y {
			w.y[k] = -w.y[k]
			if tau != nil {
				w.y[k] += tau[k]
			}
		}
		H.SolveTo(w.y, w.y)
		for k, x := range w.y {
			qdd[k] += x
		}
	}
	return nil
}
