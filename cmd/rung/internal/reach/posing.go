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
	from    string // path of the task; "": there is none
	m       *model.Model
	task    *ik.Task
	plan    *kkt.Plan
	problem *ik.Problem
	solver  *ik.Solver
	st      *mechanism.State
	log     log
}

// violation returns the largest violation of a joint at the state, m or rad, or the violation that cannot be closed.
func (r *posing) violation() float64 {
	closer := closing.NewCloser(r.plan, closing.RunOptions())
	if e := new(closing.CloseError); errors.As(closer.ClosePositions(r.st.Clone()), &e) {
		return e.Off
	}
	return closer.Closing().Before
}

// refused returns err, the error of a task that does not fit the model, with the name of the file at fault. It is an error of bad input
// unless the joints cannot be closed.
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

// broken returns err, which ends a search: as bad input if it names a place of the task, else as a failure.
func (r *posing) broken(err error) error {
	if errors.As(err, new(*ik.FilterError)) {
		return err
	}
	return shell.Failed(shell.ModelFile(r.path), err)
}

// sample is the result at one time of a path, or at one step of a search.
type sample struct {
	time    float64   // s, or the number of the step
	q, rate []float64 // of the driven freedoms
	off     []float64 // errors of each target: linear, angular
	sigma   float64   // least singular value, or notComputed
}

// log is the record of a path, or of the steps of a search.
type log struct {
	samples []sample
	poses   []pose
	first   *mechanism.State // at the first sample
	starts  []int            // indices of the samples with which further starts begin
	ended   bool             // the path was left before its end, as its targets were not reached
	all     ik.PathResult
}

// pose is a mechanism at one time, as lines between the joints of each body.
type pose struct {
	time  float64
	lines [][]spatial.Vec3
}
