package tree

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ClosedReport says what a ClosedSolver found about the constraints.
type ClosedReport struct {
	Rows      int // rows of K: of loop joints, and of prescribed freedoms of tree joints
	Rank      int // of K
	Redundant int // Rows − Rank
	Mobility  int // n − Rank
	// TreeRows is the number of constraints that the joints of the tree impose, 6·bodies − n. All are independent: with them added, Rows
	// and Rank count the constraints of the whole mechanism.
	TreeRows int
	// Smallest is the size of the smallest independent part of a row that counted as independent, Dropped of the largest that did not, both
	// relative to the terms of the row's entries. They are +Inf and 0 where there is no such row. With Direct, Smallest is at most the
	// root of the smallest pivot of H.
	Smallest, Dropped float64
	Residual          float64 // largest |K·q̈ − k| of a row, relative to its terms
	Correction        float64 // size of the last refinement, relative to the solution
}

// Report returns the report of the last Solve.
//
// It panics without a solution, as the other methods here do.
func (s *ClosedSolver) Report() ClosedReport {
	s.mustHave()
	p := s.plan
	rows := p.NumRows()
	return ClosedReport{
		Rows: rows, Rank: s.rank, Redundant: rows - s.rank, Mobility: p.nv - s.rank,
		TreeRows: 6*len(p.Links) - p.nv,
		Smallest: s.gap.smallest, Dropped: s.gap.dropped,
		Residual: s.residual, Correction: s.correction,
	}
}

// Holds returns nil if the state of the last Solve satisfies the joints, or else the *mechanism.ViolationError of
// mechanism.Mechanism.Holds, which names the joint. Solve itself does not check this.
//
// Cost: O(bodies + joints); allocates for an error alone. The state must not have changed.
func (s *ClosedSolver) Holds() error {
	s.mustHave()
	m := s.plan.mech
	if err := m.HoldsIn(s.w.kin, s.w.state, m.DriftUnit()); err != nil {
		return fault.Errorf("tree: %w", err)
	}
	return nil
}

// mustHaveJoint panics unless there is a solution and a joint j.
func (s *ClosedSolver) mustHaveJoint(j int) {
	s.mustHave()
	if uint(j) >= uint(s.plan.mech.NumJoints()) {
		panic("tree: joint out of range")
	}
}

// Kept reports whether a row of K is one of the independent rows that determine the others.
//
// It panics if the row is out of range.
func (s *ClosedSolver) Kept(row int) bool {
	s.mustHave()
	if uint(row) >= uint(len(s.kept)) {
		panic("tree: row out of range")
	}
	return s.kept[row]
}

// Plan returns the plan of s.
func (s *ClosedSolver) Plan() *Plan { return s.plan }

// Workspace returns the workspace of s, at the state of the last Solve. Methods that change its state must not be called.
func (s *ClosedSolver) Workspace() *Workspace { return s.w }

// Constraints returns K and k of the last Solve, stabilization included.
func (s *ClosedSolver) Constraints() *Constraints { return s.K }

// JointAccelerations returns q̈. It is not a copy.
func (s *ClosedSolver) JointAccelerations() []float64 {
	s.mustHave()
	return s.qdd
}

// Multipliers returns λ, one a row of K. It is not a copy. The constraint wrench of a loop joint is T·λ; λ of a prescribed freedom is the
// generalized force that enforces its motion. Rows that are not Kept have λ = 0.
func (s *ClosedSolver) Multipliers() []float64 {
	s.mustHave()
	return s.lambda
}

// AccelerationsTo stores in dst the accelerations of the bodies: ω̇ and the
// classical acceleration of the centre of mass, world axes.
//
// Shapes: dst has one entry a body.
// Cost: O(links), no allocation. It panics on a length mismatch.
func (s *ClosedSolver) AccelerationsTo(dst []spatial.ClassicalAccel) {
	s.mustHave()
	s.w.AccelerationsTo(dst, s.qdd)
}

// IndependentTo appends to dst[:0] the independent variables y of a Projection,
// as entries of q̇, and returns it. The other methods have none.
func (s *ClosedSolver) IndependentTo(dst []int) []int {
	s.mustHave()
	dst = dst[:0]
	if m, ok := s.how.(*projection); ok {
		for _, d := range m.y[:m.count] {
			dst = append(dst, int(d))
		}
	}
	return dst
}

