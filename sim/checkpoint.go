package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// CheckpointFormat names the format of checkpoint files.
const CheckpointFormat = "rung-checkpoint/1"

// ErrCheckpoint is wrapped by the errors of reading and restoring a checkpoint
// that does not fit.
var ErrCheckpoint = errors.New("sim: checkpoint does not fit")

// Checkpoint is everything a run needs to go on to the bit: state, next step,
// memory of the controller, of the events and of the stepper, and place in the
// output. Numbers are written with as many digits as they need to be read back
// exactly.
//
// With controllers it also has the number of their samples so far and their Memory. If the mechanism is that of
// mechanism.Inputs, it also has gravity, drives and parameters of force elements.
//
// It does not have motions that have been set during the run, data that forces of one's own and controllers keep
// elsewhere, and changes by the actions of events outside the state and these inputs; Fired of the restored simulation
// names the events whose changes the caller has to repeat. The inputs of the new simulation have to be equal to those of
// the first one at its start.
type Checkpoint struct {
	Format  string `json:"format"`
	Model   string `json:"model"`
	Print   string `json:"fingerprint"` // of bodies, joints and forces
	Stepper string `json:"stepper"`     // its settings
	Options string `json:"options"`     // those of the run
	Solver  string `json:"dynamics"`    // Options.Dynamics

	Start  float64       `json:"start"`
	Time   float64       `json:"time"`
	Bodies [][13]float64 `json:"bodies"`           // position, rotation, velocity, omega
	Angles []float64     `json:"angles,omitempty"` // mechanism.State.Angles
	Turned float64       `json:"turned,omitempty"` // rad: by which bodies may have turned since turns were counted

	Internal []float64 `json:"internal,omitempty"` // mechanism.State.Internal

	Ruts []RutsMark `json:"ruts,omitempty"` // terrain by terrain (mechanism.Loads.Ruts)

	Base     float64     `json:"base"`
	Count    int64       `json:"count"`
	Step     float64     `json:"step"`
	Error    float64     `json:"error"`
	Rejected bool        `json:"rejected"`
	Closed   [2]int      `json:"closed"` // steps with closed stages: still to do, and the last number of them
	Knots    [2]int      `json:"knots"`  // of motions at which steps are to end: still to come, and the last number of them
	Stages   bool        `json:"stages"` // all steps have closed stages, as rows are redundant
	Near     Near        `json:"near"`
	Kept     []float64   `json:"kept"`
	Events   []EventMark `json:"events"`
	Stopped  string      `json:"stopped,omitempty"`
	Failed   float64     `json:"failed,omitempty"` // time at which a step was given up

	Controllers []ControllerMark `json:"controllers,omitempty"`
	Inputs      []float64        `json:"inputs,omitempty"` // as mechanism.Inputs.Values returns them

	Rows     int64  `json:"rows"`                   // written so far
	Recorded int64  `json:"recorded"`               // position of the recorder
	Sum      string `json:"recorded_sum,omitempty"` // checksum of what is recorded up to there, if the recorder is Summed

	// Beside are checksums of what the caller has written so far to other files of the run, by names of its own. A
	// Simulation leaves them to the caller.
	Beside map[string]string `json:"beside,omitempty"`
	Stats  Stats             `json:"stats"`
}

// Near is what a run knows about the next singular pose.
type Near struct {
	Before  float64 `json:"before"` // nearness at the start of the last step
	Span    float64 `json:"span"`   // length of that step, s
	Here    float64 `json:"here"`   // nearness now
	Most    float64 `json:"most"`   // largest nearness
	Rows    int     `json:"rows"`   // redundant now
	Leaving int     `json:"leaving"`
}

func (n *nearing) mark() Near {
	return Near{n.before, n.span, n.here.near, n.most, n.here.rows, n.leaving}
}

func (n *Near) nearing() nearing {
	return nearing{n.Before, n.Span, place{n.Here, n.Rows}, n.Most, n.Leaving}
}

// EventMark is the memory of one event.
type EventMark struct {
	Name  string `json:"name"`
	Sign  int8   `json:"sign"`
	Fired int64  `json:"fired"`
	Again int64  `json:"again,omitempty"` // calls that are not to be repeated, of a step that was given up
}

