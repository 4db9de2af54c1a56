package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene/glb"
)

// modelAt returns a copy of the model's document with the state st.
func (m *Model) modelAt(st *mechanism.State) *model.Model {
	doc := *m.document
	doc.Bodies, doc.Joints = slices.Clone(doc.Bodies), slices.Clone(doc.Joints) // SetState changes both
	rung.SetState(&doc, m.plan.Mechanism(), st)
	return &doc
}

// writeAnalyze writes rung-analysis/1 at st.
func writeAnalyze(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, _ []byte) error {
	a, err := answers.Analyze(ctx, m.modelAt(st), answers.AnalysisOptions{Plan: m.plan.Options()})
	if err != nil {
		return err
	}
	return encode(b, a)
}

// writeInverse writes rung-inverse/1 at st: the forces of the actuators that make the wanted accelerations or, without any, the
// accelerations that the model prescribes.
func writeInverse(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, options []byte) error {
	mech := m.plan.Mechanism()
	ask := answers.InverseOptions{Plan: m.plan.Options()}
	var actuators []string
	if err := decode("inverse", options, option{"actuators", &actuators}, option{"accelerations", &ask.Wanted}); err != nil {
		return err
	}
	if n := 6 * mech.NumBodies(); ask.Wanted != nil && len(ask.Wanted) != n {
		return refuse(Size, "inverse: accelerations have %d numbers, not %d", n, len(ask.Wanted))
	}
	if actuators != nil && len(actuators) == 0 {
		return refuse(Input, "inverse: actuators is an empty list; leave it out for those that the model prescribes")
	}
	for _, name := range actuators {
		some, err := mech.FreedomsNamed(name)
		if err != nil {
			return as(Input, err)
		}
		ask.Actuators = append(ask.Actuators, some...)
	}
	doc, err := answers.SolveInverse(ctx, mech, st, ask)
	switch wrong := new(answers.ActuatorError); {
	case errors.Is(err, answers.ErrNoActuators):
		return refuse(Input, "inverse: %v; the option actuators names joints", fault.Plain(err))
	case errors.As(err, &wrong):
		return as(Input, err)
	case err != nil:
		return err
	}
	return encode(b, doc)
}

// usualModes is the default of the option count of modes, and mostModes its largest value.
const usualModes, mostModes = 10, 1 << 20

// writeModes writes rung-modes/1 at st.
func writeModes(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, options []byte) error {
	ask, method := answers.ModesOptions{}, linear.Auto.String()
	ask.Count = usualModes
	if err := decode("modes", options, option{"count", &ask.Count}, option{"method", &method}, option{"equilibrium", &ask.Equilibrium},
		option{"moving", &ask.Moving}, option{"steady", &ask.Steady}, option{"undamped", &ask.Undamped}); err != nil {
		return err
	}
	err := within("modes", "count", int64(ask.Count), 1, mostModes)
	if err != nil {
		return err
	}
	if ask.Method, err = linear.ParseMethod(method); err != nil {
		return as(Input, err)
	}
	if err := ask.Exclusive(func(option string) string { return option }); err != nil {
		return refuse(Input, "modes: %v", fault.Plain(err))
	}
	doc, err := answers.FindModes(ctx, m.plan, st, ask)
	if err != nil {
		return err
	}
	return encode(b, doc)
}

// writeMatrix writes the matrix K at st, or with the option right the right side, as a MatrixMarket file.
func writeMatrix(_ context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, options []byte) error {
	right := false
	if err := decode("matrix", options, option{"right", &right}); err != nil {
		return err
	}
	plan, err := m.natural()
	if err != nil {
		return err
	}
	sys := plan.Layout().NewSystem()
	if err := sys.FillTo(st); err != nil {
		return err
	}
	const permuted = false
	if right {
		return answers.WriteRight(b, plan, sys, permuted)
	}
	return answers.WriteMatrix(b, plan, sys, permuted)
}

// natural returns a plan of the mechanism whose rows keep the order of bodies, joints and couplings.
func (m *Model) natural() (*kkt.Plan, error) {
	o := m.plan.Options()
	o.Ordering = order.Natural
	return kkt.NewPlanContext(context.Background(), m.plan.Mechanism(), o)
}

