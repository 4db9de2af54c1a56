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

// sampleTime returns when controller i is called next, s.
func (s *Simulation) sampleTime(i int) float64 {
	return s.start + float64(s.called[i])*s.o.Controllers[i].Period
}

// callControllers calls the controllers that are due, and returns when the next one is, or until if that is earlier.
func (s *Simulation) callControllers(until float64) (next float64, err error) {
	called := false
	for i := range s.o.Controllers {
		c := &s.o.Controllers[i]
		if s.sampleTime(i) <= s.st.Time {
			if err := s.ranks.agree(c.Sample(s.st)); err != nil {
				return 0, fault.Errorf("sim: controller %s at t = %v: %w", fault.Name(c.Name), s.st.Time, err)
			}
			called = true
			if s.called[i]++; s.sampleTime(i) <= s.st.Time {
				return 0, fault.Errorf("sim: controller %s at t = %v: its period is below rounding of the time", fault.Name(c.Name), s.st.Time)
			}
		}
		until = min(until, s.sampleTime(i))
	}
	if called {
		s.stepper.Restart()
	}
	return until, nil
}

// controllers returns names and periods, for the settings of a run.
func (s *Simulation) controllers() string {
	var b strings.Builder
	for i := range s.o.Controllers {
		c := &s.o.Controllers[i]
		fmt.Fprintf(&b, ", controller %s every %v", fault.Name(c.Name), c.Period)
	}
	return b.String()
}

// ControllerMark is the memory of one controller.
type ControllerMark struct {
	Name    string    `json:"name"`
	Samples int64     `json:"samples"` // that are done
	Memory  []float64 `json:"memory,omitempty"`
}

// markControllers stores controllers and the inputs that they hold in c.
func (s *Simulation) markControllers(c *Checkpoint) {
	for i := range s.o.Controllers {
		x := &s.o.Controllers[i]
		c.Controllers = append(c.Controllers, ControllerMark{x.Name, s.called[i], append([]float64(nil), x.Memory...)})
	}
	if in := s.mech.Inputs(); in != nil {
		c.Inputs = in.Values()
	}
}

// inspectControllers returns an error if controllers or inputs of c cannot be those of s.
func (s *Simulation) inspectControllers(c *Checkpoint) error {
	if len(c.Controllers) != len(s.o.Controllers) {
		return fmt.Errorf("sim: %w: it has %d controllers, not %d", ErrCheckpoint, len(c.Controllers), len(s.o.Controllers))
	}
	for i := range c.Controllers {
		mark, x := &c.Controllers[i], &s.o.Controllers[i]
		if mark.Samples < 0 || len(mark.Memory) != len(x.Memory) {
			return fmt.Errorf("sim: %w: controller %s has %d samples and a memory of %d numbers, not of %d", ErrCheckpoint, fault.Name(x.Name), mark.Samples, len(mark.Memory), len(x.Memory))
		}
	}
	in := s.mech.Inputs()
	if in == nil && len(c.Inputs) > 0 {
		return fmt.Errorf("sim: %w: it has inputs", ErrCheckpoint)
	}
	if in != nil {
		if err := in.CheckValues(c.Inputs); err != nil {
			return fmt.Errorf("sim: %w: %w", ErrCheckpoint, err)
		}
	}
	return nil
}

// restoreControllers is inspectControllers passed.
func (s *Simulation) restoreControllers(c *Checkpoint) {
	for i := range c.Controllers {
		s.called[i] = c.Controllers[i].Samples
		copy(s.o.Controllers[i].Memory, c.Controllers[i].Memory)
	}
	if in := s.mech.Inputs(); in != nil {
		in.SetValues(c.Inputs)
	}
}
