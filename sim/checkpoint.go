package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Checkpoint returns all that a run needs to continue from here. It marks the recorder (Recorder.Mark).
//
// Cost: O(bodies + nodes of ruts); allocates. Call it between steps, such as in OnStep. It returns
// the errors of the start of a run and of the recorder.
func (s *Simulation) Checkpoint() (*Checkpoint, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	n := &s.control
	c := &Checkpoint{
		Format: checkpointFormat, Model: s.mech.Name, Print: fmt.Sprintf("%016x", s.print),
		Stepper: s.stepper.Settings(), Options: s.settings(), Solver: s.o.Dynamics,
		Start: s.start, Time: s.st.Time, Bodies: make([][13]float64, len(s.st.Bodies)),
		Angles: append([]float64(nil), s.st.Angles...), Turned: s.turns.turned,
		Internal: append([]float64(nil), s.st.Internal...), Ruts: s.ruts.marks(),
		stepMark: stepMark{
			Base: s.base, Count: s.count, Step: n.h, Error: n.old, Rejected: n.rejected, Closed: [2]int{n.closed, n.span},
			Knots: [2]int{n.knots.left, n.knots.spell}, Stages: n.redundant, Near: n.near.mark(), Kept: slices.Clone(s.stepper.Kept()),
		},
		Events: s.events.signs(), Stopped: s.stopped, Failed: s.events.failed, Controllers: s.controllers.memories(),
		Rows: s.rows.written, Stats: s.stats,
	}
	if in := s.mech.Inputs(); in != nil {
		c.Inputs = in.Values()
	}
	for i := range s.st.Bodies {
		b, x := &s.st.Bodies[i], c.Bodies[i][:]
		copy(x[0:3], b.Position[:])
		copy(x[3:7], b.Rotation[:])
		copy(x[7:10], b.Velocity[:])
		copy(x[10:13], b.Omega[:])
	}
	if s.o.Recorder != nil {
		var err error
		if c.Recorded, err = s.o.Recorder.Mark(); err != nil {
			return nil, fault.Errorf("sim: recorder: %w", err)
		}
		if r, ok := s.o.Recorder.(Summed); ok {
			c.Sum = r.Sum()
		}
	}
	return c, nil
}

// Restore brings a new simulation, made with the same mechanism, method and
// options, to the point where the checkpoint was taken. The caller restores the recorder
// (ResumeCSV at Recorded).
//
// It returns an error that wraps ErrCheckpoint if the checkpoint is of another mechanism,
// method or run, or if it has a value that no run can have, which the error names. It panics if
// the simulation has begun or c is nil.
func (s *Simulation) Restore(c *Checkpoint) error {
	if s.begun {
		panic("sim: simulation has begun")
	}
	if c == nil {
		panic("sim: no checkpoint")
	}
	for _, x := range []struct{ what, got, want string }{
		{"model", c.Model, s.mech.Name},
		{"fingerprint of the model", c.Print, fmt.Sprintf("%016x", s.print)},
		{"method", s.method(c), s.stepper.Settings()},
		{"options", c.Options, s.settings()},
		{"dynamics", c.Solver, s.o.Dynamics},
	} {
		if x.got != x.want {
			if x.what == "options" {
				got, want := differing(x.got, x.want)
				return fault.Errorf("sim: %w: it is of a run with %s, not with %s", ErrCheckpoint, got, want)
			}
			return fault.Errorf("sim: %w: its %s is %q, not %q", ErrCheckpoint, x.what, x.got, x.want)
		}
	}
	if err := s.inspect(c); err != nil {
		return err
	}
	if err := s.controllers.fit(c.Controllers); err != nil {
		return err
	}
	if err := s.inspectInputs(c); err != nil {
		return err
	}
	if err := s.ruts.putBack(c.Ruts); err != nil {
		return err
	}
	s.restore(c)
	return nil
}

// method returns the settings of the method of a checkpoint. In older files the settings of Runge–Kutta methods without error
// estimates also have tolerances, which method removes.
func (s *Simulation) method(c *Checkpoint) string {
	if _, embedded := s.stepper.Order(); embedded != 0 {
		return c.Stepper
	}
	parts := strings.Split(c.Stepper, ", ")
	if len(parts) != 4 || !strings.HasPrefix(parts[1], "relative tolerance ") || !strings.HasPrefix(parts[3], "rate ") {
		return c.Stepper
	}
	return parts[0] + ", " + parts[2]
}

// differing returns the parts of two texts of settings that differ, quoted; if the texts have different numbers of parts, it returns
// both texts.
func differing(got, want string) (string, string) {
	a, b := strings.Split(got, ", "), strings.Split(want, ", ")
	if len(a) != len(b) {
		return strconv.Quote(got), strconv.Quote(want)
	}
	var x, y []string
	for i := range a {
		if a[i] != b[i] {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return strconv.Quote(strings.Join(x, ", ")), strconv.Quote(strings.Join(y, ", "))
}

// restore brings the run to the point of a checkpoint that has passed all checks.
func (s *Simulation) restore(c *Checkpoint) {
	s.st.Time = c.Time
	copy(s.st.Angles, c.Angles)
	s.turns.turned = c.Turned
	copy(s.st.Internal, c.Internal)
	for i := range c.Bodies {
		x := c.Bodies[i][:]
		s.st.Bodies[i] = mechanism.BodyState{
			Position: spatial.Vec3(x[0:3]), Rotation: spatial.Quat(x[3:7]), Velocity: spatial.Vec3(x[7:10]), Omega: spatial.Vec3(x[10:13]),
		}
	}
	for i := range c.Events {
		w, m := &s.events.watches[i], &c.Events[i]
		w.sign, w.fired, w.again = m.Sign, m.Fired, m.Again
	}
	s.controllers.remember(c.Controllers)
	if in := s.mech.Inputs(); in != nil {
		in.SetValues(c.Inputs)
	}
	s.stepper.Restart()
	if c.Kept != nil { // a rank without bodies keeps none
		copy(s.stepper.Keep(), c.Kept)
	}
	s.start, s.base, s.count = c.Start, c.Base, c.Count
	s.control.h, s.control.old, s.control.rejected = c.Step, c.Error, c.Rejected
	s.control.closed, s.control.span = c.Closed[0], c.Closed[1]
	s.control.knots = knots{c.Knots[0], c.Knots[1]}
	s.control.redundant = c.Stages
	if s.o.Step > 0 {
		s.closeStages(s.stagesClosed())
	}
	s.control.near = c.Near.nearing()
	s.rows.written, s.stopped, s.events.failed, s.stats, s.begun = c.Rows, c.Stopped, c.Failed, c.Stats, true
}
