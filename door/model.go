package door

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Model is a model that has been checked and analysed. It never changes, and goroutines may share it.
type Model struct {
	plan     *kkt.Plan
	document *model.Model
	imported json.RawMessage // report of the importer of a foreign file; nil for rung-model/1
	initial  []float64       // the state of the model, flat
	sizes    Sizes
	table    func() *knobTable // makes the table in its first call
}

// modelOptions are the options of Open and Read.
type modelOptions struct {
	kkt.Options
	ordering string
	folder   string            // with the files that a text names
	packages map[string]string // folder of each NAME in package://NAME/FILE
}

// read reads the options from their text.
func (o *modelOptions) read(text []byte) error {
	return decode("model", text, option{"threads", &o.Threads}, option{"ordering", &o.ordering}, option{"epsilon", &o.Epsilon},
		option{"max_flops", &o.MaxFlops}, option{"max_nonzeros", &o.MaxNonZeros},
		option{"folder", &o.folder}, option{"packages", &o.packages})
}

// Open reads, checks and analyses the model at a path: rung-model/1, or a foreign format that the ending of the path names (package
// formats). options is a JSON object, nil for none, with the fields threads, ordering, epsilon, max_flops and max_nonzeros of kkt.Options,
// and packages, folders by name.
//
// Cost: O(bytes) and as kkt.NewPlan. It returns the errors of reading and of kkt.NewPlan with the status Input.
func Open(ctx context.Context, path string, options []byte) (*Model, error) {
	var o modelOptions
	if err := o.read(options); err != nil {
		return nil, err
	}
	if formats.Is(path) {
		r, report, err := formats.ReadFile(path, o.packages, &source.Options{})
		if err != nil {
			return nil, as(Input, err)
		}
		return newModel(ctx, r.Model, report, &o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, as(Input, err)
	}
	defer f.Close()
	m, err := model.ReadIn(ctx, f, path, model.Folder(filepath.Dir(path)))
	if err != nil {
		return nil, as(Input, err)
	}
	return newModel(ctx, m, nil, &o)
}

// Read is Open for a text in memory. The ending of name decides the format, rung-model/1 unless it is the ending of a foreign format, and
// messages have the name. Files that the text names are looked for in the folder of the option folder.
func Read(ctx context.Context, name string, text, options []byte) (*Model, error) {
	var o modelOptions
	if err := o.read(options); err != nil {
		return nil, err
	}
	files := &oneFile{name: name, data: text}
	if formats.Is(name) {
		return readForeign(ctx, files, &o)
	}
	if o.folder != "" {
		files.rest = model.Folder(o.folder)
	}
	m, err := model.ReadIn(ctx, bytes.NewReader(text), name, files)
	if err != nil {
		return nil, as(Input, err)
	}
	return newModel(ctx, m, nil, &o)
}

// readForeign reads a text of a foreign format as if it were a file in the folder of the option folder. Links that lead out of the folders
// are not followed.
func readForeign(ctx context.Context, files *oneFile, o *modelOptions) (*Model, error) {
	files.name = filepath.Base(files.name)
	packages := map[string]fs.FS{}
	open := func(folder string) (fs.FS, func() error, error) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, nil, as(Input, err)
		}
		return root.FS(), root.Close, nil
	}
	if o.folder != "" {
		rest, end, err := open(o.folder)
		if err != nil {
			return nil, err
		}
		defer end()
		files.rest = rest
	}
	for name, folder := range o.packages {
		rest, end, err := open(folder)
		if err != nil {
			return nil, err
		}
		defer end()
		packages[name] = rest
	}
	r, report, err := formats.Read(source.NewFiles(files, packages), source.Name{Path: files.name}, &source.Options{})
	if err != nil {
		return nil, as(Input, err)
	}
	return newModel(ctx, r.Model, report, o)
}

// mostEpsilon is the upper bound of kkt.Options.Epsilon.
const mostEpsilon = 1e-2

