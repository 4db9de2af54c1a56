package door

import (
	"bytes"
	"context"
	"errors"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/taskfile"
	"github.com/rung-mbd/rung/mechanism"
)

// moveIK moves st to the targets of a task of rung-ik/1. With the option partial it also moves st to a pose that misses some of them.
func moveIK(ctx context.Context, m *Model, st *mechanism.State, options []byte) (any, error) {
	var task []byte
	partial := false
	if err := decode("ik", options, option{"task", &task}, option{"partial", &partial}); err != nil {
		return nil, err
	}
	if task == nil {
		return nil, refuse(Input, `ik: the option task is missing: an object of rung-ik/1`)
	}
	p, solver, err := m.reachSolver(task)
	if err != nil {
		return nil, as(Input, err)
	}
	if err := p.CloseContext(ctx, st); err != nil {
		return nil, err
	}
	r, err := solver.ReachContext(ctx, st)
	if errors.Is(err, ik.ErrUnreached) && r != nil {
		if err = r.Unreached(); partial {
			err = nil
		}
	}
	return r, err
}

// reachSolver returns the problem of a task on the mechanism, and its solver. If the text has problems, and the task could be read in part,
// problems with the mechanism come first.
func (m *Model) reachSolver(text []byte) (*ik.Problem, *ik.Solver, error) {
	task, broken := taskfile.ReadIn(bytes.NewReader(text), "task", nil)
	if task == nil {
		return nil, nil, broken
	}
	p, err := ik.NewProblem(m.plan, task)
	if err == nil {
		err = broken
	}
	if err != nil {
		return nil, nil, err
	}
	if task.Path != nil {
		return nil, nil, refuse(Input, "ik: a task with a path is for rung ik, whose --model-out writes a model that moves along it")
	}
	s, err := p.NewSolver(task.Solver)
	return p, s, err
}
