package sweep

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
)

// fieldNames are the fields of a study's run that stand for those of runs.Options.
var fieldNames = map[string]string{
	"Integrator": "integrator", "Step": "step", "Tolerance": "tolerance", "Rho": "rho", "Method": "method", "Stabilization": "stabilize",
	"Until": "until", "Every": "every", "Columns": "columns",
}

// setOptions sets and checks those of the runs.
func (s *Sweep) setOptions() error {
	r := &s.study.Run
	s.options = runs.Options{
		Until: r.Until, Every: r.Every, Step: r.Step, Tolerance: r.Tolerance, Rho: r.Rho, Annihilate: r.RhoGiven && r.Rho == 0,
		Start: sim.Close, Columns: s.columns.Names,
	}
	o := &s.options
	if err := s.setMethods(); err != nil {
		return err
	}
	start := s.plan.Initial().Time
	if o.Until <= start {
		return s.refuse("$.run.until", document.Number(o.Until), fmt.Sprintf("is not after the time of the model, %v s", start))
	}
	if err := o.Check(); err != nil {
		return s.wrong(err, "")
	}
	return s.wrong(o.Span(start), "")
}

// wrong makes a mistake in options one of the study, about a value. Nil passes.
func (s *Sweep) wrong(err error, value string) error {
	if e := new(runs.OptionError); errors.As(err, &e) {
		return s.refuse("$.run."+fieldNames[e.Field], value, e.In(func(field string) string { return fieldNames[field] }))
	}
	return err
}

// setMethods sets what the study has by name.
func (s *Sweep) setMethods() (err error) {
	r, o := &s.study.Run, &s.options
	if r.Method != "" {
		if o.Method, err = motion.ParseMethod(r.Method); err != nil {
			return s.refuse("$.run.method", fault.Name(r.Method), fault.NoneOf("method", r.Method, motionNames()))
		}
	}
	if r.Stabilize != "" {
		if o.Stabilization, err = runs.ParseStabilization(r.Stabilize); err != nil {
			return s.wrong(err, fault.Name(r.Stabilize))
		}
	}
	if !study.IsRollout(r.Integrator) {
		o.Integrator, err = runs.ParseIntegrator(r.Integrator)
		return s.wrong(err, fault.Name(r.Integrator))
	}
	switch {
	case r.Tolerance > 0:
		return s.refuse("$.run.tolerance", "", r.Integrator+" has no error control")
	case r.Method != "":
		return s.refuse("$.run.method", fault.Name(r.Method), "is not for "+r.Integrator+", which has a method of its own")
	case r.Stabilize != "":
		return s.refuse("$.run.stabilize", fault.Name(r.Stabilize), "is not for "+r.Integrator+", which closes the joints by itself")
	}
	o.Integrator = runs.RungeKutta4 // which takes the same times
	return nil
}

// motionNames are the names of motion.Methods.
func motionNames() (names []string) {
	for _, m := range motion.Methods() {
		names = append(names, m.String())
	}
	return names
}

// rowSlack is the part of an output interval by which the last row may be before the end of a run.
const rowSlack = 1e-6

// checkEnd refuses rows of which the last is not at the end of a run: final values would be of an earlier time.
func (s *Sweep) checkEnd() error {
	span := s.Span()
	rows := span / s.options.Every
	if math.Abs(rows-math.Round(rows)) <= rowSlack && rows > rowSlack {
		return nil
	}
	return s.refuse("$.run.every", document.Number(s.options.Every),
		fmt.Sprintf("does not go into the run of %v s without remainder: the last row would not be at its end", span))
}