// newModel checks the options and analyses a model. report is the report of the importer, nil for rung-model/1. Errors have the status
// Input.
func newModel(ctx context.Context, doc *model.Model, report *source.Report, o *modelOptions) (*Model, error) {
	ko := o.Options
	if err := within("model", "threads", int64(o.Threads), 0, kkt.MaxThreads); err != nil {
		return nil, err
	}
	if err := within("model", "max_flops", o.MaxFlops, 0, math.MaxInt64); err != nil {
		return nil, err
	}
	if err := within("model", "max_nonzeros", o.MaxNonZeros, 0, math.MaxInt64); err != nil {
		return nil, err
	}
	if !(o.Epsilon >= 0 && o.Epsilon < mostEpsilon) {
		return nil, refuse(Input, "model: epsilon is %v, and has to be from 0 to below %v", o.Epsilon, mostEpsilon)
	}
	if o.ordering != "" {
		var err error
		if ko.Ordering, err = order.Parse(o.ordering); err != nil {
			return nil, as(Input, err)
		}
	}
	if ko.MaxNonZeros == 0 {
		ko.MaxNonZeros = kkt.DefaultMaxNonZeros
	}
	mech, err := mechanism.NewContext(ctx, doc)
	if err != nil {
		return nil, as(Input, err)
	}
	plan, err := kkt.NewPlanContext(ctx, mech, ko)
	if err != nil {
		return nil, as(Input, err)
	}
	m := &Model{plan: plan, document: doc}
	if report != nil {
		if m.imported, err = json.Marshal(report); err != nil {
			return nil, as(Input, err)
		}
	}
	st := plan.Initial()
	m.sizes = sizesOf(plan.Mechanism(), st)
	m.initial = make([]float64, st.FlatLen())
	st.FlatTo(m.initial)
	m.table = sync.OnceValue(func() *knobTable { return newKnobTable(plan.Mechanism(), doc) })
	return m, nil
}

// Plan returns the plan, for programs in Go.
func (m *Model) Plan() *kkt.Plan { return m.plan }

// Sizes are the numbers of the parts of a model. The order is part of the interface to C: entries may be added at the end.
type Sizes struct {
	Bodies, Joints, Couplings, Forces int
	State                             int // length of a flat state
	Angles, Internal, Bearings        int // lengths of these parts of a state
	Constraints                       int // rows of all joints and couplings
}

// Sizes returns the sizes of the model.
func (m *Model) Sizes() Sizes { return m.sizes }

// sizesOf returns the sizes of a mechanism with states like st.
func sizesOf(mech *mechanism.Mechanism, st *mechanism.State) Sizes {
	rows := 0
	for i := range mech.NumConstraints() {
		rows += mech.ConstraintRows(i)
	}
	return Sizes{
		Bodies: mech.NumBodies(), Joints: mech.NumJoints(), Couplings: mech.NumCouplings(), Forces: len(mech.Forces),
		State: st.FlatLen(), Angles: len(st.Angles), Internal: len(st.Internal), Bearings: len(st.Bearings), Constraints: rows,
	}
}

// InitialTo stores the state of the model.
//
// Shapes: dst has Sizes().State entries; another length has the status Size.
func (m *Model) InitialTo(dst []float64) error {
	if err := m.fits(dst); err != nil {
		return err
	}
	copy(dst, m.initial)
	return nil
}

// AnglesTo sets the angles in n states (mechanism.State.Angles) to the angles of their poses: in (−π, π], plus the turns of the model.
// Nothing else changes. Call it after writing new poses into states. Otherwise the angle of a joint that counts turns is taken within
// half a turn of the old angle in the state.
//
// Shapes: states has n·Sizes().State entries. Cost: O(n·bodies), allocates. A state with a quaternion of nearly no length, or with a pose
// or rate that is not finite, is refused with the status Failed; the states before it have got their angles.
func (m *Model) AnglesTo(n int, states []float64) error {
	width := len(m.initial)
	if n < 0 || len(states) != n*width {
		return refuse(Size, "%d states have %d numbers, not %d", n, n*width, len(states))
	}
	mech := m.plan.Mechanism()
	if m.sizes.Angles == 0 {
		return nil
	}
	st, k := m.plan.Initial(), mech.NewKinematics()
	for i := range n {
		row := states[i*width:][:width]
		st.Angles = st.Angles[:m.sizes.Angles]
		if err := m.set(st, row); err != nil {
			return err
		}
		if err := m.finite(st); err != nil {
			return err
		}
		st.Angles = nil
		mech.FollowAngles(k, st)
		copy(row[m.anglesAt():], st.Angles)
	}
	return nil
}

