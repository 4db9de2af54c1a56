package state

import (
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/compare"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
)

// question is what inverse dynamics is asked.
type question struct {
	mech      *mechanism.Mechanism // as the model has it
	free      *mechanism.Mechanism // without the motions of the actuators
	actuators []mechanism.Freedom
	moved     []mechanism.Freedom // actuators that have motions
	st        *mechanism.State
	wanted    []float64 // six a body; nil: zero
}

// newQuestion reads the actuators, and takes their motions away.
func newQuestion(mech *mechanism.Mechanism, f *inverseFlags) (*question, error) {
	q := &question{mech: mech, actuators: mech.Prescribed(), st: mech.Initial()}
	if len(f.actuated) > 0 {
		var err error
		if q.actuators, err = shell.Freedoms("--actuated", mech, f.actuated); err != nil {
			return nil, err
		}
	}
	if len(q.actuators) == 0 {
		return nil, shell.UseErrorf("no actuators: the model prescribes none; give --actuated j1,j2,…")
	}
	for _, a := range q.actuators {
		if mech.Joints[a.Joint].Prescribed(a.Freedom) && !slices.Contains(q.moved, a) {
			q.moved = append(q.moved, a)
		}
	}
	var err error
	if q.free, err = mech.Release(q.moved); err != nil {
		return nil, err
	}
	if _, err := q.free.Prescribe(q.actuators); err != nil {
		return nil, shell.UseErrorf("%v", err)
	}
	if !f.given("time") {
		return q, nil
	}
	if !algebra.Finite(f.time) {
		return nil, shell.UseErrorf("--time: want a finite time, not %v", f.time)
	}
	return q, nil
}

// answer finds the forces. The actuation is nil unless the error is that the actuators are too few.
func (q *question) answer(f *inverseFlags) (*actuation, error) {
	o := rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)}
	if f.given("time") {
		if err := q.follow(f.time, o); err != nil {
			return nil, err
		}
	}
	if q.wanted == nil && len(q.moved) > 0 {
		if err := q.motions(f.method.Method, o); err != nil {
			return nil, err
		}
	}
	if f.method.Method == motion.Sparse {
		return q.actuateBySparse(o)
	}
	return q.actuateByTree(f.method.Method)
}

// motions makes the wanted accelerations those of the motions: of the
// mechanism with them, whose other actuators keep their rates.
func (q *question) motions(m motion.Method, o rung.Options) error {
	other := slices.DeleteFunc(slices.Clone(q.actuators), func(a mechanism.Freedom) bool { return slices.Contains(q.moved, a) })
	driven, err := q.mech.Prescribe(other)
	if err != nil {
		return err
	}
	r, err := compare.Accelerate(kkt.NewPlan(driven, o), m, q.st)
	if err != nil {
		return err
	}
	for i := range r.Bodies {
		q.wanted = append(append(q.wanted, r.Bodies[i].AngularAcceleration[:]...), r.Bodies[i].ComAcceleration[:]...)
	}
	return nil
}

const (
	// followTurn and followPart are how far a motion goes between two states on the way to another time: rad, and parts
	// of the mechanism's typical length.
	followTurn, followPart = 0.3, 0.3
	// followLeast is the shortest part of the way before it is given up.
	followLeast = 1e-6
)

// follow takes the state to the time t along the motions, the mechanism closed on the way, so that of several
// assemblies it is the one to which the motions lead. What the motions leave free stays as near as it can.
func (q *question) follow(t float64, o rung.Options) error {
	end := q.st.Clone()
	end.Time = t
	if err := q.mech.CheckTime(end); err != nil {
		return err
	}
	c := closing.NewCloser(kkt.NewPlan(q.mech, o), closing.Options{Nearest: true, Tolerance: closing.RunTolerance})
	k := q.mech.NewKinematics()
	q.mech.FollowAngles(k, q.st)
	h := t - q.st.Time
	least := followLeast * math.Abs(h)
	for q.st.Time != t {
		next := q.st.Clone()
		if next.Time += h; math.Abs(t-next.Time) <= least {
			next.Time = t
		}
		err := errFar
		if q.near(q.st.Time, next.Time) {
			err = c.ClosePositions(next)
		}
		switch {
		case err == nil:
			q.mech.FollowAngles(k, next)
			q.st = next
			h = math.Copysign(min(2*math.Abs(h), math.Abs(t-next.Time)), h)
		case math.Abs(h) <= least:
			return fault.Errorf("on the way to %v s, at %v s: %w", t, next.Time, err)
		default:
			h /= 2
		}
	}
	return c.ProjectVelocities(q.st)
}

// errFar says that motions go too far between two times to be followed, however near these are.
var errFar = errors.New("a motion jumps")

// near reports whether no motion goes far between two times.
func (q *question) near(t0, t1 float64) bool {
	for _, f := range q.mech.Prescribed() {
		j := &q.mech.Joints[f.Joint]
		most := followPart * q.mech.TypicalLength()
		if j.Kind.Rotational(f.Freedom) {
			most = followTurn
		}
		from, _, _ := j.Motion[f.Freedom].At(t0)
		if to, _, _ := j.Motion[f.Freedom].At(t1); !(math.Abs(to-from) <= most) {
			return false
		}
	}
	return true
}
