package answers

import (
	"context"
	"errors"
	"math"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// followTurn and followPart bound the change of a prescribed freedom between two states on the way to another time: an
	// angle in rad, and a displacement relative to the mechanism's typical length.
	followTurn, followPart = 0.3, 0.3
	// followLeast is the shortest step, relative to the whole way. If it fails too, follow gives up.
	followLeast = 1e-6
)

// follow returns the state at the time t to which the prescribed motions lead from st. It closes the joints at times in between. So
// it finds the assembly to which the motions lead, even if there are several. Other freedoms change as little as possible. Where a step
// does not close, it tries half the step.
func follow(ctx context.Context, mech *mechanism.Mechanism, st *mechanism.State, t float64, o kkt.Options) (*mechanism.State, error) {
	end := st.Clone()
	end.Time = t
	if err := mech.CheckTime(end); err != nil {
		return nil, err
	}
	plan, err := kkt.NewPlanContext(ctx, mech, o)
	if err != nil {
		return nil, err
	}
	w := plan.NewWorkspace()
	defer w.Watch(ctx)()
	c, err := closing.NewCloserContext(ctx, w, closing.RunOptions())
	if err != nil {
		return nil, err
	}
	k := mech.NewKinematics()
	mech.FollowAngles(k, st)
	h := t - st.Time
	least := followLeast * math.Abs(h)
	for st.Time != t {
		next := st.Clone()
		if next.Time += h; math.Abs(t-next.Time) <= least {
			next.Time = t
		}
		err := errFar
		if next.Time != st.Time && near(mech, st.Time, next.Time) { // equal times: the step is lost in rounding
			err = c.ClosePositions(next)
		}
		switch {
		case err == nil:
			mech.FollowAngles(k, next)
			st = next
			h = math.Copysign(min(2*math.Abs(h), math.Abs(t-next.Time)), h)
		case ctx.Err() != nil || math.Abs(h) <= least:
			return nil, fault.Errorf("door/answers: on the way to %v s, at %v s: %w", t, next.Time, err)
		default:
			h /= 2
		}
	}
	return st, c.ProjectVelocities(st)
}

// errFar says that a prescribed freedom changes too much in the shortest step.
var errFar = errors.New("door/answers: a motion jumps")

// near reports whether no prescribed freedom changes by more than followTurn or followPart from t0 to t1.
func near(mech *mechanism.Mechanism, t0, t1 float64) bool {
	for _, f := range mech.Prescribed() {
		j := &mech.Joints[f.Joint]
		most := followPart * mech.TypicalLength()
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
