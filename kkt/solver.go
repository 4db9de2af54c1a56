package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrInconsistent is wrapped by the error of a Solve whose constraints
// contradict each other at acceleration level, such as two motions prescribed
// for one freedom.
var ErrInconsistent = errors.New("kkt: constraints contradict each other")

// ErrInaccurate is wrapped by the error of a Solve whose refinement ended far
// from a solution, or whose numbers overflow.
var ErrInaccurate = errors.New("kkt: refinement does not converge")

const (
	// consistentTol is the largest residual of a constraint row, relative to the
	// accelerations its terms could make, that passes as the violation of an
	// imperfect state; the accelerations are then those of least squares, and the
	// residual is reported.
	consistentTol = 1e-4
	// exactTol is the same for a factorization that leaves the weak rows to the
	// others: a larger residual says that a weak row was not redundant.
	exactTol = 1e-12
	// DoubtTol is the largest pivot, relative to its row's scale, that passes as rounding of a redundant row in a
	// reduced system: scales are those of free bodies, so that true pivots may be small where bodies are held by
	// their trees, and rows of the trees do not tell.
	DoubtTol = 1e-12
	// accurateTol is the largest predicted relative error of the accelerations
	// that is returned as a result.
	accurateTol = 1e-6
)

// Solver solves the forward dynamics of one mechanism. It owns all memory it
// needs and belongs to one goroutine at a time.
type Solver struct {
	guard  team.Guard
	plan   *Plan
	team   *team.Team
	ground *grounded // the system that is solved first; nil if that is the whole one

	// The whole system: nil until it is needed, if there is a reduced one.
	sys *assemble.Weighted
	fac *factor.Factor
	r   []float64 // its residual

	x   []float64 // accelerations, then −λ; in mass-weighted coordinates until Refine ends
	ref factor.Refinement

	reduced       bool    // assembled, factored or solved is the reduced system
	assembled     bool    // the system is that of st
	factored      bool    // the factor is of the assembled system
	attempt       int     // index in attempts of the current factor
	free          float64 // size of the accelerations that the loads could make, weighted
	inconsistency float64 // largest relative residual of a constraint row
	st            *mechanism.State
	ok            bool
	multipliers   bool // those of the solution are in x

	more      *precise  // nil until it is needed
	doubled   bool      // the solution was found with twice the digits
	imprecise error     // why it was not, although doubles do not do
	length    []float64 // of each body; nil until it is needed
}

// NewSolver allocates a solver of the plan.
func (p *Plan) NewSolver() *Solver {
	p.mustBe()
	if p.ground == nil {
		return p.newSolver()
	}
	s := &Solver{plan: p, team: team.New(p.threads), x: pages.Make[float64](p.layout.Pattern.Dim())}
	s.ground = p.ground.newGrounded(s.team)
	return s
}

// newSolver is NewSolver for the whole system.
func (p *Plan) newSolver() *Solver {
	s := &Solver{plan: p, team: team.New(p.threads), x: pages.Make[float64](p.layout.Pattern.Dim())}
	s.whole()
	return s
}

// whole allocates the whole system where there is none.
func (s *Solver) whole() {
	if s.sys == nil {
		s.sys = s.plan.layout.NewWeightedOn(s.team)
		s.r = pages.Make[float64](len(s.x))
		s.wholeFactor()
	}
}

// wholeFactor allocates the factor of the whole system where there is none.
func (s *Solver) wholeFactor() *factor.Factor {
	if s.fac == nil {
		s.fac = s.plan.symbolic.NewFactorOn(s.team)
	}
	return s.fac
}

// Solve computes accelerations and constraint multipliers at st (RBDA eq.
// 8.64). The results are read with the other methods; they hold until the next
// Solve, and refer to st, which is kept but not copied.
//
// Where many bodies hang on the world by few freedoms (assemble.Ground), that is the cost of a system
// without these; the whole one is solved too where rounding takes it.
//
// Where masses that meet differ by 10⁷ and more, or moments of inertia by 10¹⁰, or refinement ends far from a solution, the system is solved once
// more with twice the digits, if that takes up to 10⁸ flops. Redundancy is decided by doubles otherwise: a pose within 1e-7 rad
// of a singular one may pass for singular. Report tells.
//
// Cost: O(bodies + joints) + the factor's flops; up to 64 solves more if constraints are
// nearly dependent; an orthogonal factorization as the last resort, some four times as long; twice the digits, some hundred
// times. No allocation but when one of these is first so, and where an orthogonal factorization or another order is needed.
// It returns mechanism.ErrNotFinite for a bad state, *factor.PivotError,
// ErrInconsistent or ErrInaccurate, each with the name of the body or joint.
// After an error there is no result. It panics if st is nil or of another mechanism.
func (s *Solver) Solve(st *mechanism.State) error {
	s.enter()
	defer s.guard.Leave()
	s.ok = false
	if err := s.assemble(st); err != nil {
		return err
	}
	if err := s.firstFactor(); err != nil {
		return err
	}
	return s.firstRefine()
}

