package kkt

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// stage says how far a Solver has come with a state.
type stage uint8

const (
	empty     stage = iota // there is no system
	assembled              // the system is filled at the state
	factored               // the system has a factor, unless another system has taken the factor's place (Factored.Current)
	solved                 // there are results
)

// core solves the system of one plan at one state, and knows how far it has come. Solver is its public face, and explainer
// uses its systems and its solution.
type core struct {
	owner  *Plan     // the plan that has made it
	plan   *Plan     // the plan of the system: owner, or owner.geared with armature
	ground *grounded // the reduced system, which is solved first; nil if there is none

	// The whole system: nil until it is needed, if there is a reduced one.
	sys   *assemble.Weighted
	whole *system
	work  *Workspace

	searchers []*mechanism.Kinematics // other kinematics that share searches on curves with the systems

	x   []float64 // accelerations, then −λ; in mass-weighted coordinates until Refine ends
	ref factor.Refinement

	stage         stage
	now           *system // the whole system, or the reduced one
	way           Way     // the way in which it was factored or solved
	whyWhole      string  // why the whole system was taken, if it was
	free          float64 // size of the accelerations that the loads alone would make, weighted
	inconsistency float64 // largest relative residual of a constraint row
	dependent     int     // rows that depend on others, of the way Orthogonal
	st            *mechanism.State
	multipliers   bool // x has the multipliers of the solution

	altered bool      // the right side was changed after the system was filled
	right   []float64 // a copy of the right side if altered is set

	enough float64 // of Solver.SetAccuracy

	doubles   bool     // twice the digits are not used, as the matrix is changed after it is filled
	more      *precise // nil until it is needed
	imprecise error    // why a solve with twice the digits has failed, after doubles were not enough
}

// explainer explains what a core has solved: rank, mobility, which reactions are unique, how near a singular pose is.
type explainer struct{ *core }

// newCore returns the core of a solver of p for the system of q, which is p or its geared plan.
func newCore(p, q *Plan) core {
	return core{owner: p, plan: q, work: q.NewWorkspace(), x: pages.Make[float64](q.layout.Pattern.Dim())}
}

// system is a system that a Solver factors.
type system struct {
	*Factored
	kin           *mechanism.Kinematics
	x, r          []float64            // solution in its own coordinates, and residual
	accelerations func(a, x []float64) // of the bodies, for a solution x, which may be a
}

// needWhole allocates the whole system if there is none yet.
func (s *core) needWhole() {
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
	s.whole.LeaveOutChecked(s.work)
	if len(s.searchers) > 0 {
		s.shareSearches()
	}
}

// shareSearches makes the systems allocated so far share searches on curves with s.searchers.
func (s *core) shareSearches() {
	list := slices.Clip(s.searchers)
	if s.ground != nil {
		list = append(list, s.ground.kin)
	}
	if s.sys != nil {
		list = append(list, s.sys.Kin)
	}
	s.plan.mech.ShareSearches(list...)
}

// assemble fills the system that is solved first at st: the reduced system if there is one, else the whole one.
func (s *core) assemble(st *mechanism.State) error {
	mustHaveState(st)
	s.stage, s.st, s.altered = empty, st, false
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
		return s.assembleWhole() // its solution or error says where numbers overflow
	}
	if err == nil {
		s.stage = assembled
	}
	return err
}

