package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// Precise is the memory of the system of Weighted with twice the digits. Arms, rotations of
// bodies and inertias have twice the digits. The directions of a joint's rows are doubles, the same
// on both bodies, so that action equals reaction to all digits.
//
// It is meant for systems in which the parts of a row differ so much in scale that doubles lose
// the smaller part. It belongs to one goroutine at a time.
//
// Frame: as Weighted, blocks in the axes of their body.
type Precise struct {
	heeds

	Layout *Layout
	Values []sparse.Num // the places of sparse.Matrix.Val
	Right  []sparse.Num // right side, original scalar order
	Scale  []float64    // squared norms of the rows of W; zero in the bodies' rows

	kin     *mechanism.Kinematics
	force   []spatial.Force
	weight  []preciseWeight // by body
	edition uint64          // edition of the mechanism for which weight was computed
	axes    []mat           // by body: E with twice the digits
	rows    []dd.Num        // J in body axes, without weights, in the places of W
	shaken  bool            // see Shake
}

// preciseWeight is bodies.Weight with twice the digits.
type preciseWeight struct {
	inertia [6]dd.Num // L⁻¹ by rows: 00, 10, 11, 20, 21, 22
	mass    dd.Num    // 1/√m
}

type (
	vec [3]dd.Num
	mat [9]dd.Num // by rows
)

// NewPrecise allocates a system of the layout.
//
// Cost: O(bodies + joints).
func (l *Layout) NewPrecise() *Precise {
	p := l.Pattern
	nb := l.Mech.NumBodies()
	y := &Precise{
		Layout: l, Values: make([]dd.Num, p.Pos[len(p.Pos)-1]), Right: make([]dd.Num, p.Dim()), Scale: make([]float64, p.Dim()),
		kin:    &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, nb)},
		force:  make([]spatial.Force, nb),
		weight: make([]preciseWeight, nb), axes: make([]mat, nb),
	}
	y.rows = make([]dd.Num, len(y.Values))
	y.setWeights()
	return y
}

// setWeights computes the weights of all bodies, with the held inertia of bodies without inertia in some direction.
func (y *Precise) setWeights() {
	m := y.Layout.Mech
	y.edition = m.Edition()
	for i := range y.weight {
		y.weight[i].set(&m.Bodies[i].Inertia, m.Bodies[i].Mass)
	}
	for i := range m.Singular() {
		k := m.Singular()[i].Body
		I := m.HeldInertia(int(k))
		y.weight[k].set(&I, m.Bodies[k].Mass)
	}
}

// set computes L⁻¹ of I = L·Lᵀ, and 1/√m.
func (w *preciseWeight) set(I *spatial.Sym3, mass float64) {
	one := dd.Of(1)
	w.mass = dd.Div(one, dd.Sqrt(dd.Of(mass)))
	l00 := dd.Sqrt(dd.Of(I[0]))
	l10, l20 := dd.Div(dd.Of(I[3]), l00), dd.Div(dd.Of(I[4]), l00)
	l11 := dd.Sqrt(dd.Sub(dd.Of(I[1]), dd.Mul(l10, l10)))
	l21 := dd.Div(dd.Sub(dd.Of(I[5]), dd.Mul(l20, l10)), l11)
	l22 := dd.Sqrt(dd.Sub(dd.Sub(dd.Of(I[2]), dd.Mul(l20, l20)), dd.Mul(l21, l21)))
	m00, m11, m22 := dd.Div(one, l00), dd.Div(one, l11), dd.Div(one, l22)
	m10 := dd.Neg(dd.Mul(dd.Mul(l10, m00), m11))
	m21 := dd.Neg(dd.Mul(dd.Mul(l21, m11), m22))
	m20 := dd.Neg(dd.Mul(dd.Add(dd.Mul(l20, m00), dd.Mul(l21, m10)), m22))
	w.inertia = [6]dd.Num{m00, m10, m11, m20, m21, m22}
}

// Shake makes FillTo change each number of the rows' directions by one unit in the last place, or with false no
// more. If a solution changes by it, the data do not determine that solution.
func (y *Precise) Shake(on bool) { y.shaken = on }

