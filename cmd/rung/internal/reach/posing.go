package reach

import (
	"errors"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// posing is one run of the command.
type posing struct {
	*flags
	path    string // of the model
	from    string // path of the task, or none
	m       *model.Model
	task    *ik.Task
	plan    *kkt.Plan
	problem *ik.Problem
	solver  *ik.Solver
	st      *mechanism.State
	log     log
}

// violation returns the largest violation of a joint at the state, m or rad.
func (r *posing) violation() float64 {
	closer := closing.NewCloser(r.plan, closing.RunOptions())
	if e := new(closing.CloseError); errors.As(closer.ClosePositions(r.st.Clone()), &e) {
		return e.Off
	}
	return closer.Closing().Before
}

// refused returns the error of a task that cannot be done with the model: of bad input, unless the joints are at fault.
func (r *posing) refused(err error) error {
	switch {
	case errors.As(err, new(*model.Problems)):
		return err
	case errors.As(err, new(*closing.CloseError)):
		return shell.Failed(shell.ModelFile(r.path), err)
	case errors.Is(err, ik.ErrEngine) && r.from != "" && !r.given("engine") && !r.given("method") && !r.given("all") && !r.given("restarts"):
		return fault.Errorf("%s: $.solver: %w", shell.ModelFile(r.from), err)
	}
	return fault.Errorf("%s: %w", shell.ModelFile(r.path), err)
}

// broken returns the error that ends a run: of bad input where it is at a place of the task.
func (r *posing) broken(err error) error {
	if errors.As(err, new(*ik.FilterError)) {
		return err
	}
	return shell.Failed(shell.ModelFile(r.path), err)
}

// sample is what happened at one time of a path.
type sample struct {
	time    float64
	q, rate []float64 // driven freedoms
	off     []float64 // targets: linear, angular
	sigma   float64   // least singular value
}

// log is what is kept of a path.
type log struct {
	samples []sample
	poses   []pose
	first   *mechanism.State
	starts  []int // samples with which further starts begin
	ended   bool  // before the end of the path, where its targets were not reached
	all     ik.PathResult
}

// pose is a mechanism at one time, as lines between the joints of each body.
type pose struct {
	time  float64
	lines [][]spatial.Vec3
}
