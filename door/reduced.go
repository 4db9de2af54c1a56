package door

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// Reduced is a motion in independent coordinates for integrators from elsewhere: the derivatives of x = (q, q̇), coordinates and
// rates of freedoms. Where the freedoms become a bad choice, Completed says so, and Choose takes others. It belongs to one
// goroutine at a time.
type Reduced struct {
	panel
	plan       *kkt.Plan
	candidates []mechanism.Freedom // for the choice; nil: all
	options    *runs.Options
	motion     *motion.Reduced
	view       *runs.View
	gaps       []sim.Event

	chosen choice // as it was when it was made

	time    float64
	x       []float64
	second  []float64 // q̈
	fresh   bool      // motion is at time and x
	settled bool      // there a step has ended
}

// choice is how good freedoms are as coordinates at a pose: the numbers of mobility.Independents with the same names.
type choice struct {
	Condition float64 `json:"condition"`
	Weakest   float64 `json:"weakest"`
}

const (
	// worseChoice is how much worse than at their choice freedoms may become before others are looked for.
	worseChoice = 3
	// betterChoice is how much better others have to be to be taken.
	betterChoice = 1.5
)

// worse reports whether c is worse than another choice by a factor.
func (c choice) worse(than choice, by float64) bool {
	return c.Condition > by*than.Condition || c.Weakest*by < than.Weakest
}

// errFewCoordinates ends a choice that does not tell all motions.
var errFewCoordinates = errors.New("they do not tell all motions: those of ball joints and free bodies have no coordinates")

// Independent chooses freedoms among candidates, nil for all, whose coordinates tell the motion at the state of the model, closed first.
// What cannot move in coordinates alone has an error with the status Input: rows of velocities alone, internal states such as those of
// bristles and stops with impulses, ruts, and motions that no candidate tells.
//
// Cost: as mobility.Independent.
func (m *Model) Independent(ctx context.Context, candidates []mechanism.Freedom) ([]mechanism.Freedom, error) {
	mech := m.plan.Mechanism()
	if err := mech.Holonomic(); err != nil {
		return nil, as(Input, err)
	}
	if mech.NumInternal() > 0 || mech.WantsRuts() {
		return nil, refuse(Input, "the model has internal states or ruts, which are no coordinates")
	}
	st, err := m.closed(ctx)
	if err != nil {
		return nil, err
	}
	list, _, err := independent(ctx, m.plan, st, candidates)
	return list, as(Input, err)
}

// closed returns the state of the model with its joints closed.
func (m *Model) closed(ctx context.Context) (*mechanism.State, error) {
	st := m.plan.Initial()
	c := closing.NewCloser(m.plan, closing.RunOptions())
	defer c.Watch(ctx)()
	if err := c.ClosePositions(st); err != nil {
		return nil, as(Failed, err)
	}
	return st, as(Failed, c.ProjectVelocities(st))
}

// independent chooses freedoms at a state.
func independent(
	ctx context.Context, p *kkt.Plan, st *mechanism.State, candidates []mechanism.Freedom,
) ([]mechanism.Freedom, choice, error) {
	x, err := mobility.IndependentContext(ctx, p, st, candidates)
	if err != nil {
		return nil, choice{}, err
	}
	if len(x.Freedoms) < x.Mobility {
		return nil, choice{}, fault.Errorf("door: %d of %d coordinates: %w", len(x.Freedoms), x.Mobility, errFewCoordinates)
	}
	return x.Freedoms, choice{x.Condition, x.Weakest}, nil
}

// NewReduced sets up the motion in the coordinates of freedoms, from the state of the model, closed first. Choose takes others among the
// candidates, nil for all. Options are those of a run, whose columns are those of RowTo.
//
// Cost: a plan and some solves. It returns the errors of motion.NewReduced with the status Input.
func (m *Model) NewReduced(ctx context.Context, freedoms, candidates []mechanism.Freedom, options []byte) (*Reduced, error) {
	o, err := runs.ReadOptions(options, "options")
	if err != nil {
		return nil, as(Input, err)
	}
	o.Model = m.document
	r, err := m.newReduced(candidates, o)
	if err != nil {
		return nil, err
	}
	st, err := m.closed(ctx)
	if err != nil {
		return nil, err
	}
	_, how, err := independent(ctx, r.plan, st, freedoms)
	if err != nil {
		return nil, as(Input, err)
	}
	return r, as(Input, r.begin(st, freedoms, how))
}

