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

// Reduced is the motion of a mechanism in minimal coordinates (RBDA §8.8): q̈ = f(t, q, q̇) of independent freedoms, for
// integrators and controllers of one's own. mobility.Independent chooses the freedoms.
//
// Coordinates do not tell all of a pose: a four-bar has two of the same crank angle. So Reduced has a state from which the
// coordinates lead on (Accept), and goes from there to those of At as a Follower does, by steps that count only if the bodies
// go as their velocities say. The pose depends on that state and on t and q, and not on the calls of At between.
//
// It belongs to one goroutine at a time. Motions and inputs of the plan are read whenever it computes, but for bodies and
// joints of one's own (mechanism.Inputs.Vary), which are those of NewReduced.
type Reduced struct {
	mech   *mechanism.Mechanism
	solver *kkt.Solver
	held   *kkt.Plan           // of the mechanism in which motions prescribe all freedoms
	inputs *mechanism.Inputs   // of held
	closer *closing.Closer     // of held
	own    []mechanism.Freedom // with motions of the model
	all    []mechanism.Freedom // those, then the ones chosen

	from           *mechanism.State // at which coordinates are known
	st, next       *mechanism.State
	kin            [2]*mechanism.Kinematics
	accel          []float64
	start, reached []float64 // coordinates of all at from and st
	way, at, rates []float64 // from start to where At goes; where it is; their rates
	polynomial     *joints.Motion
	spare          int     // redundant rows
	size           float64 // m, of the mechanism
	solved         bool    // accel is of st
}

// reducedFar is the largest change of a coordinate, rad or sizes of the mechanism.
const reducedFar = 100

// NewReduced returns the reduced motion from a state of p's mechanism in the coordinates of the freedoms. It leaves
// that state to the bit as it is.
//
// Cost: a plan (kkt.Plan.Replan), and some solves; allocates. It returns a *mechanism.ViolationError for a state that violates the
// joints, mechanism.ErrNonholonomic for rows of velocities alone,
// ErrUnsupported for internal states, what wraps mechanism.ErrFreedom for freedoms without coordinate, with a motion, or that
// depend on each other at st, ErrFree for too few, and the errors of closing and solving. It panics if st is of another
// mechanism or a joint is out of range.
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

// begin looks at the first state, and reads its coordinates.
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

// independent sees whether the freedoms tell all motions, and none of them follows from the others.
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

// Freedoms returns those whose coordinates q are, in their order. The list is not to be changed.
func (r *Reduced) Freedoms() []mechanism.Freedom { return r.all[len(r.own):] }

// State returns the state of the last At, before the first one that of NewReduced. It is the Reduced's own: read it, and Clone what
// has to last.
func (r *Reduced) State() *mechanism.State { return r.st }

// Accepted returns the state from which coordinates lead on. It is the Reduced's own: read it, and Clone what has to last.
func (r *Reduced) Accepted() *mechanism.State { return r.from }

// CoordinatesTo stores coordinates and rates of the freedoms at State. Angles go on over turns.
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

// motionsAt prescribes all freedoms: coordinates at a time with rates, nil for none.
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
// *StuckError, with the joint, where the joints do not close at q, where they do on another branch alone, and at singular poses; an
// error that names a freedom for a number that is not finite or far from where Accept was; and those of closing. State then
// goes back to the last Accept.
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

// back returns to where Accept was.
func (r *Reduced) back() {
	copyState(r.st, r.from)
	copy(r.reached, r.start)
	r.solved = false
}

// copyState makes to equal from, of the same mechanism, with all angles.
func copyState(to, from *mechanism.State) {
	to.Time = from.Time
	copy(to.Bodies, from.Bodies)
	to.Angles = append(to.Angles[:0], from.Angles...)
	to.Bearings = append(to.Bearings[:0], from.Bearings...)
}

// aim stores the way to the coordinates q, and of prescribed freedoms to their motions at t, and the rates there.
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

// follow moves st along the way, whose parameter is 0 at from and 1 at its end.
func (r *Reduced) follow(t float64) error {
	r.closer.Exactly(false) // so that nothing is left of earlier calls
	copyState(r.st, r.from)
	r.st.Time = t // motions do not read it, and forces are not asked
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

// velocities gives st the velocities of rates of the coordinates q, and stores the kinematics.
func (r *Reduced) velocities(st *mechanism.State, k *mechanism.Kinematics, q, rates []float64) error {
	if err := r.motionsAt(q, rates, st.Time); err != nil {
		return err
	}
	if err := r.closer.ProjectVelocities(st); err != nil {
		return err
	}
	return r.mech.KinematicsTo(k, st)
}

// step moves st by a part h of the way, to the part to. ok says that it has; an error says that joints do not close.
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
	r.next.Time = r.st.Time + h // in which turns are counted by rates along the way
	r.mech.FollowTurns(r.next, r.st)
	r.next.Time = now
	r.st, r.next = r.next, r.st
	r.kin[0], r.kin[1] = r.kin[1], r.kin[0]
	return true, nil
}

// stuck returns the error of a way that ends.
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

// Touch says that inputs have changed, so that accelerations of State are others.
func (r *Reduced) Touch() { r.solved = false }

// Accept makes State the one from which coordinates lead on: call it after each step of an integrator.
//
// Cost: O(bodies + freedoms), no allocation.
func (r *Reduced) Accept() {
	copyState(r.from, r.st)
	r.measure()
}

// measure reads the coordinates of from, whose poses tell them, so that a Reduced made there has the same bits.
func (r *Reduced) measure() {
	for i, f := range r.all {
		r.start[i], _ = r.mech.Coordinate(f, r.from)
	}
}
