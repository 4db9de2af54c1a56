package learn

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// lanes computes runs eight at a time (Options.Lanes). It keeps memory for as many runs as the last call had.
type lanes struct {
	*Rollouts
	b         *batch.Batch
	observers chan *observer // one a thread

	states *batch.States
	out    *batch.Outcome
	record *batch.Record // nil before there are gradients
	g      *batch.Gradients
}

// observer is the memory of one goroutine to observe states, and to go back from their observations.
type observer struct {
	*field
	st  *mechanism.State
	see []func(st *mechanism.State) float64
	x   []float64 // cotangents of a state
}

// lane is one run.
type lane struct {
	seen, set [][]float64 // observations and forces by act
	weights   []float64   // cotangents of the forces of the present act, so far
	growth    *adjoint.Growth
	result    Result
}

// newLanes makes the batch of r. It returns an error for a mechanism that cannot be simulated, or gone back over, in lanes.
func newLanes(r *Rollouts) (*lanes, error) {
	b, err := many.New(r.plan, r.doc, batch.Options{Threads: r.o.Threads, Forces: r.o.Forces})
	if err != nil {
		return nil, err
	}
	for _, why := range []string{b.SteppedOneByOne(), b.AdjointOneByOne()} {
		if why != "" {
			return nil, fmt.Errorf("no lanes: %s", why)
		}
	}
	x := &lanes{Rollouts: r, b: b, observers: make(chan *observer, r.o.Threads)}
	for range r.o.Threads {
		g := &observer{field: newField(r.plan, r), st: r.plan.Initial()}
		for _, o := range r.outputs {
			g.see = append(g.see, g.d.OutputOf(o))
		}
		g.x = make([]float64, adjoint.PerBody*len(g.st.Bodies))
		x.observers <- g
	}
	return x, nil
}

// observe returns the observations of state i.
func (g *observer) observe(s *batch.States, i int) []float64 {
	s.To(g.st, i)
	y := make([]float64, len(g.see))
	for k, f := range g.see {
		y[k] = f(g.st)
	}
	return y
}

// back stores in g.x the cotangents of state i, for the cotangents w of its observations.
func (g *observer) back(s *batch.States, i int, w []float64) error {
	s.To(g.st, i)
	clear(g.x)
	if err := g.d.At(g.st); err != nil {
		return err
	}
	g.w.Reset()
	for k, y := range w {
		g.w.AddOutput(g.outputs[k], y)
	}
	if err := g.d.AdjointTo(g.g, g.w, derive.Options{}); err != nil {
		return err
	}
	g.g.TakeMotion(g.x)
	return nil
}

// run does all runs of a job and goes back over them, if it asks for slopes.
func (x *lanes) run(j *job) error {
	n, steps := len(j.starts), x.o.Hold*x.o.Acts
	if x.states == nil || x.states.Len() != n {
		x.states, x.out, x.record, x.g = x.b.NewStates(n), x.b.NewOutcome(n), nil, nil
	}
	if j.slopes && x.record == nil {
		x.record, x.g = x.b.NewRecord(n, steps), x.b.NewGradients(n)
	}
	all := make([]lane, n)
	for i, st := range j.starts {
		x.states.Set(i, st)
		if len(st.Angles) > x.plan.Mechanism().NumSprung() {
			all[i].result.Err = errTurns
		}
	}
	how := &batch.Rollout{Step: x.o.Step, Steps: steps}
	if j.slopes {
		how.Record = x.record
	}
	// The batch calls for n runs from first on, from several goroutines; each uses a free observer.
	each := func(first, n int, do func(g *observer, i int)) {
		g := <-x.observers
		defer func() { x.observers <- g }() // a law may panic
		for i := first; i < first+n; i++ {
			if all[i].result.Err == nil {
				do(g, i)
			}
		}
	}
	how.Control = func(step, first, n int) {
		if step%x.o.Hold == 0 {
			each(first, n, func(g *observer, i int) { x.act(g, &all[i], j.laws[i], i) })
		}
	}
	// After the last step: the last observations, and their cost.
	how.Passing.Take = func(first, n int) { each(first, n, func(g *observer, i int) { x.end(g, &all[i], j.laws[i], i) }) }
	defer x.b.Watch(j.ctx)()
	err := x.b.Rollout(x.states, how, x.out)
	if err == nil && j.slopes {
		err = x.b.BackTo(x.g, x.record, func(step, first, n int) {
			each(first, n, func(g *observer, i int) { x.back(g, &all[i], j.laws[i], i, step) })
		})
	}
	for i := range all {
		if j.slopes && all[i].result.Err == nil {
			all[i].result.Err = x.g.Error(i)
		}
		if j.out[i] = all[i].result; j.out[i].Err != nil {
			j.out[i] = Result{Err: fault.Errorf("derive/learn: run %d: %w", i, j.out[i].Err)}
		}
	}
	return err
}

