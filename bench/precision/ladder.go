package main

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/motion/runs"
)

// The settings by which the runs of a series become finer.
const (
	byTolerance = "tolerance"
	byStep      = "step"
)

// runner simulates a problem.
type runner interface {
	// run makes a run with a tolerance, or a step, s (at). It returns beside.ErrOver if the run takes more processor time than the
	// limit, s.
	run(p *problem, at, limit float64) (*outcome, error)
}

// ladder is a series with the runner that measures it, from coarse to fine settings.
type ladder struct {
	runner
	series
}

const (
	coarsest = 1e-2  // tolerance
	finest   = 1e-13 // tolerance
	halvings = 24    // largest number of halvings of the step
	settled  = 1e-6  // once an error is below this, a series ends when finer runs are not better,
	patience = 2     // after this number of them
)

// setting returns the tolerance, or the step, s, of run k: tenths of the coarsest tolerance, or halves of the interval of samples.
// It returns false beyond the finest one.
func (l *ladder) setting(p *problem, k int) (float64, bool) {
	if l.By == byStep {
		return p.interval() / math.Pow(2, float64(k)), k <= halvings
	}
	at := coarsest * math.Pow(10, -float64(k))
	return at, at > finest*(1-1e-6)
}

// climb measures ever finer runs and stores the reason for which there is no finer one. longest is the processor time, s, after which
// a run is the last one.
func (l *ladder) climb(p *problem, longest float64) {
	best, worse := math.Inf(1), 0
	for k := 0; ; k++ {
		at, ok := l.setting(p, k)
		if !ok {
			l.Ended = "finest " + l.By
			return
		}
		r, err := l.measure(p, at, longest)
		l.Runs = append(l.Runs, r)
		var start *runs.StartError
		switch {
		case errors.As(err, &start):
			l.Ended = "the integrator does not take it"
			return
		case errors.Is(err, beside.ErrOver):
			l.Ended = "a run was ended after " + beside.Short(overtime*longest) + " s"
			return
		case r.Seconds > longest:
			l.Ended = "a run took longer than " + beside.Short(longest) + " s"
			return
		case r.Failure != "":
			continue
		case r.Error < best:
			best, worse = r.Error, 0
		default:
			worse++
		}
		if best < settled && worse >= patience {
			l.Ended = "finer runs are no better"
			return
		}
	}
}

// measure makes one run and compares it with the reference. An error is also the run's Failure.
func (l *ladder) measure(p *problem, at, longest float64) (run, error) {
	r := run{At: at}
	out, err := l.run(p, at, overtime*longest)
	away := 0.0
	if err == nil {
		away, err = p.away(out.points)
	}
	if err != nil {
		r.Failure = err.Error()
		return r, err
	}
	r.Steps, r.Seconds, r.Error = out.steps, out.seconds, away
	return r, nil
}

// again repeats the runs of a series, and keeps the least times. A run whose error or steps differ from before is an error, as it
// computes the same; a run that is ended for its time is skipped.
func (l *ladder) again(p *problem, longest float64) error {
	for i := range l.Runs {
		old := &l.Runs[i]
		if old.Failure != "" {
			continue
		}
		r, err := l.measure(p, old.At, longest)
		switch {
		case errors.Is(err, beside.ErrOver):
			continue // the machine was busy
		case err != nil || r.Error != old.Error || r.Steps != old.Steps:
			return errors.New(l.name() + " at " + beside.Short(old.At) + " gives another answer the second time")
		}
		old.Seconds = min(old.Seconds, r.Seconds)
	}
	return nil
}
