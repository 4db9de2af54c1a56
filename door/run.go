package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// Run is a simulation that goes on from call to call. It belongs to one goroutine at a time.
type Run struct {
	panel
	plan    *kkt.Plan
	options runs.Options
	run     *runs.Simulation
	until   time.Time   // when the budget of a call is used up; zero: the call has none
	kept    int         // number of rows of this call
	gaps    []sim.Event // functions of GapsTo, made in its first call
	rows    []float64   // rows that have not been taken yet
	width   int         // number of columns of rows; 0: the run keeps no rows
}

// mostKept is the largest number of numbers in the rows that a run keeps for its caller.
const mostKept = runs.MostKept / 8

// errMore ends a call whose budget is used up.
var errMore = errors.New("door: there is more to do")

// NewRun sets up a run. options is a document of rung-run/1, whose field "format" may be missing, or nil. With
// "every" or "until" the run keeps rows (TakeRows); "columns" are the columns of rows and of RowTo. The run begins at
// state or, if it is nil, at the state of the model; the option "start" says how a state that violates the joints is treated.
//
// Cost: as runs.New. It returns the errors of runs.Read and runs.New with the status Input.
func (m *Model) NewRun(state []float64, options []byte) (*Run, error) {
	o, err := runs.ReadOptions(options, "options")
	if err != nil {
		return nil, as(Input, err)
	}
	in := m.plan.Mechanism().NewInputs()
	r := &Run{panel: panel{m: m, in: in}, plan: m.plan.With(in), options: *o}
	r.options.Model = m.document
	if state != nil {
		st := m.plan.Initial()
		if err := m.take(st, state); err != nil {
			return nil, err
		}
		r.options.From = st
	}
	r.options.OnStep = func(*runs.Simulation) error { return r.late() }
	if o.Until == 0 && o.Every == 0 {
		return r, r.begin()
	}
	r.options.OnRow = func(_ *sim.Row, values []float64) error {
		if len(r.rows)+len(values) > mostKept {
			return refuse(Failed, "rows that nobody takes are more than %d numbers", mostKept)
		}
		if r.kept > 0 { // each call makes at least one row
			if err := r.late(); err != nil {
				return err
			}
		}
		r.kept++
		r.rows = append(r.rows, values...)
		return nil
	}
	return r, r.begin()
}

// late returns errMore once the budget of a call is used up.
func (r *Run) late() error {
	if !r.until.IsZero() && !time.Now().Before(r.until) {
		return errMore
	}
	return nil
}

// begin makes the simulation of the options.
func (r *Run) begin() error {
	run, err := runs.New(r.plan, r.options)
	if err != nil {
		return as(Input, err)
	}
	r.run = run
	if r.options.OnRow != nil {
		r.width = run.Columns().Len()
	}
	return nil
}

// Set gives knobs, by their indices in Model.Knobs, other values from now on. Knobs with Geometry are refused, as a run reads
// them when it is made. Errors have the status Input or Size; knobs before the refused one have been set.
func (r *Run) Set(knobs []int, values []float64) error { return r.set(knobs, values, keepGeometry) }

// To goes on to the time t, or until budget is used up; 0 stands for no budget. A time that has passed changes nothing.
//
// To looks at the budget after each step and each row. Once it is used up, To returns an error with the status More, and the next call
// goes on with the same bits, so a program can listen for signals between two calls. If it stops between two rows of a step, the state is
// still the one before the step, and the next call repeats the step without the rows that are there.
//
// It returns the errors of runs.Simulation.Run with the status Failed, or Stopped if ctx ends.
func (r *Run) To(ctx context.Context, t float64, budget time.Duration) error {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		return refuse(Input, "a run to the time %v", t)
	}
	r.until, r.kept = time.Time{}, 0
	if budget > 0 {
		r.until = time.Now().Add(budget)
	}
	err := r.run.RunContext(ctx, t)
	if errors.Is(err, errMore) {
		return &Error{More, errMore}
	}
	return as(Failed, err)
}

// Budget returns a budget for Run.To, where 0 stands for none. A positive number below a nanosecond becomes one nanosecond, and a number
// above half the longest Duration becomes the longest, as the conversion of larger ones may overflow. It returns an error with the
// status Input for a negative number or NaN.
func Budget(seconds float64) (time.Duration, error) {
	const longest = time.Duration(math.MaxInt64)
	switch {
	case !(seconds >= 0):
		return 0, refuse(Input, "a budget of %v s", seconds)
	case seconds == 0:
		return 0, nil
	case seconds < longest.Seconds()/2:
		return max(time.Duration(seconds*float64(time.Second)), 1), nil
	}
	return longest, nil
}

// Time returns the time of the current state, s.
func (r *Run) Time() float64 { return r.run.Time() }

// StateTo stores the current state, without the angles that only runs count.
//
// Shapes: dst has Sizes().State entries.
func (r *Run) StateTo(dst []float64) error {
	if err := r.m.fits(dst); err != nil {
		return err
	}
	st := *r.run.State()
	st.Angles = st.Angles[:len(r.m.plan.Initial().Angles)]
	if st.FlatLen() != len(dst) {
		return refuse(Bug, "the state of the run has %d numbers", st.FlatLen())
	}
	st.FlatTo(dst)
	return nil
}