// errTurns is the error for starts that count turns of angles without springs.
var errTurns = errors.New("derive/learn: the start carries angles with their turns, which lanes do not count")

// act calls the law of run i for the forces of its next act.
func (x *lanes) act(g *observer, l *lane, law Law, i int) {
	if l.result.Err = x.out.Error(i); l.result.Err != nil {
		return
	}
	k, y, u := len(l.set), g.observe(x.states, i), make([]float64, len(x.o.Forces))
	l.result.Cost += law.Act(u, y, k)
	for f, v := range u {
		if !algebra.Finite(v) {
			l.result.Err = fault.Errorf("derive/learn: act %d: %w: force %v", k, mechanism.ErrInput, v)
			return
		}
		x.states.SetForce(i, f, v)
	}
	l.seen, l.set = append(l.seen, y), append(l.set, u)
}

// end calls the law of run i for the cost of the last observations, and keeps these. If the run has failed, it stores the error instead. A
// run that a context has ended early has no last observations.
func (x *lanes) end(g *observer, l *lane, law Law, i int) {
	if l.result.Err = x.out.Error(i); l.result.Err != nil || x.out.Steps(i) < x.o.Hold*x.o.Acts {
		return
	}
	y := g.observe(x.states, i)
	l.result.Cost += law.Act(nil, y, x.o.Acts)
	l.seen = append(l.seen, y)
}

// back takes over the way back at a step of run i: it adds up the cotangents of the forces and, at an act, calls the law and adds the
// cotangents by the observations to the cotangents of the state.
func (x *lanes) back(g *observer, l *lane, law Law, i, step int) {
	if l.result.Err = x.g.Error(i); l.result.Err != nil {
		return
	}
	s, acts := x.record.States(step), x.o.Acts
	if l.growth == nil {
		l.weights = make([]float64, len(x.o.Forces))
		s.To(g.st, i)
		until := g.st.Time
		l.growth = adjoint.NewGrowth(x.plan.Mechanism(), until-x.o.Step*float64(x.o.Hold*acts), until)
	}
	// The cotangents of forces add up over the steps for which they hold.
	if step < x.o.Hold*acts {
		for f := range l.weights {
			l.weights[f] += x.g.Force(i, f)
		}
	}
	// An act; the last one only observes.
	if step%x.o.Hold == 0 {
		k, seen := step/x.o.Hold, make([]float64, len(g.see))
		if k == acts {
			law.Back(seen, l.seen[k], nil, nil, k)
		} else {
			law.Back(seen, l.seen[k], l.set[k], l.weights, k)
		}
		clear(l.weights)
		if l.result.Err = g.back(s, i, seen); l.result.Err != nil {
			return
		}
		x.g.AddMotion(i, g.x)
	}
	x.g.MotionTo(g.x, i)
	s.To(g.st, i)
	l.growth.See(g.st.Time, []adjoint.Gradient{{Start: g.x}})
	if step == 0 {
		l.result.Start = append([]float64(nil), g.x...)
		l.result.Growth = l.growth.Ratio()
	}
}
