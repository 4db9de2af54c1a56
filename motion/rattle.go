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
	// Tolerance is the error up to which rows of the joints hold at the end of a step: rad,
	// rad/s, and m, m/s in units of mechanism.Mechanism.DriftUnit. 0 stands for a tenth of mechanism.HoldTolerance.
	// Mechanisms with rows that geometry alone makes redundant, such as rigid origami, need
	// one near rounding: at a pose that is off by more, these rows contradict each other. Above
	// mechanism.HoldTolerance a run leaves states from which another does not start without a projector.
	Tolerance float64
	// Accuracy is the relative error that accelerations may have (kkt.Solver.SetAccuracy), at most kkt.AccurateTol; 0
	// stands for as little as can be. Joints hold to Tolerance all the same.
	Accuracy float64
	// Turn is the angle, rad, that a body may turn by in a step; 0
	// stands for 0.6. It is at most 1.2.
	Turn float64
	// Damp says that steps that fail, because a body turns too far or the joints do not close, are done by the backward
	// Euler method, which damps fast turning. RattleStats count them.
	Damp bool
}

// What zeros of RattleOptions stand for, and the largest angle of a step, damped ones too.
const (
	defaultRattle     = 0.1 * mechanism.HoldTolerance
	defaultRattleTurn = 0.6
	mostRattleTurn    = 1.2
)

// dampedTurn is the largest angle, rad, of a damped step of mechanisms that count no turns: less than half a turn.
const dampedTurn = 2.8

// Rattle is the method RATTLE (Andersen 1983; Hairer, Lubich & Wanner 2006 §VII.1) in the exponential coordinates of
// package sim: of order 2, with the joints closed at both levels at the end of each step, and one factorization a step.
// With u the accelerations by all forces but those of the joints,
//
//	v½ = v₀ + h/2·(u₀ + M⁻¹J₀ᵀλ),   q₁ = exp(h·v½)·q₀,   δ(q₁) = 0
//	v₁ = v½ + h/2·(u₁ + M⁻¹J₁ᵀμ),   J₁·v₁ = σ(t₁).
//
// It does not know how large its error is. Steps have to be short beside the times in which springs and dampers settle.
// Of mechanisms without them the energy stays about where it is over long times.
//
// λ is found by corrections with the factor of q₀ (SolveErrorsTo of kkt.Corrector), each of which leaves about as much of
// the errors as bodies turn in the step, rad. u₁ is that at the velocities v₀ + h·v̇₀, so that forces which depend on
// velocities do not lower the order.
//
// With RattleOptions.Damp a step that fails is one of the backward Euler method,
//
//	v₁ = v₀ + h·(u + M⁻¹Jᵀλ),   q₁ = exp(h·v₁)·q₀,   δ(q₁) = 0,   then J·v₁ = σ(t₁),
//
// with u and J at the pose exp(h·v₀)·q₀ and order 1. Of a rotation it takes the part (h·ω)²/2 in each step. As what
// fails once mostly fails again, some more steps are done so.
//
// Next to a singular pose J turns by much within a step. There joints do not close though no body turns by much, or the
// kinetic energy does not follow the power of the forces as well as it does elsewhere. Such a step, and two after it, are
// passes: done by the method of Dormand & Prince with error control, as simulations without RATTLE go over such poses.
//
// A Rattle is a sim.Stepper and belongs to one goroutine.
type Rattle struct {
	mech *mechanism.Mechanism
	dyn  *Dynamics
	opts RattleOptions

	kept, next []float64 // numbers that the next step takes over, and the one after it: six accelerations a body, then the numbers below
	kin        *mechanism.Kinematics
	load       []spatial.Force
	v          []float64 // velocities, angular and of the centres of mass
	moved      []float64 // by the corrections
	from, end  mechanism.State
	apart      mechanism.State // end before a search
	arm        []spatial.Vec3  // to the centres of mass at the end, world axes

	valid  bool // kept is of the state from which the next step starts
	held   bool // the factor is of this state
	all    bool // the factor keeps all rows
	failed bool // a damped step from this state has failed
	rattled
	rattleTry
	stats RattleStats
}

