package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/mechanism"
)

// ErrInconsistent is wrapped by the error of a Solve whose constraints
// contradict each other at acceleration level, such as two motions prescribed
// for one freedom.
var ErrInconsistent = errors.New("kkt: constraints contradict each other")

// ErrInaccurate is wrapped by the error of a Solve whose refinement ended far
// from a solution, or whose numbers overflow.
var ErrInaccurate = errors.New("kkt: refinement does not converge")

const (
	// consistentTol is the largest residual of a constraint row, relative to the accelerations
	// its terms could make, that counts as the violation of an imperfect state. The
	// accelerations are then those of least squares, and the residual is reported.
	consistentTol = 1e-4
	// exactTol is the same for a factorization under WhereWeak. A larger residual says that a
	// weak row was not redundant.
	exactTol = 1e-12
	// DoubtTol is for reduced systems. It is the largest pivot, relative to its row's scale,
	// that counts as rounding of a redundant row. A true pivot may be small there: the scales
	// are those of free bodies, while the bodies are held by their trees. And the rows of the
	// trees, which would show the mistake, are not in the system.
	DoubtTol = 1e-12
	// AccurateTol is the largest predicted relative error of the accelerations
	// that is returned as a result.
	AccurateTol = 1e-6
)

// stage says how far a Solver has come with a state.
type stage uint8

const (
	empty     stage = iota // there is no system
	assembled              // the system is that of the state
	factored               // there is a factor of it, unless another system has taken its place (Factored.Current)
	solved                 // there are results
)

// Solver solves the forward dynamics of one mechanism. It owns all memory it
// needs and belongs to one goroutine at a time.
type Solver struct {
	guard  guard.Guard
	owner  *Plan     // that has made it
	plan   *Plan     // of the system: owner, or that with armature
	ground *grounded // the system that is solved first; nil if that is the whole one

	// The whole system: nil until it is needed, if there is a reduced one.
	sys   *assemble.Weighted
	whole *system
	work  *Workspace
	side  *Workspace // for others: work, or that of the constraints alone

	x   []float64 // accelerations, then −λ; in mass-weighted coordinates until Refine ends
	ref factor.Refinement

	stage         stage
	now           *system // the whole system, or the reduced one
	way           Way     // that has factored or solved it
	whyWhole      string  // why the whole system was taken, if it was
	free          float64 // size of the accelerations that the loads could make, weighted
	inconsistency float64 // largest relative residual of a constraint row
	st            *mechanism.State
	multipliers   bool // those of the solution are in x

	altered bool      // the right side is not that of the loads
	right   []float64 // a copy of it then

	enough float64 // of SetAccuracy

	bearings *bearings // nil if no friction grows with a reaction

	more      *precise  // nil until it is needed
	release   *releaser // nil if there is inertia in all directions
	imprecise error     // why twice the digits are not enough either, where doubles are not
}

// system is a system that a Solver factors.
type system struct {
	*Factored
	kin           *mechanism.Kinematics
	x, r          []float64            // solution in its own coordinates, and residual
	accelerations func(a, x []float64) // of the bodies, for a solution x, which may be a
}

// NewSolver allocates a solver of the plan.
func (p *Plan) NewSolver() *Solver {
	p.mustBe()
	if p.ground == nil || p.mech.NumBearings() > 0 { // which need the multipliers of every solve
		return p.newSolver()
	}
	s := &Solver{owner: p, plan: p, work: p.NewWorkspace(), x: pages.Make[float64](p.layout.Pattern.Dim())}
	s.side, s.ground = s.work, p.ground.newGrounded(s.work)
	return s
}

// newSolver is NewSolver for the whole system.
func (p *Plan) newSolver() *Solver {
	return p.newSolverOf(p.dynamic())
}

// newPlainSolver returns a solver of the whole system without
// armature, in which rods and point masses have what they are held by.
func (p *Plan) newPlainSolver() *Solver {
	s := p.newSolverOf(p)
	s.release = nil
	return s
}

// newSolverOf returns a solver of the whole system of q, p or its geared plan.
func (p *Plan) newSolverOf(q *Plan) *Solver {
	s := &Solver{owner: p, plan: q, work: q.NewWorkspace(), x: pages.Make[float64](q.layout.Pattern.Dim()), bearings: newBearings(q.mech)}
	s.side = s.work
	if q != p {
		s.side = &Workspace{plan: p, team: s.work.team, watch: s.work.watch}
	}
	if q.held != nil {
		s.release = newReleaser(s)
	}
	s.needWhole()
	return s
}

