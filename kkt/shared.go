package kkt

import (
	"slices"

	"github.com/rung-mbd/rung/mechanism"
)

// Plan returns the plan of s.
func (s *Solver) Plan() *Plan {
	s.enter()
	defer s.guard.Leave()
	return s.owner
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
	return s.now.kin
}

// ShareSearches makes the kinematics of s share their searches on curves with those in list (mechanism.Mechanism.ShareSearches). It
// replaces the list of the last call.
func (s *Solver) ShareSearches(list ...*mechanism.Kinematics) {
	s.searchers = slices.Clone(list)
	s.shareSearches()
}

// Workspace returns the goroutines and the factor of s, for others to use between its calls.
func (s *Solver) Workspace() *Workspace {
	s.enter()
	defer s.guard.Leave()
	return s.side
}

// Corrector corrects small errors of poses and velocities with the factor that a Solver has made.
type Corrector struct{ s *Solver }

// Corrector returns the corrector on the factor of s.
func (s *Solver) Corrector() Corrector { return Corrector{s} }

// Drop ends the results of the solver, whose state is about to change.
func (c Corrector) Drop() { c.s.drop() }

// Kinematics returns the kinematics of the state at which the solver has factored its system. They hold until the next
// Solve. It returns nil with armature, and if there is no factor or its way is not DropWeak.
func (c Corrector) Kinematics() *mechanism.Kinematics {
	s := c.s
	if s.plan != s.owner || s.now == nil || !s.now.Current() || s.now.Way() != DropWeak {
		return nil
	}
	return s.now.kin
}

// Factor reports three facts. there: there is a factor for SolveErrorsTo, whatever its way. weak: rows in it count as
// redundant or have a proximal term. all: its way is KeepAll, by KeepAllRows or by a Solve that needed
// it. If weak is true, corrections may leave errors along directions in which rows are nearly redundant, and the
// caller has to check the remaining errors.
func (c Corrector) Factor() (there, weak, all bool) {
	s := c.s
	if s.now == nil || !s.now.Current() {
		return false, false, false
	}
	return true, s.now.Weak > 0, s.now.Way() == KeepAll
}

// KeepAllRows factors the system anew in the way KeepAll. Then SolveErrorsTo reduces errors along
// directions in which rows are nearly redundant, too, and leaves a part of them because of the proximal term. It reports
// whether there is a factor. It ends the results of the solver.
//
// Cost: a factorization, or nothing if the factor is in that way already. No allocation but for errors. It panics without
// a factor.
func (c Corrector) KeepAllRows() bool {
	if there, _, _ := c.Factor(); !there {
		panic("kkt: no factor")
	}
	s := c.s
	s.stage = empty
	return s.now.Way() == KeepAll || s.now.Factorize(KeepAll) == nil
}

// SolveErrorsTo stores in x the displacements of the bodies that change the errors of the rows by e, to first order at
// the state of the factor, theory.md (43): the least such displacements in the metric of the inertias, with armature. Errors of
// velocities are corrected in the same way. It ends the results of the solver.
//
// Unless left is nil, it also stores in left the errors that remain after the solution, e − J·x, and reports true. It
// leaves left as it is and reports false if the system is reduced, has flywheels, or was changed after it was filled.
//
// Shapes: e, x and left have an entry a scalar of Plan.Layout; the entries of bodies in e and left are zero. left may be e. The
// first entries of x are the displacements: a rotation, rad, and the travel of the centre of
// mass, m, of each body in world axes. st is near the state of the factor.
// Cost: a solve, no allocation. It panics without a factor.
func (c Corrector) SolveErrorsTo(x, e, left []float64, st *mechanism.State) (known bool) {
	if there, _, _ := c.Factor(); !there {
		panic("kkt: no factor")
	}
	s := c.s
	s.stage = empty // ErrorsTo overwrites the right side of the reduced system
	switch {
	case s.reduced():
		s.ground.sys.ErrorsTo(e, st)
		s.now.SolveTo(s.ground.x, s.ground.Right)
		s.now.accelerations(x, s.ground.x)
	case s.places != nil:
		z, wide := s.withFlywheels(e)
		s.now.SolveTo(z, wide)
		s.now.accelerations(z, z)
		copy(x, z[:6*s.plan.mech.NumBodies()])
	default:
		s.now.SolveTo(x, e)
		if known = left != nil && !s.doubles; known {
			s.now.Matrix.ResidualTo(left, e, x)
			clear(left[:6*s.plan.mech.NumBodies()])
		}
		s.now.accelerations(x, x)
	}
	return known
}

// Rank is the rank of the constraint Jacobian, with the redundant rows.
type Rank struct {
	Rank          int   // of the constraint Jacobian
	RedundantRows []int // by joint, then by coupling: the number of its redundant rows, as in Report
}

// RankAt finds the rank of the constraints at st, without solving the dynamics. It ends the results of s.
//
// Cost: two factorizations; with redundant rows an orthogonal one, too. It returns the errors of System.FillTo and
// *factor.PivotError.
func (s *Solver) RankAt(st *mechanism.State) (Rank, error) {
	s.enter()
	defer s.guard.Leave()
	mustHaveState(st)
	s.st = st
	if err := s.assembleWhole(); err != nil {
		return Rank{}, err
	}
	s.stage = empty // the geometric matrix takes the place of the system
	r := &Report{RedundantRows: make([]int, s.plan.mech.NumConstraints()), WeakestJoint: -1}
	if _, err := s.explainer().rank(r, nil); err != nil {
		return Rank{}, s.orCause(err)
	}
	return Rank{len(s.x) - s.plan.first() - s.plan.gears() - r.Redundant, r.RedundantRows}, nil
}

// RedundantRows returns the number of redundant rows of each joint and coupling at st, as a
// Report does, without solving the dynamics.
//
// Cost: two factorizations and a solver. Errors are those of Solver.RankAt.
func (p *Plan) RedundantRows(st *mechanism.State) ([]int, error) {
	p.mustBe()
	r, err := p.newSolver().RankAt(st)
	return r.RedundantRows, err
}
