package tree

// RespondTo stores in qdd what generalized forces f add to the accelerations of the last Factorize or Solve: the q̈ of
//
//	H·q̈ − Kᵀλ = f,   K·q̈ = 0,
//
// the columns of the inverse inertia that the loops leave, if f are columns of 1.
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