// needWhole allocates the whole system where there is none.
func (s *Solver) needWhole() {
	if s.sys != nil {
		return
	}
	l := s.plan.layout
	y := l.NewWeightedOn(s.work.team)
	y.Heed(s.work.watch)
	s.sys, s.whole = y, &system{
		Factored: NewFactored(s.work.Factor(), y.Matrix, y.Right, y.Scale, s.plan.epsilon, KeepAll, l.At),
		kin:      y.Kin, x: s.x, r: pages.Make[float64](len(s.x)), accelerations: y.AccelerationsTo,
	}
	if l := s.plan.lean; l != nil {
		s.whole.lean = l.newLeanOn(s.work.team)
		s.whole.lean.fac.Heed(s.work.watch)
	}
}

// Solve computes accelerations and constraint multipliers at st, theory.md (2) (RBDA eq. 8.64).
// The results are read with the other methods. They hold until the next Solve, and refer to st,
// which is kept but not copied.
//
// Where many bodies hang on the world by few freedoms (assemble.Groups), Solve solves a reduced
// system without these. The whole one is solved too where rounding makes the reduced one fail.
//
// If friction grows with the reaction in its joint (mechanism.State.Bearings), Solve begins with the reactions without
// friction and solves again until friction and reactions agree. Each solve multiplies the error by about the ratio of
// friction to load. If rows are redundant, the first Solve also makes a Report, and so does one in which their number
// has changed.
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
// long, twice the digits some hundred times. No allocation but when one of these is first
// needed, and where an orthogonal factorization or another order is needed. It returns
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

// once is Solve with the friction that is in st.
func (s *Solver) once(st *mechanism.State) error {
	if err := s.assemble(st); err != nil {
		return err
	}
	if err := s.factorize(); err != nil {
		return err
	}
	return s.refine()
}

// Assemble is the first of the three parts of Solve: it fills the system. Friction of reactions is that of st.Bearings.
func (s *Solver) Assemble(st *mechanism.State) error {
	s.enter()
	defer s.guard.Leave()
	return s.orCause(s.assemble(st))
}

func (s *Solver) assemble(st *mechanism.State) error {
	mustHaveState(st)
	s.stage, s.st = empty, st
	if s.ground == nil {
		s.whyWhole = s.owner.whyNoGroups()
		return s.assembleWhole()
	}
	s.now, s.whyWhole = &s.ground.system, ""
	s.now.Changed()
	var err error
	s.free, err = s.ground.sys.FillTo(st)
	if err == nil && math.IsNaN(s.free) {
		s.whyWhole = "numbers of a group overflow"
		return s.assembleWhole() // which says where numbers overflow
	}
	if err == nil {
		s.stage = assembled
	}
	return err
}

// assembleWhole fills the whole system at s.st.
func (s *Solver) assembleWhole() error {
	s.needWhole()
	s.stage, s.now = empty, s.whole
	s.now.Changed()
	s.altered = false
	if err := s.sys.FillTo(s.st); err != nil {
		return err
	}
	s.free = s.sys.FreeSize()
	s.stage = assembled
	return nil
}

// alter says that the right side of the whole system has been changed after it was filled. Whoever fills the
// system again at the same state then takes that right side (restore).
func (s *Solver) alter() { s.altered, s.right = true, append(s.right[:0], s.sys.Right...) }

// restore puts an altered right side back after the system has been filled again.
func (s *Solver) restore() {
	if s.altered {
		copy(s.sys.Right, s.right)
	}
}

// reduced reports whether the system at hand is the reduced one.
func (s *Solver) reduced() bool { return s.now != s.whole }

// Factorize is the second part of Solve, after Assemble. It panics without an
// assembled system.
func (s *Solver) Factorize() error {
	s.enter()
	defer s.guard.Leave()
	return s.orCause(s.factorize())
}

// factorize factors in the first way that works.
func (s *Solver) factorize() error {
	if s.stage < assembled {
		panic("kkt: not assembled")
	}
	s.stage = assembled
	if err := s.now.Factorize(DropWeak); err != nil {
		return s.next(err)
	}
	s.stage, s.way = factored, DropWeak
	return nil
}

// next factors in the next way that works, after one has failed with err. It explains err if
// that was the last. The reduced system has one way only: the rows of the joints of its trees
// are not in it, and they would show a pivot that is wrongly taken for a true one.
func (s *Solver) next(err error) error {
	if cause := s.work.watch.Err(); cause != nil {
		return cause
	}
	w := s.now.nextWay()
	if s.reduced() {
		s.whyWhole = whyWhole(err)
		if err := s.assembleWhole(); err != nil {
			return err
		}
		w = DropWeak
	}
	s.stage = assembled
	if err = s.now.FactorizeFrom(w, err); err != nil {
		s.now.Changed()
		return s.describe(err)
	}
	s.stage, s.way = factored, s.now.Way()
	return nil
}

// Refine is the last part of Solve, after Factorize. If the factor is not good enough, it goes
// on to the next way to factor. It panics without a factor of the assembled system; Report
// takes its place.
func (s *Solver) Refine() error {
	s.enter()
	defer s.guard.Leave()
	return s.orCause(s.refine())
}

