package kkt

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// settle calls once until reactions agree with the friction that grows with them. It returns ErrReaction if such a reaction is not unique,
// and ErrJammed if there is no agreement within bearingSolves.
func (s *Solver) settle(st *mechanism.State, once func(st *mechanism.State) error) error {
	b := s.bearings
	st = b.begin(st)
	for n := range bearingSolves {
		if err := once(st); err != nil {
			return err
		}
		if n == 0 {
			if tells := b.redundantOf(&s.core); !tells || !slices.Equal(b.rows, b.unique) {
				// Redundant rows that are new: a Report tells whether the reactions are unique, but overwrites the factor.
				r, err := s.explainer().report()
				if err == nil {
					err = s.determined(r)
				}
				if err != nil {
					s.stage = empty
					return err
				}
				if tells {
					copy(b.unique, b.rows)
				}
				if err := once(st); err != nil {
					return err
				}
			}
		}
		if s.complete(); b.take(s.plan.mech, s.now.kin, s.constraintWrench) {
			return nil
		}
	}
	s.stage = empty
	return fault.Errorf("kkt: %w", s.plan.mech.AtJoint(s.plan.mech.Bearing(0), -1, ErrJammed))
}

// determined returns ErrReaction with the name of a joint if its friction grows with a reaction that
// the constraints leave undetermined.
func (s *Solver) determined(r *Report) error {
	for i := range s.plan.mech.NumBearings() {
		if j := s.plan.mech.Bearing(i); r.Undetermined[j]&bearingBit != 0 {
			return fault.Errorf("kkt: %w", s.plan.mech.AtJoint(j, -1, ErrReaction))
		}
	}
	return nil
}

// BearingsTo stores in dst the reactions, N, in the joints whose friction grows with them (mechanism.State.Bearings).
//
// It panics without a solution, or on a length mismatch.
func (s *Solver) BearingsTo(dst []float64) {
	s.mustHave()
	if len(dst) != s.plan.mech.NumBearings() {
		panic("kkt: length mismatch")
	}
	if s.bearings != nil {
		copy(dst, s.bearings.load)
	}
}

// Solve computes accelerations and constraint multipliers at st, theory.md (2) (RBDA eq. 8.64).
// The results are read with the other methods. They hold until the next Solve, and refer to st,
// which is kept but not copied.
//
// Where many bodies hang on the world by few freedoms (assemble.Groups), Solve solves a reduced
// system without these bodies. If rounding makes that fail, it solves the whole system.
//
// If friction grows with the reaction in its joint (mechanism.State.Bearings), Solve begins with the reactions without
// friction and solves again until friction and reactions agree. Each solve multiplies the error by about the ratio of
// friction to load. If rows are redundant, the first Solve also makes a Report, and so does a later Solve in which other rows
// are redundant.
//
// The system is solved once more with twice the digits in three cases, if that takes up to 10⁸
// flops: masses that meet differ by 10⁷ and more, moments of inertia differ by 10¹⁰, or
// refinement ends far from a solution. Otherwise redundancy is decided by doubles. A pose
// within 1e-7 rad of a singular one may then pass for singular. Report tells.
//
// A state that violates the joints is taken as it is: Holds and Report.Violation tell.
//
// Cost: O(bodies + joints) + the factor's flops. Nearly dependent constraints take up to 64
// more solves. The last resorts take longer: an orthogonal factorization some four times as
// long, twice the digits some hundred times. It allocates only when one of these is first
// needed, and in each orthogonal factorization or change of the order. It returns
// mechanism.ErrNotFinite for a bad state, *factor.PivotError, ErrInconsistent, ErrInaccurate, ErrReaction or ErrJammed,
// each with the name of the body or joint. After an error there is no result. It panics if st
// is nil or of another mechanism.
func (s *Solver) Solve(st *mechanism.State) error {
	s.enter()
	defer s.guard.Leave()
	if s.bearings != nil {
		mustHaveState(st)
		return s.orCause(s.settle(st, s.once))
	}
	return s.orCause(s.once(st))
}

// once is Solve with the reactions in st.Bearings.
func (s *Solver) once(st *mechanism.State) error {
	if err := s.assemble(st); err != nil {
		return err
	}
	if err := s.factorize(); err != nil {
		return err
	}
	return s.refine()
}

// refine solves and refines with the factor, and takes the held inertia off the solution.
func (s *Solver) refine() error {
	err := s.solve()
	if err == nil && s.release != nil {
		if err = s.release.run(); err != nil {
			s.stage = factored
		}
	}
	return err
}

// SetAccuracy sets a sufficient error, relative to the largest acceleration, weighted by the inertias. Solve does not
// refine accelerations whose error is smaller by a margin (factor.Factor.SolveWithinTo). With 0, the default, it refines as far as it can.
// The limit is rounding of the loads: where loads of 9.81 m/s² cancel down
// to 1e-5 m/s², accelerations are known to 1e-10.
//
// Redundant rows of a state that is closed to rounding hold as they do with 0. Where the state violates its joints, redundant rows
// contradict each other by as much, and the order of elimination decides which of them is violated: with a sufficient error,
// Solve looks for no least squares over all of them. So it is for callers that correct poses and velocities in each
// step, such as motion.Rattle. Refinement and Inconsistency tell the errors that were reached.
//
// Cost of a Solve then: half a solve more than without refinement; at most the cost with 0, and where the state violates the joints also
// their position errors.
//
// It panics unless enough is from 0 to AccurateTol.
func (s *Solver) SetAccuracy(enough float64) {
	if !(enough >= 0 && enough <= AccurateTol) {
		panic("kkt: option out of range")
	}
	s.enough = enough
}

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

// onceStabilized is SolveStabilized with the reactions in st.Bearings.
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

// Watch is Workspace.Watch for Solve, its parts, Report and RankAt.
func (s *Solver) Watch(ctx context.Context) (end func()) {
	s.enter()
	defer s.guard.Leave()
	return s.work.Watch(ctx)
}

// SolveContext is Solve, and ends early when ctx does (Watch).
func (s *Solver) SolveContext(ctx context.Context, st *mechanism.State) error {
	defer s.Watch(ctx)()
	return s.Solve(st)
}

// Stages are the three parts of Solve, Assemble, Factorize and Refine in this order, for callers who time them or look at the matrix.
// For accelerations and reactions call Solve.
type Stages struct{ s *Solver }

// Stages returns the parts of Solve.
func (s *Solver) Stages() Stages { return Stages{s} }

// Assemble is the first part of Solve: it fills the system. Friction that grows with reactions takes them from st.Bearings.
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
// refined: the work of a linear solver alone. The Solver has no results afterwards.
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
