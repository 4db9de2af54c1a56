package sim

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Controller sets inputs at a rate of its own. Sample is called at the start of a run and at each whole number of
// periods after it, with the state there. Steps end exactly at these times, and what it sets in the mechanism.Inputs of
// the dynamics is held until its next sample. Controllers that are due at the same time are called in the order of the
// list; rows of the recorder at that time, and events, come before them.
//
// An error of Sample ends Run, which stands at the sample; the next Run calls it again.
//
// A sample forgets what the stepper knows about the last step, as forces may jump: Runge–Kutta methods compute one
// evaluation more, the generalized-α method does its first step twice and factors anew. Who changes inputs elsewhere,
// but in the action of an event that returns Restart, calls Restart of the stepper.
type Controller struct {
	Name   string
	Period float64 // s, > 0
	Sample func(st *mechanism.State) error
	// Memory is what Sample remembers from one call to the next. It is the controller's own; checkpoints keep it,
	// and Restore writes into it.
	Memory []float64
}

// mustControl panics if a controller cannot be called.
func mustControl(list []Controller) {
	for i := range list {
		if c := &list[i]; !(c.Period > 0) || math.IsInf(c.Period, 1) || c.Sample == nil {
			panic("sim: controller without period or sample")
		}
	}
}

// controllers has the controllers of a run, and how often each has been sampled.
type controllers struct {
	list []Controller
	done []int64 // samples of each
}

// due returns when controller i of a run from start is called next, s.
func (c *controllers) due(i int, start float64) float64 {
	return start + float64(c.done[i])*c.list[i].Period
}

// callDue calls the controllers that are due, and returns when the next one is, or until if that is earlier.
func (c *controllers) callDue(s *step, start, until float64) (next float64, err error) {
	called := false
	for i := range c.list {
		x := &c.list[i]
		if c.due(i, start) <= s.st.Time {
			if err := s.ranks.agree(x.Sample(s.st)); err != nil {
				return 0, fault.Errorf("sim: controller %s at t = %v: %w", fault.Name(x.Name), s.st.Time, err)
			}
			called = true
			if c.done[i]++; c.due(i, start) <= s.st.Time {
				return 0, fault.Errorf("sim: controller %s at t = %v: its period is below rounding of the time", fault.Name(x.Name), s.st.Time)
			}
		}
		until = min(until, c.due(i, start))
	}
	if called {
		s.stepper.Restart()
	}
	return until, nil
}

// periods returns names and periods, for the settings of a run.
func (c *controllers) periods() string {
	var b strings.Builder
	for i := range c.list {
		x := &c.list[i]
		fmt.Fprintf(&b, ", controller %s every %v", fault.Name(x.Name), x.Period)
	}
	return b.String()
}

// memories returns the memory of the controllers, for a checkpoint.
func (c *controllers) memories() (list []controllerMark) {
	for i := range c.list {
		x := &c.list[i]
		list = append(list, controllerMark{x.Name, c.done[i], append([]float64(nil), x.Memory...)})
	}
	return list
}

// fit returns an error if the controllers of a checkpoint cannot be these.
func (c *controllers) fit(list []controllerMark) error {
	if len(list) != len(c.list) {
		return fmt.Errorf("sim: %w: it has %d controllers, not %d", ErrCheckpoint, len(list), len(c.list))
	}
	for i := range list {
		mark, x := &list[i], &c.list[i]
		if mark.Samples < 0 || len(mark.Memory) != len(x.Memory) {
			return fmt.Errorf("sim: %w: controller %s has %d samples and a memory of %d numbers, not of %d",
				ErrCheckpoint, fault.Name(x.Name), mark.Samples, len(mark.Memory), len(x.Memory))
		}
	}
	return nil
}

// remember sets the controllers to the memory of a checkpoint that fits.
func (c *controllers) remember(list []controllerMark) {
	for i := range list {
		c.done[i] = list[i].Samples
		copy(c.list[i].Memory, list[i].Memory)
	}
}
