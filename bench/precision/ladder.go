package main

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/motion/runs"
)

// What a series is finer by.
const (
	byTolerance = "tolerance"
	byStep      = "step"
)

// runner makes a run at a tolerance or step, which is ended where it takes more processor time than the limit.
type runner interface {
	run(p *problem, at, limit float64) (*outcome, error)
}

// ladder is a series that is being measured.
type ladder struct {
	runner
	series
}

const (
	coarsest = 1e-2 // tolerance
	finest   = 1e-13
	halvings = 24   // most of the step
	settled  = 1e-6 // error from which on a series ends where finer runs are no better
	patience = 2    // how many of them there are before
)

// setting returns the tolerance or step of a rung, false if there is none any more.
func (l *ladder) setting(p *problem, k int) (float64, bool) {
	if l.By == byStep {
		return p.interval() / math.Pow(2, float64(k)), k <= halvings
	}
	at := coarsest * math.Pow(10, -float64(k))
	return at, at > finest*(1-1e-6)
}

// climb measures ever finer runs.
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

// measure makes one run.
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

// again repeats the runs of a series, and keeps the least times. A run that answers otherwise than before is an error, as all of them
// compute the same.
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
