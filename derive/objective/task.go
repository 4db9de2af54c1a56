package objective

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/taskfile"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/numbers"
	"github.com/rung-mbd/rung/model"
)

// beginTask reads the task.
func (g *Problem) beginTask() (err error) {
	if g.o.At != AtReach {
		return nil
	}
	text := g.source.kept.task
	if text == nil {
		if g.source.Data == nil {
			return fmt.Errorf("derive/objective: there is no folder for the task %s", fault.Name(g.o.Task))
		}
		if text, err = fs.ReadFile(g.source.Data, g.o.Task); err != nil {
			return fmt.Errorf("derive/objective: %w", err)
		}
	}
	task, err := taskfile.Read(bytes.NewReader(text), g.o.Task)
	if err != nil {
		return err
	}
	if task.Path != nil {
		return &model.Problems{List: []*model.Problem{{File: g.o.Task, Path: "$.path", Rule: "is of no use: an objective is of one solution"}}}
	}
	if g.source.kept.length > 0 {
		task.Solver.Length = g.source.kept.length
	}
	r := new(reaching)
	if r.text, err = numbers.Read(text); err != nil {
		return fault.Errorf("derive/objective: %w", err)
	}
	r.text = r.text.Of("the task")
	if r.problem, err = ik.NewProblem(g.plan, task); err != nil {
		return err
	}
	g.task, g.source.kept.length = r, r.problem.Length()
	if list := r.problem.Held(); len(list) > 0 && g.source.kept.held == nil {
		st := g.plan.Initial()
		if err := r.problem.CloseContext(context.Background(), st); err != nil {
			return err
		}
		for _, f := range list {
			q, _ := g.mech.Coordinate(f, st)
			g.source.kept.held = append(g.source.kept.held, q)
		}
	}
	return nil
}

// whose reports whether a path leads into a task, and returns its steps in the task or in the model.
func whose(path string) (inTask bool, steps []document.Step, err error) {
	rest, in := strings.CutPrefix(path, taskPrefix)
	steps, err = document.ParsePath(rest)
	return in, steps, err
}

// whose is the function whose for a path of g: without AtReach all paths lead into the model.
func (g *Problem) whose(path string) (inTask bool, steps []document.Step, err error) {
	if g.task == nil {
		steps, err = document.ParsePath(path)
		return false, steps, err
	}
	return whose(path)
}