// Assemble is the first of the three parts of Solve: it fills the system.
func (s *Solver) Assemble(st *mechanism.State) error {
	s.enter()
	defer s.guard.Leave()
	return s.assemble(st)
}

func (s *Solver) assemble(st *mechanism.State) error {
	mustHaveState(st)
	s.ok, s.assembled, s.factored = false, false, false
	s.st = st
	if s.ground == nil {
		return s.assembleWhole()
	}
	var err error
	s.reduced = true
	s.free, err = s.ground.sys.FillTo(st)
	if err == nil && math.IsNaN(s.free) {
		return s.assembleWhole() // which says where numbers overflow
	}
	s.assembled = err == nil
	return err
}

// assembleWhole fills the whole system at s.st.
func (s *Solver) assembleWhole() error {
	s.whole()
	s.reduced, s.assembled = false, false
	if err := s.sys.FillTo(s.st); err != nil {
		return err
	}
	s.free = s.sys.FreeSize()
	s.assembled = true
	return nil
}

// attempt is one way to factor; Solve takes the first that works.
type attempt struct {
	policy factor.Policy
	shrink float64 // factor on the plan's epsilon
	tol    float64 // largest inconsistency that is accepted
}

// attempts are ordered by cost and reach, after the first on the reduced system if there is one: first, rows with pivots below 1e3·ε
// count as redundant; then those below ε, for mechanisms whose true pivots are
// small (long nearly isostatic nets); last, no row is taken for redundant, and
// refinement has to remove the proximal term, or to find the least squares.
var attempts = [...]attempt{
	{factor.WhereWeak, 1, exactTol},
	{factor.WhereWeak, 1e-3, exactTol},
	{factor.Everywhere, 1, consistentTol},
}

// Factorize is the second part of Solve, after Assemble. It panics without an
// assembled system.
func (s *Solver) Factorize() error {
	s.enter()
	defer s.guard.Leave()
	return s.firstFactor()
}

// firstFactor factors in the first way that works.
func (s *Solver) firstFactor() error {
	if !s.assembled {
		panic("kkt: not assembled")
	}
	s.attempt = 0
	for {
		err := s.factorize()
		if err == nil {
			return nil
		}
		if err = s.next(err); err != nil {
			return err
		}
	}
}

// next takes the next attempt after one has failed with err, which it returns if that was the last. Of the reduced
// system there is one: rows of the joints of its trees, which would tell of a pivot that is taken wrongly for a true one,
// are not in it.
func (s *Solver) next(err error) error {
	if s.reduced {
		return s.assembleWhole()
	}
	s.attempt++
	if s.attempt == len(attempts) {
		s.attempt--
		s.factored = false
		return s.describe(err)
	}
	return nil
}

func (s *Solver) factorize() error {
	s.ok, s.factored = false, false
	a := &attempts[s.attempt]
	if err := s.factorizeBy(a.shrink*s.plan.epsilon, a.policy); err != nil {
		return err
	}
	if a.policy == factor.WhereWeak && s.factor().Corrected > 0 {
		return ErrLostPivot // rounding beyond the scale of a row: no solution will come of it
	}
	s.factored = true
	return nil
}

func (s *Solver) factorizeBy(eps float64, policy factor.Policy) error {
	if s.reduced {
		y := s.ground.sys
		return s.ground.fac.FactorizeFor(y.B, y.W, y.Scale, eps, policy)
	}
	return s.fac.FactorizeFor(s.sys.B, s.sys.W, s.sys.Scale, eps, policy)
}

// factor returns that of the assembled system.
func (s *Solver) factor() *factor.Factor {
	if s.reduced {
		return s.ground.fac
	}
	return s.fac
}

// kin returns the kinematics of the assembled system.
func (s *Solver) kin() *mechanism.Kinematics {
	if s.reduced {
		return s.ground.sys.Kin
	}
	return s.sys.Kin
}

// ErrLostPivot ends an attempt; the last one does not return it.
var ErrLostPivot = errors.New("kkt: pivot lost to rounding")

// Refine is the last part of Solve, after Factorize. If the factorization turns
// out not to serve, it goes on to the next way to factor. It panics without a
// factor of the assembled system; Report takes its place.
func (s *Solver) Refine() error {
	s.enter()
	defer s.guard.Leave()
	return s.firstRefine()
}

