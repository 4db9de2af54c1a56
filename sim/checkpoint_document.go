package sim

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// checkpointFormat names the format of checkpoint files.
const checkpointFormat = "rung-checkpoint/1"

// ErrCheckpoint is wrapped by the errors of reading and restoring a checkpoint
// that does not fit.
var ErrCheckpoint = errors.New("sim: checkpoint does not fit")

// Checkpoint is all that a run needs to continue with the same bits: the state, the next step,
// the memory of error control, of events and of the stepper, and the position in the
// output. Numbers are written with as many digits as reading them back
// exactly needs.
//
// With controllers it also has the number of their samples so far and their Memory. For a mechanism with
// mechanism.Inputs it also has gravity, drives and parameters of force elements.
//
// It does not have motions that have been set during the run, data that user-defined forces and controllers keep
// elsewhere, and changes by actions of events outside the state and these inputs; Fired of the restored simulation
// tells which events have fired, so that the caller can repeat these changes. The inputs of the new simulation have to be equal to the
// inputs of the first one at its start.
type Checkpoint struct {
	Format  string `json:"format"`
	Model   string `json:"model"`
	Print   string `json:"fingerprint"` // fingerprint of bodies, joints and forces
	Stepper string `json:"stepper"`     // settings of the stepper
	Options string `json:"options"`     // settings of the run
	Solver  string `json:"dynamics"`    // Options.Dynamics

	Start  float64       `json:"start"`
	Time   float64       `json:"time"`
	Bodies [][13]float64 `json:"bodies"`           // position, rotation, velocity, omega
	Angles []float64     `json:"angles,omitempty"` // mechanism.State.Angles
	Turned float64       `json:"turned,omitempty"` // largest angle, rad, by which bodies may have turned since turns were counted

	Internal []float64 `json:"internal,omitempty"` // mechanism.State.Internal

	Ruts []rutsMark `json:"ruts,omitempty"` // terrain by terrain (mechanism.Loads.Ruts)

	stepMark

	Events  []eventMark `json:"events"`
	Stopped string      `json:"stopped,omitempty"`
	Failed  float64     `json:"failed,omitempty"` // time at which a step was given up

	Controllers []controllerMark `json:"controllers,omitempty"`
	Inputs      []float64        `json:"inputs,omitempty"` // as mechanism.Inputs.Values returns them

	Rows     int64  `json:"rows"`                   // number of rows written so far
	Recorded int64  `json:"recorded"`               // position of the recorder
	Sum      string `json:"recorded_sum,omitempty"` // checksum of the rows recorded up to there, if the recorder is Summed

	// Beside are checksums of other files that the caller has written during the run, by names that the caller chooses. A
	// Simulation neither sets nor reads them.
	Beside map[string]string `json:"beside,omitempty"`
	Stats  Stats             `json:"stats"`
}

// stepMark has the length of the next step of a run, and the history of the steps on which it depends.
type stepMark struct {
	Base     float64   `json:"base"`
	Count    int64     `json:"count"`
	Step     float64   `json:"step"`
	Error    float64   `json:"error"`
	Rejected bool      `json:"rejected"`
	Closed   [2]int    `json:"closed"` // steps with closed stages: still to do, and the last number of them
	Knots    [2]int    `json:"knots"`  // knots of motions at which steps have to end: number still to come, and the last number of them
	Stages   bool      `json:"stages"` // all steps have closed stages, as rows are redundant
	Near     nearMark  `json:"near"`
	Kept     []float64 `json:"kept"`
}

// nearMark tells how near a run is to a singular pose, now and at the start of the last step (nearing).
type nearMark struct {
	Before  float64 `json:"before"` // nearness at the start of the last step
	Span    float64 `json:"span"`   // length of that step, s
	Here    float64 `json:"here"`   // nearness now
	Most    float64 `json:"most"`   // largest nearness
	Rows    int     `json:"rows"`   // number of redundant rows now
	Leaving int     `json:"leaving"`
}

func (n *nearing) mark() nearMark {
	return nearMark{n.before, n.span, n.here.near, n.most, n.here.rows, n.leaving}
}

func (n *nearMark) nearing() nearing {
	return nearing{n.Before, n.Span, place{n.Here, n.Rows}, n.Most, n.Leaving}
}

// eventMark is the memory of one event.
type eventMark struct {
	Name  string `json:"name"`
	Sign  int8   `json:"sign"`
	Fired int64  `json:"fired"`
	Again int64  `json:"again,omitempty"` // number of calls in a step that was given up which are not repeated
}