// assembleWhole fills the whole system at s.st.
func (s *core) assembleWhole() error {
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

// alter has to be called after the right side of the filled whole system has been changed. It keeps a copy, which restore puts back
// when the system is filled again at the same state.
func (s *core) alter() { s.altered, s.right = true, append(s.right[:0], s.sys.Right...) }

// setRight makes right the right side of the whole system. right begins with a wrench on each body about its centre of mass, moment first,
// in world axes. The entries of flywheels and rows may follow; they are zero if right ends before.
func (s *core) setRight(right []float64) {
	y, n := s.sys, 6*s.plan.mech.NumBodies()
	clear(y.Right)
	for i := 0; i < n; i += 6 {
		y.AddWrenchTo(y.Right[i:][:6], i/6, 1, (*spatial.Force)(right[i:]))
	}
	copy(y.Right[n:], right[n:])
	s.alter()
}

// keeps reports whether the factor at hand is still the one that the whole system had when Factored.runs was run.
func (s *core) keeps(run int) bool { return s.now == s.whole && s.now.runs() == run && s.now.Current() }

// restore puts an altered right side back after the system has been filled again.
func (s *core) restore() {
	if s.altered {
		copy(s.sys.Right, s.right)
	}
}

// reduced reports whether the system at hand is the reduced one.
func (s *core) reduced() bool { return s.now != s.whole }

// finish converts the solution to accelerations of the bodies. x has the multipliers, too, if the system was the whole one. If an
// acceleration overflows, finish returns ErrInaccurate with the name of the body.
func (s *core) finish(error) error {
	s.now.accelerations(s.x, s.now.x)
	if i := s.overflown(); i >= 0 {
		return fault.Errorf("kkt: %w", s.plan.mech.AtBody(i, fault.Errorf("%w: numbers overflow", ErrInaccurate)))
	}
	s.stage, s.multipliers = solved, !s.reduced()
	return nil
}

// overflown returns the first body whose acceleration is not finite, −1 if there is none.
func (s *core) overflown() int {
	sum := 0.0 // not finite if one of the numbers is not finite
	for i := range s.plan.mech.NumBodies() {
		a := s.x[6*i:][:6]
		sum += a[0] + a[1] + (a[2] + a[3]) + (a[4] + a[5])
	}
	if algebra.Finite(sum) {
		return -1
	}
	for i := range s.plan.mech.NumBodies() {
		if a := s.x[6*i:][:6]; !algebra.AllFinite(a...) {
			return i
		}
	}
	return -1
}

// redundant returns the number of rows that count as redundant in the way of the last solution. In KeepAll it is the number of all rows.
func (s *core) redundant() int {
	if s.way == Orthogonal {
		return s.dependent
	}
	return s.now.Weak
}

// complete stores the multipliers of the solution in x if they are not there yet. It panics without a solution.
func (s *core) complete() {
	s.mustHave()
	if !s.multipliers {
		s.ground.sys.MultipliersTo(s.x, s.ground.x, s.st)
		s.multipliers = true
	}
}

// mustHaveFactor panics without a factor of the assembled system.
func (s *core) mustHaveFactor() {
	if s.stage < factored || !s.now.Current() {
		panic("kkt: no factor")
	}
}

// mustHave panics without a solution.
func (s *core) mustHave() {
	if s.stage != solved {
		panic("kkt: no solution")
	}
}

// grounded is the memory of a reduced system.
type grounded struct {
	sys *assemble.Reduced
	system
}

// newGrounded allocates the memory of the reduced system, with the team and the watch of w.
func (p *groundPlan) newGrounded(w *Workspace) *grounded {
	n, y, f := p.ground.Pattern.Dim(), p.ground.NewReducedOn(w.team), p.symbolic.NewFactorOn(w.team)
	y.Heed(w.watch)
	f.Heed(w.watch)
	f.SetParts(y.Parts)
	return &grounded{y, system{
		Factored: NewFactored(f, y.Matrix, y.Right, y.Scale, w.plan.epsilon, DropWeak, nil),
		kin:      y.Kin, x: make([]float64, n), r: make([]float64, n), accelerations: y.AccelerationsTo,
	}}
}

// violation returns the largest position error of a joint or coupling at the state: angles in rad, and lengths relative to
// the longest of its bodies. Prescribed freedoms have no part in it, as the rows of their joints are the same
// wherever the freedom is.
func (s *core) violation() float64 { return s.plan.violation(s.now.kin, s.st, s.work.watch) }

// violation is core.violation at st, whose kinematics are kin.
func (p *Plan) violation(kin *mechanism.Kinematics, st *mechanism.State, watch *team.Watch) (worst float64) {
	m := p.mech
	for j := range m.Joints {
		if watch.Every(j) {
			break
		}
		l := 0.0
		for _, b := range [...]int32{m.Joints[j].Pred, m.Joints[j].Succ} {
			if b >= 0 {
				l = max(l, p.length[b])
			}
		}
		var v mechanism.Violation
		var delta, rate [6]float64
		_ = m.ErrorsTo(&delta, &rate, j, kin, st) // its error is one of the rates, which are not used
		for i := range m.Joints[j].Kind.Constraints() {
			v.Note(m.Joints[j].Angles>>i&1 != 0, delta[i], 0)
		}
		off, _ := v.In(l)
		worst = max(worst, off)
	}
	for i := range m.Couplings {
		l := 0.0
		for _, b := range m.Couplings[i].Bodies {
			l = max(l, p.length[b])
		}
		v := m.ConstraintViolation(m.NumJoints()+i, kin, st)
		off, _ := v.In(l)
		worst = max(worst, off)
	}
	return worst
}

// reactions returns the reactions of the solution; the multipliers have to be there (complete).
func (s *core) reactions() Reactions {
	return Reactions{s.plan.layout, s.now.kin, s.st, s.x}
}

// couplingWrench is Reactions.couplingWrench for the multipliers in x, which has all scalars of the system.
func (s *core) couplingWrench(j int, x []float64) spatial.Force {
	r := Reactions{s.plan.layout, s.now.kin, s.st, x}
	return r.couplingWrench(j)
}

// constraintWrench is ConstraintWrench, once the multipliers are there.
func (s *core) constraintWrench(j int) spatial.Force {
	r := s.reactions()
	return r.ConstraintWrench(j)
}

// wrench returns T·λ for multipliers λ of joint j.
func (s *core) wrench(j int, lambda []float64) spatial.Force {
	r := s.reactions()
	return r.wrench(j, lambda)
}

// holds returns nil if the joints hold at a state, in the drift unit, else the error of mechanism.Mechanism.HoldsIn as one of this package.
func holds(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) error {
	if err := m.HoldsIn(k, st, m.DriftUnit()); err != nil {
		return fault.Errorf("kkt: %w", err)
	}
	return nil
}

// keepSpare makes s solve with all rows. Its factor then counts the rows that depend on others at the state of the solution.
func (s *core) keepSpare() {
	if s.whole != nil {
		s.whole.lean = nil
	}
}
