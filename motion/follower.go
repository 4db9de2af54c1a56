package motion

import (
	"context"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Follower follows the motion of a mechanism in which motions prescribe all freedoms. Positions are found by Newton's method, from a
// prediction by velocities and accelerations; velocities and accelerations follow from the rows of the joints.
//
// Closed joints do not distinguish branches: a four-bar closes with its knee up and with its knee down. So a step is accepted only if the
// displacements of the bodies agree with their velocities at both ends, Δx = h·(v₀ + v₁)/2, to the part followPart. On one branch the
// difference is of the order h³; a jump to another branch leaves a difference that does not vanish with h. A step that is not accepted is
// halved. Where steps get too short, a StuckError says why.
//
// It belongs to one goroutine at a time.
type Follower struct {
	mech   *mechanism.Mechanism
	solver *kkt.Solver
	closer *closing.Closer
	kin    [2]*mechanism.Kinematics
	st     *mechanism.State // the state up to which the motion is known
	next   *mechanism.State
	accel  []float64 // at st
	step   float64   // length of the step that is tried next, s; 0 before the first
	size   float64   // size of the mechanism, m, which makes angles and lengths comparable
	spare  int       // number of redundant rows at the start
	steps  int
	halved int
}

const (
	// followPart is the largest difference between the displacement of a body and the displacement by its velocities, relative to the
	// latter. A crank at a constant rate differs by 0.02 in a step of 0.5 rad.
	followPart = 0.02
	// followRest is the displacement, rad or sizes of the mechanism, that counts as zero.
	followRest = 1e-9
	// followLeast is the shortest step, relative to the whole way to the wanted time.
	followLeast = 1e-7
	// followBehind is the time after the end of the motion, relative to the whole way, within which joints that do not close make the end
	// a dead position. Joints that are open by less than their tolerance still close, so the two times differ.
	followBehind = 1e-3
	// followMost is the largest displacement, rad or sizes, from one time to the next. A step covers only a part of a turn.
	followMost = 1e6
	// followGrow lengthens a step after an accepted one. A larger value costs time only.
	followGrow = 2.0
)

// ErrFar is wrapped by the error of a time so far ahead that a body would move by millions of turns or sizes of the mechanism.
var ErrFar = fmt.Errorf("motion: the next time is too far ahead to follow the motion there")

// ErrFree is wrapped by the error of a mechanism whose freedoms are not all prescribed by motions.
var ErrFree = fmt.Errorf("motion: motions do not prescribe all freedoms")

// Ending is the reason why a motion ends.
type Ending uint8

// The endings.
const (
	DeadPosition     Ending = iota // after it the joints do not close
	SingularPosition               // more rows depend on each other there than elsewhere, so that velocities are not determined
	BranchJump                     // after it the joints close only on a branch to which no continuous motion leads
)

// StuckError is the error of a motion that cannot be continued.
type StuckError struct {
	Time  float64 // s, up to which the motion is known
	Why   Ending
	Joint string // the joint that is nearest to singular there, "" if it cannot be found
	Err   error  // the error of closing at a DeadPosition
}

// Error implements error.
func (e *StuckError) Error() string {
	text := fmt.Sprintf("motion: at t = %.9g s ", e.Time)
	switch e.Why {
	case DeadPosition:
		text += fmt.Sprintf("is a dead position, behind which the joints do not close (%v)", fault.Plain(e.Err))
	case SingularPosition:
		text += "is a singular position, in which velocities are not determined"
	default:
		text += "the motion jumps: behind it the joints close on another branch, where the bodies do not go"
	}
	return text + "; nearest to singular is joint " + fault.Name(e.Joint)
}

// Unwrap returns Err.
func (e *StuckError) Unwrap() error { return e.Err }

// NewFollower returns a Follower at the state of the model.
func NewFollower(p *kkt.Plan) *Follower {
	m := p.Mechanism()
	s := p.NewSolver()
	st := p.Initial()
	m.CarryAngles(st)
	return &Follower{
		mech: m, solver: s, closer: closing.NewCloserOn(s.Workspace(), closing.Options{}),
		kin: [2]*mechanism.Kinematics{m.NewKinematics(), m.NewKinematics()}, st: st, next: st.Clone(), accel: make([]float64, 6*m.NumBodies()),
	}
}

// Start closes the state of the model with the motions at its time, and finds velocities and accelerations there.
//
// It returns errors of closing and of the solver, ErrFree with the number of freedoms that no motion prescribes, and
// mechanism.ErrNonholonomic with the joint.
func (f *Follower) Start(ctx context.Context) error {
	if err := f.mech.Holonomic(); err != nil {
		return fault.Errorf("motion: %w", err)
	}
	if err := f.closer.ClosePositionsContext(ctx, f.st); err != nil {
		return err
	}
	if err := f.settle(f.st, f.kin[0]); err != nil {
		return err
	}
	_, f.spare = f.solver.Nearness()
	f.solver.AccelerationsTo(f.accel)
	f.size = extent(f.st, f.kin[0])
	r, err := f.solver.ReportContext(ctx)
	if err != nil {
		return err
	}
	if r.Mobility > 0 {
		why := ""
		if r.NearSingular {
			why = ", or this pose is singular"
		}
		return fmt.Errorf("%w: %d more would do it%s", ErrFree, r.Mobility, why)
	}
	return nil
}

// State returns the state up to which the motion is known. It belongs to the Follower, and carries all angles
// (mechanism.Mechanism.CarryAngles).
func (f *Follower) State() *mechanism.State { return f.st }

// AccelerationsTo stores in a the accelerations at State: six numbers a body, ω̇ then the classical acceleration of the
// centre of mass, world axes.
//
// It panics unless a has 6 entries a body.
func (f *Follower) AccelerationsTo(a []float64) {
	if len(a) != len(f.accel) {
		panic("motion: length mismatch")
	}
	copy(a, f.accel)
}

// Steps returns the number of accepted steps, and of steps that were not accepted.
func (f *Follower) Steps() (done, halved int) { return f.steps, f.halved }

// To follows the motion to the time t, which is not before the time of State.
//
// It returns StuckError where the motion ends, ErrFar with the body if it would move by more than 10⁶ rad or sizes of the mechanism, the
// cause of ctx, and errors of the solver. State is then the last state that is known. It panics if t is before the time of State, or not a
// number.
func (f *Follower) To(ctx context.Context, t float64) error {
	if !(t >= f.st.Time) {
		panic("motion: time runs backwards")
	}
	wanted := t - f.st.Time
	if i, travel := f.fastest(wanted); travel > followMost {
		return fmt.Errorf("%w: in %.3g s body %s would travel %.3g rad or lengths of the mechanism", ErrFar, wanted, fault.Name(f.mech.BodyName(i)), travel)
	}
	h := wanted
	if f.step > 0 {
		h = min(h, f.step)
	}
	// The last time at which the joints did not close, with the error, and the last at which velocities were not determined. If a shorter
	// step reaches such a time later, the pose there is good and the step was only too long; justBehind then does not count it.
	var open error
	openAt, singularAt := math.Inf(1), math.Inf(1)
	for f.st.Time < t {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := upTo(f.st.Time+h, t, wanted)
		rejected, singular, err := f.try(to)
		if err == nil && !rejected {
			f.steps++
			f.step = h
			h *= followGrow
			continue
		}
		f.halved++
		if err != nil {
			open, openAt = err, to
		} else if singular {
			singularAt = to
		}
		h = (to - f.st.Time) / 2
		if f.step = h; tooShort(h, f.st.Time, wanted) {
			e := &StuckError{Time: f.st.Time, Why: BranchJump}
			switch {
			case justBehind(singularAt, f.st.Time, wanted):
				e.Why = SingularPosition
			case justBehind(openAt, f.st.Time, wanted):
				e.Why, e.Err = DeadPosition, open
			}
			return f.stuck(e)
		}
	}
	return nil
}

// upTo returns the end of a step that would end at the time to: t if less than the shortest step would be left after to.
func upTo(to, t, wanted float64) float64 {
	if t-to < followLeast*wanted {
		return t
	}
	return to
}

// tooShort reports whether a step h from the time now is shorter than followLeast allows, or lost in the rounding of time.
func tooShort(h, now, wanted float64) bool { return h < followLeast*wanted || now+h == now }

// justBehind reports whether t is so soon after the time now that an event at t is the reason why the motion ends at now.
func justBehind(t, now, wanted float64) bool { return now < t && t <= now+followBehind*wanted }

// fastest returns the body that moves furthest in the time h at its present rates, and its displacement, in rad or sizes.
func (f *Follower) fastest(h float64) (body int, travel float64) {
	for i := range f.st.Bodies {
		var v [6]float64
		f.st.Bodies[i].ComVelocityTo(&v, &f.kin[0].Bodies[i].Com)
		for c, x := range v {
			if c >= 3 {
				x /= f.size
			}
			if x = math.Abs(x) * h; x > travel {
				body, travel = i, x
			}
		}
	}
	return body, travel
}

// try tries the step to the time t, and goes there if it is accepted. rejected says that displacements do not agree with velocities, or,
// with singular, that velocities are not determined there. An error says that joints do not close or accelerations cannot be found.
func (f *Follower) try(t float64) (rejected, singular bool, err error) {
	h := t - f.st.Time
	copy(f.next.Bodies, f.st.Bodies)
	f.next.Angles = append(f.next.Angles[:0], f.st.Angles...)
	f.next.Time = t
	for i := range f.next.Bodies {
		b, k := &f.next.Bodies[i], f.kin[0].Bodies[i]
		var x [6]float64
		b.ComVelocityTo(&x, &k.Com)
		for c := range x {
			x[c] += h / 2 * f.accel[6*i+c]
		}
		b.Displace(h, &x, &k, &f.mech.Bodies[i].Com)
	}
	if err := f.closer.ClosePositions(f.next); err != nil {
		return false, false, err
	}
	if err := f.settle(f.next, f.kin[1]); err != nil {
		return false, false, err
	}
	if _, spare := f.solver.Nearness(); spare > f.spare {
		return true, true, nil
	}
	if strays(h, f.size, [2]*mechanism.State{f.st, f.next}, f.kin) {
		return true, false, nil
	}
	f.solver.AccelerationsTo(f.accel)
	f.mech.FollowTurns(f.next, f.st)
	f.st, f.next = f.next, f.st
	f.kin[0], f.kin[1] = f.kin[1], f.kin[0]
	return false, false, nil
}

// settle finds the velocities at st, whose joints are closed, and solves for accelerations there. It stores the kinematics in k.
func (f *Follower) settle(st *mechanism.State, k *mechanism.Kinematics) error {
	if err := f.closer.ProjectVelocities(st); err != nil {
		return err
	}
	if err := f.mech.KinematicsTo(k, st); err != nil {
		return err
	}
	f.mech.FollowAngles(k, st)
	return f.solver.Solve(st)
}

// strays reports whether the displacement of a body between two states, over the time h, does not agree with its velocities at both. size
// is the size of the mechanism, m.
func strays(h, size float64, ends [2]*mechanism.State, kin [2]*mechanism.Kinematics) bool {
	var most, way float64 // largest difference, and largest displacement by velocities, rad or sizes
	for i := range ends[0].Bodies {
		a, b := &ends[0].Bodies[i], &ends[1].Bodies[i]
		ka, kb := &kin[0].Bodies[i], &kin[1].Bodies[i]
		var v, w [6]float64
		a.ComVelocityTo(&v, &ka.Com)
		b.ComVelocityTo(&w, &kb.Com)
		turned := b.Rotation.Mul(a.Rotation.Conj()).Log()
		gone := b.Position.Sub(a.Position).Add(kb.Com.Sub(ka.Com))
		var off, slide spatial.Vec3
		speed, rate := 0.0, 0.0
		for c := range 3 {
			off[c] = turned[c] - h/2*(v[c]+w[c])
			slide[c] = gone[c] - h/2*(v[3+c]+w[3+c])
			rate = max(rate, math.Abs(v[c]), math.Abs(w[c]))
			speed = max(speed, math.Abs(v[3+c]), math.Abs(w[3+c]))
		}
		most = max(most, off.Norm(), slide.Norm()/size)
		way = max(way, h*rate, h*speed/size)
	}
	return astray(most, way)
}

// astray reports whether off, the difference from the displacement way, is more than a step may have, both in rad or sizes. NaN is more.
func astray(off, way float64) bool {
	return !(off <= followPart*way+followRest)
}

// extent returns the diagonal of the box, along the world's axes, around the centres of mass at a state, m; 1 if that is zero or not
// finite.
func extent(st *mechanism.State, k *mechanism.Kinematics) float64 {
	low, high := spatial.Vec3{math.Inf(1), math.Inf(1), math.Inf(1)}, spatial.Vec3{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range st.Bodies {
		p := st.Bodies[i].Position.Add(k.Bodies[i].Com)
		for c := range 3 {
			low[c], high[c] = min(low[c], p[c]), max(high[c], p[c])
		}
	}
	if d := high.Sub(low).Norm(); d > 0 && !math.IsInf(d, 0) {
		return d
	}
	return 1
}

// stuck adds the joint that is nearest to singular to the error e at the end of the motion.
func (f *Follower) stuck(e *StuckError) error {
	e.Joint = weakest(f.mech, f.solver, f.st)
	return e
}

// weakest returns the name of the joint that is nearest to singular at a state, "" if it cannot be found.
func weakest(m *mechanism.Mechanism, s *kkt.Solver, st *mechanism.State) string {
	if s.Solve(st) == nil {
		if r, err := s.Report(); err == nil && r.WeakestJoint >= 0 {
			return m.ConstraintName(r.WeakestJoint)
		}
	}
	return ""
}
