package kkt

import (
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/mechanism"
)

// Plan returns the plan of s.
func (s *Solver) Plan() *Plan {
	s.enter()
	defer s.guard.Leave()
	return s.plan
}

// State returns the state of the solution, which is the caller's own.
//
// It panics without a solution.
func (s *Solver) State() *mechanism.State {
	s.mustHave()
	return s.st
}

// Kinematics returns rotations, centres of mass and inertias of the bodies at the state of the solution. They
// hold until the next Solve.
//
// It panics without a solution.
func (s *Solver) Kinematics() *mechanism.Kinematics {
	s.mustHave()
	return s.kin()
}

// Lend returns the factor of the whole system and the goroutines of s. Others of the same goroutine may use both
// between the calls of s, after Drop.
func (s *Solver) Lend() (*factor.Factor, *team.Team) {
	s.enter()
	defer s.guard.Leave()
	return s.wholeFactor(), s.team
}

// Drop ends the results of s, as do others who use its factor.
func (s *Solver) Drop() { s.ok, s.factored = false, false }

// FactorKinematics returns the kinematics of the state at which s has factored its system. They hold until the next Solve.
// It returns nil if there is no factor, or one in which no row counts as redundant.
func (s *Solver) FactorKinematics() *mechanism.Kinematics {
	if !s.factored || s.attempt != 0 {
		return nil
	}
	return s.kin()
}

// SolveErrorsTo stores in x the least displacements of the bodies, in the metric of the inertias, that make the errors e
// of the rows, to first order at the state of FactorKinematics. The same holds for velocities. It ends the results of s.
//
// Shapes: e and x have an entry a scalar of Layout.Pattern; those of e for bodies are zero. The first of x are the
// displacements: a rotation, rad, and the travel of the centre of mass, m, of each body in world axes. st is near the
// state of the factor.
// Cost: a solve, no allocation. It panics without a factor.
func (s *Solver) SolveErrorsTo(x, e []float64, st *mechanism.State) {
	if !s.factored {
		panic("kkt: no factor")
	}
	s.ok = false
	if s.reduced {
		g := s.ground
		s.assembled = false // the right side is another
		g.sys.ErrorsTo(e, st)
		g.fac.SolveTo(g.x, g.sys.B)
		g.sys.AccelerationsTo(x, g.x)
		return
	}
	s.fac.SolveTo(x, e)
	s.sys.AccelerationsTo(x, x)
}

// Rank is what a Report says of the rank alone.
type Rank struct {
	Rank          int   // of the constraint Jacobian
	RedundantRows []int // by joint, as in Report
}

// RankAt finds the rank of the constraints at st, without solving the dynamics. It ends the results of s.
//
// Cost: two factorizations; with redundant rows an orthogonal one, too. It returns the errors of System.FillTo and
// *factor.PivotError.
func (s *Solver) RankAt(st *mechanism.State) (Rank, error) {
	s.enter()
	defer s.guard.Leave()
	mustHaveState(st)
	s.ok, s.factored, s.st = false, false, st
	if err := s.assembleWhole(); err != nil {
		return Rank{}, err
	}
	r := &Report{RedundantRows: make([]int, s.plan.mech.NumJoints()), WeakestJoint: -1}
	if _, err := s.rank(r, nil); err != nil {
		return Rank{}, err
	}
	s.assembled = false // the geometric matrix has taken its place
	return Rank{len(s.x) - 6*s.plan.mech.NumBodies() - r.Redundant, r.RedundantRows}, nil
}

// RedundantRows returns the number of redundant rows of each joint at st, as a
// Report does, without solving the dynamics.
//
// Cost: two factorizations and a solver. Errors are those of Solver.RankAt.
func (p *Plan) RedundantRows(st *mechanism.State) ([]int, error) {
	p.mustBe()
	r, err := p.newSolver().RankAt(st)
	return r.RedundantRows, err
}
