package assemble

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// AccelerationsTo stores in a the accelerations that the solution x of the reduced system stands
// for: six numbers a body, ω̇ then the classical acceleration of the centre of mass, world axes.
//
// Shapes: a has room for six entries a body; x has Pattern.Dim entries. They do not overlap.
// Cost: O(bodies), no allocation. y has been filled.
func (y *Grounded) AccelerationsTo(a, x []float64) {
	if len(a) < 6*len(y.bodies) || len(x) != y.G.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	y.each(groundPass{kind: groundRecovery, a: a, x: x})
}

// recover is AccelerationsTo for the units lo ≤ i < hi of those in no batch.
func (y *Grounded) recover(a, x []float64, lo, hi int) {
	g := y.G
	for _, i := range g.single[lo:hi] {
		u := &g.units[i]
		if u.body >= 0 {
			y.unweigh((*[6]float64)(a[6*u.body:]), u.body, (*[6]float64)(x[g.Pattern.Off[u.node]:]))
			continue
		}
		for k := u.lo; k < u.hi; k++ {
			b := &g.branches[k]
			var v [6]float64
			y.solutionTo(&v, u, b, k, x)
			y.unweigh((*[6]float64)(a[6*b.body:]), b.body, &v)
		}
	}
}

// solutionTo stores x̃ = c + N·z of branch k, b, of a group in v.
func (y *Grounded) solutionTo(v *[6]float64, u *unit, b *branch, k int32, z []float64) {
	*v = [6]float64(y.rest[6*k:])
	if u.dof == 0 {
		return
	}
	z = z[y.G.Pattern.Off[u.node]:][:u.dof]
	n := y.dirs[b.at:]
	for _, t := range z[b.from:] {
		c := (*[6]float64)(n)
		v[0] += t * c[0]
		v[1] += t * c[1]
		v[2] += t * c[2]
		v[3] += t * c[3]
		v[4] += t * c[4]
		v[5] += t * c[5]
		n = n[6:]
	}
}

// unweigh stores C⁻ᵀ·x of a body.
func (y *Grounded) unweigh(out *[6]float64, body int32, x *[6]float64) {
	E := &y.Kin.Bodies[body].E
	c := y.bodies[body].Weight()
	w, v := spatial.Vec3{x[0], x[1], x[2]}, spatial.Vec3{c.Mass * x[3], c.Mass * x[4], c.Mass * x[5]}
	c.Inertia.TMulVecTo(&w, &w)
	E.MulVecTo((*spatial.Vec3)(out[:3]), &w)
	E.MulVecTo((*spatial.Vec3)(out[3:]), &v)
}

// ErrorsTo puts the right side for accelerations, or displacements, that make the errors e of
// the rows of all joints, without loads, in y.B, at the kinematics of the last FillTo. What
// AccelerationsTo makes of a solution for it are those of least size in the metric of the inertias.
//
// Shapes: e is in the scalar order of L.Pattern, of which the rows of joints are read. s is near the state of the
// last FillTo: arms of sliding joints are taken from it.
// Cost: that of FillTo, no allocation. The reduced accelerations of the last solution are lost.
func (y *Grounded) ErrorsTo(e []float64, s *mechanism.State) {
	g := y.G
	if len(e) != g.L.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	y.each(groundPass{kind: groundRates, s: s, x: e})
	y.each(groundPass{kind: groundErrors, s: s, x: e})
}

// MultipliersTo stores −λ of all joints in the rows of joints of x, which is in the scalar order of
// L.Pattern, for the solution z of the reduced system at s. Those of trees follow, from the last bodies to
// the ground, from what the bodies' accelerations and loads and the other joints leave: with w that wrench
// and T of orthogonal rows, λ = T·w/‖T‖².
//
// Shapes: x has L.Pattern.Dim entries, z has Pattern.Dim.
// Cost: O(bodies + joints); allocates. y has been filled at s.
func (y *Grounded) MultipliersTo(x, z []float64, s *mechanism.State) {
	g, m := y.G, y.G.L.Mech
	if len(x) != g.L.Pattern.Dim() || len(z) != g.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	left := make([]spatial.Force, len(g.branches)) // about the centre of mass, world axes
	for i := range g.units {
		u := &g.units[i]
		for k := u.lo; k < u.hi; k++ {
			y.inertialTo(&left[k], u, k, z, s)
		}
	}
	var w jointWork
	// push adds the wrench f on body at the arm r to what is left.
	push := func(body int32, f *spatial.Force, r *spatial.Vec3, sign float64) {
		if body >= 0 && g.branchOf[body] >= 0 {
			q := &left[g.branchOf[body]]
			n := r.Cross(f.Linear())
			for e := range 3 {
				q[e] += sign * (f[e] + n[e])
				q[3+e] += sign * f[3+e]
			}
		}
	}
	for i := range g.bonds {
		j := g.bonds[i].joint
		jt := &m.Joints[j]
		lambda := z[g.bonds[i].row:][:jt.Rows]
		copy(x[g.L.Pattern.Off[g.L.JointNode(int(j))]:], lambda)
		if w.eval(m, j, y.Kin, s) != nil {
			continue
		}
		var f spatial.Force // −T·λ
		for k, v := range lambda {
			f = f.Add(w.rows.T[k].Scale(v))
		}
		push(jt.Succ, &f, &w.armS, 1)
		push(jt.Pred, &f, &w.armP, -1)
	}
	for k := len(g.branches) - 1; k >= 0; k-- {
		b := &g.branches[k]
		jt := &m.Joints[b.joint]
		y.eval(&w, b, s)
		armC, armP, sign := &w.armS, &w.armP, 1.0
		if b.turned {
			armC, armP, sign = &w.armP, &w.armS, -1
		}
		f := left[k] // on the body, then about the joint
		n := armC.Cross(f.Linear())
		for e := range 3 {
			f[e] -= n[e]
		}
		dst := x[g.L.Pattern.Off[g.L.JointNode(int(b.joint))]:][:jt.Rows]
		for i := range dst {
			t := (*[6]float64)(&w.rows.T[i])
			dst[i] = -sign * dot6(t, (*[6]float64)(&f)) / dot6(t, t)
		}
		if b.parent >= 0 {
			push(g.branches[b.parent].body, &f, armP, 1)
		}
	}
}

// inertialTo stores C·(x̃ − C⁻¹f) of a branch in out, about its centre of mass, world axes: what its joints
// have to deliver.
func (y *Grounded) inertialTo(out *spatial.Force, u *unit, k int32, z []float64, s *mechanism.State) {
	g := y.G
	b := &g.branches[k]
	E := &y.Kin.Bodies[b.body].E
	var spin spatial.Vec3
	var f [6]float64
	y.load(&f, &spin, b.body, s)
	var v [6]float64
	y.solutionTo(&v, u, b, k, z)
	for e := range v {
		v[e] -= f[e]
	}
	L := &b.chol
	n := spatial.Vec3{L[0] * v[0], L[3]*v[0] + L[1]*v[1], L[4]*v[0] + L[5]*v[1] + L[2]*v[2]}
	a := spatial.Vec3{b.root * v[3], b.root * v[4], b.root * v[5]}
	*out = spatial.NewForce(E.MulVec(n), E.MulVec(a))
}