// firstRefine refines with the factor, or one of the next way that works.
func (s *Solver) firstRefine() error {
	if !s.factored || !s.assembled {
		panic("kkt: no factor")
	}
	err := s.refineByAny()
	if err == nil {
		s.finish()
	}
	s.imprecise = nil
	if !s.preciseFor(err) {
		return err
	}
	if s.imprecise = s.refineMore(); s.imprecise == nil {
		return nil
	}
	return err
}

// refineByAny refines with the factor, and goes on to the next ways to factor where that fails. The last is an orthogonal
// factorization.
func (s *Solver) refineByAny() error {
	for {
		err := s.refine()
		if err == nil {
			return nil
		}
		for more := true; more; {
			if err = s.next(err); err != nil {
				if s.orthogonal(err) {
					return nil
				}
				return err
			}
			err = s.factorize()
			more = err != nil
		}
	}
}

// finish stores the accelerations of the solution, and its multipliers if they are there.
func (s *Solver) finish() {
	if s.reduced {
		s.ground.sys.AccelerationsTo(s.x, s.ground.x)
	} else {
		s.sys.AccelerationsTo(s.x, s.x)
	}
	s.ok, s.multipliers, s.doubled = true, !s.reduced, false
}

// complete stores the multipliers of the solution where they are not there yet.
func (s *Solver) complete() {
	s.mustHave()
	if !s.multipliers {
		s.ground.sys.MultipliersTo(s.x, s.ground.x, s.st)
		s.multipliers = true
	}
}

// refine solves with the factor. It returns ErrInaccurate or ErrInconsistent as they are, which describe
// explains: the next way to factor may do.
func (s *Solver) refine() error {
	a := &attempts[s.attempt]
	if s.reduced {
		g := s.ground
		s.ref = g.fac.SolveRefinedTo(g.x, g.r, g.sys.B, g.sys.W, s.free)
		s.inconsistency = s.ref.Worst.Ratio
		if !(s.inconsistency <= a.tol && s.ref.Error <= accurateTol && s.ref.Doubt <= DoubtTol) {
			return ErrInaccurate
		}
		return nil
	}
	s.ref = s.fac.SolveRefinedTo(s.x, s.r, s.sys.B, s.sys.W, s.free)
	s.inconsistency = s.ref.Worst.Ratio
	switch {
	case s.overflows():
		return ErrInaccurate
	case !(s.inconsistency <= a.tol):
		return ErrInconsistent
	case !(s.ref.Error <= accurateTol):
		return ErrInaccurate
	}
	return nil
}

// overflows reports whether numbers of the last refinement overflow.
func (s *Solver) overflows() bool { return math.IsNaN(s.inconsistency) || math.IsNaN(s.ref.Error) }

// describe names the joint or body of err, with which the last way to factor ended.
func (s *Solver) describe(err error) error {
	var p *factor.PivotError
	w := &s.ref.Worst
	switch {
	case errors.As(err, &p):
		return fault.Errorf("kkt: %w", s.plan.layout.At(p.Node, -1, err))
	case err == ErrInaccurate && s.overflows() && w.Node < 0:
		return fault.Errorf("%w: numbers overflow", err)
	case err == ErrInaccurate && s.overflows():
		return fault.Errorf("kkt: %w", s.plan.layout.At(w.Node, w.Row, fault.Errorf("%w: numbers overflow", err)))
	case err == ErrInconsistent:
		return fault.Errorf("kkt: %w", s.plan.layout.At(w.Node, w.Row, fault.Errorf("%w (relative residual %.3g)", err, w.Ratio)))
	case err == ErrInaccurate:
		node, row, _ := s.fac.Weakest()
		if node < 0 {
			return fault.Errorf("%w (predicted relative error %.3g)", err, s.ref.Error)
		}
		return fault.Errorf("kkt: %w", s.plan.layout.At(node, row,
			fault.Errorf("%w: too close to dependent on the others for double precision (predicted relative error %.3g)", err, s.ref.Error)))
	}
	return err
}

func (s *Solver) mustHave() {
	if s == nil || !s.ok {
		panic("kkt: no solution")
	}
}

// mustHaveBody panics unless there is a solution for a body i.
func (s *Solver) mustHaveBody(i int) {
	s.mustHave()
	if uint(i) >= uint(s.plan.mech.NumBodies()) {
		panic("kkt: body out of range")
	}
}

// mustHaveJoint panics unless there is a solution for a joint j.
func (s *Solver) mustHaveJoint(j int) {
	s.mustHave()
	s.plan.mustHaveJoint(j)
}

// mustHaveJoint panics unless there is a joint j.
func (p *Plan) mustHaveJoint(j int) {
	if uint(j) >= uint(p.mech.NumJoints()) {
		panic("kkt: joint out of range")
	}
}

