package objective

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/follow"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/taskfile"
	"github.com/rung-mbd/rung/mechanism"
)

// reached returns the solution of the task that is found from the closed pose of the model.
func (g *Problem) reached(ctx context.Context) (*mechanism.State, error) {
	st, p := g.plan.Initial(), g.task.problem
	if err := g.still(st.Time); err != nil {
		return nil, err
	}
	if err := p.CloseContext(ctx, st); err != nil {
		return nil, err
	}
	if err := g.holdTo(ctx, st); err != nil {
		return nil, err
	}
	return st, reach(ctx, p, st)
}

// reach moves st to the targets of p by the solver that the task asks for.
func reach(ctx context.Context, p *ik.Problem, st *mechanism.State) error {
	s, err := p.NewSolver(p.Task().Solver)
	if err == nil {
		_, err = s.ReachContext(ctx, st)
	}
	return err
}

// holdTo moves the held freedoms of st to the coordinates that they have in the model of the document: closing a changed model moves them.
func (g *Problem) holdTo(ctx context.Context, st *mechanism.State) error {
	task, off := &ik.Task{Solver: ik.Options{Passive: true}}, false
	for i, f := range g.task.problem.Held() {
		name, q := fmt.Sprintf("%s.%d", g.mech.JointName(f.Joint), f.Freedom), g.source.kept.held[i]
		is, _ := g.mech.Coordinate(f, st)
		off = off || is != q
		task.Driven = append(task.Driven, name)
		task.Targets = append(task.Targets, ik.Target{Name: name, Type: ik.Coordinate, Freedom: name, Value: q})
	}
	if !off {
		return nil
	}
	p, err := ik.NewProblem(g.plan, task)
	if err != nil {
		return err
	}
	return reach(ctx, p, st)
}

// alongReached is along for a solution of the task, at the state of g.d.
func (g *Problem) alongReached(each func(out *derive.Changes, at, k int, m *more)) error {
	st := g.d.State()
	s, err := follow.New(g.task.problem, g.doc, st, follow.Options{})
	if err != nil {
		return err
	}
	var list []follow.Direction
	for k := range g.o.Parameters {
		p := &g.o.Parameters[k]
		d := follow.Direction{Name: p.Name}
		for _, path := range p.Paths {
			if !strings.HasPrefix(path, taskPrefix) {
				d.Parameters = append(d.Parameters, derive.NamedParameter{Path: path, Change: 1})
				continue
			}
			d.Step = g.stepFor(k, checkStep)
			d.Task = func(by float64) (*ik.Task, error) { return g.taskWith(k, by) }
		}
		list = append(list, d)
	}
	// First how the poses of the solution change, and then the outputs at these changes.
	changes, err := s.Along(list)
	if err != nil {
		return err
	}
	in := g.d.NewDirections(len(list))
	for k := range list {
		in.SetName(k, list[k].Name)
		in.SetFollow(k, true)
		for _, p := range g.parameters[k] {
			if !p.OfVelocity() {
				in.AddParameter(k, p, 1)
			}
		}
		for b := range st.Bodies {
			u, x := in.Body(k, b), changes[k].Moves[6*b:]
			copy(u.Rotation[:], x[:3])
			copy(u.Position[:], x[3:6])
		}
	}
	return g.d.ForwardEach(in, derive.Options{NoReactions: true, Untried: true}, func(out *derive.Changes, k int) error {
		each(out, 0, k, nil)
		return nil
	})
}

// taskWith returns the task with the numbers of parameter k changed by by.
func (g *Problem) taskWith(k int, by float64) (*ik.Task, error) {
	values := g.Values()
	values[k] += by
	_, text, err := g.TextWith(values)
	if err != nil {
		return nil, err
	}
	task, err := taskfile.Read(bytes.NewReader(text), g.o.Task)
	if err != nil {
		return nil, err
	}
	task.Solver.Length = g.source.kept.length
	return task, nil
}
