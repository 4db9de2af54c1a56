package assemble

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// AccelerationsTo stores in a the accelerations C⁻ᵀ·(c + N·z) for the solution z of the reduced system:
// six numbers a body, ω̇ then the classical acceleration of the centre of mass, world axes.
//
// Shapes: a has six entries a body or more; z has Pattern.Dim entries. They do not overlap.
// Cost: O(bodies), no allocation. y has been filled. It panics on a length mismatch.
func (y *Reduced) AccelerationsTo(a, z []float64) {
	if len(a) < 6*len(y.bodies) || len(z) != y.Groups.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	y.pass.a, y.pass.z = a, z
	y.run(resultPass)
}

// groupResult is AccelerationsTo for a group.
func (y *Reduced) groupResult(q *group, a, z []float64) {
	for k := q.first; k < q.end; k++ {
		body := y.Groups.trees[k].body
		var x [6]float64
		y.weightedTo(&x, q, k, z)
		y.unweigh((*[6]float64)(a[6*body:]), body, &x)
	}
}

// weightedTo stores c + N·z of the body of tree joint k of a group.
func (y *Reduced) weightedTo(x *[6]float64, q *group, k int32, z []float64) {
	*x = [6]float64(y.particular[6*k:])
	if q.dof == 0 {
		return
	}
	t := &y.Groups.trees[k]
	z = z[y.Groups.Pattern.Off[q.node]:][:q.dof]
	columns := y.directions[t.column:]
	for _, v := range z[t.from:] {
		n := (*[6]float64)(columns)
		x[0] += v * n[0]
		x[1] += v * n[1]
		x[2] += v * n[2]
		x[3] += v * n[3]
		x[4] += v * n[4]
		x[5] += v * n[5]
		columns = columns[6:]
	}
}

// unweigh stores C⁻ᵀ·x of a body in out.
func (y *Reduced) unweigh(out *[6]float64, body int32, x *[6]float64) {
	unweigh(out, &y.bodies[body], &y.Kin.Bodies[body].E, x)
}

// ErrorsTo stores in y.Right the right side of a system without loads, at the kinematics of the last FillTo
// (docs/theory.md (R8)). Its solution gives, by AccelerationsTo, the least accelerations or displacements, in the
// metric of the inertias, whose product with the rows of all joints is e.
//
// Shapes: e is in the scalar order of Layout.Pattern; only rows of joints are read. s is near the state of the
// last FillTo; arms of sliding joints are taken from s.
// Cost: as FillTo, no allocation. It overwrites c, so AccelerationsTo does not serve earlier solutions any more. It panics on a length
// mismatch.
func (y *Reduced) ErrorsTo(e []float64, s *mechanism.State) {
	if len(e) != y.Groups.Layout.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	y.pass.s, y.pass.e = s, e
	y.run(errorPass)
	y.run(loopErrorPass)
}

// MultipliersTo stores −λ of all joints in the rows of joints of x, which is in the scalar order of Layout.Pattern, for
// the solution z of the reduced system at s. Multipliers of tree joints follow by (R7), from the last bodies to the
// ground: a tree joint exerts the part of M·a − f on its body that no other joint exerts.
//
// Shapes: x has Layout.Pattern.Dim entries, z has Pattern.Dim.
// Cost: O(bodies + joints); allocates. y has been filled at s.
func (y *Reduced) MultipliersTo(x, z []float64, s *mechanism.State) {
	g := y.Groups
	if len(x) != g.Layout.Pattern.Dim() || len(z) != g.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	r := reactions{y, s, make([]spatial.Force, len(g.trees)), jointWork{}}
	for i := range g.groups {
		q := &g.groups[i]
		for k := q.first; k < q.end; k++ {
			r.lack[k] = y.lacking(q, k, z, s)
		}
	}
	for i := range g.loops {
		q := &g.loops[i]
		lambda := z[q.row:][:g.Layout.Mech.Joints[q.joint].Rows]
		copy(g.Layout.rowsOf(q.joint, x), lambda)
		r.loop(q, lambda)
	}
	for k := int32(len(g.trees)) - 1; k >= 0; k-- {
		r.tree(k, g.Layout.rowsOf(g.trees[k].joint, x))
	}
}

// reactions is the state of MultipliersTo. lack holds, by tree joint, the part of M·a − f of its body that the
// joints so far do not exert: a wrench about the centre of mass, world axes.
type reactions struct {
	y    *Reduced
	s    *mechanism.State
	lack []spatial.Force
	work jointWork
}

// lacking returns M·a − f of the body of tree joint k of a group.
func (y *Reduced) lacking(q *group, k int32, z []float64, s *mechanism.State) spatial.Force {
	t := &y.Groups.trees[k]
	E := &y.Kin.Bodies[t.body].E
	var spin spatial.Vec3
	var f [6]float64
	y.load(&f, &spin, t.body, s)
	var v [6]float64
	y.weightedTo(&v, q, k, z)
	for e := range v {
		v[e] -= f[e]
	}
	L := &t.L // C·v
	moment := spatial.Vec3{L[0] * v[0], L[3]*v[0] + L[1]*v[1], L[4]*v[0] + L[5]*v[1] + L[2]*v[2]}
	force := spatial.Vec3{t.rootMass * v[3], t.rootMass * v[4], t.rootMass * v[5]}
	return spatial.NewForce(E.MulVec(moment), E.MulVec(force))
}

// loop subtracts the wrench of a loop joint from the lack of its bodies. lambda is −λ.
func (r *reactions) loop(q *loopJoint, lambda []float64) {
	m := r.y.Groups.Layout.Mech
	if r.work.eval(m, q.joint, r.y.Kin, r.s) != nil {
		return
	}
	var f spatial.Force // −T·λ
	for k, v := range lambda {
		f = f.Add(r.work.rows.T[k].Scale(v))
	}
	jt := &m.Joints[q.joint]
	r.add(jt.Succ, &f, &r.work.armS, 1)
	r.add(jt.Pred, &f, &r.work.armP, -1)
}

// tree stores −λ of tree joint k in out (R7). The joint exerts the lack of its body, and the opposite of it on its parent, whose lack
// grows by it.
func (r *reactions) tree(k int32, out []float64) {
	t, w := &r.y.Groups.trees[k], &r.work
	r.y.eval(w, t, r.s)
	armBody, armParent, sign := &w.armS, &w.armP, 1.0
	if t.reversed {
		armBody, armParent, sign = &w.armP, &w.armS, -1
	}
	f := r.lack[k]
	n := armBody.Cross(f.Linear()) // from the centre of mass to the joint
	for e := range n {
		f[e] -= n[e]
	}
	for i := range out {
		T := (*[6]float64)(&w.rows.T[i])
		out[i] = -sign * dot6(T, (*[6]float64)(&f)) / dot6(T, T)
	}
	if t.parent >= 0 {
		r.add(r.y.Groups.trees[t.parent].body, &f, armParent, 1)
	}
}

// add adds sign times the wrench f, which acts at the end of arm, to the lack of a body if that is in a group.
func (r *reactions) add(body int32, f *spatial.Force, arm *spatial.Vec3, sign float64) {
	if body < 0 || r.y.Groups.treeOf[body] < 0 {
		return
	}
	lack := &r.lack[r.y.Groups.treeOf[body]]
	n := arm.Cross(f.Linear())
	for e := range 3 {
		lack[e] += sign * (f[e] + n[e])
		lack[3+e] += sign * f[3+e]
	}
}
