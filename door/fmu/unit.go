package fmu

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// Unit is an instance of a functional mock-up unit: for co-simulation a run that a tool moves on by steps of its own, for model exchange
// the derivatives of coordinates and rates. It belongs to one goroutine at a time.
type Unit struct {
	wiring    *wiring
	token     string
	model     *door.Model
	mover     mover
	run       *door.Run     // nil for model exchange
	reduced   *door.Reduced // nil for co-simulation
	knobs     []int         // knobs of inputs and then of parameters
	values    []float64     // of these knobs
	tolerance float64       // that the tool has asked for; 0: the tolerance of the unit
	first     places
	columns   []int     // index in row of each output, then of each coordinate, rate and derivative
	row       []float64 // values of the columns of the mover
	gaps      []float64 // event indicators
	stale     bool      // row and gaps have to be computed anew
}

// mover is the computation behind a Unit: a door.Run or a door.Reduced.
type mover interface {
	Time() float64
	Set(knobs []int, values []float64) error
	Columns() (names, units []string)
	RowTo(dst []float64) error
	GapsTo(dst []float64) error
	Save() ([]byte, error)
	Load(text []byte) error
}

// places are the first value references of the kinds of variables; end is the number of variables.
type places struct{ outputs, states, derivatives, gaps, end int }

// Open makes an instance for co-simulation of the unit whose folder resources is at a path. If token is not empty, it must be the
// token of the unit.
//
// Cost: as door.Read and door.Model.NewRun. The error has the status Input for files that are missing, that do not fit the
// token or that are no unit; it also returns the errors of both functions.
func Open(ctx context.Context, resources, token string) (*Unit, error) {
	return open(ctx, resources, token, false)
}

// OpenExchange is Open for model exchange. It refuses a unit that has none.
func OpenExchange(ctx context.Context, resources, token string) (*Unit, error) {
	return open(ctx, resources, token, true)
}

// open reads the unit in a folder of resources. It refuses files that do not fit the token or have been edited.
func open(ctx context.Context, resources, token string, exchange bool) (*Unit, error) {
	var text [2][]byte
	for i, name := range [...]string{wiringFile, modelFile} {
		var err error
		if text[i], err = os.ReadFile(filepath.Join(resources, name)); err != nil {
			return nil, refuse(door.Input, "%w", err)
		}
	}
	u := &Unit{token: tokenOf(text[0], text[1])}
	if token != "" && token != u.token {
		return nil, refuse(door.Input, "the token is %q, and the files in %s have %q: they belong to another unit, or have been edited",
			token, resources, u.token)
	}
	var err error
	if u.wiring, err = readWiring(text[0]); err != nil {
		return nil, err
	}
	for _, f := range u.wiring.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return nil, refuse(door.Input, "%s: %q leads out of the folder", wiringFile, f.Name)
		}
		b, err := os.ReadFile(filepath.Join(resources, filepath.FromSlash(f.Name)))
		if err != nil {
			return nil, refuse(door.Input, "%w", err)
		}
		if digest(b) != f.Digest {
			return nil, refuse(door.Input, "%s in %s has been edited", f.Name, resources)
		}
	}
	folder, err := json.Marshal(map[string]string{"folder": resources})
	if err != nil {
		return nil, err
	}
	if u.model, err = door.Read(ctx, modelFile, text[1], folder); err != nil {
		return nil, err
	}
	return u, u.prepare(ctx, exchange)
}

// prepare finds the knobs and the value references, and begins a run, or for model exchange the reduced model.
func (u *Unit) prepare(ctx context.Context, exchange bool) error {
	w := u.wiring
	for _, path := range append(append([]string{}, w.Inputs...), w.Parameters...) {
		k, err := u.model.KnobAt(path)
		if err != nil {
			return err
		}
		u.knobs = append(u.knobs, k)
	}
	u.values = make([]float64, len(u.knobs))
	u.first.outputs = 1 + len(u.values)
	u.first.states = u.first.outputs + len(w.Outputs)
	u.first.derivatives, u.first.gaps, u.first.end = u.first.states, u.first.states, u.first.states
	if x := w.Exchange; x != nil {
		n := 2 * len(x.Freedoms)
		u.first.derivatives += n
		u.first.gaps += 2 * n
		u.first.end += 2*n + len(x.Gaps)
		u.gaps = make([]float64, len(x.Gaps))
		if names := u.model.Gaps(); !slices.Equal(names, x.Gaps) || len(x.Columns) != len(x.Freedoms) {
			return refuse(door.Input, "%s: the gaps are %q, and of the model %q", wiringFile, x.Gaps, names)
		}
	} else if exchange {
		return refuse(door.Input, "the unit has no model exchange: take co-simulation")
	}
	return u.reset(ctx, exchange)
}

