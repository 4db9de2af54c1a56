package assemble

import (
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// Weighted is the memory of one KKT system in mass-weighted coordinates, theory.md (11). With M
// = C·Cᵀ block by block, ã = Cᵀ·a and W = J·C⁻ᵀ it is
//
//	⎡ 1  Wᵀ ⎤ ⎡  ã ⎤   ⎡ C⁻¹ f ⎤
//	⎣ W  0  ⎦ ⎣ −λ ⎦ = ⎣   g   ⎦
//
// with J, f and g as in System. It belongs to one goroutine at a time.
//
// Frame: C is diag(E·L, √m·E), theory.md (10), with E the axes of the body in the world and L·Lᵀ its
// inertia in these axes. So a weighted block is in the axes of its body.
type Weighted struct {
	heeds

	Layout *Layout
	Matrix *sparse.Matrix        // unit diagonal blocks, not stored, and W
	Right  []float64             // right side, original scalar order
	Scale  []float64             // squared norms of the rows of W, the diagonal of J·M⁻¹·Jᵀ; zero in the rows of bodies
	Kin    *mechanism.Kinematics // without I

	force []spatial.Force // of drives and force elements; nil if there are none

	// Unloaded makes FillTo leave out the wrenches of drives and force elements, for callers that use the rows of joints alone.
	Unloaded bool

	base []float64  // part of Scale that does not depend on the state, from the first scalar behind the bodies on
	pins []pinPlace // by joint that has rows

	bodies    []bodies.Body // whose inertias count: the bodies of Layout.Mech, or of SetBodies
	constant  bool          // base, pins and the constant blocks of W are filled
	edition   uint64        // mechanism.Mechanism.Edition for which they were filled
	geometric bool          // W is weighted by GeometricTo

	team  *team.Team
	stops []int32   // by range: the number at which the pass ended in it, or the number of all if it did not end early
	task  rangeTask // the pass that the team works on
}

// NewWeighted allocates a weighted system of the layout.
func (l *Layout) NewWeighted() *Weighted { return l.NewWeightedOn(nil) }

// NewWeightedOn is NewWeighted for a system that is filled with a team. The results
// have the same bits for every team.
func (l *Layout) NewWeightedOn(t *team.Team) *Weighted {
	n := l.Pattern.Dim()
	y := &Weighted{
		Layout: l,
		Matrix: sparse.NewUnitMatrix(l.Pattern),
		Right:  pages.Make[float64](n),
		Scale:  pages.Make[float64](n),
		Kin:    &mechanism.Kinematics{Bodies: pages.Make[mechanism.BodyKinematics](l.Mech.NumBodies())},
		team:   t, bodies: l.Mech.Bodies,
	}
	y.stops = make([]int32, ranges(max(l.Mech.NumBodies(), len(l.joint), l.Mech.NumCouplings())))
	if l.Mech.HasApplied() {
		y.force = pages.Make[spatial.Force](l.Mech.NumBodies())
	}
	y.base = pages.Make[float64](n - 6*l.Mech.NumBodies())
	y.pins = pages.Make[pinPlace](len(l.joint))
	return y
}

// SetBodies replaces the inertias of the mechanism by the inertias of b, which has an entry a body, from the next
// FillTo on. Nil restores the inertias of the mechanism. Masses and centres of mass have to be the
// same.
//
// Cost: O(joints) in that FillTo if b is another slice than before, no allocation. It panics if the number of bodies
// differs.
func (y *Weighted) SetBodies(b []bodies.Body) {
	if b == nil {
		b = y.Layout.Mech.Bodies
	}
	if len(b) != len(y.bodies) {
		panic("assemble: length mismatch")
	}
	if len(b) > 0 && &b[0] != &y.bodies[0] {
		y.bodies, y.constant = b, false
	}
}

// FillTo stores in y the system at s, theory.md (11): y.Matrix, y.Right, y.Scale, which is d of (12), and the kinematics
// in y.Kin.
//
// Units: SI.
// Cost: O(bodies + joints + forces), no allocation; safe for distinct y at the
// same time. Errors and panics: as System.FillTo.
func (y *Weighted) FillTo(s *mechanism.State) error {
	m := y.Layout.Mech
	if !m.Owns(s) {
		panic("mechanism" + fault.ForeignState)
	}
	if e := m.Edition(); e != y.edition {
		y.constant, y.edition = false, e
	}
	if !y.constant {
		// This is done here and not at allocation, because the first touch of large arrays takes long, and
		// the watch can end it here.
		y.each(rangeTask{kind: constantRange, n: len(y.Layout.joint)})
		if y.watch.Up() {
			return y.watch.Err()
		}
		y.constant, y.geometric = true, false
	}
	clear(y.Right[6*len(m.Bodies) : y.Layout.Pattern.Off[y.Layout.FirstJoint()]]) // no force acts on flywheels
	i := y.each(rangeTask{kind: fillBodyRange, n: len(m.Bodies), s: s})
	if y.watch.Up() {
		return y.watch.Err()
	}
	if i < len(m.Bodies) {
		return m.NotFinite(i)
	}
	if err := m.CheckTime(s); err != nil {
		return err
	}
	if err := m.RowsTo(y.Kin, s); err != nil {
		return err
	}
	if err := y.addApplied(s); err != nil {
		return err
	}
	i = y.each(rangeTask{kind: fillJointRange, n: len(y.Layout.joint), s: s})
	if y.watch.Up() {
		return y.watch.Err()
	}
	if i < len(y.Layout.joint) {
		j := y.Layout.joint[i]
		return fault.Errorf("assemble: %w", m.AtJoint(int(j), -1, m.Joints[j].NoRows()))
	}
	if len(m.Couplings) > 0 {
		y.each(rangeTask{kind: fillCouplingRange, n: len(m.Couplings), s: s})
		return y.watch.Err()
	}
	return nil
}

// fillBodies fills the rows of the bodies lo ≤ i < hi, and their kinematics. It
// returns the first one whose state is not finite, or hi.
func (y *Weighted) fillBodies(s *mechanism.State, lo, hi int) int {
	m := y.Layout.Mech
	for i := lo; i < hi; i++ {
		k := &y.Kin.Bodies[i]
		if !m.BodyTo(k, s, i) {
			return i
		}
		y.fillBody(i, &k.E, &s.Bodies[i].Omega)
	}
	return hi
}

// fillBody stores C⁻¹·(−ω×Iω, m·g) in the rows of body i, theory.md (14). With u = Eᵀω and I
// the inertia in body axes this is −L⁻¹·(u×Iu) and √m·Eᵀg.
func (y *Weighted) fillBody(i int, E *spatial.Mat3, omega *spatial.Vec3) {
	var spin spatial.Vec3
	weightedLoad((*[6]float64)(y.Right[6*i:]), &spin, &y.bodies[i], E, omega, &y.Layout.Mech.Gravity)
}

// weightedLoad stores u = Eᵀω, the angular velocity in body axes, and in out the load of body b in weighted coordinates, theory.md (14):
// −L⁻¹·(u×Iu), in N·m/√(kg·m²), then √m·Eᵀg, in N/√kg. The columns of E are the axes of the body.
func weightedLoad(out *[6]float64, u *spatial.Vec3, b *bodies.Body, E *spatial.Mat3, omega, g *spatial.Vec3) {
	c := b.Weight()
	I, M := &b.Inertia, &c.Inertia
	u0 := E[0]*omega[0] + E[3]*omega[1] + E[6]*omega[2]
	u1 := E[1]*omega[0] + E[4]*omega[1] + E[7]*omega[2]
	u2 := E[2]*omega[0] + E[5]*omega[1] + E[8]*omega[2]
	u[0], u[1], u[2] = u0, u1, u2
	h0 := I[0]*u0 + I[3]*u1 + I[4]*u2
	h1 := I[3]*u0 + I[1]*u1 + I[5]*u2
	h2 := I[4]*u0 + I[5]*u1 + I[2]*u2
	n0, n1, n2 := u2*h1-u1*h2, u0*h2-u2*h0, u1*h0-u0*h1
	out[0], out[1], out[2] = M[0]*n0, M[3]*n0+M[1]*n1, M[4]*n0+M[5]*n1+M[2]*n2
	root := b.Mass * c.Mass
	out[3] = root * (E[0]*g[0] + E[3]*g[1] + E[6]*g[2])
	out[4] = root * (E[1]*g[0] + E[4]*g[1] + E[7]*g[2])
	out[5] = root * (E[2]*g[0] + E[5]*g[1] + E[8]*g[2])
}

// addApplied adds C⁻¹ times the wrenches of drives and force elements to the
// bodies' rows.
func (y *Weighted) addApplied(s *mechanism.State) error {
	if y.force == nil || y.Unloaded {
		return nil
	}
	clear(y.force)
	if err := y.Layout.Mech.AddAppliedTo(y.force, y.Kin, s); err != nil {
		return err
	}
	for i := range y.force {
		addWeightedForce((*[6]float64)(y.Right[6*i:]), &y.bodies[i], &y.Kin.Bodies[i].E, &y.force[i])
	}
	return nil
}

// AddWrenchTo adds s·C⁻¹·w, theory.md (14), to the six numbers b: the right side of s times a wrench w on body i, about its
// centre of mass, world axes.
//
// Cost: O(1), no allocation. y has been filled. It panics if b has fewer than six numbers.
func (y *Weighted) AddWrenchTo(b []float64, i int, s float64, w *spatial.Force) {
	f := w.Scale(s)
	addWeightedForce((*[6]float64)(b), &y.bodies[i], &y.Kin.Bodies[i].E, &f)
}

// addWeightedForce adds C⁻¹·w to out, theory.md (14), for a body b with the axes E and a wrench w about its centre of mass in world
// axes.
func addWeightedForce(out *[6]float64, b *bodies.Body, E *spatial.Mat3, w *spatial.Force) {
	c := b.Weight()
	M := &c.Inertia
	n0 := E[0]*w[0] + E[3]*w[1] + E[6]*w[2]
	n1 := E[1]*w[0] + E[4]*w[1] + E[7]*w[2]
	n2 := E[2]*w[0] + E[5]*w[1] + E[8]*w[2]
	out[0] += M[0] * n0
	out[1] += M[3]*n0 + M[1]*n1
	out[2] += M[4]*n0 + M[5]*n1 + M[2]*n2
	out[3] += c.Mass * (E[0]*w[3] + E[3]*w[4] + E[6]*w[5])
	out[4] += c.Mass * (E[1]*w[3] + E[4]*w[4] + E[7]*w[5])
	out[5] += c.Mass * (E[2]*w[3] + E[5]*w[4] + E[8]*w[5])
}

// fillJoints fills the rows of joints lo ≤ i < hi in the list of joints that have
// rows. It returns the first one whose rows are not defined at the state (joints.Spec.NoRows), or
// hi. The bodies' kinematics have been computed.
func (y *Weighted) fillJoints(s *mechanism.State, lo, hi int) int {
	var w jointWork
	var pins pinWork
	nb := y.Layout.FirstJoint()
	list := y.Layout.Mech.Joints
	for i, j := range y.Layout.joint[lo:hi] {
		if at := y.pins[lo+i]; at != notPinned {
			y.fillPinned(&pins, &list[j], at, nb+lo+i, s)
		} else if y.fillAny(&w, j, int32(nb+lo+i), s) != nil {
			return lo + i
		}
	}
	return hi
}

// fillAny fills the rows of joint j of any type. It returns joints.ErrNoDirection as EvalTo does.
func (y *Weighted) fillAny(w *jointWork, j, node int32, s *mechanism.State) error {
	jt := &y.Layout.Mech.Joints[j]
	if err := w.eval(y.Layout.Mech, j, y.Kin, s); err != nil {
		return err
	}
	w.appendGeared(y.Layout, j)
	at := y.Layout.place(jt, node)
	pred, succ := at.rowsIn(y.Matrix.Val)
	o, end := at.row, at.row+int32(w.rows.N)
	w.weightedTo(pred, succ, y.Scale[o:end], jt, y.bodies, y.Kin)
	if at.fly >= 0 {
		flywheelTo(y.Matrix.Val[at.fly:], y.Scale[o:end], jt)
	}
	w.rightSideTo(y.Right[o:end])
	return nil
}

// weightedTo stores the weighted rows in w on the predecessor and successor of a joint, and their squared norms.
func (w *jointWork) weightedTo(pred, succ, scale []float64, jt *mechanism.Joint, list []bodies.Body, k *mechanism.Kinematics) {
	clear(scale)
	if i := jt.Succ; i >= 0 {
		sideTo(succ, scale, &w.rows, &w.armS, &list[i], &k.Bodies[i].E, 1)
	}
	if i := jt.Pred; i >= 0 {
		sideTo(pred, scale, &w.rows, &w.armP, &list[i], &k.Bodies[i].E, -1)
	}
}

// sideTo stores the block sign·TᵀX·C⁻ᵀ of a body b with the axes E, theory.md (13), and adds
// the squared norms of its rows to scale:
//
//	row (n, f):  G·(n + arm×f), Eᵀf/√m   with G = L⁻¹·Eᵀ
func sideTo(v, scale []float64, r *joints.Rows, arm *spatial.Vec3, b *bodies.Body, E *spatial.Mat3, sign float64) {
	var G spatial.Mat3
	c := b.Weight()
	c.Inertia.MulTTo(&G, E)
	root := sign * c.Mass
	for k := range scale {
		t := &r.T[k]
		n0 := sign * (t[0] + (arm[1]*t[5] - arm[2]*t[4]))
		n1 := sign * (t[1] + (arm[2]*t[3] - arm[0]*t[5]))
		n2 := sign * (t[2] + (arm[0]*t[4] - arm[1]*t[3]))
		f0, f1, f2 := root*t[3], root*t[4], root*t[5]
		w0, w1, w2 := G[0]*n0+G[1]*n1+G[2]*n2, G[3]*n0+G[4]*n1+G[5]*n2, G[6]*n0+G[7]*n1+G[8]*n2
		q := (*[6]float64)(v[6*k:])
		q[0], q[1], q[2] = w0, w1, w2
		q[3] = E[0]*f0 + E[3]*f1 + E[6]*f2
		q[4] = E[1]*f0 + E[4]*f1 + E[7]*f2
		q[5] = E[2]*f0 + E[5]*f1 + E[8]*f2
		scale[k] += (w0*w0 + w1*w1 + w2*w2) + (f0*f0 + f1*f1 + f2*f2)
	}
}

// AccelerationsTo stores in a the accelerations C⁻ᵀ·x, theory.md (10): six numbers a body, ω̇
// then the classical acceleration of the centre of mass, world axes. a may be x.
//
// Shapes: six entries a body are read and written; there may be more.
// Cost: O(bodies), no allocation. y has been filled.
func (y *Weighted) AccelerationsTo(a, x []float64) {
	y.each(rangeTask{kind: accelerationRange, n: y.mustHold(a, x) / 6, a: a, x: x})
}

// accelerations is AccelerationsTo for the bodies lo ≤ i < hi.
func (y *Weighted) accelerations(a, x []float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		unweigh((*[6]float64)(a[6*i:]), &y.bodies[i], &y.Kin.Bodies[i].E, (*[6]float64)(x[6*i:]))
	}
}

