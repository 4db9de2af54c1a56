package fmu

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/algebra"
)

// Unit is an instance of a functional mock-up unit: a run that a tool moves on by steps of its own. It belongs to one goroutine
// at a time.
type Unit struct {
	wiring    *wiring
	token     string
	model     *door.Model
	run       *door.Run
	knobs     []int     // of inputs and parameters
	values    []float64 // of these
	tolerance float64   // that the tool has asked for; 0: that of the unit
	row       []float64 // time and outputs
	stale     bool      // row is of another time or other inputs
}

// Open makes an instance of the unit whose folder resources is at a path. An empty token is not compared.
//
// Cost: that of door.Read and door.Model.NewRun. The error has the status Input: files that are missing, that do not fit the
// token or that are no unit, and the errors of both.
func Open(ctx context.Context, resources, token string) (*Unit, error) {
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
	return u, u.prepare()
}

// prepare finds the knobs and begins the run.
func (u *Unit) prepare() error {
	w := u.wiring
	for _, path := range append(append([]string{}, w.Inputs...), w.Parameters...) {
		k, err := u.model.KnobAt(path)
		if err != nil {
			return err
		}
		u.knobs = append(u.knobs, k)
	}
	u.values = make([]float64, len(u.knobs))
	u.row = make([]float64, 1+len(w.Outputs))
	return u.Reset()
}

// begin makes a run from the state of the model, with the knobs of the model.
func (u *Unit) begin(tolerance float64) (*door.Run, error) {
	options, err := u.wiring.options(tolerance)
	if err != nil {
		return nil, err
	}
	run, err := u.model.NewRun(nil, options)
	if err != nil {
		return nil, err
	}
	if names, _ := run.Columns(); len(names) != len(u.row) {
		return nil, refuse(door.Input, "the outputs are %d columns, and %d are named", len(names)-1, len(u.row)-1)
	}
	return run, nil
}

// Reset goes back to what Open has returned.
func (u *Unit) Reset() error {
	run, err := u.begin(0)
	if err != nil {
		return err
	}
	u.run, u.tolerance, u.stale = run, 0, true
	list := u.model.Knobs()
	for i, k := range u.knobs {
		u.values[i] = list[k].Value
	}
	return nil
}

// Start is told the time at which a tool begins, and the relative tolerance that it asks for, 0 for none. It comes before the
// first Step. A tolerance replaces that of the unit where the error chooses the steps.
//
// The error has the status Input: a time that is not that of the model, as motions in time would be others, and a
// tolerance that runs refuse.
func (u *Unit) Start(time, tolerance float64) error {
	if now := u.run.Time(); time != now {
		return refuse(door.Input, "a start at %v s, and the model is at %v s", time, now)
	}
	if tolerance == 0 || tolerance == u.tolerance {
		return nil
	}
	run, err := u.begin(tolerance)
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
	u.run, u.tolerance, u.stale = run, tolerance, true
	return nil
}

// Variables returns the number of variables: their references are below it.
func (u *Unit) Variables() int { return 1 + len(u.values) + len(u.wiring.Outputs) }

// name returns that of a variable.
func (u *Unit) name(ref uint32) string {
	w, i := u.wiring, int(ref)-1
	switch {
	case i < 0:
		return "time"
	case i < len(w.Inputs):
		return w.Inputs[i]
	case i < len(u.values):
		return w.Parameters[i-len(w.Inputs)]
	}
	return w.Outputs[i-len(u.values)]
}

// check refuses references that are none.
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

// Set gives inputs and parameters other values from the current time on. A value that a variable has already changes nothing,
// so that motions in time go on where a tool sets all start values.
//
// Shapes: a value for each reference. The errors are those of door.Run.Set, and the status is Input for a variable that is
// neither an input nor a parameter. Nothing has changed then, but for values before one that the mechanism refuses.
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
		if err := u.run.Set(u.knobs[k:k+1], values[i:i+1]); err != nil {
			return err
		}
		u.values[k], u.stale = values[i], true
	}
	return nil
}

// GetTo stores the values of variables at the current time.
//
// Shapes: a value for each reference. Cost: that of door.Run.RowTo for the first outputs after a Step or a Set. It returns the
// errors of that.
func (u *Unit) GetTo(values []float64, refs []uint32) error {
	if err := u.check(refs, len(values)); err != nil {
		return err
	}
	for i, r := range refs {
		k := int(r) - 1
		switch {
		case k < 0:
			values[i] = u.run.Time()
		case k < len(u.values):
			values[i] = u.values[k]
		default:
			if err := u.fill(); err != nil {
				return err
			}
			values[i] = u.row[1+k-len(u.values)]
		}
	}
	return nil
}

// fill computes the outputs if they are not those of now.
func (u *Unit) fill() error {
	if !u.stale {
		return nil
	}
	if err := u.run.RowTo(u.row); err != nil {
		return err
	}
	u.stale = false
	return nil
}

// Tolerances of the time at which a step begins: tools add up steps, or multiply them by their number.
const (
	partOfStep = 1e-6
	partOfTime = 1e-14
)

// Step goes on from a time, the current one but for rounding, by a step of any length. Inputs keep their values during it.
//
// The status of an error is Input for another time and a step that is not above 0, Failed where the mechanism cannot go on,
// and Stopped where ctx ends.
func (u *Unit) Step(ctx context.Context, time, step float64) error {
	now, end := u.run.Time(), time+step
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

// savedFormat is that of the first line of a saved unit, before the run.
const savedFormat = "rung-saved-unit/1"

// saved is the first line of a saved unit.
type saved struct {
	Format    string    `json:"format"`
	Token     string    `json:"token"`
	Tolerance float64   `json:"tolerance"`
	Values    []float64 `json:"values"`
}

// Save returns what is needed to go on from here to the bit, in any instance of this unit.
func (u *Unit) Save() ([]byte, error) {
	run, err := u.run.Save()
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(&saved{savedFormat, u.token, u.tolerance, u.values})
	if err != nil {
		return nil, err
	}
	return append(append(head, '\n'), run...), nil
}

// Load goes on from what Save has returned. What is refused has changed nothing.
//
// The error has the status Input: bytes of another unit, or of none, and the errors of door.Run.Load.
func (u *Unit) Load(text []byte) error {
	line, rest, _ := bytes.Cut(text, []byte{'\n'})
	var head saved
	if err := json.Unmarshal(line, &head); err != nil || head.Format != savedFormat {
		return refuse(door.Input, "these are no bytes of a saved unit")
	}
	if head.Token != u.token || len(head.Values) != len(u.values) {
		return refuse(door.Input, "a saved state of the unit %q, and this is %q", head.Token, u.token)
	}
	run, err := u.begin(head.Tolerance)
	if err != nil {
		return err
	}
	if err := run.Load(rest); err != nil {
		return err
	}
	u.run, u.tolerance, u.stale = run, head.Tolerance, true
	copy(u.values, head.Values)
	return nil
}
