package tree

// RespondTo stores in qdd the accelerations that generalized forces f add at the state of the last Factorize or Solve: the q̈ of
//
//	H·q̈ − Kᵀλ = f,   K·q̈ = 0.
//
// Unit forces f give the columns of the inverse inertia with closed loops.
//
// Shapes: qdd and f have NumDof entries; they may be the same.
// Cost: as the Method for a right side, without refinement; no allocation.
// It panics on a length mismatch or without a factor.
func (s *ClosedSolver) RespondTo(qdd, f []float64) {
	s.enter()
	defer s.guard.Leave()
	if s.phase < factored {
		panic("tree: no factor")
	}
	if len(qdd) != s.plan.nv || len(f) != s.plan.nv {
		panic("tree: length mismatch")
	}
	clear(s.rk)
	s.how.solveTo(s, s.dq, s.dl, f, s.rk)
	copy(qdd, s.dq)
}