// FillTo stores in y the system at s: y.Values, y.Right and y.Scale.
//
// Cost: O(bodies + joints + forces), some thirty times that of Weighted.FillTo; no allocation. Errors and panics are
// those of System.FillTo.
func (y *Precise) FillTo(s *mechanism.State) error {
	m := y.Layout.Mech
	if m.Edition() != y.edition {
		y.setWeights()
	}
	if err := m.KinematicsTo(y.kin, s); err != nil {
		return err
	}
	clear(y.force)
	if err := m.AddAppliedTo(y.force, y.kin, s); err != nil {
		return err
	}
	clear(y.Right[6*len(m.Bodies) : y.Layout.Pattern.Off[y.Layout.FirstJoint()]]) // no force acts on flywheels
	for i := range m.Bodies {
		y.axes[i].set(&s.Bodies[i].Rotation)
		y.fillBody(i, s)
	}
	var w jointWork
	for i, j := range y.Layout.joint {
		if y.watch.Every(i) {
			return y.watch.Err()
		}
		if err := y.fillJoint(&w, j, int32(y.Layout.FirstJoint()+i), s); err != nil {
			return fault.Errorf("assemble: %w", m.AtJoint(int(j), -1, err))
		}
	}
	for i := range m.Couplings {
		if y.watch.Every(i) {
			return y.watch.Err()
		}
		y.fillCoupling(&w, i, s)
	}
	y.weigh(false, func(body int32, row, out *[6]dd.Num) { y.weight[body].apply(row, out) })
	return nil
}

// GeometricTo replaces the inertias in y.Values and y.Scale by the geometric ones of
// Weighted.GeometricTo, with the length ℓ of each body, m. y has been filled.
//
// Cost: O(joints), no allocation. It panics on a length mismatch.
func (y *Precise) GeometricTo(length []float64) {
	if len(length) != y.Layout.Mech.NumBodies() {
		panic("assemble: length mismatch")
	}
	y.weigh(true, func(body int32, row, out *[6]dd.Num) {
		l := dd.Of(length[body])
		for k := range 3 {
			out[k], out[3+k] = dd.Div(row[k], l), row[3+k]
		}
	})
}

// weigh stores in y.Values the rows with the weights of apply, and their squared norms in y.Scale. With geometric, rows of armature are
// as in geometricFlywheel.
func (y *Precise) weigh(geometric bool, apply func(body int32, row, out *[6]dd.Num)) {
	p := y.Layout.Pattern
	clear(y.Scale)
	nb := y.Layout.Mech.NumBodies()
	for node := y.Layout.FirstJoint(); node < p.Len() && !y.watch.Every(node); node++ {
		scale := y.Scale[p.Off[node]:p.Off[node+1]]
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			if int(p.Ind[k]) >= nb {
				y.flywheel(node, p.Pos[k], scale, geometric)
				continue
			}
			for r := range scale {
				at := p.Pos[k] + int64(6*r)
				out := (*[6]dd.Num)(y.Values[at:])
				apply(p.Ind[k], (*[6]dd.Num)(y.rows[at:]), out)
				for _, x := range out {
					scale[r] += x.Hi * x.Hi
				}
			}
		}
		if len(scale) == 1 {
			scale[0] = unvanished(scale[0]) // the row may be one of a coupling that vanishes
		}
	}
}

// apply stores C⁻¹·row in out.
func (w *preciseWeight) apply(row, out *[6]dd.Num) {
	M := &w.inertia
	out[0] = dd.Mul(M[0], row[0])
	out[1] = dd.Add(dd.Mul(M[1], row[0]), dd.Mul(M[2], row[1]))
	out[2] = dd.Add(dd.Add(dd.Mul(M[3], row[0]), dd.Mul(M[4], row[1])), dd.Mul(M[5], row[2]))
	for k := 3; k < 6; k++ {
		out[k] = dd.Mul(w.mass, row[k])
	}
}

// fillBody stores the right side C⁻¹·(Eᵀn − u×Iu, Eᵀf + m·Eᵀg) of body i, with u = Eᵀω and the applied moment n and force f.
func (y *Precise) fillBody(i int, s *mechanism.State) {
	b, E := &y.Layout.Mech.Bodies[i], &y.axes[i]
	u := E.into(s.Bodies[i].Omega)
	I := &b.Inertia
	h := vec{
		dot3(u, I[0], I[3], I[4]),
		dot3(u, I[3], I[1], I[5]),
		dot3(u, I[4], I[5], I[2]),
	}
	spin := cross(u, h)
	n, f, g := E.into(y.force[i].Moment()), E.into(y.force[i].Linear()), E.into(y.Layout.Mech.Gravity)
	var load [6]dd.Num
	for k := range 3 {
		load[k] = dd.Sub(n[k], spin[k])
		load[3+k] = dd.Add(f[k], dd.MulFloat(g[k], b.Mass))
	}
	y.weight[i].apply(&load, (*[6]dd.Num)(y.Right[6*i:]))
}