// System returns the KKT system of RBDA eq. 8.64 at the state of the last Solve.
// The solver itself works on the same system in mass-weighted coordinates
// (assemble.Weighted).
//
// Cost: O(bodies + joints); allocates. It panics without a solution.
func (s *Solver) System() *assemble.System {
	s.mustHave()
	y := s.plan.layout.NewSystem()
	if err := y.FillTo(s.st); err != nil {
		panic("kkt: state has changed")
	}
	return y
}

// Refinement says how the solution came about. It panics without one.
func (s *Solver) Refinement() factor.Refinement {
	s.mustHave()
	return s.ref
}

// Nearness returns the square root of the smallest pivot of a row that is not redundant, relative to the row's scale,
// +Inf if there is no such row, and the number of rows that are. Along a motion to a singular pose the first falls to zero like the
// distance, until the second rises; its size alone says little (Report.Distance).
//
// Cost: O(rows), no allocation. It panics without a solution.
func (s *Solver) Nearness() (near float64, redundant int) {
	s.mustHave()
	_, _, ratio := s.factor().Weakest()
	return math.Sqrt(ratio), s.factor().Weak
}

// Inconsistency returns how far the constraints are from holding at
// acceleration level: the largest residual of a row relative to what its terms
// amount to. It is at rounding level unless redundant constraints contradict
// each other, as they do where the state violates them.
func (s *Solver) Inconsistency() float64 {
	s.mustHave()
	return s.inconsistency
}

// AngularAcceleration returns ω̇ of body i, rad/s², world axes.
//
// It panics without a solution or if i is out of range, as do the next ones, also for joints.
func (s *Solver) AngularAcceleration(i int) spatial.Vec3 {
	s.mustHaveBody(i)
	return spatial.Vec3(s.x[6*i : 6*i+3])
}

// ComAcceleration returns the classical acceleration of the centre of mass of
// body i, m/s², world axes.
func (s *Solver) ComAcceleration(i int) spatial.Vec3 {
	s.mustHaveBody(i)
	return spatial.Vec3(s.x[6*i+3 : 6*i+6])
}

// AccelerationsTo copies all body accelerations to dst: six numbers a body, ω̇
// then the centre of mass.
//
// It panics unless dst has 6 entries a body.
func (s *Solver) AccelerationsTo(dst []float64) {
	s.mustHave()
	n := 6 * s.plan.mech.NumBodies()
	if len(dst) != n {
		panic("kkt: length mismatch")
	}
	copy(dst, s.x[:n])
}

// MultipliersTo copies the constraint-force variables λ of joint j, one a row
// of its T, to dst and returns their number. They are not unique where the
// joint's reactions are not (Report); their null-space part is then accurate
// only after Report.
//
// The first call after a Solve may cost O(bodies + joints) and allocate, as may that of
// ConstraintWrench and TotalWrench; the state of the Solve must not have changed until then.
func (s *Solver) MultipliersTo(dst *[6]float64, j int) int {
	s.mustHaveJoint(j)
	s.complete()
	node := s.plan.layout.JointNode(j)
	if node < 0 {
		return 0
	}
	o := s.plan.layout.Pattern.Off[node]
	n := int(s.plan.layout.Pattern.Size[node])
	for k := range n {
		dst[k] = -s.x[int(o)+k]
	}
	return n
}

// ConstraintWrench returns T·λ of joint j: the constraint wrench on the
// successor about the origin of S, world axes, N m and N.
func (s *Solver) ConstraintWrench(j int) spatial.Force {
	s.mustHaveJoint(j)
	node := s.plan.layout.JointNode(j)
	if node < 0 {
		return spatial.Force{}
	}
	s.complete()
	p := s.plan.layout.Pattern
	return s.wrench(j, s.x[p.Off[node]:p.Off[node+1]]).Scale(-1)
}

// AppliedWrench returns the wrench of the drive of joint j (force, springs and
// dampers along its freedoms) on the successor about the origin of S.
func (s *Solver) AppliedWrench(j int) spatial.Force {
	s.mustHaveJoint(j)
	var jk mechanism.JointKinematics
	var w spatial.Force
	s.plan.mech.JointTo(&jk, j, s.kin(), s.st)
	s.plan.mech.DriveWrenchTo(&w, j, &jk)
	return w
}

// TotalWrench returns everything joint j does to its successor.
func (s *Solver) TotalWrench(j int) spatial.Force {
	return s.ConstraintWrench(j).Add(s.AppliedWrench(j))
}

// wrench returns T·λ for multipliers λ of joint j in the rows of x.
func (s *Solver) wrench(j int, lambda []float64) (w spatial.Force) {
	T, n := s.plan.layout.ForceSubspace(j, s.kin(), s.st)
	for k := range n {
		w = w.Add(T[k].Scale(lambda[k]))
	}
	return w
}
