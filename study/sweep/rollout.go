package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/study"
)

// rollout says how package batch does the runs of a study.
type rollout struct {
	s            *Sweep
	vary         batch.Vary
	how          batch.Rollout
	steps, every int    // steps of a run, and between rows
	alone        string // why runs are stepped one by one and not in lanes; "": they are in lanes
	reactions    bool   // the columns have reactions
	angles       bool   // the columns have joints
}

// stepSlack is the largest distance of times from multiples of the step, in steps.
const stepSlack = 1e-6

// newRollout returns the rollout of a study, or *model.Problems with the reason why its runs cannot be rollouts.
func newRollout(s *Sweep) (*rollout, error) {
	of := &s.study.Run
	r := &rollout{s: s, how: batch.Rollout{Step: of.Step}}
	if of.Integrator == study.RolloutSemiImplicit {
		r.how.Integrator = batch.SemiImplicit
	}
	steps := func(field string, span float64) (int, error) {
		n := math.Round(span / of.Step)
		if !(n >= 1) || n > math.MaxInt32 || math.Abs(span/of.Step-n) > stepSlack {
			return 0, s.refuse("$.run."+field, document.Number(span),
				fmt.Sprintf("s is no multiple of the step, %v s; %s has no shorter steps", of.Step, of.Integrator))
		}
		return int(n), nil
	}
	var err error
	if r.steps, err = steps("until", of.Until-s.plan.Initial().Time); err != nil {
		return nil, err
	}
	if r.every, err = steps("every", s.options.Every); err != nil {
		return nil, err
	}
	if err := r.setVary(); err != nil {
		return nil, err
	}
	mech := s.plan.Mechanism()
	for i := range mech.NumResistors() {
		if speed, _ := mech.ImpactSpeed(i); speed > 0 {
			return nil, s.refuse("$.run.integrator", fault.Name(of.Integrator), "does no impacts, and the model has stops with a restitution")
		}
	}
	b, err := batch.New(s.plan, batch.Options{Vary: r.vary})
	if err == nil { // a trial without steps: its error tells whether the batch can roll out
		err = b.Rollout(b.NewStates(1), &batch.Rollout{Step: of.Step}, b.NewOutcome(1))
	}
	if err != nil {
		return nil, s.refuse("$.run.integrator", fault.Name(of.Integrator), fault.Plain(err).Error())
	}
	r.alone = b.SteppedOneByOne()
	all, err := runs.Catalogue(mech, s.model)
	if err != nil {
		return nil, err
	}
	_, joints := all.Subjects(s.columns.Names)
	r.angles = len(joints) > 0
	r.reactions = all.NeedsReactions(s.columns.Names)
	return r, nil
}

// varied splits the JSON path of a number into section, index, field and entry: $.joints[3].stiffness[0] into joints, 3,
// stiffness and 0.
var varied = regexp.MustCompile(`^\$\.(bodies|joints|forces|gravity)(?:\[(\d+)\])(?:\.([a-z_]+)(?:\[(\d+)\])?)?(?:\.|$)`)

// setVary lists in r.vary the bodies, joints, freedoms and springs whose numbers are parameters. It returns an error for a parameter
// that a rollout cannot vary.
func (r *rollout) setVary() error {
	base, err := r.s.study.NewBase(r.s.source.Text, r.s.name)
	if err != nil {
		return err
	}
	for i, place := range base.Places() {
		if !r.addVaried(varied.FindStringSubmatch(place)) {
			return r.s.refuse(document.Entry("$.parameters", i)+".path", fault.Name(r.s.study.Parameters[i].Path),
				r.s.study.Run.Integrator+" cannot vary this number; rk4 can")
		}
	}
	return nil
}

// addVaried adds the body, joint, freedom or spring whose number is at a place of the model to r.vary. It reports whether a rollout can
// vary this number. place is a match of varied, nil for none.
func (r *rollout) addVaried(place []string) bool {
	if place == nil {
		return false
	}
	k, _ := strconv.Atoi(place[2])
	at, _ := strconv.Atoi(place[4])
	mech, m := r.s.plan.Mechanism(), r.s.model
	var err error
	switch place[1] + "." + place[3] {
	case "gravity.", "bodies.pose", "bodies.velocity":
	case "bodies.mass", "bodies.com", "bodies.inertia":
		if k, err = mech.BodyIndex(m.Bodies[k].Name); err == nil {
			add(&r.vary.Bodies, k)
		}
	case "joints.predecessor_frame", "joints.successor_frame", "joints.length", "joints.pitch":
		if k, err = mech.JointIndex(m.Joints[k].Name); err == nil {
			add(&r.vary.Joints, k)
		}
	case "joints.armature":
		if k, err = mech.JointIndex(m.Joints[k].Name); err == nil {
			add(&r.vary.Armature, mechanism.Freedom{Joint: k, Freedom: at})
		}
	case "joints.stiffness", "joints.damping", "joints.rest":
		if k, err = mech.JointIndex(m.Joints[k].Name); err == nil {
			add(&r.vary.Drives, mechanism.Freedom{Joint: k, Freedom: at})
		}
	case "joints.friction":
		if k, err = mech.JointIndex(m.Joints[k].Name); err == nil {
			add(&r.vary.Friction, mechanism.Freedom{Joint: k, Freedom: at})
		}
	case "forces.stiffness", "forces.damping", "forces.rest_length":
		if k, err = mech.ForceIndex(m.Forces[k].Name); err == nil && k < len(mech.Forces) {
			add(&r.vary.Springs, k)
		}
	default:
		return false
	}
	return err == nil
}