// refine refines with the factor, and takes off what bodies without inertia are held by.
func (s *Solver) refine() error {
	err := s.refineAll()
	if err == nil && s.release != nil {
		if err = s.release.run(); err != nil {
			s.stage = factored
		}
	}
	return err
}

// refineAll refines with the factor. Where that fails it goes on to the next ways to factor, and
// after the last one to an orthogonal factorization. Where preciseFor says so, it solves once more
// with twice the digits. If that fails, the result or error so far stays, and s.imprecise says why.
func (s *Solver) refineAll() error {
	s.mustHaveFactor()
	s.imprecise = nil
	err := s.refineOnce()
	for err != nil {
		if err = s.next(err); err != nil {
			if s.orthogonal(err) {
				err = nil
			}
			break
		}
		err = s.refineOnce()
	}
	if err == nil {
		err = s.finish()
	}
	if !s.preciseFor(err) {
		return err
	}
	if s.imprecise = s.refineMore(); s.imprecise == nil {
		return nil
	}
	return err
}

// SolveOnceTo stores in a the accelerations of one solve with the factor, neither checked nor
// refined. That is the work of a solver of linear systems, and no result of s.
//
// Shapes: a has six entries a body, as for AccelerationsTo.
// Cost: the backward half of a solve, as Factorize has eliminated the right side; no
// allocation. It panics without a factor of the assembled system.
func (s *Solver) SolveOnceTo(a []float64) {
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

// finish stores the accelerations of the solution, and its multipliers if the system was the whole one. Accelerations of
// a finite solution may overflow. finish then returns ErrInaccurate with the name of the body.
func (s *Solver) finish() error {
	s.now.accelerations(s.x, s.now.x)
	if i := s.overflown(); i >= 0 {
		return fault.Errorf("kkt: %w", s.plan.mech.AtBody(i, fault.Errorf("%w: numbers overflow", ErrInaccurate)))
	}
	s.stage, s.multipliers = solved, !s.reduced()
	return nil
}

// overflown returns the first body whose acceleration is not finite, −1 if there is none.
func (s *Solver) overflown() int {
	sum := 0.0 // not finite if a number is not
	for i := range s.plan.mech.NumBodies() {
		a := s.x[6*i:][:6]
		sum += a[0] + a[1] + (a[2] + a[3]) + (a[4] + a[5])
	}
	if sum-sum == 0 {
		return -1
	}
	for i := range s.plan.mech.NumBodies() {
		if a := s.x[6*i:][:6]; !isFinite(a) {
			return i
		}
	}
	return -1
}

// complete stores the multipliers of the solution where they are not there yet.
func (s *Solver) complete() {
	s.mustHave()
	if !s.multipliers {
		s.ground.sys.MultipliersTo(s.x, s.ground.x, s.st)
		s.multipliers = true
	}
}

// mustHaveFactor panics without a factor of the assembled system.
func (s *Solver) mustHaveFactor() {
	if s.stage < factored || !s.now.Current() {
		panic("kkt: no factor")
	}
}

// SetAccuracy sets an error that is good enough, relative to the largest acceleration, weighted by the inertias. Solve does not
// refine accelerations with a smaller error, by a margin (factor.Factor.SolveWithinTo). Without that it refines as far as it can,
// which is what it does with 0, the default. Rounding of the loads bounds what it can: where loads of 9.81 m/s² cancel down
// to 1e-5 m/s², accelerations are known to 1e-10.
//
// Redundant rows of a state that is closed to rounding hold as they do with 0. Where the state violates its joints, they contradict each
// other by as much, and which of them gives way is left to the order of elimination: with an error that is good enough,
// Solve looks for no least squares over all of them. So it is for callers that correct poses and velocities in each
// step, such as motion.Rattle. Refinement and Inconsistency tell what was reached.
//
// Cost of a Solve then: half a solve to see that nothing is to be refined, otherwise at most that without it, but for the
// errors of the joints' positions where the state violates them.
//
// It panics unless enough is from 0 to AccurateTol.
func (s *Solver) SetAccuracy(enough float64) {
	if !(enough >= 0 && enough <= AccurateTol) {
		panic("kkt: option out of range")
	}
	s.enough = enough
}

// tol returns the largest inconsistency that is accepted of a way that factors.
func (w Way) tol() float64 {
	if ways[w].policy == factor.WhereWeak {
		return exactTol
	}
	return consistentTol
}

// refineOnce solves with the factor. It returns ErrInaccurate or ErrInconsistent as they are.
// describe explains them later, as the next way to factor may succeed.
func (s *Solver) refineOnce() error {
	s.stage = factored
	s.now.enough = s.enough
	s.ref = s.now.Refine(s.now.x, s.now.r, s.free)
	s.inconsistency = s.ref.Worst.Ratio
	return s.failure()
}

// keepSpare makes s solve with all rows. The number of rows that depend on others is then that at the state of a solution.
func (s *Solver) keepSpare() {
	if s.whole != nil {
		s.whole.lean = nil
	}
}