// ExplicitTo stores in G and g the explicit form q̈ = G·ÿ + g of the constraints
// (RBDA §8.8), with y in the order of IndependentTo.
//
// Shapes: G is n×Mobility by rows, g has n entries.
// Cost: O(n·Mobility), no allocation.
// It panics on a length mismatch, or unless the method is Projection.
func (s *ClosedSolver) ExplicitTo(G, g []float64) {
	s.mustHave()
	m, ok := s.how.(*projection)
	if !ok {
		panic("tree: not a projection")
	}
	if len(G) != m.n*m.count || len(g) != m.n {
		panic("tree: length mismatch")
	}
	m.explicitTo(G, g, s, s.K.rhs)
}

// wrenches stores in s.wrench the force through each link's joint, from the tips
// to the root, with the loads of the mechanism and the constraint wrenches of
// the loops on the links (RBDA Table 5.1).
func (s *ClosedSolver) wrenches() {
	if s.haveWrench {
		return
	}
	w, p := s.w, s.plan
	w.accelerate(s.qdd)
	for i := range s.wrench {
		w.inertialForceTo(&s.wrench[i], i)
	}
	var jk mechanism.JointKinematics
	for i := range p.Loops {
		l := &p.Loops[i]
		w.loopTo(&jk, l)
		f := s.loopWrench(l, &jk)
		if l.Succ != World {
			arm := jk.ArmS.Sub(w.com(l.Succ))
			t := atCom(&f, &arm, -1)
			s.wrench[l.Succ] = s.wrench[l.Succ].Add(t)
		}
		if l.Pred != World {
			arm := jk.ArmP.Add(jk.R).Sub(w.com(l.Pred))
			t := atCom(&f, &arm, 1)
			s.wrench[l.Pred] = s.wrench[l.Pred].Add(t)
		}
	}
	for i := len(p.Links) - 1; i >= 0; i-- {
		if up := p.Links[i].Parent; up != World {
			addShifted(&s.wrench[up], &s.wrench[i], &w.links[i].r)
		}
	}
	s.haveWrench = true
}

// loopWrench returns the wrench of a loop joint on its successor: T·λ, and the forces of couplings and armature along its freedoms.
func (s *ClosedSolver) loopWrench(l *Loop, jk *mechanism.JointKinematics) (f spatial.Force) {
	T, n := s.rowsOf(int(l.Joint), jk)
	for k := range n {
		f = f.Add(T[k].Scale(s.lambda[int(l.Row)+k]))
	}
	var tau [6]float64
	if s.freedomForcesTo(&tau, int(l.Joint)) {
		var w spatial.Force
		s.plan.mech.Joints[l.Joint].WrenchTo(&w, &tau, &jk.Frames)
		f = f.Add(w)
	}
	return f
}

// freedomForcesTo stores in tau the generalized forces along the freedoms of joint j that couplings exert and, if j closes a loop, the
// armature. It reports whether the joint has couplings or armature.
func (s *ClosedSolver) freedomForcesTo(tau *[6]float64, j int) bool {
	m := s.plan.mech
	legs := m.LegsAt(j)
	*tau = [6]float64{}
	first := s.plan.LoopRows + len(s.plan.Prescribed)
	for _, at := range legs {
		var jk mechanism.JointKinematics
		x := s.w.legTo(int(at.Coupling), int(at.Leg), s.K.legs[at.Coupling], &jk)
		tau[m.Couplings[at.Coupling].Legs[at.Leg].Freedom.Freedom] += x.Factor * s.lambda[first+int(at.Coupling)]
	}
	if s.G != nil && m.Joints[j].Armature != nil {
		for i := range s.G.list {
			if leg := &s.G.list[i]; int(leg.joint) == j {
				tau[leg.freedom] += s.all[s.K.rows+i]
			}
		}
	}
	return legs != nil || m.Joints[j].Armature != nil
}

