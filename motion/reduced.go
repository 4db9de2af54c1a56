package motion

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// Reduced is the motion of a mechanism in minimal coordinates (RBDA §8.8): q̈ = f(t, q, q̇) of independent freedoms, for the user's own
// integrators and controllers. mobility.Independent chooses the freedoms.
//
// Coordinates do not determine a pose: a four-bar has two poses with the same crank angle. So Reduced has an accepted state (Accept), and
// goes from there to the coordinates of At by steps that are accepted, as a Follower's, only if displacements agree with velocities. The
// pose depends on the accepted state and on t and q, and not on calls of At in between.
//
// It belongs to one goroutine at a time. Motions and inputs of the plan are read whenever it computes. Only bodies and joints that inputs
// vary (mechanism.Inputs.Vary) are read once, by NewReduced.
type Reduced struct {
	mech   *mechanism.Mechanism
	solver *kkt.Solver
	held   *kkt.Plan           // of the mechanism in which motions prescribe all freedoms
	inputs *mechanism.Inputs   // of held
	closer *closing.Closer     // of held
	own    []mechanism.Freedom // freedoms that the model prescribes
	all    []mechanism.Freedom // own, then the chosen freedoms

	from           *mechanism.State // the accepted state
	st, next       *mechanism.State
	kin            [2]*mechanism.Kinematics
	accel          []float64 // accelerations of the bodies, if solved
	start, reached []float64 // coordinates of all at from and at st
	way, at, rates []float64 // of all: change of coordinates from start to the end of At; coordinates on the way; rates at its end
	polynomial     *joints.Motion
	spare          int     // number of redundant rows at the first state
	size           float64 // size of the mechanism, m
	solved         bool    // accel belongs to st
}

// reducedFar is the largest change of a coordinate in At, rad or sizes of the mechanism.
const reducedFar = 100

// NewReduced returns the reduced motion from a state of p's mechanism in the coordinates of the freedoms. It does not change st, and starts
// from exactly these bits.
//
// Cost: a plan (kkt.Plan.Replan), and some solves; allocates. It returns a *mechanism.ViolationError for a state that violates the joints,
// mechanism.ErrNonholonomic for nonholonomic rows, ErrUnsupported for internal states, an error that wraps mechanism.ErrFreedom for
// freedoms without a coordinate, with a motion, or that depend on each other at st, ErrFree for too few freedoms, and the errors of closing
// and solving. It panics if st is of another mechanism or a joint is out of range.
func NewReduced(p *kkt.Plan, st *mechanism.State, freedoms []mechanism.Freedom) (*Reduced, error) {
	m := p.Mechanism()
	if !m.Owns(st) {
		panic("motion" + fault.ForeignState)
	}
	if err := m.Holonomic(); err != nil {
		return nil, fault.Errorf("motion: %w", err)
	}
	if m.NumInternal() > 0 {
		return nil, errReducedStates
	}
	all, err := m.Prescribe(freedoms)
	if err != nil {
		return nil, fault.Errorf("motion: %w", err)
	}
	in := all.NewInputs()
	held := p.Replan(all).With(in)
	r := &Reduced{
		mech: m, solver: p.NewSolver(), held: held, inputs: in, closer: closing.NewCloser(held, closing.Options{}),
		own: m.Prescribed(), from: st.Clone(), kin: [2]*mechanism.Kinematics{m.NewKinematics(), m.NewKinematics()},
		accel: make([]float64, 6*m.NumBodies()), polynomial: &joints.Motion{Kind: joints.Polynomial, Coefficients: make([]float64, 2)},
	}
	r.all = append(append(r.all, r.own...), freedoms...)
	for _, x := range [...]*[]float64{&r.start, &r.reached, &r.way, &r.at, &r.rates} {
		*x = make([]float64, len(r.all))
	}
	m.CarryAngles(r.from)
	if err := r.begin(p); err != nil {
		return nil, err
	}
	return r, r.independent()
}

// begin checks that the first state satisfies the joints, reads its coordinates, and counts the redundant rows there.
func (r *Reduced) begin(p *kkt.Plan) error {
	if err := r.mech.Holds(r.from); err != nil {
		return fault.Errorf("motion: %w", err)
	}
	model := p.Initial()
	if err := r.mech.KinematicsTo(r.kin[0], model); err != nil {
		return err
	}
	r.size = extent(model, r.kin[0])
	if err := r.mech.KinematicsTo(r.kin[0], r.from); err != nil {
		return err
	}
	r.mech.FollowAngles(r.kin[0], r.from)
	r.st, r.next = r.from.Clone(), r.from.Clone()
	r.measure()
	copy(r.reached, r.start)
	if err := r.solver.Solve(r.from); err != nil {
		return err
	}
	_, r.spare = r.solver.Nearness()
	return nil
}