// newReduced returns a Reduced with inputs of its own, which has no coordinates before begin.
func (m *Model) newReduced(candidates []mechanism.Freedom, o *runs.Options) (*Reduced, error) {
	in := m.plan.Mechanism().NewInputs()
	r := &Reduced{panel: panel{m: m, in: in}, plan: m.plan.With(in), candidates: candidates, options: o}
	view, err := runs.NewView(r.plan, o)
	if err != nil {
		return nil, as(Input, err)
	}
	r.view, r.gaps = view, gapsOf(r.plan)
	return r, nil
}

// gapsOf returns the functions whose zeros are kinks of the forces: of contacts, cables and stops.
func gapsOf(p *kkt.Plan) []sim.Event {
	stops, _ := runs.NewStops(p, nil)
	m := p.Mechanism()
	return slices.Concat(sim.ContactEvents(m, nil), sim.CableEvents(m, nil), stops.Events())
}

// Gaps returns the names of the functions of a run whose zeros are kinks of the forces: contacts, cables, then stops as JOINT.FREEDOM. Of
// stops and contacts they are depths, of cables the stretch.
func (m *Model) Gaps() []string {
	var names []string
	for _, e := range gapsOf(m.plan) {
		names = append(names, e.Name)
	}
	return names
}

// GapsTo stores what the functions of Model.Gaps are at the current state.
//
// Shapes: dst has an entry each.
func (r *Run) GapsTo(dst []float64) error {
	if r.gaps == nil {
		r.gaps = gapsOf(r.plan)
	}
	return gapsTo(dst, r.gaps, r.run.State())
}

// gapsTo stores the functions at a state.
func gapsTo(dst []float64, gaps []sim.Event, st *mechanism.State) error {
	if len(dst) != len(gaps) {
		return refuse(Size, "there are %d gaps, not %d", len(gaps), len(dst))
	}
	for i := range gaps {
		if dst[i] = gaps[i].Function(st); !algebra.Finite(dst[i]) {
			return refuse(Failed, "the gap of %s is %v", fault.Name(gaps[i].Name), dst[i])
		}
	}
	return nil
}

// begin goes on from a state in other coordinates.
func (r *Reduced) begin(st *mechanism.State, freedoms []mechanism.Freedom, how choice) error {
	next, err := motion.NewReduced(r.plan, st, freedoms)
	if err != nil {
		return err
	}
	n := len(freedoms)
	r.motion, r.time, r.x, r.fresh, r.settled = next, st.Time, make([]float64, 2*n), true, true
	r.chosen, r.second = how, make([]float64, n)
	next.CoordinatesTo(r.x[:n], r.x[n:])
	return nil
}

// Len returns the number of numbers of x.
func (r *Reduced) Len() int { return len(r.x) }

// Freedoms returns those whose coordinates and rates are x.
func (r *Reduced) Freedoms() []mechanism.Freedom { return r.motion.Freedoms() }

// Time returns the time, s.
func (r *Reduced) Time() float64 { return r.time }

// SetTime sets the time, s. The error has the status Input.
func (r *Reduced) SetTime(t float64) error {
	if !algebra.Finite(t) {
		return refuse(Input, "time %v is not finite", t)
	}
	r.time, r.fresh = t, r.fresh && t == r.time
	return nil
}

// fits refuses an array that is no x by its length.
func (r *Reduced) fits(x []float64) error {
	if len(x) != len(r.x) {
		return refuse(Size, "there are %d coordinates and rates, not %d", len(r.x), len(x))
	}
	return nil
}

// StatesTo stores x.
//
// Shapes: dst has Len entries.
func (r *Reduced) StatesTo(dst []float64) error {
	if err := r.fits(dst); err != nil {
		return err
	}
	copy(dst, r.x)
	return nil
}

// SetStates sets x. What cannot be reached is an error of what is asked next.
//
// Shapes: x has Len entries. The error has the status Input for a number that is not finite.
func (r *Reduced) SetStates(x []float64) error {
	if err := r.fits(x); err != nil {
		return err
	}
	for i, v := range x {
		if !algebra.Finite(v) {
			f := r.Freedoms()[i%len(r.Freedoms())]
			name := fault.Name(r.m.plan.Mechanism().JointName(f.Joint))
			return refuse(Input, "joint %s: freedom %d: %v is not finite", name, f.Freedom, v)
		}
	}
	r.fresh = r.fresh && slices.Equal(x, r.x)
	copy(r.x, x)
	return nil
}