// add appends x to a list that does not have it yet.
func add[T comparable](list *[]T, x T) {
	if !slices.Contains(*list, x) {
		*list = append(*list, x)
	}
}

// rolloutWorker does parts of a sweep by rollouts.
type rolloutWorker struct {
	r      *rollout
	base   *study.Base
	b      *batch.Batch
	st     *mechanism.State
	spare  *batch.States // one state with the model's own numbers, for runs that have failed
	values []float64     // of the parameters
}

// newWorker returns a worker with a batch and a document of its own.
func (r *rollout) newWorker() (*rolloutWorker, error) {
	base, err := r.s.study.NewBase(r.s.source.Text, r.s.name)
	if err != nil {
		return nil, err
	}
	b, err := batch.New(r.s.plan, batch.Options{Vary: r.vary, Angles: r.angles})
	if err != nil {
		return nil, err
	}
	return &rolloutWorker{r, base, b, r.s.plan.Initial(), b.NewStates(1), make([]float64, len(r.s.study.Parameters))}, nil
}

// rolled is a run of a rollout.
type rolled struct {
	keep    *kept
	columns *sim.Columns
	mech    *mechanism.Mechanism // with these values
	kin     *mechanism.Kinematics
	st      *mechanism.State // of mech
	adopts  bool             // states of mech and of the plan hold different angles, as a stiffness is zero in one of the two
	err     error            // why the run has failed; nil: it has not
}

