package reach

import (
	"context"
	"errors"
	"io"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// run poses the model at path by the task, or moves it along the path of the task. task is the path of the task, "" for none.
func (f *flags) run(cmd *cobra.Command, path, task string) error {
	if err := f.check(path, task); err != nil {
		return err
	}
	ctx := cmd.Context()
	if f.out != "" {
		defer shell.Keep(ctx)()
	}
	in, stdout, _ := shell.Streams(cmd)
	c := &shell.StateChange{Path: path, Output: f.output, JSON: f.json, Always: true}
	r := &posing{flags: f, path: path, from: task}
	return shell.Change(cmd, c, func(m *model.Model, p *shell.Progress) (*ik.Result, error) {
		t, err := f.task(task, m, in.Reader)
		if t == nil {
			return nil, err
		}
		if t.Path == nil && f.out+f.modelOut != "" {
			return nil, shell.UseErrorf("--out and --model-out are for a task with a path")
		}
		r.m, r.task = m, t
		if err := r.prepare(ctx, p, err); err != nil {
			return nil, err
		}
		return r.move(ctx, p, stdout)
	}, r.print)
}

// prepare makes the solver and a state that satisfies the joints. broken are the problems of the task's document, if any.
func (r *posing) prepare(ctx context.Context, p *shell.Progress, broken error) error {
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(r.m, rung.Options{Ordering: r.ordering.Ordering, Threads: int(r.threads)})
	if err != nil {
		return err
	}
	r.plan = plan
	if r.problem, err = ik.NewProblem(plan, r.task); err == nil {
		err = broken
	}
	if err == nil {
		r.solver, err = r.problem.NewSolver(r.task.Solver)
	}
	if err != nil {
		return r.refused(err)
	}
	p.Stage("closing", 0)
	r.st = plan.Initial()
	return shell.Failed(shell.ModelFile(r.path), r.problem.CloseContext(ctx, r.st))
}

// move reaches the targets or follows the path, and draws the picture. It stores the last state in the model. If targets are not
// reached, it returns the result beside the error.
func (r *posing) move(ctx context.Context, p *shell.Progress, stdout io.Writer) (*ik.Result, error) {
	var result *ik.Result
	var err error
	if r.task.Path != nil {
		result, err = r.follow(ctx, p, stdout)
	} else {
		r.snapshot(0, r.st)
		r.watch()
		if result, err = r.reach(ctx, p); result != nil {
			r.snapshot(1, r.st)
			r.watched(result)
		}
	}
	if result == nil {
		return nil, err
	}
	p.Stage("drawing", 0)
	if e := r.draw(stdout); e != nil {
		return nil, e
	}
	result.ClosingError = r.violation()
	rung.SetState(r.m, r.plan.Mechanism(), r.st)
	return result, err
}

// reach moves the state to the targets, or to the nearest pose with an error.
func (r *posing) reach(ctx context.Context, p *shell.Progress) (*ik.Result, error) {
	p.Stage("reaching", 0)
	result, err := r.solver.ReachContext(ctx, r.st)
	switch {
	case err == nil:
	case errors.Is(err, ik.ErrUnreached):
		err = shell.Failed(shell.ModelFile(r.path), result.Unreached())
	default:
		return nil, r.broken(err)
	}
	return result, err
}
