package assemble

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// System is the memory of one KKT system: the matrix without proximal term,
// the right side and the scales of the constraint rows. It belongs to one
// goroutine at a time.
type System struct {
	heeds

	Layout *Layout
	Matrix *sparse.Matrix
	Right  []float64 // right side, original scalar order
	Scale  []float64 // diagonal of J·M⁻¹·Jᵀ in the rows of joints, zero in the rows of bodies
	Kin    *mechanism.Kinematics

	force []spatial.Force
}

// NewSystem allocates a system of the layout.
func (l *Layout) NewSystem() *System {
	n := l.Pattern.Dim()
	return &System{
		Layout: l,
		Matrix: sparse.NewMatrix(l.Pattern),
		Right:  make([]float64, n),
		Scale:  make([]float64, n),
		Kin:    l.Mech.NewKinematics(),
		force:  make([]spatial.Force, l.Mech.NumBodies()),
	}
}

// FillTo stores in y the system at s, theory.md (2) (RBDA eq. 8.64): y.Matrix, y.Right, y.Scale, and the
// kinematics in y.Kin.
//
// Frame: world axes at centres of mass. Units: SI.
// Cost: O(bodies + joints + forces), no allocation; safe for distinct y at the same time. It
// returns mechanism.ErrNotFinite if s is not finite, and mechanism.ErrNoDirection or
// joints.ErrNoDirection with the name if the ends of a spring-damper or of a distance
// joint coincide. It panics if s is of another mechanism.
func (y *System) FillTo(s *mechanism.State) error {
	m := y.Layout.Mech
	if err := m.KinematicsTo(y.Kin, s); err != nil {
		return err
	}
	if y.watch.Up() {
		return y.watch.Err()
	}
	if err := m.ForcesTo(y.force, y.Kin, s); err != nil {
		return err
	}
	for i := range m.Bodies {
		if y.watch.Every(i) {
			return y.watch.Err()
		}
		y.fillBody(i)
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
	return nil
}

// fillBody stores the diagonal block diag(E·Ic·Eᵀ, m·1) and the right side of body i, theory.md (3).
func (y *System) fillBody(i int) {
	I := &y.Kin.I[i]
	mass := y.Layout.Mech.Bodies[i].Mass
	d := (*[36]float64)(y.Matrix.Dia[36*i:])
	d[0], d[1], d[2] = I[0], I[3], I[4]
	d[6], d[7], d[8] = I[3], I[1], I[5]
	d[12], d[13], d[14] = I[4], I[5], I[2]
	d[21], d[28], d[35] = mass, mass, mass
	*(*spatial.Force)(y.Right[6*i:]) = y.force[i]
}

// fillUnit stores the unit matrix of n rows in d.
func fillUnit(d []float64, n int) {
	clear(d[:n*n])
	for i := range n {
		d[i*n+i] = 1
	}
}

// jointWork is the scratch of one joint's rows.
type jointWork struct {
	kin        mechanism.JointKinematics
	rows       joints.Rows
	armP, armS spatial.Vec3 // from the centres of mass to the joint, zero for the world
}

// fillJoint stores the blocks ±TᵀX of joint j, theory.md (8), and its right side, (9). It
// returns joints.ErrNoDirection as EvalTo does.
func (y *System) fillJoint(w *jointWork, j, node int32, s *mechanism.State) error {
	jt := &y.Layout.Mech.Joints[j]
	if err := w.eval(y.Layout.Mech, j, y.Kin, s); err != nil {
		return err
	}
	w.appendGeared(y.Layout, j)
	at := y.Layout.place(jt, node)
	pred, succ := at.rowsIn(y.Matrix.Val)
	o, end := at.row, at.row+int32(w.rows.N)
	scale := y.Scale[o:end]
	clear(scale)
	if at.fly >= 0 {
		flywheelTo(y.Matrix.Val[at.fly:], scale, jt)
		fillUnit(y.Matrix.Dia[y.Layout.Pattern.Dia[y.Layout.fly[j]]:], jt.NumGeared())
	}
	y.fillSide(succ, scale, &w.rows, &w.armS, jt.Succ, 1)
	y.fillSide(pred, scale, &w.rows, &w.armP, jt.Pred, -1)
	w.rightSideTo(y.Right[o:end])
	return nil
}

// eval computes w for joint j at s, whose bodies have the kinematics k. It
// returns joints.ErrNoDirection as EvalTo does.
func (w *jointWork) eval(m *mechanism.Mechanism, j int32, k *mechanism.Kinematics, s *mechanism.State) error {
	jt := &m.Joints[j]
	m.JointTo(&w.kin, int(j), k, s)
	if err := jt.EvalTo(&w.rows, &w.kin.Frames, s.Time); err != nil {
		return err
	}
	w.setArms(jt, k)
	return nil
}

// setArms computes the arms for w.kin and w.rows.
func (w *jointWork) setArms(jt *mechanism.Joint, k *mechanism.Kinematics) {
	w.armP, w.armS = spatial.Vec3{}, spatial.Vec3{}
	if jt.Pred >= 0 {
		com := &k.Bodies[jt.Pred].Com
		for i := range com {
			w.armP[i] = (w.kin.ArmP[i] + w.rows.Arm[i]) - com[i]
		}
	}
	if jt.Succ >= 0 {
		armTo(&w.armS, &w.kin.ArmS, &k.Bodies[jt.Succ].Com)
	}
}

// rightSideTo stores the right side g of the rows in b, theory.md (9).
func (w *jointWork) rightSideTo(b []float64) {
	var bias, turn, slip spatial.Vec3
	wp, ws := &w.kin.OmegaP, &w.kin.OmegaS
	// Relative acceleration of the origins at zero ω̇ and c̈, theory.md (7).
	addCentripetal(&bias, ws, &w.armS, 1)
	addCentripetal(&bias, wp, &w.armP, -1)
	spatial.CrossTo(&slip, wp, &w.rows.Slip)
	spatial.AddScaledTo(&bias, &bias, -2, &slip)
	spatial.CrossTo(&turn, ws, wp) // −ω_P×ω_r
	// Row k: T·(J a) = σ̇ − T·bias − T̊·V̂, where T turns with P.
	for k := range b {
		t := &w.rows.T[k]
		b[k] = w.rows.SigmaDot[k] - w.rows.TDot[k] -
			(t[0]*turn[0] + t[1]*turn[1] + t[2]*turn[2]) -
			(t[3]*bias[0] + t[4]*bias[1] + t[5]*bias[2])
	}
}

// fillSide stores the block sign·TᵀX, theory.md (8), of a body: the moment of each row about its centre of mass, and the force. arm is from
// the centre of mass to the joint. It adds the body's part of the diagonal of J·M⁻¹·Jᵀ,
// theory.md (12), to scale. It does nothing for the world.
func (y *System) fillSide(v, scale []float64, r *joints.Rows, arm *spatial.Vec3, body int32, sign float64) {
	if body < 0 {
		return
	}
	var inv spatial.Sym3
	b := &y.Layout.Mech.Bodies[body]
	b.InvWorldInertiaTo(&inv, &y.Kin.Bodies[body].E)
	for k := range scale {
		t := &r.T[k]
		n := spatial.Vec3{
			sign * (t[0] + arm[1]*t[5] - arm[2]*t[4]),
			sign * (t[1] + arm[2]*t[3] - arm[0]*t[5]),
			sign * (t[2] + arm[0]*t[4] - arm[1]*t[3]),
		}
		f := spatial.Vec3{sign * t[3], sign * t[4], sign * t[5]}
		*(*spatial.Force)(v[6*k:]) = spatial.NewForce(n, f)
		scale[k] += n[0]*(inv[0]*n[0]+2*(inv[3]*n[1]+inv[4]*n[2])) + n[1]*(inv[1]*n[1]+2*inv[5]*n[2]) + n[2]*n[2]*inv[2] +
			1/b.Mass*(f[0]*f[0]+f[1]*f[1]+f[2]*f[2])
	}
}

// armTo stores point − com in arm.
func armTo(arm, point, com *spatial.Vec3) {
	arm[0], arm[1], arm[2] = point[0]-com[0], point[1]-com[1], point[2]-com[2]
}

// addCentripetal adds sign·ω×(ω×r) = sign·(ω(ω·r) − r(ω·ω)) to a.
func addCentripetal(a, w, r *spatial.Vec3, sign float64) {
	wr, ww := sign*(w[0]*r[0]+w[1]*r[1]+w[2]*r[2]), sign*(w[0]*w[0]+w[1]*w[1]+w[2]*w[2])
	a[0] += wr*w[0] - ww*r[0]
	a[1] += wr*w[1] - ww*r[1]
	a[2] += wr*w[2] - ww*r[2]
}

// ForceSubspace returns the rows of Tᵀ of joint j at s: wrenches on the
// successor about the origin of S, world axes, and their number. The system has
// been filled at s.
func (y *System) ForceSubspace(j int, s *mechanism.State) (T [6]spatial.Force, n int) {
	return y.Layout.ForceSubspace(j, y.Kin, s)
}

// ForceSubspace is System.ForceSubspace for the kinematics k of state s. It returns no rows if the joint has no direction.
func (l *Layout) ForceSubspace(j int, k *mechanism.Kinematics, s *mechanism.State) (T [6]spatial.Force, n int) {
	var w jointWork
	l.Mech.JointTo(&w.kin, j, k, s)
	if l.Mech.Joints[j].EvalTo(&w.rows, &w.kin.Frames, s.Time) != nil {
		return T, 0
	}
	return w.rows.T, w.rows.N
}