// fillJoint stores the rows of joint j without weights, and their right side.
func (y *Precise) fillJoint(w *jointWork, j, node int32, s *mechanism.State) error {
	jt := &y.Layout.Mech.Joints[j]
	if err := w.eval(y.Layout.Mech, j, y.kin, s); err != nil {
		return err
	}
	w.appendGeared(y.Layout, j)
	if y.shaken {
		shake(&w.rows.T, int(j))
	}
	at, mo := y.Layout.place(jt, node), y.motionOf(w, jt)
	for k := range w.rows.N {
		t := &w.rows.T[k]
		if jt.Succ >= 0 {
			y.rowTo((*[6]dd.Num)(y.rows[at.succ+int64(6*k):]), t, jt.Succ, &mo.armS, 1)
		}
		if jt.Pred >= 0 {
			y.rowTo((*[6]dd.Num)(y.rows[at.pred+int64(6*k):]), t, jt.Pred, &mo.armP, -1)
		}
		y.Right[int(at.row)+k] = mo.right(w, k)
	}
	return nil
}

// preciseMotion is the motion of a joint with twice the digits.
type preciseMotion struct {
	armP, armS vec // from the centres of mass to the joint, in the axes of the bodies; zero for the world
	bias       vec // relative acceleration of the origins at zero ω̇ and c̈
	turn       vec // −ω_P×ω_r
}

// motionOf computes the motion of a joint whose rows are in w.
func (y *Precise) motionOf(w *jointWork, jt *mechanism.Joint) (mo preciseMotion) {
	if jt.Succ >= 0 {
		mo.armS = difference(jt.S.Origin, y.Layout.Mech.Bodies[jt.Succ].Com)
		addTurning(&mo.bias, w.kin.OmegaS, y.axes[jt.Succ].out(mo.armS), 1)
	}
	if jt.Pred >= 0 {
		E := &y.axes[jt.Pred]
		mo.armP = plus(difference(jt.P.Origin, y.Layout.Mech.Bodies[jt.Pred].Com), E.into(w.rows.Arm))
		addTurning(&mo.bias, w.kin.OmegaP, E.out(mo.armP), -1)
	}
	wp, ws := of(w.kin.OmegaP), of(w.kin.OmegaS)
	slip := cross(wp, of(w.rows.Slip))
	mo.turn = cross(ws, wp)
	for k := range 3 {
		mo.bias[k] = dd.Sub(mo.bias[k], dd.MulFloat(slip[k], 2))
	}
	return mo
}

// right returns the right side of row k of w.
func (mo *preciseMotion) right(w *jointWork, k int) dd.Num {
	t := &w.rows.T[k]
	b := dd.Difference(w.rows.SigmaDot[k], w.rows.TDot[k])
	b = dd.Sub(b, dot3(mo.turn, t[0], t[1], t[2]))
	return dd.Sub(b, dot3(mo.bias, t[3], t[4], t[5]))
}

// shake changes each number of T by one unit in the last place, up or down by
// a multiplicative hash of the joint and the place of the number.
func shake(T *[6]spatial.Force, joint int) {
	for k := range T {
		for i := range T[k] {
			h := uint64(36*joint+6*k+i+1) * 0x9e3779b97f4a7c15
			T[k][i] = math.Nextafter(T[k][i], math.Copysign(math.Inf(1), float64(int64(h))))
		}
	}
}

// rowTo stores sign·(n + arm×f, f) for a row t = (n, f), in the axes of the body. arm is in these axes, t in world axes.
func (y *Precise) rowTo(out *[6]dd.Num, t *spatial.Force, body int32, arm *vec, sign float64) {
	E := &y.axes[body]
	f := E.into(t.Linear())
	m := plus(E.into(t.Moment()), cross(*arm, f))
	for i := range 3 {
		out[i], out[3+i] = dd.MulFloat(m[i], sign), dd.MulFloat(f[i], sign)
	}
}

