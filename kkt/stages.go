package kkt

import (
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/mechanism"
)

// Stages are the three parts of Solve, for those who time them or look at the matrix: Assemble, Factorize and Refine, in this
// order. Who wants accelerations and reactions calls Solve.
type Stages struct{ s *Solver }

// Stages returns the parts of Solve.
func (s *Solver) Stages() Stages { return Stages{s} }

// Assemble is the first part of Solve: it fills the system. Friction of reactions is that of st.Bearings.
func (p Stages) Assemble(st *mechanism.State) error {
	p.s.enter()
	defer p.s.guard.Leave()
	return p.s.orCause(p.s.assemble(st))
}

// Factorize is the second part of Solve, after Assemble. It panics without an
// assembled system.
func (p Stages) Factorize() error {
	p.s.enter()
	defer p.s.guard.Leave()
	return p.s.orCause(p.s.factorize())
}

// Refine is the last part of Solve, after Factorize. If the factor is not good enough, it goes
// on to the next way to factor. It panics without a factor of the assembled system; Report
// takes its place.
func (p Stages) Refine() error {
	p.s.enter()
	defer p.s.guard.Leave()
	return p.s.orCause(p.s.refine())
}

// SolveOnceTo stores in a the accelerations of one solve with the factor, neither checked nor
// refined. That is the work of a solver of linear systems, and no result of the Solver.
//
// Shapes: a has six entries a body, as for AccelerationsTo.
// Cost: the backward half of a solve, as Factorize has eliminated the right side; no
// allocation. It panics without a factor of the assembled system.
func (p Stages) SolveOnceTo(a []float64) {
	s := p.s
	s.enter()
	defer s.guard.Leave()
	s.mustHaveFactor()
	if len(a) != 6*s.plan.mech.NumBodies() {
		panic("kkt: length mismatch")
	}
	s.stage = factored
	s.now.SolveTo(s.now.x, s.now.Right)
	s.now.accelerations(a, s.now.x)
}

// System returns the KKT system of RBDA eq. 8.64 at the state of the last Solve.
// The solver itself works on the same system in mass-weighted coordinates
// (assemble.Weighted).
//
// Cost: O(bodies + joints); allocates. It returns the errors of assemble.System.FillTo, which only a state that has
// changed since the Solve can have. It panics without a solution.
func (p Stages) System() (*assemble.System, error) {
	p.s.mustHave()
	y := p.s.plan.layout.NewSystem()
	if err := y.FillTo(p.s.st); err != nil {
		return nil, err
	}
	return y, nil
}