// writeGLB writes the scene at st as a binary glTF file.
func writeGLB(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, options []byte) error {
	joints := true
	if err := decode("glb", options, option{"joints", &joints}); err != nil {
		return err
	}
	return glb.Write(ctx, b, m.scene(joints), st, nil)
}

// mover moves st and returns the document about it.
type mover func(ctx context.Context, m *Model, st *mechanism.State, options []byte) (any, error)

// movers are the functions of Move by name, in alphabetical order.
var movers = []struct {
	name string
	move mover
}{
	{"assemble", moveAssemble},
	{"equilibrium", moveEquilibrium},
	{"ik", moveIK},
}

// Moves returns the names that Move knows.
func Moves() (names []string) {
	for _, w := range movers {
		names = append(names, w.name)
	}
	return names
}

// Move moves a state and returns a document with the movements:
//
//	assemble     rung-assembly/1: onto the joints, at the nearest pose; options hold and tolerance
//	equilibrium  rung-equilibrium/1: to the equilibrium at rest; options stationary and steps
//	ik           rung-ik-result/1: to the targets of the option task, an object of rung-ik/1 without a path, at rest. Targets that are not
//	             reached are an error unless the option partial is true
//
// state is flat (mechanism.State.FlatTo). After an error it is unchanged. Errors have the status Failed, or Input for a wrong name or
// option.
// Cost: answers.Assemble, answers.Equilibrate, ik.Solver.ReachContext.
func (m *Model) Move(ctx context.Context, what string, state []float64, options []byte) ([]byte, error) {
	i := slices.Index(Moves(), what)
	if i < 0 {
		return nil, refuse(Input, "nothing moves to %s%s; there are %s", fault.Name(what), fault.Meant(what, Moves()...), quoted(Moves()))
	}
	st := m.plan.Initial()
	if err := m.take(st, state); err != nil {
		return nil, err
	}
	doc, err := movers[i].move(ctx, m, st, options)
	if err != nil {
		return nil, as(Failed, err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, as(Failed, err)
	}
	st.FlatTo(state)
	return text, nil
}

// moveAssemble closes the joints at st. The bodies that the option hold names do not move.
func moveAssemble(ctx context.Context, m *Model, st *mechanism.State, options []byte) (any, error) {
	var names []string
	var o answers.AssemblyOptions
	err := decode("assemble", options, option{"hold", &names}, option{"tolerance", &o.Tolerance})
	if err != nil {
		return nil, err
	}
	if o.Hold, err = m.held("assemble", names, o.Tolerance); err != nil {
		return nil, err
	}
	return answers.Assemble(ctx, m.plan, st, o)
}

// held returns the numbers of the named bodies without the world, and checks the tolerance. Errors of the tolerance begin with
// the name of the document.
func (m *Model) held(document string, names []string, tolerance float64) (hold []int, err error) {
	if !(tolerance >= 0) || !algebra.Finite(tolerance) {
		return nil, refuse(Input, "%s: tolerance is %v, and has to be 0 or more", document, tolerance)
	}
	for _, name := range names {
		i, err := m.plan.Mechanism().BodyIndex(name)
		if err != nil {
			return nil, as(Input, err)
		}
		if i != mechanism.World { // the world never moves
			hold = append(hold, i)
		}
	}
	return hold, nil
}

// usualSteps is the default of the option steps of an equilibrium, as in package linear, and mostSteps its largest value.
const usualSteps, mostSteps = 500, 1 << 30

// moveEquilibrium moves st to an equilibrium.
func moveEquilibrium(ctx context.Context, m *Model, st *mechanism.State, options []byte) (any, error) {
	o := linear.EquilibriumOptions{Steps: usualSteps}
	if err := decode("equilibrium", options, option{"stationary", &o.Stationary}, option{"steps", &o.Steps}); err != nil {
		return nil, err
	}
	if err := within("equilibrium", "steps", int64(o.Steps), 1, mostSteps); err != nil {
		return nil, err
	}
	return answers.Equilibrate(ctx, m.plan, st, o)
}
