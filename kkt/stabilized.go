package kkt

import "github.com/rung-mbd/rung/mechanism"

// SolveStabilized is Solve under constraints with feedback, theory.md (47) (RBDA §8.3). Let δ
// and δ̇ be the errors of the joints' rows at position and velocity level. A row then demands
// δ̈ = −2α·δ̇ − β²·δ. alpha and beta are in 1/s.
//
// Where redundant rows are violated in ways that no displacement of the bodies explains, the
// accelerations are those of least squares. It works on the whole system.
//
// Cost and errors are those of Solve.
func (s *Solver) SolveStabilized(st *mechanism.State, alpha, beta float64) error {
	s.enter()
	defer s.guard.Leave()
	mustHaveState(st)
	if s.bearings != nil {
		return s.orCause(s.settle(st, func(st *mechanism.State) error { return s.onceStabilized(st, alpha, beta) }))
	}
	return s.orCause(s.onceStabilized(st, alpha, beta))
}

// onceStabilized is SolveStabilized with the friction that is in st.
func (s *Solver) onceStabilized(st *mechanism.State, alpha, beta float64) error {
	s.st = st
	if err := s.assembleWhole(); err != nil {
		return err
	}
	if err := s.sys.FeedBack(s.st, alpha, beta); err != nil {
		s.stage = empty
		return err
	}
	s.alter()
	if err := s.factorize(); err != nil {
		return err
	}
	return s.refine()
}