// independent returns ErrFree if the freedoms do not determine all motions at the first state, and mechanism.ErrFreedom if some of them
// depend on the others.
func (r *Reduced) independent() error {
	if err := r.motionsAt(r.start, nil, r.from.Time); err != nil {
		return err
	}
	s := r.held.NewSolver()
	if err := s.Solve(r.from); err != nil {
		return err
	}
	_, spare := s.Nearness()
	report, err := s.Report()
	if err != nil {
		return err
	}
	if report.Mobility > 0 {
		return fmt.Errorf("%w: %d more coordinates would do it", ErrFree, report.Mobility)
	}
	if spare > r.spare {
		return fmt.Errorf("motion: %w: %d of the coordinates follow from the others", mechanism.ErrFreedom, spare-r.spare)
	}
	return nil
}

// Freedoms returns the freedoms whose coordinates are q, in the order of q. The list is not to be changed.
func (r *Reduced) Freedoms() []mechanism.Freedom { return r.all[len(r.own):] }

// State returns the state of the last At, or before the first At the state of NewReduced. It belongs to the Reduced: it must not be
// changed, and changes with the next At.
func (r *Reduced) State() *mechanism.State { return r.st }

// Accepted returns the accepted state. It belongs to the Reduced: it must not be changed, and changes with the next Accept.
func (r *Reduced) Accepted() *mechanism.State { return r.from }

// CoordinatesTo stores coordinates and rates of the freedoms at State. Angles count whole turns.
//
// Shapes: q and qd have an entry a freedom. Cost: O(freedoms), no allocation.
func (r *Reduced) CoordinatesTo(q, qd []float64) {
	n := len(r.own)
	if len(q) != len(r.all)-n || len(qd) != len(q) {
		panic("motion: length mismatch")
	}
	for i, f := range r.all[n:] {
		_, qd[i] = r.mech.Coordinate(f, r.st)
	}
	copy(q, r.reached[n:])
}

// motionsAt prescribes all freedoms, so that they have the coordinates q and the rates qd at the time t. A nil qd stands for zeros.
func (r *Reduced) motionsAt(q, qd []float64, t float64) error {
	c := r.polynomial.Coefficients
	for i, f := range r.all {
		if c[0], c[1] = q[i], 0; qd != nil {
			c[0], c[1] = q[i]-qd[i]*t, qd[i]
		}
		if err := r.inputs.SetMotion(f.Joint, f.Freedom, r.polynomial); err != nil {
			return err
		}
	}
	return nil
}

// At moves State to the coordinates q with the rates qd at the time t.
//
// Shapes: as CoordinatesTo. Cost: four to seven factorizations for near coordinates, no allocation but for errors. It returns a
// *StuckError, with the joint, where the joints do not close at q, or close on another branch alone, and at singular poses; an error that
// names a freedom for a number that is not finite or too far from the accepted state; and the errors of closing. State is then the
// accepted state again.
func (r *Reduced) At(t float64, q, qd []float64) error {
	n := len(r.own)
	if len(q) != len(r.all)-n || len(qd) != len(q) {
		panic("motion: length mismatch")
	}
	r.solved = false
	err := r.aim(t, q, qd)
	if err == nil {
		err = r.follow(t)
	}
	if err == nil {
		err = r.velocities(r.st, r.kin[0], r.at, r.rates)
	}
	if err != nil {
		r.back()
		return err
	}
	copy(r.reached, r.at)
	return nil
}

// back makes the accepted state the current one.
func (r *Reduced) back() {
	copyState(r.st, r.from)
	copy(r.reached, r.start)
	r.solved = false
}

// copyState stores from in to, with all angles and bearings. Both are of the same mechanism.
func copyState(to, from *mechanism.State) {
	to.Time = from.Time
	copy(to.Bodies, from.Bodies)
	to.Angles = append(to.Angles[:0], from.Angles...)
	to.Bearings = append(to.Bearings[:0], from.Bearings...)
}

// aim stores in r.way the change of coordinates to q, and for freedoms that the model prescribes to their motions at t, and in r.rates the
// rates there.
func (r *Reduced) aim(t float64, q, qd []float64) error {
	if !algebra.Finite(t) {
		return fault.Errorf("motion: time %v is not finite", t)
	}
	n := len(r.own)
	for i, f := range r.all {
		var x, rate float64
		if i < n {
			x, rate, _ = r.mech.Joints[f.Joint].Motion[f.Freedom].At(t)
		} else {
			x, rate = q[i-n], qd[i-n]
		}
		r.way[i], r.rates[i] = x-r.start[i], rate
		far := float64(reducedFar)
		if !r.mech.Joints[f.Joint].Kind.Rotational(f.Freedom) {
			far = reducedFar * max(r.size, 1)
		}
		switch {
		case !algebra.Finite(x) || !algebra.Finite(rate):
			return r.mech.AtJoint(f.Joint, -1, fault.Errorf("motion: freedom %d: coordinate %v with the rate %v", f.Freedom, x, rate))
		case math.Abs(r.way[i]) > far:
			return r.mech.AtJoint(f.Joint, -1, fault.Errorf("motion: %w: freedom %d would change by %.3g", ErrFar, f.Freedom, r.way[i]))
		}
	}
	return nil
}