// begin makes a run from the state of the model, or for model exchange a reduced model there, with the knobs of the model. A tolerance of 0
// stands for the value of the unit.
func (u *Unit) begin(ctx context.Context, tolerance float64, exchange bool) (mover, error) {
	options, err := u.wiring.options(tolerance)
	if err != nil {
		return nil, err
	}
	if !exchange {
		return u.model.NewRun(nil, options)
	}
	x, mech := u.wiring.Exchange, u.model.Plan().Mechanism()
	list, err := freedoms(x.Freedoms, mech)
	if err != nil {
		return nil, err
	}
	candidates, err := freedoms(x.Candidates, mech)
	if err != nil {
		return nil, err
	}
	return u.model.NewReduced(ctx, list, candidates, options)
}

// take makes m the mover of the unit, and finds the columns of its variables.
func (u *Unit) take(m mover) error {
	names, _ := m.Columns()
	at := map[string]int{}
	for i, name := range names {
		at[name] = i
	}
	list := slices.Clone(u.wiring.Outputs)
	if x := u.wiring.Exchange; x != nil {
		for _, of := range [...]int{0, 1, 1, 2} { // q, q̇, and their derivatives
			for _, names := range x.Columns {
				list = append(list, names[of])
			}
		}
	}
	columns := make([]int, len(list))
	for i, name := range list {
		k, there := at[name]
		if !there {
			return refuse(door.Input, "%s: no column %s%s", wiringFile, fault.Name(name), fault.Meant(name, names...))
		}
		columns[i] = k
	}
	u.mover, u.columns, u.row, u.stale = m, columns, make([]float64, len(names)), true
	u.run, _ = m.(*door.Run)
	u.reduced, _ = m.(*door.Reduced)
	return nil
}

// Reset makes the unit as Open has returned it.
func (u *Unit) Reset() error { return u.reset(context.Background(), u.reduced != nil) }

// reset begins a run from the state of the model, with the values that the knobs have there.
func (u *Unit) reset(ctx context.Context, exchange bool) error {
	m, err := u.begin(ctx, 0, exchange)
	if err != nil {
		return err
	}
	if err := u.take(m); err != nil {
		return err
	}
	u.tolerance = 0
	list := u.model.Knobs()
	for i, k := range u.knobs {
		u.values[i] = list[k].Value
	}
	return nil
}

// Start must be called before the first Step, with the time at which the tool begins, and the relative tolerance that it asks for, 0
// for none. With error control the tolerance replaces the tolerance of the unit.
//
// The error has the status Input for a time other than the time of the model, as its prescribed motions depend on time, and for a
// tolerance that is not from 0 to below 1 or that runs refuse.
func (u *Unit) Start(time, tolerance float64) error {
	if now := u.mover.Time(); time != now {
		return refuse(door.Input, "a start at %v s, and the model is at %v s", time, now)
	}
	if !(tolerance >= 0 && tolerance < 1) {
		return refuse(door.Input, "a tolerance of %v, which has to be from 0 to below 1", tolerance)
	}
	if tolerance == 0 || tolerance == u.tolerance || u.run == nil {
		return nil // in model exchange the tool chooses the steps
	}
	run, err := u.begin(context.Background(), tolerance, false)
	if err != nil {
		return err
	}
	list := u.model.Knobs()
	for i, k := range u.knobs {
		if u.values[i] != list[k].Value {
			if err := run.Set([]int{k}, []float64{u.values[i]}); err != nil {
				return err
			}
		}
	}
	u.tolerance = tolerance
	return u.take(run)
}

// Variables returns the number of variables: their value references are below it.
func (u *Unit) Variables() int { return u.first.end }

// name returns the name of the variable with a value reference.
func (u *Unit) name(ref uint32) string {
	w, i := u.wiring, int(ref)
	switch f := &u.first; {
	case i == 0:
		return "time"
	case i <= len(w.Inputs):
		return w.Inputs[i-1]
	case i < f.outputs:
		return w.Parameters[i-1-len(w.Inputs)]
	case i < f.states:
		return w.Outputs[i-f.outputs]
	case i < f.derivatives:
		return stateName(i-f.states, len(w.Exchange.Freedoms))
	case i < f.gaps:
		return derivativeName(i-f.derivatives, len(w.Exchange.Freedoms))
	}
	return gapName(w.Exchange.Gaps, i-u.first.gaps)
}

// check refuses unknown value references, and a number of values that differs from the number of references.
func (u *Unit) check(refs []uint32, values int) error {
	if len(refs) != values {
		return refuse(door.Size, "%d value references and %d values", len(refs), values)
	}
	for _, r := range refs {
		if uint64(r) >= uint64(u.Variables()) {
			return refuse(door.Input, "no variable has the value reference %d: they are below %d", r, u.Variables())
		}
	}
	return nil
}

// Set gives inputs and parameters other values from the current time on. Setting the present value changes nothing: a prescribed
// motion goes on even if a tool sets all start values.
//
// Shapes: a value for each reference. It returns the errors of door.Run.Set, and an error with the status Input for a variable that is
// neither an input nor a parameter. After an error nothing has changed, except that values before one that the mechanism refuses are set.
func (u *Unit) Set(refs []uint32, values []float64) error {
	if err := u.check(refs, len(values)); err != nil {
		return err
	}
	for i, r := range refs {
		if r == 0 || int(r) > len(u.values) {
			return refuse(door.Input, "%s is no input and no parameter", u.name(r))
		}
		if !algebra.Finite(values[i]) {
			return refuse(door.Input, "%s: %v is not finite", u.name(r), values[i])
		}
	}
	for i, r := range refs {
		k := int(r) - 1
		if u.values[k] == values[i] {
			continue
		}
		if err := u.mover.Set(u.knobs[k:k+1], values[i:i+1]); err != nil {
			return err
		}
		u.values[k], u.stale = values[i], true
	}
	return nil
}

