package motion

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// RattleOptions choose how a Rattle works. The zero value is the default.
type RattleOptions struct {
	// Tolerance is the largest error of a row of the joints at the end of a step: rad, rad/s, and lengths in units of
	// mechanism.Mechanism.DriftUnit. 0 stands for a tenth of mechanism.HoldTolerance. Mechanisms with rows that geometry alone makes
	// redundant, such as rigid origami, need a tolerance near rounding, as these rows contradict each other at a pose that is off by more.
	// With a tolerance above mechanism.HoldTolerance, no other run can start from the end of this one without a projector.
	Tolerance float64
	// Accuracy is the relative error that accelerations may have (kkt.Solver.SetAccuracy), at most kkt.AccurateTol. 0 stands for the least
	// possible. Joints hold to Tolerance in any case.
	Accuracy float64
	// Turn is the largest rotation of a body in a step, rad, at most 1.2. 0 stands for 0.6.
	Turn float64
	// Damp says that steps which fail, because a body turns too far or the joints do not close, are done by the backward Euler method, which
	// damps fast rotations. RattleStats counts them.
	Damp bool
}

// Defaults of RattleOptions, and the largest rotation of a body in a step, rad, where turns are counted.
const (
	defaultRattle     = 0.1 * mechanism.HoldTolerance
	defaultRattleTurn = 0.6
	mostRattleTurn    = 1.2
)

// dampedTurn is the largest rotation of a body in a damped step, rad, of mechanisms that count no turns: less than half a turn.
const dampedTurn = 2.8

// Rattle is the method RATTLE (Andersen 1983; Hairer, Lubich & Wanner 2006 §VII.1) in the exponential coordinates of package sim. It has
// order 2, closes the joints in positions and velocities at the end of each step, and takes one factorization a step. With u the
// accelerations by all forces except the joints' own,
//
//	v½ = v₀ + h/2·(u₀ + M⁻¹J₀ᵀλ),   q₁ = exp(h·v½)·q₀,   δ(q₁) = 0
//	v₁ = v½ + h/2·(u₁ + M⁻¹J₁ᵀμ),   J₁·v₁ = σ(t₁).
//
// It has no estimate of its error. Steps have to be short compared with the time constants of springs and dampers. Without springs and
// dampers the energy keeps about its value over long times.
//
// λ is found by corrections with the factor at q₀ (SolveErrorsTo of kkt.Corrector). Each leaves about that part of the errors which is the
// rotation of the bodies in the step, rad. u₁ is taken at the velocities v₀ + h·v̇₀, so that forces which depend on velocities do not
// lower the order.
//
// With RattleOptions.Damp a step that fails is done by the backward Euler method,
//
//	v₁ = v₀ + h·(u + M⁻¹Jᵀλ),   q₁ = exp(h·v₁)·q₀,   δ(q₁) = 0,   then J·v₁ = σ(t₁),
//
// with u and J at the pose exp(h·v₀)·q₀. It has order 1, and reduces an angular velocity ω by its part (h·ω)²/2 in each step. As steps
// after one that fails mostly fail too, some more are done in this way.
//
// Next to a singular pose the directions of J change by much within a step. Then joints do not close though no body turns far, or the
// kinetic energy follows the power of the forces less well than elsewhere. Such a step and the two after it are passes: they are done by
// the method of Dormand & Prince with error control, by which simulations without RATTLE go over such poses.
//
// A Rattle is a sim.Stepper and belongs to one goroutine.
type Rattle struct {
	mech *mechanism.Mechanism
	dyn  *Dynamics
	opts RattleOptions

	kept, next []float64 // numbers that this step takes from the one before, and leaves to the next: six accelerations a body, then the tail
	kin        *mechanism.Kinematics
	load       []spatial.Force
	v          []float64       // six velocities a body: angular, and of its centre of mass
	moved      []float64       // six a body: its displacement by corrections of poses
	from, end  mechanism.State // start and end of the step
	apart      mechanism.State // end before a search
	arm        []spatial.Vec3  // by body: from its origin to its centre of mass at the end, world axes

	valid  bool // kept belongs to the state from which the next step starts
	held   bool // the factor is at this state
	all    bool // the factor keeps all rows
	failed bool // a damped step from this state has failed
	rattled
	rattleTry
	stats RattleStats
}

// rattled has the properties of a mechanism that steps depend on.
type rattled struct {
	driven  bool    // it has prescribed motions
	mass    float64 // of all bodies, kg
	most    float64 // largest rotation of a body in a damped step, rad
	loops   bool    // it has loops: trees have no singular poses
	springs bool    // it has springs or users' forces (sprung)
}

// rattleTry describes the last step that was tried.
type rattleTry struct {
	tried    bool // there is one that has succeeded
	last     rattleWay
	turned   float64             // rotation of the body that turns furthest, rad
	uneven   bool                // it was done by RATTLE, and shows signs of a singular pose
	loss     float64             // energy lost, J, if it is damped
	off      mechanism.Violation // of the joints at its end
	known    bool                // off is known
	needsAll bool                // its velocities have needed a factor of all rows
	slow     bool                // a finer correction of its pose has left much of the errors, as happens next to singular poses
}