// rutsMark is the record of a terrain with ruts. The entries of a node are its numbers along x and y, the depth by which it
// is lowered, m, and, if a wheel is on it, the lowest height of the wheel, m, and the part of the sinkage that recovers.
type rutsMark struct {
	Terrain int         `json:"terrain"` // number in the document
	Nodes   [][]float64 `json:"nodes"`
}

// nodes returns the ruts of a mark, or an error for the first invalid node.
func (m *rutsMark) nodes() ([]contact.RutNode, error) {
	list := make([]contact.RutNode, len(m.Nodes))
	for k, x := range m.Nodes {
		if len(x) != 3 && len(x) != 5 || x[0] != float64(int32(x[0])) || x[1] != float64(int32(x[1])) {
			return nil, misfit(x, "ruts, nodes[%d],", k)
		}
		n := contact.RutNode{I: int32(x[0]), J: int32(x[1]), Lowered: x[2]}
		if len(x) == 5 {
			n.Pressed, n.Passage, n.Back = true, x[3], x[4]
		}
		list[k] = n
	}
	if err := contact.CheckNodes(list); err != nil {
		return nil, fault.Errorf("sim: %w: %w", ErrCheckpoint, err)
	}
	return list, nil
}

// checkRuts returns an error for the first invalid node.
func checkRuts(marks []rutsMark) error {
	for i := range marks {
		if _, err := marks[i].nodes(); err != nil {
			return err
		}
	}
	return nil
}

// controllerMark is the memory of one controller.
type controllerMark struct {
	Name    string    `json:"name"`
	Samples int64     `json:"samples"` // number of samples so far
	Memory  []float64 `json:"memory,omitempty"`
}

const (
	// unitSlack is the largest difference of the length of a rotation of a checkpoint from one: much more than rounding, as
	// steps leave less than 1e-15.
	unitSlack = 1e-6
	// placeSlack is the largest difference between the time of a checkpoint and the time that
	// its number of steps, or of rows, stands for, relative to the step or the output interval.
	placeSlack = 1e-2
)

// misfit returns an error that wraps ErrCheckpoint for a value of a checkpoint; place and index are a format with its arguments that
// names the value.
func misfit(value any, place string, index ...any) error {
	return fault.Errorf("sim: %w: its %s is %v", ErrCheckpoint, fmt.Sprintf(place, index...), value)
}

// checkFinite returns an error for the first number that is not finite.
func (c *Checkpoint) checkFinite() error {
	for _, x := range [...]struct {
		name  string
		value float64
	}{
		{"start", c.Start}, {"time", c.Time}, {"base", c.Base}, {"step", c.Step}, {"error", c.Error}, {"failed", c.Failed}, {"turned", c.Turned},
		{"stats.worst.Position", c.Stats.Worst.Position}, {"stats.worst.Velocity", c.Stats.Worst.Velocity},
		{"stats.undecided_at", c.Stats.UndecidedAt}, {"stats.doubt", c.Stats.Doubt},
	} {
		if !algebra.Finite(x.value) {
			return misfit(x.value, "%s", x.name)
		}
	}
	for i := range c.Bodies {
		if err := finiteList(c.Bodies[i][:], "bodies[%d]", i); err != nil {
			return err
		}
	}
	for i := range c.Controllers {
		if err := finiteList(c.Controllers[i].Memory, "controllers[%d].memory", i); err != nil {
			return err
		}
	}
	for _, x := range [...]struct {
		name string
		list []float64
	}{{"angles", c.Angles}, {"internal", c.Internal}, {"kept", c.Kept}, {"inputs", c.Inputs}} {
		if err := finiteList(x.list, "%s", x.name); err != nil {
			return err
		}
	}
	return checkRuts(c.Ruts)
}

// finiteList returns an error for the first number of a list of a checkpoint that is not finite. place names the list, as in misfit.
func finiteList(list []float64, place string, index ...any) error {
	for k, x := range list {
		if !algebra.Finite(x) {
			return misfit(x, place+"[%d]", append(index, k)...)
		}
	}
	return nil
}

// check returns an error for the first value that no run can have.
func (n *nearMark) check() error {
	for _, x := range [...]struct {
		name  string
		value float64
	}{{"before", n.Before}, {"span", n.Span}, {"here", n.Here}, {"most", n.Most}} {
		if !algebra.Finite(x.value) || x.value < 0 {
			return misfit(x.value, "near.%s", x.name)
		}
	}
	if n.Rows < 0 {
		return misfit(n.Rows, "near.rows")
	}
	if n.Leaving < 0 || n.Leaving > nearLeaving {
		return misfit(n.Leaving, "near.leaving")
	}
	return nil
}
