package sweep

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/runfields"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// setOptions sets and checks the options of the runs.
func (s *Sweep) setOptions() error {
	o, err := s.study.Run.Options(s.name)
	if err != nil {
		return err
	}
	o.Start, o.Columns = sim.Close, s.columns.Names
	s.options = *o
	start := s.plan.Initial().Time
	if o.Until <= start {
		return s.refuse("$.run.until", document.Number(o.Until), fmt.Sprintf("is not after the time of the model, %v s", start))
	}
	err = s.options.Span(start)
	if e := new(runs.OptionError); errors.As(err, &e) {
		return s.refuse(document.Key("$.run", runfields.Named(e.Field)), "", e.In(runfields.Named))
	}
	return err
}

// rowSlack is the part of an output interval by which the last row may be before the end of a run.
const rowSlack = 1e-6

// checkEnd refuses output intervals whose last row would be before the end of a run, as final values would be too early.
func (s *Sweep) checkEnd() error {
	span := s.Span()
	rows := span / s.options.Every
	if math.Abs(rows-math.Round(rows)) <= rowSlack && rows > rowSlack {
		return nil
	}
	return s.refuse("$.run.every", document.Number(s.options.Every),
		fmt.Sprintf("does not go into the run of %v s without remainder: the last row would not be at its end", span))
}