// rattleWay is the way in which a step is done.
type rattleWay int

const (
	symplectic rattleWay = iota // by RATTLE
	passing                     // by the method of Dormand & Prince with error control
	damped                      // by the backward Euler method
)

// The tail of Rattle.kept: numbers after the accelerations.
const (
	rattleKnown   = iota // 0 if the accelerations do not belong to the state; else 1, plus rattleAll, plus rattleRefined
	rattleSpell          // number of damped steps that are still to be done; negative: number of passes
	rattleSpan           // number of damped steps after the last failure
	rattleKinetic        // kinetic energy of the state, J
	rattlePower          // its rate, W
	rattleTail           // number of these numbers
)

// Parts of rattleKnown that are added to 1.
const (
	rattleAll = 1 // the factor keeps all rows
	// rattleRefined: velocities of an earlier step have needed a factor of all rows. Poses are then closed further than the tolerance, so
	// that velocities do not need it again.
	rattleRefined = 2
)

// keeps reports whether rattleAll or rattleRefined, the given part, is in rattleKnown.
func keeps(tail *[rattleTail]float64, part int) bool {
	known := int(tail[rattleKnown])
	return known > 0 && (known-1)&part != 0
}

// RattleStats counts the work of a Rattle, in failed steps too.
type RattleStats struct {
	Steps       int64   // steps that have not failed
	Damped      int64   // such steps by the backward Euler method
	Passed      int64   // such steps next to singular poses, with error control
	Lost        float64 // energy lost by damped steps, J; with prescribed motions, whose work is not known, it stays 0
	Evaluations int64   // assemblies and factorizations
	Corrections int64   // corrections of poses
	Measures    int64   // passes over all rows that compute position or velocity errors
	Calmed      int64   // damped steps whose energy has been bounded
	Searches    int64   // times that poses were closed without the factor of the step, as there was none, or none good enough
	Whole       int64   // factors that keep all rows, as others have not closed the velocities
}

// NewRattle returns an integrator with its memory.
//
// It returns an error that wraps ErrUnsupported for a mechanism with internal states of contacts or friction, and with the joint for
// friction that grows with reactions and for nonholonomic rows (mechanism.ErrNonholonomic). It panics if an option is negative or
// not finite, or if the angle is too large.
func NewRattle(p *kkt.Plan, o RattleOptions) (*Rattle, error) {
	if !(o.Tolerance >= 0 && !math.IsInf(o.Tolerance, 1) && o.Turn >= 0 && o.Turn <= mostRattleTurn && o.Accuracy >= 0 && o.Accuracy <= kkt.AccurateTol) {
		panic("motion: option out of range")
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultRattle
	}
	if o.Turn == 0 {
		o.Turn = defaultRattleTurn
	}
	m := p.Mechanism()
	if m.NumInternal() > 0 {
		return nil, errRattleStates
	}
	if m.NumBearings() > 0 {
		return nil, m.AtJoint(m.Bearing(0), -1, errRattleBearings)
	}
	if err := m.Holonomic(); err != nil {
		return nil, fault.Errorf("motion: %w: %w", ErrUnsupported, err)
	}
	n := m.NumBodies()
	vec := func() []float64 { return make([]float64, 6*n+rattleTail) }
	r := &Rattle{mech: m, dyn: NewDynamics(p), opts: o, kept: vec(), next: vec(), v: vec(), moved: vec(), arm: make([]spatial.Vec3, n)}
	r.dyn.solver.SetAccuracy(o.Accuracy)
	r.kin, r.load, r.most = m.NewKinematics(), make([]spatial.Force, n), dampedTurn
	r.loops, r.springs = m.NumJoints() > n, sprung(m)
	for i := range m.Bodies {
		r.mass += m.Bodies[i].Mass
	}
	for j := range m.Joints {
		r.driven = r.driven || m.Joints[j].Motion != nil
	}
	if m.NumSprung() > 0 || m.NumCouplings() > 0 || m.HasFollowed() {
		r.most = mostRattleTurn
	}
	r.end.Bodies, r.apart.Bodies = make([]mechanism.BodyState, n), make([]mechanism.BodyState, n)
	return r, nil
}

// sprung reports whether m may oscillate faster than its bodies rotate: it has springs, or force elements other than constant wrenches.
func sprung(m *mechanism.Mechanism) bool {
	for i := range m.Forces {
		if m.Forces[i].Kind != model.Wrench {
			return true
		}
	}
	return m.NumSprung() > 0
}

// Stats returns the counts of the work so far.
func (r *Rattle) Stats() RattleStats {
	s := r.stats
	s.Measures = r.dyn.drift.measures
	return s
}

// Order implements sim.Stepper.
func (r *Rattle) Order() (order, embedded int) { return 2, 0 }