// reach brings the motion to time and x.
func (r *Reduced) reach() error {
	if r.fresh {
		return nil
	}
	r.settled = false
	n := len(r.x) / 2
	if err := r.motion.At(r.time, r.x[:n], r.x[n:]); err != nil {
		return as(Failed, err)
	}
	r.fresh = true
	return nil
}

// RatesTo stores the derivatives of x, q̇ and q̈.
//
// Shapes: dst has Len entries. Cost and errors: those of motion.Reduced.At and AccelerationsTo, with the status Failed. Those of positions
// that cannot be reached, and of singular ones, name the joint.
func (r *Reduced) RatesTo(dst []float64) error {
	if err := r.fits(dst); err != nil {
		return err
	}
	if err := r.reach(); err != nil {
		return err
	}
	n := len(r.x) / 2
	copy(dst, r.x[n:])
	return as(Failed, r.motion.AccelerationsTo(dst[n:]))
}

// SizesTo stores what counts as much of each entry of x: 1 rad, the unit of lengths of the mechanism, and that a second.
//
// Shapes: dst has Len entries.
func (r *Reduced) SizesTo(dst []float64) error {
	if err := r.fits(dst); err != nil {
		return err
	}
	mech := r.m.plan.Mechanism()
	for i, f := range r.Freedoms() {
		size := 1.0
		if !mech.Joints[f.Joint].Kind.Rotational(f.Freedom) {
			size = mech.DriftUnit()
		}
		dst[i], dst[len(r.x)/2+i] = size, size
	}
	return nil
}

// GapsTo is Run.GapsTo.
func (r *Reduced) GapsTo(dst []float64) error {
	if err := r.reach(); err != nil {
		return err
	}
	return gapsTo(dst, r.gaps, r.motion.State())
}

// RowTo is Run.RowTo.
func (r *Reduced) RowTo(dst []float64) error {
	if err := r.reach(); err != nil {
		return err
	}
	_, values, err := r.view.At(r.motion.State())
	return rowTo(dst, values, err)
}

// Columns is Run.Columns.
func (r *Reduced) Columns() (names, units []string) {
	c := r.view.Columns()
	return c.Names(), c.Units()
}

// Set is Run.Set. The value of a motion that would jump is refused with the status Input, as no coordinates lead to there in time.
func (r *Reduced) Set(knobs []int, values []float64) error {
	if err := r.steady(knobs, values); err != nil {
		return err
	}
	r.fresh = false
	r.motion.Touch()
	return r.set(knobs, values, false)
}

// steady refuses values of motions at which their freedoms are not, or do not rest, where the last step has ended.
func (r *Reduced) steady(knobs []int, values []float64) error {
	list, mech := r.m.Knobs(), r.plan.Mechanism()
	for n, k := range knobs {
		if n >= len(values) || uint(k) >= uint(len(list)) || list[k].of.kind != knobMotion {
			continue
		}
		unit, of := 1.0, list[k].of
		if !mech.Joints[of.index].Kind.Rotational(int(of.part)) {
			unit = mech.DriftUnit()
		}
		q, rate := mech.Coordinate(mechanism.Freedom{Joint: int(of.index), Freedom: int(of.part)}, r.motion.Accepted())
		if x := values[n]; max(math.Abs(x-q), math.Abs(rate)) > mechanism.HoldTolerance*unit {
			return refuse(Input, "%s would jump to %v, from %v with the rate %v", list[k].Path, x, q, rate)
		}
	}
	return nil
}

// Completed is told that a step of the integrator has ended at time and x. It reports whether the freedoms have become a bad choice.
//
// At a singular pose coordinates go on from the step before. Cost: as mobility.Independent and RatesTo, whose errors it returns.
func (r *Reduced) Completed(ctx context.Context) (bad bool, err error) {
	if err := r.settle(); err != nil {
		return false, err
	}
	_, now, err := independent(ctx, r.plan, r.motion.State(), r.Freedoms())
	if errors.Is(err, errFewCoordinates) { // a singular pose, at which nothing can be chosen
		return false, nil
	}
	return now.worse(r.chosen, worseChoice), as(Failed, err)
}

// settle ends a step at time and x. At a singular pose, from which no coordinates lead on, they go on leading from the step before.
func (r *Reduced) settle() error {
	if err := r.reach(); err != nil {
		return err
	}
	if err := r.motion.AccelerationsTo(r.second); err != nil {
		if stuck := new(motion.StuckError); errors.As(err, &stuck) {
			return nil
		}
		return as(Failed, err)
	}
	r.motion.Accept()
	r.settled = true
	return nil
}