// part implements worker: all runs of the part are one batch, which is stepped from row to row. A run that has failed goes on
// as the model's own initial state, and nothing of it is recorded.
func (w *rolloutWorker) part(ctx context.Context, first, last int, count func()) ([]Result, error) {
	n := last - first
	states, out := w.b.NewStates(n), w.b.NewOutcome(n)
	runs := make([]rolled, n)
	drop := func(i int) { // so that a failed run cannot slow the others down
		w.spare.To(w.st, 0)
		states.Set(i, w.st)
		states.CopyParameters(i, w.spare, 0)
		states.SetGravity(i, w.r.s.plan.Mechanism().Gravity)
	}
	for i := range runs {
		if runs[i].err = w.begin(&runs[i], states, i, first+i); runs[i].err != nil {
			drop(i)
		}
	}
	w.b.CloseJoints(states, out)
	for done := 0; ; {
		for i := range runs {
			r := &runs[i]
			if r.err != nil {
				continue
			}
			if r.err = out.Error(i); r.err == nil && out.Singular(i) > 0 {
				states.To(w.st, i)
				r.err = fmt.Errorf("a step before %.6g s may have gone over a singular pose, where fixed steps take no care; dopri5 does", w.st.Time)
			}
			if r.err == nil {
				r.err = w.record(r, states, i)
			}
			if r.err != nil {
				drop(i)
			}
		}
		if done == w.r.steps {
			break
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		how := w.r.how
		how.Steps = min(w.r.every, w.r.steps-done)
		if err := w.b.Rollout(states, &how, out); err != nil {
			return nil, err
		}
		done += how.Steps
	}
	list := make([]Result, 0, n)
	for i := range runs {
		r := &runs[i]
		r.keep.Err = r.err
		list = append(list, r.keep.Result)
		if count != nil {
			count()
		}
	}
	return list, nil
}

// begin reads the model with the parameters of a run, and stores the initial state and the numbers of that model as state i.
func (w *rolloutWorker) begin(r *rolled, states *batch.States, i, run int) error {
	s := w.r.s
	s.draws.ValuesTo(w.values, run)
	r.keep = newKept(s, run, w.values)
	text, err := w.base.With(w.values)
	if err != nil {
		return err
	}
	m, err := s.read(text, "model")
	if err != nil {
		return err
	}
	if err := w.columns(r, m); err != nil {
		return err
	}
	r.st, r.kin = r.mech.Initial(), r.mech.NewKinematics()
	if w.r.angles {
		r.mech.CarryAngles(r.st)
	}
	base := s.plan.Mechanism()
	r.adopts = !sameAngles(r.mech, base)
	if copyState(w.st, r.st); r.adopts {
		base.Adopt(w.st, r.mech)
	}
	states.Set(i, w.st)
	return w.setParameters(states, i, r.mech)
}

// columns makes the mechanism of a run and its columns. Columns of reactions need a plan.
func (w *rolloutWorker) columns(r *rolled, m *model.Model) (err error) {
	names := w.r.s.columns.Names
	if !w.r.reactions {
		if r.mech, err = mechanism.New(m); err != nil {
			return err
		}
		all, err := runs.Catalogue(r.mech, m)
		if err != nil {
			return err
		}
		r.columns, err = all.Select(names, nil)
		return err
	}
	plan, err := newPlan(m)
	if err != nil {
		return err
	}
	r.mech = plan.Mechanism()
	o := runs.Options{Model: m, Columns: names}
	r.columns, err = o.SelectColumns(r.mech, plan)
	return err
}

// setParameters gives state i the numbers of a mechanism.
func (w *rolloutWorker) setParameters(states *batch.States, i int, m *mechanism.Mechanism) (err error) {
	states.SetGravity(i, m.Gravity)
	vary := &w.r.vary
	for _, k := range vary.Bodies {
		b := &m.Bodies[k]
		err = errors.Join(err, states.SetBody(i, k, b.Mass, b.Com, b.Inertia))
	}
	for _, k := range vary.Joints {
		jt := &m.Joints[k]
		err = errors.Join(err, states.SetFrames(i, k, jt.P, jt.S))
		switch {
		case jt.Kind == joints.Distance && jt.Axes == nil:
			err = errors.Join(err, states.SetLength(i, k, jt.Length))
		case jt.Kind == joints.Helical && jt.Axes == nil:
			err = errors.Join(err, states.SetPitch(i, k, jt.Pitch))
		}
	}
	for _, f := range vary.Armature {
		var armature [6]float64
		if a := m.Joints[f.Joint].Armature; a != nil { // else all of it is zero
			armature = *a
		}
		err = errors.Join(err, states.SetArmature(i, f, armature[f.Freedom]))
	}
	for _, f := range vary.Drives {
		var drive mechanism.Drive
		if d := m.Drive(f.Joint); d != nil { // else all of it is zero
			drive = *d
		}
		err = errors.Join(err, states.SetDrive(i, f, drive.Stiffness[f.Freedom], drive.Damping[f.Freedom], drive.Rest[f.Freedom]))
	}
	for _, f := range vary.Friction {
		x, _ := m.Friction(f.Joint, f.Freedom)
		err = errors.Join(err, states.SetFriction(i, f, x))
	}
	for _, k := range vary.Springs {
		e := &m.Forces[k]
		err = errors.Join(err, states.SetSpring(i, k, e.Stiffness, e.Damping, e.RestLength))
	}
	return err
}

// record adds the row of state i to the outputs and trajectories that the study keeps.
func (w *rolloutWorker) record(r *rolled, states *batch.States, i int) error {
	states.To(w.st, i)
	if copyState(r.st, w.st); r.adopts {
		r.mech.Adopt(r.st, w.r.s.plan.Mechanism())
	}
	row, err := sim.RowAt(r.mech, r.kin, r.st)
	if err != nil {
		return err
	}
	if err := r.columns.Fill(&row); err != nil {
		return err
	}
	return r.keep.add(&row, r.columns.Values)
}

// sameAngles reports whether states of two mechanisms that differ in numbers alone hold the same angles in the same order. They may
// not, as a spring whose stiffness is zero needs no angle (mechanism.State.Angles).
func sameAngles(a, b *mechanism.Mechanism) bool {
	if a.NumSprung() != b.NumSprung() || a.NumAngles() != b.NumAngles() {
		return false
	}
	for j := range a.Joints {
		for i := range a.Joints[j].Kind.Freedoms() {
			if f := (mechanism.Freedom{Joint: j, Freedom: i}); a.AnglePlace(f) != b.AnglePlace(f) {
				return false
			}
		}
	}
	return true
}

// copyState copies src to dst, a state of another mechanism that differs in numbers only. Angles keep their order, so unless
// sameAngles holds, mechanism.Mechanism.Adopt has to follow.
func copyState(dst, src *mechanism.State) {
	dst.Time = src.Time
	copy(dst.Bodies, src.Bodies)
	dst.Angles = append(dst.Angles[:0], src.Angles...)
	copy(dst.Internal, src.Internal)
}
