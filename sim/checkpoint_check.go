package sim

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
)

// inspect returns the error of the first value of c that a run of s cannot have.
func (s *Simulation) inspect(c *Checkpoint) error {
	if err := s.inspectLengths(c); err != nil {
		return err
	}
	if err := c.checkFinite(); err != nil {
		return err
	}
	for i := range c.Bodies {
		q := c.Bodies[i][3:7]
		if n := math.Hypot(math.Hypot(q[0], q[1]), math.Hypot(q[2], q[3])); math.Abs(n-1) > unitSlack {
			return misfit(q, "bodies[%d][3:7], a rotation of length %v,", i, n)
		}
	}
	if c.Turned < 0 || c.Turned >= countAfter {
		return misfit(c.Turned, "turned")
	}
	if err := s.inspectTimes(c); err != nil {
		return err
	}
	if err := s.inspectRows(c); err != nil {
		return err
	}
	if err := c.Near.check(); err != nil {
		return err
	}
	return s.inspectEvents(c)
}

// inspectLengths is inspect for the lengths of lists.
func (s *Simulation) inspectLengths(c *Checkpoint) error {
	for _, x := range [...]struct {
		name      string
		got, want int
	}{
		{"bodies", len(c.Bodies), len(s.st.Bodies)}, {"angles", len(c.Angles), len(s.st.Angles)},
		{"internal states", len(c.Internal), len(s.st.Internal)}, {"events", len(c.Events), len(s.events.list)},
	} {
		if x.got != x.want {
			return misfit(x.got, "number of %s, for %d,", x.name, x.want)
		}
	}
	want := len(s.stepper.Keep())
	s.stepper.Restart() // Keep has marked the stepper's memory as valid, but it is not filled
	if n := len(c.Kept); n != 0 && n != want {
		return misfit(n, "number of kept accelerations, for %d,", want)
	}
	return nil
}

// inspectTimes is inspect for times, steps and counters.
func (s *Simulation) inspectTimes(c *Checkpoint) error {
	switch {
	case c.Time < c.Start:
		return misfit(c.Time, "time, before its start %v,", c.Start)
	case c.Base < c.Start || c.Base > c.Time:
		return misfit(c.Base, "base, not between start %v and time %v,", c.Start, c.Time)
	case c.Step < 0:
		return misfit(c.Step, "step")
	case c.Error <= 0:
		return misfit(c.Error, "error")
	case c.Count < 0:
		return misfit(c.Count, "count")
	}
	if h := s.o.Step; h > 0 {
		// The time lies in the fixed step that Count numbers.
		slack := placeSlack*h + 8*ulp(c.Time)
		if t := c.Base + float64(c.Count)*h; c.Time < t-slack || c.Time > t+h+slack {
			return misfit(c.Count, "count of steps, for the time %v after %v,", c.Time, c.Base)
		}
	}
	for i, n := range c.Closed {
		if n < 0 || n > longestSpell {
			return misfit(n, "closed[%d]", i)
		}
	}
	for i, n := range c.Knots {
		if n < 0 || n > longestSpell {
			return misfit(n, "knots[%d]", i)
		}
	}
	for _, x := range [...]struct {
		name string
		n    int64
	}{
		{"steps", c.Stats.Steps}, {"rejected", c.Stats.Rejected}, {"careful", c.Stats.Careful},
		{"helped", c.Stats.Helped}, {"stiff", c.Stats.Stiff}, {"projections", c.Stats.Projections},
	} {
		if x.n < 0 {
			return misfit(x.n, "stats.%s", x.name)
		}
	}
	if w := c.Stats.Worst; w.Position < 0 || w.Velocity < 0 {
		return misfit(w, "stats.worst")
	}
	return nil
}

// inspectRows is inspect for the recorded rows: all rows due by the time of the checkpoint, or by the time at which a step was
// given up, have been written.
func (s *Simulation) inspectRows(c *Checkpoint) error {
	if c.Recorded < 0 {
		return misfit(c.Recorded, "recorded")
	}
	if s.o.Recorder == nil {
		if c.Rows != 0 {
			return misfit(c.Rows, "rows, of a run without,")
		}
		return nil
	}
	slack := placeSlack*s.o.Every + 8*ulp(c.Time)
	last, next := c.Start+float64(c.Rows-1)*s.o.Every, c.Start+float64(c.Rows)*s.o.Every
	if c.Rows < 1 || last > max(c.Time, c.Failed)+slack || next < c.Time-slack {
		return misfit(c.Rows, "rows, from %v to %v every %v,", c.Start, c.Time, s.o.Every)
	}
	return nil
}

// inspectEvents is inspect for the events.
func (s *Simulation) inspectEvents(c *Checkpoint) error {
	for i := range c.Events {
		switch e := &c.Events[i]; {
		case e.Name != s.events.list[i].Name:
			return fault.Errorf("sim: %w: its event %d is %q, not %q", ErrCheckpoint, i, e.Name, s.events.list[i].Name)
		case e.Sign < -1 || e.Sign > 1:
			return misfit(e.Sign, "events[%d].sign", i)
		case e.Fired < 0:
			return misfit(e.Fired, "events[%d].fired", i)
		case e.Again < 0 || e.Again > e.Fired:
			return misfit(e.Again, "events[%d].again", i)
		}
	}
	if c.Stopped != "" && !slices.ContainsFunc(s.events.list, func(e Event) bool { return e.Name == c.Stopped }) {
		return misfit(fmt.Sprintf("%q", c.Stopped), "stopped, which is no event,")
	}
	return nil
}

// inspectInputs is inspect for the inputs of the mechanism.
func (s *Simulation) inspectInputs(c *Checkpoint) error {
	in := s.mech.Inputs()
	if in == nil {
		if len(c.Inputs) > 0 {
			return fmt.Errorf("sim: %w: it has inputs", ErrCheckpoint)
		}
		return nil
	}
	if err := in.CheckValues(c.Inputs); err != nil {
		return fmt.Errorf("sim: %w: %w", ErrCheckpoint, err)
	}
	return nil
}
