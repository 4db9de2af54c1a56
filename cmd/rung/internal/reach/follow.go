package reach

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// longerStep is the advice for a path with too many samples.
const longerStep = `give a longer "step" of the path`

// errTooLong says that a path has become so long, by stretching, that it has more samples than a motion may have.
var errTooLong = fmt.Errorf("more than %d samples: %s", joints.MaxTimes, longerStep)

// follow moves the state along the path, and writes the rows and the moving model if the flags ask for them. If the path cannot
// be followed to its end, it returns the last sample beside the error.
func (r *posing) follow(ctx context.Context, p *shell.Progress, stdout io.Writer) (*ik.Result, error) {
	if n := r.task.Path.Samples(); n > joints.MaxTimes {
		return nil, shell.UseErrorf("%s: the path %s", shell.ModelFile(r.path), fault.TooDear(n, joints.MaxTimes, "samples", longerStep))
	}
	rows := io.Discard
	out := new(shell.Output)
	if r.out != "" {
		var err error
		if out, err = shell.Create(r.out, stdout); err != nil {
			return nil, err
		}
		defer out.Drop()
		rows = out
	}
	p.Stage("following the path", 0)
	table := csv.NewWriter(rows)
	if err := table.Write(r.header()); err != nil {
		return nil, shell.Failed("", err)
	}
	var last *ik.Result
	err := r.solver.Track(ctx, r.st, func(t float64, st *mechanism.State, result *ik.Result) error {
		if len(r.log.samples) == joints.MaxTimes {
			return errTooLong
		}
		last = result
		r.log.add(t, st, result)
		r.snapshot(t, st)
		return table.Write(row(t, result))
	})
	if err != nil && !errors.Is(err, ik.ErrUnreached) || last == nil {
		return nil, r.broken(err)
	}
	r.lastPose()
	table.Flush()
	if r.out != "" {
		if err := out.Close(table.Error()); err != nil {
			return nil, err
		}
	}
	last.Path = &r.log.all
	if err != nil {
		r.log.ended = true
		err = fault.Errorf("at %s s of the path: %w", strconv.FormatFloat(r.log.all.End, 'g', 4, 64), last.Unreached())
		if r.out != "" && r.out != shell.Stdio {
			err = fault.Errorf("%w; %s has the samples up to there", err, shell.ModelFile(r.out))
		}
		err = shell.Failed(shell.ModelFile(r.path), err)
	} else if r.modelOut != "" {
		if err := r.writeMoving(stdout); err != nil {
			return nil, err
		}
	}
	return last, err
}

const (
	// notComputed stands for the least singular value if the method does not compute it.
	notComputed = -1
	// roundedOff is the size of the least singular value, relative to the largest, below which it is rounding.
	roundedOff = 1e-14
)

// add appends a sample of the path: coordinates, rates and errors of result, and the least singular value, 0 if it is rounding.
func (l *log) add(t float64, st *mechanism.State, result *ik.Result) {
	s := sample{time: t, sigma: notComputed}
	if v := result.SingularValues; len(v) > 0 {
		if s.sigma = v[len(v)-1]; s.sigma < roundedOff*v[0] {
			s.sigma = 0
		}
	}
	for _, d := range result.Driven {
		s.q, s.rate = append(s.q, d.Value), append(s.rate, d.Rate)
	}
	for _, g := range result.Targets {
		s.off = append(s.off, g.Linear, g.Angular)
	}
	if l.first == nil {
		l.first = st.Clone()
	}
	l.all.Add(t, result)
	l.samples = append(l.samples, s)
}

// header returns the names of the columns of row.
func (r *posing) header() []string {
	list := []string{"time"}
	mech := r.plan.Mechanism()
	for _, f := range r.problem.Driven() {
		list = append(list, fault.Escape(fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom)))
	}
	for _, f := range r.problem.Driven() {
		list = append(list, fault.Escape(fmt.Sprintf("%s.%d.rate", mech.JointName(f.Joint), f.Freedom)))
	}
	for i := range r.task.Targets {
		name := fault.Escape(r.task.Targets[i].Name)
		list = append(list, name+".error.linear", name+".error.angular")
	}
	return append(list, "sigma.min", "manipulability", "steps", "status")
}

// row returns the values of a sample.
func row(t float64, result *ik.Result) []string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }
	list := []string{number(t)}
	for _, d := range result.Driven {
		list = append(list, number(d.Value))
	}
	for _, d := range result.Driven {
		list = append(list, number(d.Rate))
	}
	for _, g := range result.Targets {
		list = append(list, number(g.Linear), number(g.Angular))
	}
	sigma, manipulability := "", "" // empty if the method does not compute them
	if s := result.SingularValues; len(s) > 0 {
		sigma = number(s[len(s)-1])
	}
	if result.Rank != ik.NotComputed {
		manipulability = number(result.Manipulability)
	}
	return append(list, sigma, manipulability, strconv.Itoa(result.Steps), result.Status.String())
}

// writeMoving writes the model at the start of the path, with motions of the driven freedoms along it.
func (r *posing) writeMoving(stdout io.Writer) error {
	m := *r.m
	m.Joints = append([]model.Joint(nil), r.m.Joints...)
	times, values := make([]float64, len(r.log.samples)), make([][]float64, len(r.log.samples))
	for k, s := range r.log.samples {
		times[k], values[k] = s.time, s.q
	}
	r.problem.MotionsTo(&m, times, values)
	m.Bodies = append([]model.Body(nil), m.Bodies...)
	rung.SetState(&m, r.plan.Mechanism(), r.log.first)
	if err := r.settle(&m); err != nil {
		return err
	}
	return shell.WriteFile(r.modelOut, stdout, func(w io.Writer) error { return model.Write(w, shell.Rehome(&m, r.path, r.modelOut)) })
}

// settle closes the joints of a model at its prescribed coordinates, and gives its bodies the velocities that its
// prescribed rates ask for.
func (r *posing) settle(m *model.Model) error {
	plan, err := rung.NewPlan(m, rung.Options{Ordering: r.ordering.Ordering})
	if err != nil {
		return err
	}
	st := plan.Initial()
	closer := closing.NewCloser(plan, closing.RunOptions())
	if err := errors.Join(closer.ClosePositions(st), closer.ProjectVelocities(st)); err != nil {
		return shell.Failed(shell.ModelFile(r.modelOut), err)
	}
	rung.SetState(m, plan.Mechanism(), st)
	return nil
}