// rattled is what decides about the steps of a mechanism.
type rattled struct {
	driven  bool    // by prescribed motions
	mass    float64 // of all bodies, kg
	most    float64 // angle, rad, of a damped step
	loops   bool    // bodies form some: trees have no singular poses
	springs bool
}

// rattleTry is the step last tried.
type rattleTry struct {
	tried  bool // there is one
	last   rattleWay
	turned float64             // angle of the fastest body, rad
	uneven bool                // it is one of RATTLE, next to a singular pose
	loss   float64             // J, if it is damped
	off    mechanism.Violation // of the joints at its end
	known  bool                // off is
	blind  bool                // its velocities have needed a factor of all rows
	blunt  bool                // a correction of its pose for velocities has left much of the errors, as next to singular poses
}

// rattleWay is how a step is done.
type rattleWay int

const (
	symplectic rattleWay = iota // by RATTLE
	passing                     // by error control
	damped                      // by the backward Euler method
)

// Numbers at the end of Rattle.kept, after the accelerations.
const (
	rattleKnown   = iota // 1 if the accelerations are those of the state, and rattleAll and rattleRefined
	rattleSpell          // damped steps that are still to be done, or, below zero, passes
	rattleSpan           // and the last number of damped ones
	rattleKinetic        // energy, J, and its rate, W, of the state
	rattlePower
	rattleTail
)

// Parts of rattleKnown besides 1, which are added to it.
const (
	rattleAll     = 1 // the factor keeps all rows
	rattleRefined = 2 // velocities of a step before have needed that: poses are closed to less than the tolerance, so that they do not
)

// keeps reports whether a part is in rattleKnown.
func keeps(tail *[rattleTail]float64, part int) bool {
	known := int(tail[rattleKnown])
	return known > 0 && (known-1)&part != 0
}

// RattleStats counts the work of a Rattle, in failed steps too.
type RattleStats struct {
	Steps       int64   // that have not failed
	Damped      int64   // of these by the backward Euler method
	Passed      int64   // of these next to singular poses, by error control
	Lost        float64 // J, kinetic energy that damped steps have taken; what prescribed motions do is not known and not in it
	Evaluations int64   // assemblies and factorizations
	Corrections int64   // of poses
	Measures    int64   // of the errors of all rows, of poses or of velocities
	Calmed      int64   // damped steps with an energy that has been bounded
	Searches    int64   // for poses where no factor is there, or none that is good enough
	Whole       int64   // of the factors, those that keep all rows, as others have not closed the velocities
}

// NewRattle returns an integrator with its memory.
//
// It returns what wraps ErrUnsupported for a mechanism with internal states of contacts or friction, or with friction
// that grows with reactions, as its steps take forces that do not depend on them, and with the joint for one with rows of velocities
// alone (mechanism.ErrNonholonomic). It panics if an option is negative or not finite, or if the angle is too large.
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

// sprung reports whether m has something that may swing faster than its bodies turn: springs, or laws of one's own.
func sprung(m *mechanism.Mechanism) bool {
	for i := range m.Forces {
		if m.Forces[i].Kind != model.Wrench {
			return true
		}
	}
	return m.NumSprung() > 0
}

// Stats returns what has been done so far.
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

// EndViolation returns by how much the end of the step last tried violates the joints, and whether that is known: it has been measured
// after steps of RATTLE, but not after others. Errors of velocities are right up to those of poses times the last correction.
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

// Kept implements sim.Stepper: the accelerations at the start of the next step, and the damped steps to come.
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

// Leaves returns the accelerations that the next step takes over, six a body, of the step before; nil where it takes those at
// its start. They are the method's own.
func (r *Rattle) Leaves() []float64 {
	if !r.valid || r.tail(r.kept)[rattleKnown] == 0 || r.stats.Steps == 0 {
		return nil
	}
	return r.kept[:len(r.kept)-rattleTail]
}

// tail returns the numbers after the accelerations.
func (r *Rattle) tail(kept []float64) *[rattleTail]float64 {
	return (*[rattleTail]float64)(kept[len(kept)-rattleTail:])
}

// Lead implements sim.Stepper.
func (r *Rattle) Lead(_ *mechanism.State, changed bool) error {
	if changed { // by a projection: the factor is next to it, but not of it
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

// AtTo implements sim.Stepper. Between the ends poses move evenly: they are of order 1 there.
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