// ArmatureForceTo stores in f the generalized forces −I·q̈ of the armature of joint j, an entry a freedom.
//
// It panics without a solution or a destination, or if j is out of range.
func (s *ClosedSolver) ArmatureForceTo(f *[6]float64, j int) {
	s.mustHaveJoint(j)
	if f == nil {
		panic("tree: no destination")
	}
	*f = [6]float64{}
	jt := &s.plan.mech.Joints[j]
	if jt.Armature == nil {
		return
	}
	if k := s.plan.linkOf(j); k >= 0 {
		for i := range jt.Kind.Freedoms() {
			f[i] = -jt.Armature[i] * s.qdd[int(s.plan.Links[k].Dof)+i]
		}
		return
	}
	for i := range jt.Kind.Freedoms() {
		if jt.Armature[i] > 0 && jt.Prescribed(i) {
			_, _, qdd := jt.Motion[i].At(s.w.state.Time)
			f[i] = -jt.Armature[i] * qdd
		}
	}
	if s.G == nil {
		return
	}
	for i := range s.G.list {
		if leg := &s.G.list[i]; int(leg.joint) == j {
			f[leg.freedom] = s.all[s.K.rows+i]
		}
	}
}

// FreedomForcesTo stores in tau the generalized forces of couplings and armature along the freedoms of joint j, and reports whether the
// joint has couplings or armature.
//
// It panics without a solution or a destination, or if j is out of range.
func (s *ClosedSolver) FreedomForcesTo(tau *[6]float64, j int) bool {
	s.mustHaveJoint(j)
	if tau == nil {
		panic("tree: no destination")
	}
	var f [6]float64
	acted := s.freedomForcesTo(tau, j)
	if s.plan.mech.Joints[j].Armature != nil {
		s.ArmatureForceTo(&f, j)
		for i := range f {
			if s.plan.linkOf(j) >= 0 || s.plan.mech.Joints[j].Prescribed(i) {
				tau[i] += f[i]
			}
		}
	}
	return acted
}

// CouplingMultiplier returns the multiplier of coupling i, as kkt.Reactions.CouplingMultiplier does. With redundant couplings it is one of
// many solutions.
//
// It panics without a solution or if i is out of range.
func (s *ClosedSolver) CouplingMultiplier(i int) float64 {
	s.mustHave()
	if i < 0 || i >= s.plan.mech.NumCouplings() {
		panic("tree: coupling out of range")
	}
	return s.lambda[s.plan.LoopRows+len(s.plan.Prescribed)+i]
}

// TotalWrench returns the wrench of joint j on its successor, about the origin of S, world axes, N m and N: the constraint wrench with the
// drive and the generalized forces given to Solve. For a joint of the tree it is the wrench that the tree beyond it needs (RBDA
// Table 5.1).
//
// Cost: the first call after a Solve O(links), the others O(1); no allocation.
// It panics if j is out of range.
func (s *ClosedSolver) TotalWrench(j int) spatial.Force {
	s.mustHaveJoint(j)
	s.wrenches()
	m, w := s.plan.mech, s.w
	jt := &m.Joints[j]
	var jk mechanism.JointKinematics
	var drive spatial.Force
	m.JointTo(&jk, j, w.kin, w.state)
	m.DriveWrenchTo(&drive, j, &jk)
	m.AddResistanceTo(&drive, j, &jk, w.state)
	if l := s.plan.loopOf(j); l != nil {
		w.loopTo(&jk, l)
		return s.loopWrench(l, &jk).Add(drive)
	}
	i := s.plan.linkOf(j)
	if i < 0 {
		return drive
	}
	// The force on the link is about its centre of mass.
	if s.plan.Links[i].Reversed {
		arm := jk.ArmP.Add(jk.R).Sub(w.kin.Bodies[jt.Pred].Com)
		return drive.Sub(s.wrench[i].Shift(arm))
	}
	arm := jk.ArmS.Sub(w.kin.Bodies[jt.Succ].Com)
	return drive.Add(s.wrench[i].Shift(arm))
}

// rowsOf returns T of joint j, wrenches on the successor about the origin of S, and the number of its rows. T exists, as K has been filled
// at the state.
func (s *ClosedSolver) rowsOf(j int, jk *mechanism.JointKinematics) (T [6]spatial.Force, n int) {
	var r joints.Rows
	if s.plan.mech.Joints[j].EvalTo(&r, &jk.Frames, s.w.state.Time) != nil {
		return T, 0
	}
	return r.T, r.N
}
