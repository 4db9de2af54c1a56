package closing

import (
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Watch makes the methods of c end early when ctx does, until end is called (kkt.Workspace.Watch). They then return the
// cause of ctx (context.Cause), and leave the state as it was.
func (c *Closer) Watch(ctx context.Context) (end func()) {
	c.enter()
	defer c.guard.Leave()
	return c.halt.Begin(ctx)
}

// ClosePositionsContext is ClosePositions that ends early when ctx does (Watch).
func (c *Closer) ClosePositionsContext(ctx context.Context, st *mechanism.State) error {
	defer c.Watch(ctx)()
	return c.ClosePositions(st)
}

// giveTo copies the bodies of c.at, and its angles if necessary (giveAnglesTo), to st. If the context of c has ended, c.at may be
// unfinished: giveTo then returns the cause and st is unchanged.
func (c *Closer) giveTo(st *mechanism.State) error {
	if err := c.halt.Err(); err != nil {
		return err
	}
	copy(st.Bodies, c.at.Bodies)
	c.giveAnglesTo(st)
	return nil
}

// giveAnglesTo gives st the angles of c.at, if some angle has changed so much that its turns could soon
// not be determined from the value in st, or if st has none. If angles are not followed (followsAngles), a st without angles stays so, and
// other angles are given only if states of the mechanism have angles
// (mechanism.Mechanism.NumSprung).
func (c *Closer) giveAnglesTo(st *mechanism.State) {
	if !c.followsAngles() {
		if c.mech.NumSprung() == 0 || len(st.Angles) == 0 { // springs then take the angles of the pose, within half a turn
			return
		}
		c.at.Angles = append(c.at.Angles[:0], st.Angles...)
		c.mech.FollowAngles(c.kin, c.at)
	}
	if len(st.Angles) == 0 || anglesDiffer(st.Angles, c.at.Angles) {
		st.Angles = slices.Clone(c.at.Angles) // other states may share the angles of st
	}
}

// anglesDiffer reports whether some angle differs by more than mostAngleChange from its value before.
func anglesDiffer(before, angles []float64) bool {
	for i, a := range angles {
		if math.Abs(a-before[i]) > mostAngleChange {
			return true
		}
	}
	return false
}

// mostAngleChange is the change of an angle, rad, above which a closed
// state gets new angles. It is far below half a turn, from which the number of turns could not be determined.
const mostAngleChange = 1.0

// orCause returns err, or the cause instead of err if the context of c has ended.
func (c *Closer) orCause(err error) error {
	if cause := c.halt.Err(); err != nil && cause != nil {
		return fault.Errorf("closing: %w", cause)
	}
	return err
}

// ended returns the cause of ctx if it has ended, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Errorf("closing: %w", context.Cause(ctx))
}