// Evaluations implements sim.Stepper.
func (r *Rattle) Evaluations() int64 { return r.stats.Evaluations }

// Settings implements sim.Stepper.
func (r *Rattle) Settings() string {
	text := fmt.Sprintf("rattle, tolerance %v, turn %v, damp %t", r.opts.Tolerance, r.opts.Turn, r.opts.Damp)
	if r.opts.Accuracy > 0 {
		text += fmt.Sprintf(", accuracy %v", r.opts.Accuracy)
	}
	return text
}

// CloseStages implements sim.Stepper: every step closes the joints.
func (r *Rattle) CloseStages(sim.Projector) {}

// ClosesJoints tells a simulation to halve a step that fails.
func (r *Rattle) ClosesJoints() {}

// EndViolation returns the violation of the joints at the end of the last step that was tried, and whether it is known: it is after steps
// of RATTLE, but not after others. Velocity errors are accurate up to position errors times the last correction.
func (r *Rattle) EndViolation() (mechanism.Violation, bool) {
	return r.off, r.known && r.tried
}

// ShareSearches is Dynamics.ShareSearches of the dynamics of r.
func (r *Rattle) ShareSearches(k *mechanism.Kinematics) { r.dyn.ShareSearches(k) }

// Restart implements sim.Stepper.
func (r *Rattle) Restart() {
	clear(r.kept[len(r.kept)-rattleTail:])
	r.valid, r.held, r.tried, r.failed = false, false, false, false
}

// Kept implements sim.Stepper. It returns the accelerations at the start of the next step and the tail, or nil if there are none.
func (r *Rattle) Kept() []float64 {
	if !r.valid {
		return nil
	}
	return r.kept
}

// Keep implements sim.Stepper.
func (r *Rattle) Keep() []float64 {
	r.valid, r.held, r.tried, r.failed = true, false, false, false
	return r.kept
}

// Leaves returns the accelerations that the next step takes over from the step before, six a body. It returns nil if the next step computes
// them at its start. They belong to the method.
func (r *Rattle) Leaves() []float64 {
	if !r.valid || r.tail(r.kept)[rattleKnown] == 0 || r.stats.Steps == 0 {
		return nil
	}
	return r.kept[:len(r.kept)-rattleTail]
}

// tail returns the numbers after the accelerations in kept.
func (r *Rattle) tail(kept []float64) *[rattleTail]float64 {
	return (*[rattleTail]float64)(kept[len(kept)-rattleTail:])
}

// Lead implements sim.Stepper.
func (r *Rattle) Lead(_ *mechanism.State, changed bool) error {
	if changed { // by a projection, so that the factor is no longer at this state
		r.held = false
	}
	return nil
}

// Accept implements sim.Stepper. It panics without a step.
func (r *Rattle) Accept() {
	r.mustHaveTried()
	r.kept, r.next = r.next, r.kept
	r.valid, r.tried, r.failed = true, false, false
	there, _, _ := r.dyn.solver.Corrector().Factor()
	r.held = r.last == symplectic && there
	r.stats.Steps++
	switch r.last {
	case damped:
		r.stats.Damped++
		r.stats.Lost += r.loss
	case passing:
		r.stats.Passed++
	}
}

func (r *Rattle) mustHaveTried() {
	if !r.tried {
		panic("motion: no step")
	}
}

// AtTo implements sim.Stepper. Between the ends of the step, poses move at a constant rate from one to the other, which is of order 1.
//
// Cost: O(bodies), no allocation. It panics without a step, or if theta is not in [0, 1].
func (r *Rattle) AtTo(dst *mechanism.State, theta float64) {
	r.mustHaveTried()
	if !(theta >= 0 && theta <= 1) {
		panic("motion: theta out of range")
	}
	if len(dst.Bodies) != len(r.end.Bodies) {
		panic("motion" + fault.ForeignState)
	}
	dst.Angles = r.end.Angles
	if theta == 1 {
		dst.Time = r.end.Time
		copy(dst.Bodies, r.end.Bodies)
		return
	}
	dst.Time = r.end.Time - (1-theta)*(r.end.Time-r.from.Time)
	for i := range dst.Bodies {
		a, b, to := &r.from.Bodies[i], &r.end.Bodies[i], &dst.Bodies[i]
		to.Rotation = spatial.Exp(b.Rotation.Mul(a.Rotation.Conj()).Log().Scale(theta)).Mul(a.Rotation)
		com := r.mech.Bodies[i].Com
		from, until := a.Position.Add(a.Rotation.Rotate(com)), b.Position.Add(b.Rotation.Rotate(com))
		to.Position = from.Add(until.Sub(from).Scale(theta)).Sub(to.Rotation.Rotate(com))
		to.Omega = a.Omega.Add(b.Omega.Sub(a.Omega).Scale(theta))
		to.Velocity = a.Velocity.Add(b.Velocity.Sub(a.Velocity).Scale(theta))
	}
}