// anglesAt returns the index of the first angle in a flat state.
func (m *Model) anglesAt() int {
	return len(m.initial) - m.sizes.Angles - m.sizes.Internal - m.sizes.Bearings
}

// fits refuses an array that has not the length of a state.
func (m *Model) fits(state []float64) error {
	if len(state) != len(m.initial) {
		return refuse(Size, "a state has %d numbers, not %d", len(m.initial), len(state))
	}
	return nil
}

// noLength is the length of a quaternion below which it is refused, as its direction may be rounding.
const noLength = 1e-8

// set stores a flat state in st, and normalizes its quaternions. Numbers that are not finite stay, as solvers refuse them. It returns an
// error with the status Size or, for a quaternion of nearly no length, Failed.
func (m *Model) set(st *mechanism.State, state []float64) error {
	if err := m.fits(state); err != nil {
		return err
	}
	st.SetFlat(state)
	for i := range st.Bodies {
		q := (*[4]float64)(&st.Bodies[i].Rotation)
		if n := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]; n < noLength*noLength {
			short := fault.Errorf("door: quaternion of length %g tells no rotation", math.Sqrt(n))
			return refuse(Failed, "%w", m.plan.Mechanism().AtBody(i, short))
		}
		document.Normalize(q)
	}
	return nil
}

// take is set for whoever may not look at all numbers of a state, such as pictures: what is not finite is refused with its place.
func (m *Model) take(st *mechanism.State, state []float64) error {
	if err := m.set(st, state); err != nil {
		return err
	}
	if err := m.finite(st); err != nil {
		return err
	}
	for _, part := range [...]struct {
		name string
		list []float64
	}{{"time", state[:1]}, {"angles", st.Angles}, {"internal states", st.Internal}, {"bearings", st.Bearings}} {
		if slices.ContainsFunc(part.list, func(x float64) bool { return !algebra.Finite(x) }) {
			return as(Failed, fault.Errorf("%w: %s", mechanism.ErrNotFinite, part.name))
		}
	}
	return nil
}

// finite refuses poses and rates that are not finite.
func (m *Model) finite(st *mechanism.State) error {
	for i := range st.Bodies {
		if !st.Bodies[i].IsFinite() {
			return as(Failed, m.plan.Mechanism().NotFinite(i))
		}
	}
	return nil
}

// CloseTo makes a state satisfy the joints: first its poses and then its velocities (closing.Closer). options is a JSON object with the
// fields hold, names of bodies; nearest; tolerance; poses and velocities, which are true unless one of them shall stay. A state that
// cannot be closed is not changed.
//
// Cost: a workspace, and some solves. It returns the errors of package closing with the status Failed, or Stopped if ctx ends.
func (m *Model) CloseTo(ctx context.Context, state []float64, options []byte) error {
	var co closing.Options
	var hold []string
	poses, rates := true, true
	if err := decode("close", options, option{"hold", &hold}, option{"nearest", &co.Nearest}, option{"tolerance", &co.Tolerance},
		option{"poses", &poses}, option{"velocities", &rates}); err != nil {
		return err
	}
	var err error
	if co.Hold, err = m.held("close", hold, co.Tolerance); err != nil {
		return err
	}
	st := m.plan.Initial()
	if err := m.take(st, state); err != nil {
		return err
	}
	c := closing.NewCloser(m.plan, co)
	defer c.Watch(ctx)()
	if poses {
		if err := c.ClosePositions(st); err != nil {
			return as(Failed, err)
		}
	}
	if rates {
		if err := c.ProjectVelocities(st); err != nil {
			return as(Failed, err)
		}
	}
	mech := m.plan.Mechanism()
	mech.FollowAngles(mech.NewKinematics(), st)
	st.FlatTo(state)
	return nil
}
