package closing

import (
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Watch makes the methods of c end early when ctx does, until end is called (kkt.Workspace.Watch). They then return the
// cause for which ctx has ended, and leave the state as it was.
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

// giveTo copies c.at to st, unless the context of c has ended:
// the results since then may be unfinished.
func (c *Closer) giveTo(st *mechanism.State) error {
	if err := c.halt.Err(); err != nil {
		return err
	}
	copy(st.Bodies, c.at.Bodies)
	c.windTo(st)
	return nil
}

// windTo gives st the angles of c.at where it has none, or where the poses may soon not be read from those that it has.
func (c *Closer) windTo(st *mechanism.State) {
	if !c.coupled() {
		if c.mech.NumSprung() == 0 || len(st.Angles) == 0 { // read as the poses tell them
			return
		}
		c.at.Angles = append(c.at.Angles[:0], st.Angles...)
		c.mech.FollowAngles(c.kin, c.at)
	}
	if len(st.Angles) == 0 || farFrom(st.Angles, c.at.Angles) {
		st.Angles = slices.Clone(c.at.Angles) // other states may share the angles of st
	}
}

// farFrom reports whether an angle has gone so far from its value in a state that its turns may soon not be told from there.
func farFrom(was, angles []float64) bool {
	for i, a := range angles {
		if math.Abs(a-was[i]) > woundAngle {
			return true
		}
	}
	return false
}

// woundAngle is the change of an angle, rad, from which on a closed
// state has angles of its own. It is far below half a turn.
const woundAngle = 1.0

// orCause returns err, or its cause if that is the end of the context of c.
func (c *Closer) orCause(err error) error {
	if cause := c.halt.Err(); err != nil && cause != nil {
		return fault.Errorf("closing: %w", cause)
	}
	return err
}

// ended returns the cause for which ctx has ended, or nil.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Errorf("closing: %w", context.Cause(ctx))
}
