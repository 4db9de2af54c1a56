package kkt

import (
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/spatial"
)

// mustHave panics without a solution.
func (s *Solver) mustHave() {
	if s == nil {
		panic("kkt: no solution")
	}
	s.core.mustHave()
}

// mustHaveBody panics unless there is a solution for a body i.
func (s *Solver) mustHaveBody(i int) {
	s.mustHave()
	if uint(i) >= uint(s.plan.mech.NumBodies()) {
		panic("kkt: body out of range")
	}
}

// mustHaveJoint panics unless there is a solution for a joint j.
func (s *Solver) mustHaveJoint(j int) {
	s.mustHave()
	s.plan.mustHaveJoint(j)
}

// Refinement returns the steps, the errors and the worst row of the solution's refinement; nodes are those of the layout of Plan.Dynamics.
// It panics without a solution.
func (s *Solver) Refinement() factor.Refinement {
	s.mustHave()
	return s.ref
}

// Nearness returns two numbers, theory.md (50). The first is the square root of the smallest
// pivot of a row that is not redundant, relative to the row's scale, or +Inf if there is no
// such row. The second is the number of rows that count as redundant, by the factor or, in the way
// Orthogonal, by orthogonal factors. Along a motion to a singular pose the first falls to zero like the
// distance, until the second rises. In the way KeepAll the second is the number of all rows, and does
// not tell how many are redundant.
// The size of the first alone says little (Report.Distance); several methods confirm
// Report.Redundant.
//
// Cost: O(rows), no allocation. It panics without a solution.
func (s *Solver) Nearness() (near float64, redundant int) {
	s.mustHave()
	return math.Sqrt(s.leastPivot()), s.redundant()
}

// leastPivot returns the least pivot of a row that is not redundant, relative to its scale; +Inf if there is none.
func (s *Solver) leastPivot() float64 {
	_, _, ratio := s.now.Weakest()
	return ratio
}

// Inconsistency returns the largest residual of a constraint row at
// acceleration level, relative to the size of its terms (factor.Worst).
// It is at rounding level unless redundant constraints contradict
// each other, as they do where the state violates them.
func (s *Solver) Inconsistency() float64 {
	s.mustHave()
	return s.inconsistency
}

// Holds returns nil if the state of the last Solve satisfies the joints (mechanism.Mechanism.Holds), else an error that wraps a
// *mechanism.ViolationError with the name of the joint. Solve takes every state as it is, and keeps the second derivatives of the
// violations at zero.
//
// Cost: O(bodies + joints); allocates for an error alone. It panics without a solution. The state must not have changed.
func (s *Solver) Holds() error {
	s.mustHave()
	return holds(s.plan.mech, s.now.kin, s.st)
}

// AngularAcceleration returns ω̇ of body i, rad/s², world axes.
//
// It panics without a solution or if i is out of range, as do the next ones, also for joints.
func (s *Solver) AngularAcceleration(i int) spatial.Vec3 {
	s.mustHaveBody(i)
	return spatial.Vec3(s.x[6*i : 6*i+3])
}

// ComAcceleration returns the classical acceleration of the centre of mass of
// body i, m/s², world axes.
func (s *Solver) ComAcceleration(i int) spatial.Vec3 {
	s.mustHaveBody(i)
	return spatial.Vec3(s.x[6*i+3 : 6*i+6])
}

// AccelerationsTo copies all body accelerations to dst: six numbers a body, ω̇
// then the centre of mass.
//
// It panics unless dst has 6 entries a body.
func (s *Solver) AccelerationsTo(dst []float64) {
	s.mustHave()
	n := 6 * s.plan.mech.NumBodies()
	if len(dst) != n {
		panic("kkt: length mismatch")
	}
	copy(dst, s.x[:n])
}

// Reactions returns the forces of the joints, with all their parts.
//
// Cost: the first call of Reactions, ConstraintWrench or TotalWrench after a Solve may cost O(bodies + joints) and allocate. The
// state of the Solve must not have changed until then. It panics without a solution.
func (s *Solver) Reactions() Reactions {
	s.mustHave()
	s.complete()
	return s.reactions()
}

// ConstraintWrench returns T·λ of joint j: the constraint wrench on the
// successor about the origin of S, world axes, N m and N.
func (s *Solver) ConstraintWrench(j int) spatial.Force {
	s.mustHaveJoint(j)
	s.complete()
	return s.constraintWrench(j)
}

// TotalWrench returns the whole wrench of joint j on its successor:
// constraints, drive, couplings and armature (Reactions.TotalWrench).
func (s *Solver) TotalWrench(j int) spatial.Force {
	s.mustHaveJoint(j)
	s.complete()
	r := s.reactions()
	return r.TotalWrench(j)
}
