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

// Follower follows the motion of a mechanism whose motions prescribe all of it: positions by Newton's method from where
// the bodies would be by their velocities and accelerations, velocities and accelerations by the rows of the joints.
//
// Closed joints do not tell branches apart: a four-bar closes with its knee up and with its knee
// down. So a step counts only if the bodies have gone as far as their velocities at both ends say,
// Δx = h·(v₀ + v₁)/2 to a part followPart. On one branch the difference is h³ times the third
// derivative; between two branches it is what lies between them, however short the step is. A step
// that does not count is halved. Where steps get too short, a StuckError says why.
//
// It belongs to one goroutine at a time.
type Follower struct {
	mech   *mechanism.Mechanism
	solver *kkt.Solver
	closer *closing.Closer
	kin    [2]*mechanism.Kinematics
	st     *mechanism.State // up to here
	next   *mechanism.State
	accel  []float64 // at st
	step   float64   // s, the last one that counted in full
	size   float64   // m, of the mechanism: that compares angles with lengths
	spare  int       // redundant rows
	steps  int
	halved int
}

const (
	// followPart is the part of its travel by which a step may miss what velocities say: 0.5 rad of a crank at a
	// constant rate miss by 0.02.
	followPart = 0.02
	// followRest is the travel, rad or sizes, that counts as none.
	followRest = 1e-9
	// followLeast is the shortest step, relative to the one that was wanted.
	followLeast = 1e-7
	// followBehind is how soon behind the end of the motion, relative to the step that was wanted, joints that do not
	// close make it a dead position. Nearer to it than their tolerance they close still.
	followBehind = 1e-3
	// followMost is the travel, rad or sizes, from one time to the next
	// beyond which that is not asked of steps that see a part of a turn.
	followMost = 1e6
	// followGrow lengthens a step after one that counted. A larger value costs time only.
	followGrow = 2.0
)

// ErrFar is wrapped by the error of a time so far ahead that bodies would turn or go millions of times meanwhile.
var ErrFar = fmt.Errorf("motion: the next time is too far ahead to follow the motion there")

// ErrFree is wrapped by the error of a mechanism that motions do not determine.
var ErrFree = fmt.Errorf("motion: motions do not prescribe all freedoms")

// Ending is why a motion does not go on.
type Ending uint8

// The endings.
const (
	DeadPosition     Ending = iota // the joints do not close behind it
	SingularPosition               // at it rows depend on each other that do not elsewhere, so that velocities are not determined
	BranchJump                     // the joints close behind it, but the bodies do not go there
)

// StuckError is the end of a motion that does not go on as one.
type StuckError struct {
	Time  float64 // s, up to which the motion is known
	Why   Ending
	Joint string // that is nearest to singular there
	Err   error  // of closing at a DeadPosition
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

// Start closes the state of the model by the motions at its time and finds velocities and accelerations there.
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

// State is where the motion is. It is the Follower's own, and carries all angles (mechanism.Mechanism.CarryAngles).
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

// Steps returns how many steps there were, and how many that did not count.
func (f *Follower) Steps() (done, halved int) { return f.steps, f.halved }

// To follows the motion to the time t, which is not before the time of State.
//
// It returns StuckError where the motion ends, ErrFar with the body for a time to which it would travel 10⁶ rad or
// sizes, the cause of ctx, and errors of the solver. State is then as far as the motion is known. It panics if t is before State or no
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
	// Where the joints did not close last, with their error, and where velocities were not determined. Such a time is
	// no end of the motion once a shorter step has reached it: then the step there was too long, and the pose is good.
	var open error
	openAt, singularAt := math.Inf(1), math.Inf(1)
	for f.st.Time < t {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := upTo(f.st.Time+h, t, wanted)
		missed, singular, err := f.try(to)
		if err == nil && !missed {
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

// upTo returns the time of a step that would end at the time to: t where it would leave out next to nothing.
func upTo(to, t, wanted float64) float64 {
	if t-to < followLeast*wanted {
		return t
	}
	return to
}

// tooShort reports whether a step h from the time now is none.
func tooShort(h, now, wanted float64) bool { return h < followLeast*wanted || now+h == now }

// justBehind reports whether t is so soon behind the time now that an event at t is why the motion ends.
func justBehind(t, now, wanted float64) bool { return now < t && t <= now+followBehind*wanted }

// fastest returns the body that travels farthest in the time h at its present rates, and how far, in rad or sizes.
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

// try does the step to the time t. missed says that the bodies have not gone as their velocities say, singular that
// these are not determined there.
func (f *Follower) try(t float64) (missed, singular bool, err error) {
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
	if f.missed(h) {
		return true, false, nil
	}
	f.solver.AccelerationsTo(f.accel)
	f.mech.FollowTurns(f.next, f.st)
	f.st, f.next = f.next, f.st
	f.kin[0], f.kin[1] = f.kin[1], f.kin[0]
	return false, false, nil
}

// settle finds velocities and solves at st, whose joints are closed.
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

// missed reports whether the bodies have gone another way from st to next than velocities say.
func (f *Follower) missed(h float64) bool {
	return strays(h, f.size, [2]*mechanism.State{f.st, f.next}, f.kin)
}

// strays reports whether bodies have gone another way between two states than their velocities at both say, over the time h. size is that
// of the mechanism, m.
func strays(h, size float64, ends [2]*mechanism.State, kin [2]*mechanism.Kinematics) bool {
	var most, way float64
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

// astray reports whether bodies that go a way have gone off it by more than a step may, both in rad or sizes. NaN is too much.
func astray(off, way float64) bool {
	return !(off <= followPart*way+followRest)
}

// extent is how far the centres of mass are apart at a state, at least a little, m.
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

// stuck completes the error at the end of the motion.
func (f *Follower) stuck(e *StuckError) error {
	e.Joint = weakest(f.mech, f.solver, f.st)
	return e
}

// weakest returns the name of the joint that is nearest to singular at a state, "" if that cannot be told.
func weakest(m *mechanism.Mechanism, s *kkt.Solver, st *mechanism.State) string {
	if s.Solve(st) == nil {
		if r, err := s.Report(); err == nil && r.WeakestJoint >= 0 {
			return m.ConstraintName(r.WeakestJoint)
		}
	}
	return ""
}
