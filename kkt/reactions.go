package kkt

import (
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Reactions are the forces of the joints at a solution of the system, by a Solver or by the pieces of a mechanism (package
// dist). They hold until the next Solve, and the state must not change. The methods do not allocate, and panic if a joint or
// coupling is out of range. Wrenches act on the successor, with moments about the origin
// of its frame S, world axes, N m and N.
type Reactions struct {
	Layout *assemble.Layout
	Kin    *mechanism.Kinematics // of State
	State  *mechanism.State
	X      []float64 // accelerations, then multipliers with their signs changed
}

// MultipliersTo copies the constraint-force variables λ of joint j, one for each column of its T, to dst and returns their number. They
// are not unique where the reactions of the joint are not. A Report then replaces them by multipliers of least norm; before, their part in
// the null space is arbitrary.
//
// It panics without a destination.
func (r Reactions) MultipliersTo(dst *[6]float64, j int) int {
	r.mustHaveJoint(j)
	mustHaveDestination(dst)
	node := r.Layout.JointNode(j)
	if node < 0 {
		return 0
	}
	o := r.Layout.Pattern.Off[node]
	jt := &r.Layout.Mech.Joints[j]
	n := int(jt.Rows)
	for k := range n {
		dst[k] = -r.X[int(o)+k]
	}
	if jt.Armature != nil && jt.Motion != nil {
		r.driveArmature(dst, jt)
	}
	return n
}

// driveArmature adds to the multipliers of prescribed freedoms the force I·q̈ that
// moves their armature, as the drive moves it in addition to the bodies.
func (r Reactions) driveArmature(dst *[6]float64, jt *mechanism.Joint) {
	for i, I := range jt.Armature {
		if I > 0 && jt.Prescribed(i) {
			_, _, qdd := jt.Motion[i].At(r.State.Time)
			dst[jt.PrescribedRow(i)] += I * qdd
		}
	}
}

// ArmatureForceTo stores in f the generalized forces −I·q̈ of the armature of joint j on the successor, an entry a freedom,
// docs/theory.md (A1).
//
// It panics without a destination.
func (r Reactions) ArmatureForceTo(f *[6]float64, j int) {
	r.mustHaveJoint(j)
	mustHaveDestination(f)
	*f = [6]float64{}
	jt := &r.Layout.Mech.Joints[j]
	if jt.Armature == nil {
		return
	}
	row := 0
	if node := r.Layout.JointNode(j); node >= 0 {
		row = int(r.Layout.Pattern.Off[node]) + int(jt.Rows)
	}
	for i, I := range jt.Armature {
		switch {
		case I > 0 && jt.Prescribed(i):
			_, _, qdd := jt.Motion[i].At(r.State.Time)
			f[i] = -I * qdd
		case jt.Geared(i):
			f[i] = -r.X[row]
			row++
		}
	}
}

// armatureWrench returns the wrench of the forces of ArmatureForceTo.
func (r Reactions) armatureWrench(j int) (w spatial.Force) {
	var f [6]float64
	if r.ArmatureForceTo(&f, j); f == ([6]float64{}) {
		return w
	}
	var jk mechanism.JointKinematics
	m := r.Layout.Mech
	m.JointTo(&jk, j, r.Kin, r.State)
	m.Joints[j].WrenchTo(&w, &f, &jk.Frames)
	return w
}

// ConstraintWrench returns T·λ of joint j, the wrench of its constraints and prescribed motions.
func (r Reactions) ConstraintWrench(j int) spatial.Force {
	var lambda [6]float64
	if r.MultipliersTo(&lambda, j) == 0 {
		return spatial.Force{}
	}
	return r.wrench(j, lambda[:])
}

// AppliedWrench returns the wrench of the drive of joint j (force, springs and dampers along its freedoms), of its stops and its friction.
func (r Reactions) AppliedWrench(j int) spatial.Force {
	r.mustHaveJoint(j)
	var jk mechanism.JointKinematics
	var w spatial.Force
	m := r.Layout.Mech
	m.JointTo(&jk, j, r.Kin, r.State)
	m.DriveWrenchTo(&w, j, &jk)
	m.AddResistanceTo(&w, j, &jk, r.State)
	return w
}

// TotalWrench returns the whole wrench of joint j on its successor: constraints, drive, the forces of couplings along its freedoms, and
// armature.
func (r Reactions) TotalWrench(j int) spatial.Force {
	w := r.ConstraintWrench(j).Add(r.AppliedWrench(j))
	if len(r.Layout.Mech.LegsAt(j)) > 0 {
		w = w.Add(r.couplingWrench(j).Scale(-1))
	}
	if r.Layout.Mech.Joints[j].Armature != nil {
		w = w.Add(r.armatureWrench(j))
	}
	return w
}

// CouplingMultiplier returns the constraint-force variable λ of coupling i, in the unit of its terms: it acts as the generalized
// force λ·factor along the freedom of each term, and −λ·p′ along the freedom of its polynomial p, docs/theory.md (K3). It is not unique
// where Report.UndeterminedCouplings says so.
func (r Reactions) CouplingMultiplier(i int) float64 {
	if uint(i) >= uint(r.Layout.Mech.NumCouplings()) {
		panic("kkt: coupling out of range")
	}
	return -r.X[r.Layout.Pattern.Off[r.Layout.CouplingNode(i)]]
}

// couplingWrench returns minus the wrench that couplings exert along the freedoms of joint j, theory.md (K3).
func (r Reactions) couplingWrench(j int) (w spatial.Force) {
	m, l := r.Layout.Mech, r.Layout
	legs := m.LegsAt(j)
	if len(legs) == 0 {
		return w
	}
	var jk mechanism.JointKinematics
	var tau [6]float64
	for _, at := range legs {
		var of mechanism.LegState
		c := &m.Couplings[at.Coupling]
		m.LegTo(&of, &jk, c, int(at.Leg), r.Kin, r.State)
		tau[c.Legs[at.Leg].Freedom.Freedom] += of.Factor * r.X[l.Pattern.Off[l.CouplingNode(int(at.Coupling))]]
	}
	m.Joints[j].WrenchTo(&w, &tau, &jk.Frames)
	return w
}

// wrench returns T·λ for multipliers λ of joint j.
func (r Reactions) wrench(j int, lambda []float64) (w spatial.Force) {
	T, n := r.Layout.ForceSubspace(j, r.Kin, r.State)
	for k := range n {
		w = w.Add(T[k].Scale(lambda[k]))
	}
	return w
}

// mustHaveJoint panics unless there is a joint j.
func (r Reactions) mustHaveJoint(j int) {
	if uint(j) >= uint(r.Layout.Mech.NumJoints()) {
		panic("kkt: joint out of range")
	}
}

// mustHaveDestination panics if dst is nil.
func mustHaveDestination(dst *[6]float64) {
	if dst == nil {
		panic("kkt: no destination")
	}
}
