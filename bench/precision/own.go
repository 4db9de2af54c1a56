package main

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// outcome is the result of one run.
type outcome struct {
	seconds float64 // processor time
	steps   int64
	points  []spatial.Vec3 // at the samples, without the start
}

const (
	enough   = 0.02 // s, processor time: shorter runs are repeated up to this, and the least time counts
	overtime = 3    // a run is ended after this times -longest
	mostRuns = 200  // largest number of repeated runs
)

// follow makes runs by an integrator of Rung until they have taken enough time together, and returns the fastest one.
// Garbage is collected only afterwards, so that collecting the garbage of setting up, on the same thread, is not timed.
func (p *problem) follow(o *runs.Options, limit float64) (best *outcome, err error) {
	defer runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for n, spent := 0, 0.0; n == 0 || spent < min(enough, limit) && n < mostRuns; n++ {
		out, err := p.followOnce(o, limit)
		if err != nil {
			return nil, err
		}
		spent += out.seconds
		if best == nil || out.seconds < best.seconds {
			best = out
		}
	}
	return best, nil
}

// followOnce runs the problem once from its start. It returns beside.ErrOver if the run takes more processor time than limit, s, or
// more wall time than beside.WallTime.
func (p *problem) followOnce(o *runs.Options, limit float64) (*outcome, error) {
	how := *o // a copy, as the run may change it
	how.Until = p.seconds
	s, err := runs.New(p.plan, how)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	ctx, cancel := context.WithTimeout(context.Background(), beside.WallTime)
	defer cancel()
	out := &outcome{points: make([]spatial.Vec3, 0, p.samples())}
	begun := machine.ProcessorTime()
	for k := 1; k <= p.samples(); k++ {
		if err := s.RunContext(ctx, p.seconds*float64(k)/float64(p.samples())); err != nil {
			if ctx.Err() != nil {
				err = beside.ErrOver
			}
			return nil, err
		}
		out.points = append(out.points, p.at(s.State()))
		if out.seconds = (machine.ProcessorTime() - begun).Seconds(); out.seconds > limit {
			return nil, beside.ErrOver
		}
	}
	out.steps = s.Stats().Steps
	return out, nil
}

// ownRunner runs one integrator of Rung.
type ownRunner struct {
	integrator runs.Integrator
}

// run implements runner: at is the step, s, or the tolerance if the integrator controls its error.
func (r ownRunner) run(p *problem, at, limit float64) (*outcome, error) {
	o := &runs.Options{Integrator: r.integrator}
	if r.integrator.NeedsStep() {
		o.Step = at
	} else {
		o.Tolerance = at
	}
	return p.follow(o, limit)
}

// ownSeries returns a series for each integrator of Rung.
func ownSeries() (list []*ladder) {
	for _, i := range runs.Integrators() {
		l := &ladder{runner: ownRunner{i}, series: series{Engine: beside.Ours, Integrator: i.String(), By: byTolerance}}
		switch {
		case i.NeedsStep():
			l.By, l.Settings = byStep, "sparse; drift projected"
		default:
			l.Settings = "sparse; error control; drift projected"
		}
		list = append(list, l)
	}
	return list
}
