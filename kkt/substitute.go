package kkt

// SubstituteTo stores in dst the accelerations that one substitution with the factor gives, neither checked nor refined: the
// backward half, as Factorize eliminates the right side with the matrix, and the way back from mass-weighted coordinates.
// It is what solvers of linear systems count as a solution, for comparisons with them; Refine is what can be relied on. It ends the
// results of s, and may be repeated after another Factorize.
//
// Shapes: dst has 6 entries a body, as in AccelerationsTo.
// Cost: 2 flops a nonzero of the factor, no allocation. It panics on a length mismatch or without a factor of the assembled system.
func (s *Solver) SubstituteTo(dst []float64) {
	s.enter()
	defer s.guard.Leave()
	if !s.factored || !s.assembled {
		panic("kkt: no factor")
	}
	if len(dst) != 6*s.plan.mech.NumBodies() {
		panic("kkt: length mismatch")
	}
	s.ok = false
	if s.reduced {
		g := s.ground
		g.fac.SolveTo(g.x, g.sys.B)
		g.sys.AccelerationsTo(dst, g.x)
		return
	}
	s.fac.SolveTo(s.x, s.sys.B)
	s.sys.AccelerationsTo(dst, s.x)
}