// AccelerationsTo stores in a the accelerations C⁻ᵀ·x: six numbers a body, ω̇ then the
// classical acceleration of the centre of mass, world axes.
//
// Shapes: six entries a body are read and written; there may be more.
// Cost: O(bodies), no allocation. y has been filled.
func (y *Precise) AccelerationsTo(a []float64, x []sparse.Num) {
	for i := range y.weight {
		w, q, out := &y.weight[i], x[6*i:], a[6*i:]
		M := &w.inertia
		alpha := y.axes[i].out(vec{
			dd.Add(dd.Add(dd.Mul(M[0], q[0]), dd.Mul(M[1], q[1])), dd.Mul(M[3], q[2])),
			dd.Add(dd.Mul(M[2], q[1]), dd.Mul(M[4], q[2])),
			dd.Mul(M[5], q[2]),
		})
		c := y.axes[i].out(vec{dd.Mul(w.mass, q[3]), dd.Mul(w.mass, q[4]), dd.Mul(w.mass, q[5])})
		for k := range 3 {
			out[k], out[3+k] = dd.Float(alpha[k]), dd.Float(c[k])
		}
	}
}

// set stores the rotation matrix of q, as if q had been normalized with twice the digits.
func (E *mat) set(q *spatial.Quat) {
	var p [4][4]dd.Num
	for i := range 4 {
		for j := range 4 {
			p[i][j] = dd.Product(q[i], q[j])
		}
	}
	n := dd.Add(dd.Add(p[0][0], p[1][1]), dd.Add(p[2][2], p[3][3]))
	s := dd.Div(dd.Of(2), n)
	diagonal := func(i, j int) dd.Num { return dd.Sub(dd.Of(1), dd.Mul(s, dd.Add(p[i][i], p[j][j]))) }
	plus := func(i, j, k int) dd.Num { return dd.Mul(s, dd.Add(p[i][j], p[0][k])) }
	minus := func(i, j, k int) dd.Num { return dd.Mul(s, dd.Sub(p[i][j], p[0][k])) }
	*E = mat{
		diagonal(2, 3), minus(1, 2, 3), plus(1, 3, 2),
		plus(1, 2, 3), diagonal(1, 3), minus(2, 3, 1),
		minus(1, 3, 2), plus(2, 3, 1), diagonal(1, 2),
	}
}

// into returns Eᵀ·v: world to body axes.
func (E *mat) into(v spatial.Vec3) (out vec) {
	for i := range out {
		out[i] = dd.Add(dd.Add(dd.MulFloat(E[i], v[0]), dd.MulFloat(E[3+i], v[1])), dd.MulFloat(E[6+i], v[2]))
	}
	return out
}

// out returns E·v: body to world axes.
func (E *mat) out(v vec) (out vec) {
	for i := range out {
		out[i] = dd.Add(dd.Add(dd.Mul(E[3*i], v[0]), dd.Mul(E[3*i+1], v[1])), dd.Mul(E[3*i+2], v[2]))
	}
	return out
}

// addTurning adds sign·ω×(ω×r) to a.
func addTurning(a *vec, omega spatial.Vec3, r vec, sign float64) {
	w := of(omega)
	c := cross(w, cross(w, r))
	for k := range a {
		a[k] = dd.Add(a[k], dd.MulFloat(c[k], sign))
	}
}

// of returns v with twice the digits.
func of(v spatial.Vec3) vec { return vec{dd.Of(v[0]), dd.Of(v[1]), dd.Of(v[2])} }

// plus returns a + b.
func plus(a, b vec) vec {
	return vec{dd.Add(a[0], b[0]), dd.Add(a[1], b[1]), dd.Add(a[2], b[2])}
}

// difference returns a − b, exactly.
func difference(a, b spatial.Vec3) vec {
	return vec{dd.Difference(a[0], b[0]), dd.Difference(a[1], b[1]), dd.Difference(a[2], b[2])}
}

// cross returns a×b.
func cross(a, b vec) vec {
	return vec{
		dd.Sub(dd.Mul(a[1], b[2]), dd.Mul(a[2], b[1])),
		dd.Sub(dd.Mul(a[2], b[0]), dd.Mul(a[0], b[2])),
		dd.Sub(dd.Mul(a[0], b[1]), dd.Mul(a[1], b[0])),
	}
}

// dot3 returns a·(x, y, z).
func dot3(a vec, x, y, z float64) dd.Num {
	return dd.Add(dd.Add(dd.MulFloat(a[0], x), dd.MulFloat(a[1], y)), dd.MulFloat(a[2], z))
}
