package objective

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
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

// changed are numbers with what they have been before.
type changed struct {
	list []*numbers.Number
	was  []float64
}

// set makes a number that is was x.
func (c *changed) set(n *numbers.Number, was, x float64) {
	c.list, c.was = append(c.list, n), append(c.was, was)
	n.Set(x)
}

// back makes all numbers what they have been.
func (c *changed) back() {
	for i := len(c.list) - 1; i >= 0; i-- {
		c.list[i].Set(c.was[i])
	}
}

// write returns the text of the task as it is now, with orientations of length 1: of one of which a number is a parameter, the others
// follow.
func (r *reaching) write(parameters []Parameter) ([]byte, error) {
	var c changed
	defer c.back()
	for i := range parameters {
		for _, path := range parameters[i].Paths {
			in, steps, err := whose(path)
			if last := len(steps) - 1; err != nil || !in || last < 1 || steps[last-1].Key != "orientation" {
				continue
			}
			if err := r.normalize(&c, steps); err != nil {
				return nil, fault.Errorf("derive/objective: %w", err)
			}
		}
	}
	text, err := r.text.Write()
	if err != nil {
		return nil, fault.Errorf("derive/objective: %w", err)
	}
	return text, nil
}

// normalize makes the length of the orientation to which the steps to one of its numbers lead 1.
func (r *reaching) normalize(c *changed, steps []document.Step) error {
	all, q, square := new([4]numbers.Number), [4]float64{}, 0.0
	for i := range all {
		steps[len(steps)-1].Key = string(rune('0' + i))
		var err error
		if all[i], err = r.text.Find(steps); err == nil {
			q[i], err = all[i].Value()
		}
		if err != nil {
			return err
		}
		square += q[i] * q[i]
	}
	for i := range all {
		c.set(&all[i], q[i], q[i]/math.Sqrt(square))
	}
	return nil
}

// whose tells whether a path leads into the task, and returns the steps there or in the model.
func whose(path string) (inTask bool, steps []document.Step, err error) {
	rest, in := strings.CutPrefix(path, taskPrefix)
	steps, err = document.ParsePath(rest)
	return in, steps, err
}

// whose is whose of a path of g, which has no task but for AtReach.
func (g *Problem) whose(path string) (inTask bool, steps []document.Step, err error) {
	if g.task == nil {
		steps, err = document.ParsePath(path)
		return false, steps, err
	}
	return whose(path)
}