// unweigh stores C⁻ᵀ·x of a body b with the axes E; out may be x.
func unweigh(out *[6]float64, b *bodies.Body, E *spatial.Mat3, x *[6]float64) {
	c := b.Weight()
	L, root := &c.Inertia, c.Mass
	w0, w1, w2 := L[0]*x[0]+L[3]*x[1]+L[4]*x[2], L[1]*x[1]+L[5]*x[2], L[2]*x[2]
	v0, v1, v2 := root*x[3], root*x[4], root*x[5]
	out[0] = E[0]*w0 + E[1]*w1 + E[2]*w2
	out[1] = E[3]*w0 + E[4]*w1 + E[5]*w2
	out[2] = E[6]*w0 + E[7]*w1 + E[8]*w2
	out[3] = E[0]*v0 + E[1]*v1 + E[2]*v2
	out[4] = E[3]*v0 + E[4]*v1 + E[5]*v2
	out[5] = E[6]*v0 + E[7]*v1 + E[8]*v2
}

// WeighTo stores in x the weighted coordinates Cᵀ·a, the inverse of
// AccelerationsTo. With C⁻¹·M = Cᵀ this is also the right side of the loads
// f = M·a. x may be a.
//
// Shapes: six entries a body are read and written; there may be more.
// Cost: O(bodies), no allocation. y has been filled.
func (y *Weighted) WeighTo(x, a []float64) {
	n := y.mustHold(x, a)
	var w, v spatial.Vec3
	for i := 0; i < n; i += 6 {
		E := &y.Kin.Bodies[i/6].E
		c := y.bodies[i/6].Weight()
		q, out := (*[6]float64)(a[i:]), (*[6]float64)(x[i:])
		w[0], w[1], w[2] = q[0], q[1], q[2]
		v[0], v[1], v[2] = q[3], q[4], q[5]
		E.TMulVecTo((*spatial.Vec3)(out[:3]), &w)
		E.TMulVecTo((*spatial.Vec3)(out[3:]), &v)
		c.Inertia.TSolveTo((*spatial.Vec3)(out[:3]), (*spatial.Vec3)(out[:3]))
		out[3], out[4], out[5] = out[3]/c.Mass, out[4]/c.Mass, out[5]/c.Mass
	}
}