// follow moves st along the way. The parameter of the way is 0 at from and 1 at its end.
func (r *Reduced) follow(t float64) error {
	r.closer.Exactly(false) // the closer then keeps nothing of earlier calls
	copyState(r.st, r.from)
	r.st.Time = t // the time on the way has no effect: motions are set by motionsAt, and forces are not evaluated
	copy(r.at, r.start)
	if algebra.MaxAbs(r.way) == 0 {
		return nil
	}
	if err := r.velocities(r.st, r.kin[0], r.at, r.way); err != nil {
		return err
	}
	var open error
	for s, h := 0.0, 1.0; s < 1; {
		h = min(h, 1-s)
		to := s + h
		if 1-to < followLeast {
			to, h = 1, 1-s
		}
		ok, err := r.step(to, h)
		if ok {
			s, h = to, followGrow*h
			continue
		}
		if err != nil {
			open = err
		}
		if h /= 2; h < followLeast {
			return r.stuck(t, open)
		}
	}
	return nil
}

// velocities gives st the velocities at which the coordinates q have the given rates, and stores the kinematics in k.
func (r *Reduced) velocities(st *mechanism.State, k *mechanism.Kinematics, q, rates []float64) error {
	if err := r.motionsAt(q, rates, st.Time); err != nil {
		return err
	}
	if err := r.closer.ProjectVelocities(st); err != nil {
		return err
	}
	return r.mech.KinematicsTo(k, st)
}

// step moves st by the part h of the way, to its parameter to. ok says that the step is accepted; an error says that joints do not close.
func (r *Reduced) step(to, h float64) (ok bool, err error) {
	copyState(r.next, r.st)
	for i := range r.next.Bodies {
		b, k := &r.next.Bodies[i], r.kin[0].Bodies[i]
		var x [6]float64
		b.ComVelocityTo(&x, &k.Com)
		b.Displace(h, &x, &k, &r.mech.Bodies[i].Com)
	}
	for i := range r.at {
		r.at[i] = r.start[i] + to*r.way[i]
	}
	if err := r.motionsAt(r.at, nil, r.next.Time); err != nil {
		return false, err
	}
	if err := r.closer.ClosePositions(r.next); err != nil {
		return false, err
	}
	if err := r.velocities(r.next, r.kin[1], r.at, r.way); err != nil {
		return false, err
	}
	if strays(h, r.size, [2]*mechanism.State{r.st, r.next}, r.kin) {
		return false, nil
	}
	r.mech.FollowAngles(r.kin[1], r.next)
	now := r.next.Time
	r.next.Time = r.st.Time + h // turns are counted by velocities, which are rates by the parameter of the way
	r.mech.FollowTurns(r.next, r.st)
	r.next.Time = now
	r.st, r.next = r.next, r.st
	r.kin[0], r.kin[1] = r.kin[1], r.kin[0]
	return true, nil
}

// stuck returns the error for a way that cannot be followed to its end. open is the last error of closing, or nil.
func (r *Reduced) stuck(t float64, open error) error {
	e := &StuckError{Time: t, Why: BranchJump, Err: open}
	if open != nil {
		e.Why = DeadPosition
	}
	e.Joint = weakest(r.mech, r.held.NewSolver(), r.st)
	return e
}

// AccelerationsTo stores the second rates of the freedoms at State.
//
// Shapes: qdd has an entry a freedom. Cost: a Solve the first time at a State, no allocation but for errors. It returns the
// errors of Solve, and a *StuckError at a singular pose.
func (r *Reduced) AccelerationsTo(qdd []float64) error {
	n := len(r.own)
	if len(qdd) != len(r.all)-n {
		panic("motion: length mismatch")
	}
	if err := r.solve(); err != nil {
		return err
	}
	var all [6]float64
	for i, f := range r.all[n:] {
		if err := r.mech.SecondRatesTo(&all, f.Joint, r.accel, r.kin[1], r.st); err != nil {
			return err
		}
		qdd[i] = all[f.Freedom]
	}
	return nil
}

// solve finds the accelerations of the bodies at st.
func (r *Reduced) solve() error {
	if r.solved {
		return nil
	}
	if err := r.solver.Solve(r.st); err != nil {
		return err
	}
	if _, spare := r.solver.Nearness(); spare > r.spare {
		return &StuckError{Time: r.st.Time, Why: SingularPosition, Joint: weakest(r.mech, r.solver, r.st)}
	}
	r.solver.AccelerationsTo(r.accel)
	if err := r.mech.KinematicsTo(r.kin[1], r.st); err != nil {
		return err
	}
	r.solved = true
	return nil
}

// Touch is to be called after a change of inputs: it makes AccelerationsTo compute the accelerations at State again.
func (r *Reduced) Touch() { r.solved = false }

// Accept makes State the accepted state. It is to be called after each step of an integrator.
//
// Cost: O(bodies + freedoms), no allocation.
func (r *Reduced) Accept() {
	copyState(r.from, r.st)
	r.measure()
}

// measure reads the coordinates of the accepted state from its poses and angles, so that a Reduced that is made from this state has the
// same bits.
func (r *Reduced) measure() {
	for i, f := range r.all {
		r.start[i], _ = r.mech.Coordinate(f, r.from)
	}
}
