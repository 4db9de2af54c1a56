package sim

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Controller sets inputs at fixed times. Sample is called at the start of a run and at each whole number of
// periods after it, with the state there. Steps end exactly at these times, and the values that Sample sets in the mechanism.Inputs of
// the dynamics hold until its next call. Controllers that are due at the same time are called in the order of the
// list. Rows of the recorder at that time, and events, come before them.
//
// An error of Sample ends Run at the time of the sample; the next Run calls Sample again.
//
// A sample restarts the stepper, as forces may jump: Runge–Kutta methods need one more
// evaluation, and the generalized-α method does its first step twice and factors anew. Code that changes inputs elsewhere has to call
// Restart of the stepper, except in the action of an event that returns Restart.
type Controller struct {
	Name   string
	Period float64 // s, > 0
	Sample func(st *mechanism.State) error
	// Memory holds the numbers that Sample keeps from one call to the next. Checkpoints contain it,
	// and Restore writes into it.
	Memory []float64
}

// mustControl panics if a controller has no period or no sample.
func mustControl(list []Controller) {
	for i := range list {
		if c := &list[i]; !(c.Period > 0) || math.IsInf(c.Period, 1) || c.Sample == nil {
			panic("sim: controller without period or sample")
		}
	}
}

// controllers has the controllers of a run, and the number of samples of each.
type controllers struct {
	list []Controller
	done []int64 // number of samples of each
}

// due returns the time, s, at which controller i is called next, in a run that started at start.
func (c *controllers) due(i int, start float64) float64 {
	return start + float64(c.done[i])*c.list[i].Period
}

// callDue calls the controllers that are due in a run that started at start. It returns the time at which the next one is due, or until
// if that is earlier.
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

// periods returns names and periods as text, for the settings of a run.
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

// fit returns an error that wraps ErrCheckpoint if the list of a checkpoint does not belong to these controllers.
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

// remember restores the controllers from the list of a checkpoint, which has passed fit.
func (c *controllers) remember(list []controllerMark) {
	for i := range list {
		c.done[i] = list[i].Samples
		copy(c.list[i].Memory, list[i].Memory)
	}
}