// GetTo stores the values of variables at the current time.
//
// Shapes: a value for each reference. Cost: as door.Run.RowTo for the first outputs after a Step or a Set. It returns the
// errors of door.Run.RowTo.
func (u *Unit) GetTo(values []float64, refs []uint32) error {
	if err := u.check(refs, len(values)); err != nil {
		return err
	}
	for i, r := range refs {
		var err error
		if values[i], err = u.get(int(r)); err != nil {
			return err
		}
	}
	return nil
}

// get returns the value of the variable with the value reference r.
func (u *Unit) get(r int) (float64, error) {
	f := &u.first
	switch {
	case r == 0:
		return u.mover.Time(), nil
	case r < f.outputs:
		return u.values[r-1], nil
	case u.reduced != nil && r >= f.states && r < f.gaps:
		return u.coordinate(r)
	}
	if err := u.fill(); err != nil {
		return 0, err
	}
	if r < f.gaps {
		return u.row[u.columns[r-f.outputs]], nil
	}
	return u.gaps[r-f.gaps], nil
}

// fill computes row and gaps if they are stale.
func (u *Unit) fill() error {
	if !u.stale {
		return nil
	}
	if err := u.mover.RowTo(u.row); err != nil {
		return u.explain(err)
	}
	if len(u.gaps) > 0 {
		if err := u.mover.GapsTo(u.gaps); err != nil {
			return err
		}
	}
	u.stale = false
	return nil
}

// Tolerances of the time at which a step begins, relative to the step and to the time: tools sum up steps, or multiply the step by
// their number, with rounding errors.
const (
	partOfStep = 1e-6
	partOfTime = 1e-14
)

// Step goes on by a step, s, from a time that must be the current one to within rounding. Inputs keep their values during the step.
//
// The status of an error is Input for another time or a step that is not above 0, Failed if the mechanism cannot go on,
// and Stopped if ctx ends.
func (u *Unit) Step(ctx context.Context, time, step float64) error {
	if u.run == nil {
		return refuse(door.Input, "the instance is for model exchange, and takes no steps")
	}
	now, end := u.mover.Time(), time+step
	switch {
	case !algebra.Finite(time) || !algebra.Finite(step) || !algebra.Finite(end):
		return refuse(door.Input, "a step of %v s from %v s", step, time)
	case math.Abs(time-now) > partOfStep*math.Abs(step)+partOfTime*math.Abs(now):
		return refuse(door.Input, "a step from %v s, and the unit is at %v s", time, now)
	case step <= 0 || end <= now:
		return refuse(door.Input, "a step of %v s at %v s does not lead on", step, now)
	}
	u.stale = true
	if err := u.run.To(ctx, end, 0); err != nil {
		return err
	}
	if u.run.Time() < end {
		return refuse(door.Failed, "the run has ended at %v s, before %v s", u.run.Time(), end)
	}
	return nil
}

// savedFormat is the format of the first line of a saved unit. The saved mover follows it.
const savedFormat = "rung-saved-unit/1"

// saved is the first line of a saved unit.
type saved struct {
	Format    string    `json:"format"`
	Token     string    `json:"token"`
	Tolerance float64   `json:"tolerance"`
	Values    []float64 `json:"values"`
}

// Save returns the state of the unit, from which any instance of the unit can go on with equal bits.
func (u *Unit) Save() ([]byte, error) {
	now, err := u.mover.Save()
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(&saved{savedFormat, u.token, u.tolerance, u.values})
	if err != nil {
		return nil, err
	}
	return append(document.Seal(head), now...), nil
}

// Load goes on from a state that Save has returned. After an error nothing has changed.
//
// The error has the status Input for bytes of another unit or of none; it also returns the errors of door.Run.Load.
func (u *Unit) Load(text []byte) error {
	end := bytes.IndexByte(text, '\n') + 1
	var head saved
	if err := json.Unmarshal(text[:end], &head); err != nil || head.Format != savedFormat {
		return refuse(door.Input, "these are no bytes of a saved unit")
	}
	if err := document.Sealed(text[:end]); err != nil {
		return refuse(door.Input, "a saved unit: %w", err)
	}
	if head.Token != u.token || len(head.Values) != len(u.values) {
		return refuse(door.Input, "a saved state of the unit %q, and this is %q", head.Token, u.token)
	}
	next, err := u.begin(context.Background(), head.Tolerance, u.reduced != nil)
	if err != nil {
		return err
	}
	if err := next.Load(text[end:]); err != nil {
		return err
	}
	if err := u.take(next); err != nil {
		return err
	}
	u.tolerance = head.Tolerance
	copy(u.values, head.Values)
	return nil
}