// WrenchesTo stores in f the wrenches C·x about the centres of mass, six numbers a body, world axes: the inverse of AddWrenchTo. f may be
// x.
//
// Shapes: six entries a body are read and written; there may be more.
// Cost: O(bodies), no allocation. y has been filled.
func (y *Weighted) WrenchesTo(f, x []float64) {
	n := y.mustHold(f, x)
	for i := 0; i < n; i += 6 {
		E := &y.Kin.Bodies[i/6].E
		c := y.bodies[i/6].Weight()
		m, out := spatial.Vec3(x[i:]), (*[6]float64)(f[i:])
		v := spatial.Vec3(x[i+3:]).Scale(1 / c.Mass)
		c.Inertia.SolveTo(&m, &m)
		E.MulVecTo((*spatial.Vec3)(out[:3]), &m)
		E.MulVecTo((*spatial.Vec3)(out[3:]), &v)
	}
}

// mustHold returns the number of scalars of all bodies. It panics if a or b is shorter.
func (y *Weighted) mustHold(a, b []float64) int {
	n := 6 * y.Layout.Mech.NumBodies()
	if len(a) < n || len(b) < n {
		panic("assemble: length mismatch")
	}
	return n
}

// ForceSubspace is System.ForceSubspace for a weighted system.
func (y *Weighted) ForceSubspace(j int, s *mechanism.State) (T [6]spatial.Force, n int) {
	return y.Layout.ForceSubspace(j, y.Kin, s)
}