// Checkpoint returns what is needed to go on from here. It marks the recorder.
//
// Cost: O(bodies + nodes of ruts); allocates. Call it between steps, as from OnStep. It returns
// errors of the recorder.
func (s *Simulation) Checkpoint() (*Checkpoint, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	c := &Checkpoint{
		Format: CheckpointFormat, Model: s.mech.Name, Print: fmt.Sprintf("%016x", s.print),
		Stepper: s.stepper.Settings(), Options: s.settings(), Solver: s.o.Dynamics,
		Start: s.start, Time: s.st.Time, Bodies: make([][13]float64, len(s.st.Bodies)), Angles: append([]float64(nil), s.st.Angles...), Turned: s.turns.turned,
		Internal: append([]float64(nil), s.st.Internal...),
		Base:     s.base, Count: s.count, Step: s.control.h, Error: s.control.old, Rejected: s.control.rejected, Closed: [2]int{s.control.closed, s.control.span},
		Knots:  [2]int{s.control.knots.left, s.control.knots.spell},
		Stages: s.control.redundant, Near: s.control.near.mark(),
		Kept: slices.Clone(s.stepper.Kept()), Events: make([]EventMark, len(s.events)), Stopped: s.stopped, Failed: s.failed,
		Rows: s.rows, Stats: s.stats,
	}
	for i := range s.st.Bodies {
		b, x := &s.st.Bodies[i], c.Bodies[i][:]
		copy(x[0:3], b.Position[:])
		copy(x[3:7], b.Rotation[:])
		copy(x[7:10], b.Velocity[:])
		copy(x[10:13], b.Omega[:])
	}
	for i := range s.events {
		c.Events[i] = EventMark{s.events[i].Name, s.watches[i].sign, s.watches[i].fired, s.watches[i].again}
	}
	s.markControllers(c)
	c.Ruts = s.ruts.marks()
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

// Restore puts a new simulation, made with the same mechanism, method and
// options, where the checkpoint was taken. The caller takes care of the recorder
// (ResumeCSV at Recorded).
//
// It returns an error that wraps ErrCheckpoint if the checkpoint is of another mechanism,
// method or run, or if it has a value that no run can have, which the error names. It panics if
// the simulation has begun.
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
		{"method", c.Stepper, s.stepper.Settings()},
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
	if err := s.inspectControllers(c); err != nil {
		return err
	}
	if err := s.ruts.restore(c.Ruts); err != nil {
		return err
	}
	s.restore(c)
	s.restoreControllers(c)
	return nil
}

// differing returns the parts of two texts of settings that differ, both whole if they have not the same parts.
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
		s.watches[i].sign, s.watches[i].fired, s.watches[i].again = c.Events[i].Sign, c.Events[i].Fired, c.Events[i].Again
	}
	s.stepper.Restart()
	if c.Kept != nil { // those of a piece without bodies are none
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
	s.rows, s.stopped, s.failed, s.stats, s.begun = c.Rows, c.Stopped, c.Failed, c.Stats, true
}

// settings are the options that decide about results. The first step and the recorder are not
// among them.
func (s *Simulation) settings() string {
	return fmt.Sprintf("step %v, at most %v, drift %v %v, projected %t, stages %t %t, rows every %v, samples %d%s",
		s.o.Step, s.o.MaxStep, s.o.Drift.Position, s.o.Drift.Velocity, s.o.Projector != nil, s.o.CloseStages, s.o.OpenStages, s.o.Every, s.samples, s.controllers())
}

// fingerprint returns a hash of everything in a mechanism that decides about
// its motion, but the state. It is one of values: how they came to be, and what was set in between, does not count. Of
// forces of one's own it knows names and bodies.
func fingerprint(m *mechanism.Mechanism) uint64 {
	h := fnv.New64a()
	var buf [8]byte
	add := func(v ...float64) {
		for _, x := range v {
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(x+0)) // −0 is 0
			h.Write(buf[:])
		}
	}
	add(m.Gravity[:]...)
	for i := range m.Bodies {
		b := &m.Bodies[i]
		add(b.Mass)
		add(b.Com[:]...)
		add(b.Inertia[:]...)
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		add(float64(j.Kind), j.Pitch, j.Length, float64(j.Pred), float64(j.Succ), float64(j.Rows))
		for _, f := range []*mechanism.Frame{&j.P, &j.S} {
			add(f.E[:]...)
			add(f.Origin[:]...)
		}
		if j.Axes != nil {
			fmt.Fprintf(h, "%+v", j.Axes.All())
		}
		if j.Armature != nil {
			add(j.Armature[:]...)
		}
		if d := m.Drive(i); d.Acts() {
			for _, v := range []*[6]float64{&d.Force, &d.Stiffness, &d.Damping, &d.Rest} {
				add(v[:]...)
			}
		}
		if j.Motion != nil {
			for _, f := range j.Motion {
				fmt.Fprintf(h, "%+v", f)
			}
		}
		if j.Turns != nil {
			fmt.Fprint(h, j.Turns)
		}
	}
	for i := range m.Couplings {
		fmt.Fprintf(h, "%+v", m.Couplings[i])
	}
	for i := range m.Forces {
		f := &m.Forces[i]
		fmt.Fprintf(h, "%q %d %d %d", f.Name, f.Kind, f.A.Body, f.B.Body)
		add(f.Stiffness, f.Damping, f.RestLength)
		for _, v := range []*spatial.Vec3{&f.A.Point, &f.B.Point, &f.Force, &f.Torque} {
			add(v[:]...)
		}
	}
	m.SpringSettings(add)
	for i := range m.NumActuators() {
		fmt.Fprintf(h, "%+v", m.ActuatorSettings(i))
	}
	for i := range m.NumResistors() {
		fmt.Fprintf(h, "%+v", m.ResistorSettings(i))
	}
	for i := range m.NumContacts() {
		c, body, _ := m.Contact(i)
		fmt.Fprintf(h, "%d%+v%+v", body, c.Shape, c.Law)
		for _, g := range []*ground.Surface{unrutted(m, c.Ground), c.Friction} {
			if g != nil {
				fmt.Fprintf(h, "surface %d", g.Digest())
			}
		}
	}
	for i := range m.NumOwn() {
		name, bodies := m.OwnSettings(i)
		fmt.Fprintf(h, "%q%v", name, bodies)
	}
	return h.Sum64()
}