// Columns returns the names and units of the columns of a row, nil if the run keeps no rows and its options have no columns.
func (r *Run) Columns() (names, units []string) {
	if r.width == 0 && len(r.options.Columns) == 0 {
		return nil, nil
	}
	c := r.run.Columns()
	return c.Names(), c.Units()
}

// RowTo stores the values of Columns at the current time. It does not influence the run.
//
// Shapes: dst has as many entries as there are columns. Cost: as runs.Simulation.Row, whose errors it returns
// with the status Failed.
func (r *Run) RowTo(dst []float64) error {
	_, values, err := r.run.Row()
	return rowTo(dst, values, err)
}

// rowTo stores values in dst, unless err, the error of computing them, is not nil.
func rowTo(dst, values []float64, err error) error {
	switch {
	case err != nil:
		return as(Failed, err)
	case len(dst) != len(values):
		return refuse(Size, "a row has %d numbers, not %d", len(values), len(dst))
	}
	copy(dst, values)
	return nil
}

// RowsLeft returns the number of rows that have not been taken yet.
func (r *Run) RowsLeft() int {
	if r.width == 0 {
		return 0
	}
	return len(r.rows) / r.width
}

// TakeRows stores rows that have not been taken yet, the oldest first, as many as dst holds, and returns their number.
//
// Shapes: a row has an entry for each column; entries of dst behind the last row do not change.
// It returns an error with the status Input if the options have neither "every" nor "until", so that no rows are kept.
func (r *Run) TakeRows(dst []float64) (int, error) {
	if r.width == 0 {
		return 0, refuse(Input, `the run keeps no rows, as its options have neither "every" nor "until"`)
	}
	n := copy(dst[:len(dst)-len(dst)%r.width], r.rows)
	r.rows = r.rows[:copy(r.rows, r.rows[n:])]
	return n / r.width, nil
}

// savedFormat is the format of the first line of a saved run. A checkpoint follows it.
const savedFormat = "rung-saved-run/1"

// saved is the first line of a saved run.
type saved struct {
	Format  string          `json:"format"`
	Targets map[int]float64 `json:"targets"` // knobs of motions and actuators that were set; a checkpoint does not have them
}

// Save returns the state of the run, from which Load goes on with equal bits: a checkpoint of package sim with the knobs. It does not have
// the rows that have not been taken.
func (r *Run) Save() ([]byte, error) {
	c, err := r.run.Checkpoint()
	if err != nil {
		return nil, as(Failed, err)
	}
	head, err := json.Marshal(saved{savedFormat, r.targets})
	if err != nil {
		return nil, as(Failed, err)
	}
	b := bytes.NewBuffer(document.Seal(head))
	if err := c.Write(b); err != nil {
		return nil, as(Failed, err)
	}
	return b.Bytes(), nil
}

// Load goes on from the state that Save has returned of a run of the same model and options. After an error nothing has changed. Rows
// that have not been taken stay.
//
// It returns the errors of sim.DecodeCheckpoint and runs.New, with the status Input.
func (r *Run) Load(text []byte) error {
	end := bytes.IndexByte(text, '\n') + 1
	var head saved
	if err := json.Unmarshal(text[:end], &head); err != nil || head.Format != savedFormat {
		return refuse(Input, "these are no bytes of a saved run")
	}
	if err := document.Sealed(text[:end]); err != nil {
		return refuse(Input, "a saved run: %w", err)
	}
	c, err := sim.DecodeCheckpoint(bytes.NewReader(text[end:]))
	if err != nil {
		return as(Input, err)
	}
	next := &Run{panel: panel{m: r.m, in: r.m.plan.Mechanism().NewInputs()}, options: r.options}
	next.plan = r.m.plan.With(next.in)
	next.options.From, next.options.Resume = nil, c
	if err := next.begin(); err != nil { // begin sets the knobs that the checkpoint has
		return err
	}
	for k, x := range head.Targets {
		if err := next.set([]int{k}, []float64{x}, keepGeometry); err != nil {
			return err
		}
	}
	r.panel, r.plan, r.options, r.run, r.gaps = next.panel, next.plan, next.options, next.run, nil
	return nil
}

// stats is the object of Run.Document.
type stats struct {
	Time     float64     `json:"time"`
	Stats    sim.Stats   `json:"stats"`
	Stopped  string      `json:"stopped,omitempty"` // name of the event that has ended the run
	Warnings []string    `json:"warnings,omitempty"`
	Energy   runs.Energy `json:"energy"`
	Events   []event     `json:"events,omitempty"`
	More     int64       `json:"more_events,omitempty"`
}

type event struct {
	Time float64 `json:"time"`
	Name string  `json:"name"`
	What string  `json:"what"`
}

// Document returns a JSON object about the run so far: time, statistics of the integrator, warnings, energies, events.
func (r *Run) Document() ([]byte, error) {
	d := stats{Time: r.run.Time(), Stats: r.run.Stats(), Stopped: r.run.Stopped(), Warnings: r.run.Warnings(), Energy: r.run.Told().Energy}
	list, more := r.run.Events()
	for _, e := range list {
		d.Events = append(d.Events, event{e.Time, e.Name, e.What.String()})
	}
	d.More = more
	text, err := json.Marshal(&d)
	return text, as(Failed, err)
}