// Choose chooses freedoms anew at time and x, and reports whether they are others: then x is, too. Those that there are stay where
// others are not much better.
//
// Cost: as mobility.Independent, and motion.NewReduced if they are others. It returns the errors of both.
func (r *Reduced) Choose(ctx context.Context) (changed bool, err error) {
	if err := r.settle(); err != nil {
		return false, err
	}
	st := r.motion.State()
	_, now, err := independent(ctx, r.plan, st, r.Freedoms())
	if errors.Is(err, errFewCoordinates) {
		return false, nil
	}
	if err != nil {
		return false, as(Failed, err)
	}
	list, best, err := independent(ctx, r.plan, st, r.candidates)
	if err != nil {
		return false, as(Failed, err)
	}
	r.chosen = now
	if len(list) != len(r.Freedoms()) || slices.Equal(list, r.Freedoms()) || !now.worse(best, betterChoice) {
		return false, nil
	}
	return true, as(Failed, r.begin(st.Clone(), list, best))
}

// savedReducedFormat is that of a saved Reduced.
const savedReducedFormat = "rung-saved-reduced/1"

// savedReduced is what Save writes.
type savedReduced struct {
	Format   string              `json:"format"`
	Freedoms []mechanism.Freedom `json:"freedoms"`
	State    []float64           `json:"state"` // of the last step that has ended
	Angles   int                 `json:"angles"`
	Time     float64             `json:"time"`
	X        []float64           `json:"x"`
	Chosen   choice              `json:"chosen"`
	Settled  bool                `json:"settled"`
	Values   []float64           `json:"values"` // of the inputs
	Targets  map[int]float64     `json:"targets"`
}

// Save returns what is needed to go on from here to the bit.
func (r *Reduced) Save() ([]byte, error) {
	st := r.motion.Accepted()
	s := savedReduced{
		Format: savedReducedFormat, Freedoms: r.Freedoms(), State: make([]float64, st.FlatLen()), Angles: len(st.Angles),
		Time: r.time, X: r.x, Chosen: r.chosen, Settled: r.fresh && r.settled, Values: r.in.Values(), Targets: r.targets,
	}
	st.FlatTo(s.State)
	text, err := json.Marshal(&s)
	if err != nil {
		return nil, as(Failed, err)
	}
	return document.Seal(text), nil
}

// Load goes on from what Save has returned of a Reduced of the same model. What is refused has changed nothing.
//
// The error has the status Input.
func (r *Reduced) Load(text []byte) error {
	var s savedReduced
	if err := json.Unmarshal(text, &s); err != nil || s.Format != savedReducedFormat {
		return refuse(Input, "these are no bytes of a saved motion in coordinates")
	}
	if err := document.Sealed(text); err != nil {
		return refuse(Input, "a saved motion in coordinates: %w", err)
	}
	next, err := r.m.newReduced(r.candidates, r.options)
	if err != nil {
		return err
	}
	mech := r.m.plan.Mechanism()
	if s.Angles < 0 || s.Angles > len(s.State) { // which are part of the state
		return refuse(Input, "a saved motion of another model")
	}
	st := mech.Initial()
	st.Angles, st.Internal, st.Bearings = make([]float64, s.Angles), nil, nil
	known := !slices.ContainsFunc(s.Freedoms, func(f mechanism.Freedom) bool {
		return uint(f.Joint) >= uint(mech.NumJoints()) || uint(f.Freedom) >= uint(mech.Joints[f.Joint].Kind.Freedoms())
	})
	if n := len(s.Freedoms); !known || len(s.X) != 2*n || len(s.State) != st.FlatLen() || !mech.Owns(st) {
		return refuse(Input, "a saved motion of another model")
	}
	if err := next.in.CheckValues(s.Values); err != nil {
		return as(Input, err)
	}
	next.in.SetValues(s.Values)
	for k, x := range s.Targets {
		if err := next.set([]int{k}, []float64{x}, false); err != nil {
			return err
		}
	}
	st.SetFlat(s.State)
	if err := next.begin(st, s.Freedoms, s.Chosen); err != nil {
		return as(Input, err)
	}
	if err := next.SetTime(s.Time); err != nil {
		return err
	}
	if err := next.SetStates(s.X); err != nil {
		return err
	}
	next.fresh = s.Settled
	*r = *next
	return nil
}
