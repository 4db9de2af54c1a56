package objective

import (
	"errors"
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
)

// alphaField is a field that differentiates steps of generalized-α, too: it implements adjoint.AlphaField.
type alphaField struct {
	*field
	newton *motion.Newton
	rates  [2]ratesAt         // the last two states of HoldRates and ErrorsAnswerTo
	now    *ratesAt           // of the last HoldRates
	ends   *ratesAt           // of ErrorsAnswerTo
	one    *derive.Directions // of one direction, as the next
	change *derive.Changes
	flat   []float64 // of ratesOf
	last   int       // the last of rates
	held   *mechanism.State
	rows   int
	x      []float64 // as the system: of accelerations, and multipliers with their signs changed
	lambda []float64
	off    []float64 // six a body
	right  []float64 // as x
}

// newAlphaField makes a field with as many directions as that has. It refuses a mechanism with what implicit steps have no derivatives of,
// unless only values are asked for.
func (g *Problem) newAlphaField(f *field, slopes bool) (*alphaField, error) {
	if err := g.holds(f); err != nil && slopes {
		return nil, fault.Errorf("%w: %w", ErrNotDifferentiable, err)
	}
	dim, six := g.plan.Layout().Pattern.Dim(), 6*g.mech.NumBodies()
	a := &alphaField{
		field: f, newton: motion.NewNewton(g.plan), one: f.d.NewDirections(1),
		change: f.d.NewChanges(1), rows: dim - six, x: make([]float64, dim), lambda: make([]float64, dim-six),
		off: make([]float64, six), right: make([]float64, dim),
	}
	for i := range a.rates {
		a.rates[i] = ratesAt{
			answers: g.plan.NewAnswers(ratesKind(g.mech)),
			change:  make([]float64, six), lambda: make([]float64, dim-six), off: make([]float64, six),
		}
	}
	return a, nil
}

// holds refuses what steps without stages have no derivatives of. Poses of mechanisms with armature are closed by a search in steps of
// RATTLE.
func (g *Problem) holds(f *field) error {
	for _, j := range g.mech.Geared() {
		if g.o.Run.Integrator == runs.Rattle && g.mech.Joints[j].NumGeared() > 0 {
			return g.mech.AtJoint(int(j), -1, errRattleArmature)
		}
	}
	return f.d.Holds()
}

// errRattleArmature says so.
var errRattleArmature = errors.New("derive/objective: armature has none over steps of rattle yet")

// ratesKind is the kind of answers that implicit steps, and impulses, change velocities by.
func ratesKind(m *mechanism.Mechanism) kkt.AnswersKind {
	if len(m.Geared()) > 0 {
		return kkt.AnswersOfImpulses
	}
	return kkt.AnswersOfVelocities
}

// ratesAt is the matrix of velocities at a state, and what holds a change of velocities there: the start of a step is the end of the one
// before.
type ratesAt struct {
	answers *kkt.Answers
	state   *mechanism.State
	flat    []float64 // the state
	ready   bool      // the matrix is that of the state
	found   bool      // lambda and off are those of the change
	change  []float64
	lambda  []float64
	off     []float64
}

// ratesOf returns the matrix at a state. A state that is none of the last two takes the place of the older one.
func (f *alphaField) ratesOf(st *mechanism.State) (*ratesAt, error) {
	if n := st.FlatLen(); len(f.flat) != n { // the first state, or one that carries other angles
		f.flat = make([]float64, n)
		for i := range f.rates {
			r := &f.rates[i]
			r.state, r.flat, r.ready = st.Clone(), make([]float64, n), false
		}
	}
	st.FlatTo(f.flat)
	first := &f.rates[f.last]
	if first.ready && slices.Equal(first.flat, f.flat) {
		return first, nil
	}
	f.last = 1 - f.last
	r := &f.rates[f.last]
	if r.ready && slices.Equal(r.flat, f.flat) {
		return r, nil
	}
	r.ready, r.found = false, false
	copy(r.flat, f.flat)
	r.state.SetFlat(r.flat)
	if err := r.answers.At(r.state); err != nil {
		return nil, err
	}
	r.ready = true
	return r, nil
}

// Rows implements adjoint.AlphaField.
func (f *alphaField) Rows() int { return f.rows }

// Reacts implements adjoint.AlphaField.
func (f *alphaField) Reacts() bool { return f.d.Mechanism().NumBearings() > 0 }

// PushOneTo implements adjoint.AlphaField.
func (f *alphaField) PushOneTo(da, dx []float64, k int) error {
	f.setOne(f.d.State(), dx, k)
	if err := f.d.ForwardTo(f.change, f.one, derive.Options{Untried: true, BodiesOnly: true, AsGiven: true}); err != nil {
		return err
	}
	for i := range len(da) / 6 {
		c := f.change.Body(0, i)
		copy(da[6*i:], c.AngularAcceleration[:])
		copy(da[6*i+3:], c.ComAcceleration[:])
	}
	return nil
}

// setOne makes the one direction that of parameter k, with the state changed by dx; −1: of no parameter.
func (f *alphaField) setOne(st *mechanism.State, dx []float64, k int) {
	setOne(f.field, f.one, st, dx, k)
}

func setOne(f *field, one *derive.Directions, st *mechanism.State, dx []float64, k int) {
	one.Reset(0)
	if k >= 0 {
		for _, p := range f.parameters[k] {
			one.AddParameter(0, p, 1)
		}
	}
	for i := range st.Bodies {
		setState(one.Body(0, i), st, i, dx[adjoint.PerBody*i:])
	}
}

// HoldStep implements adjoint.AlphaField.
func (f *alphaField) HoldStep(st *mechanism.State, u, lambda []float64, position, velocity float64) error {
	for level := 0; ; level++ {
		err := f.newton.Linearize(st, position, velocity, level)
		if err == nil {
			break
		}
		if level+1 >= f.newton.Levels() {
			return err
		}
	}
	f.held = st
	return f.d.Hold(st, u, lambda, derive.HeldDynamics)
}

// HoldErrors implements adjoint.RattleField.
func (f *alphaField) HoldErrors(start, end *mechanism.State) (err error) {
	clear(f.lambda)
	clear(f.off)
	if f.ends, err = f.ratesOf(end); err != nil {
		return err
	}
	if f.now, err = f.ratesOf(start); err != nil {
		return err
	}
	f.held = end
	return f.d.Hold(end, f.off, f.lambda, derive.HeldDynamics)
}

// ErrorsAnswerTo implements adjoint.RattleField.
func (f *alphaField) ErrorsAnswerTo(x, right []float64) error {
	_, _, err := f.ends.answers.AnswerTo(x, right)
	return err
}

// RoughAnswerTo implements adjoint.RattleField.
func (f *alphaField) RoughAnswerTo(x, right []float64) error { return f.now.answers.RoughTo(x, right) }

// ErrorForcesTo implements adjoint.RattleField.
func (f *alphaField) ErrorForcesTo(to, y []float64) {
	six := len(to)
	clear(f.x[:six])
	copy(f.x[six:], y)
	f.ends.answers.ProductTo(f.right, f.x)
	copy(to, f.right)
}

// HoldRates implements adjoint.AlphaField.
func (f *alphaField) HoldRates(st *mechanism.State, change []float64) (off []float64, err error) {
	r, err := f.ratesOf(st)
	if err != nil {
		return nil, err
	}
	f.now, f.held = r, st
	if !r.found || !slices.Equal(r.change, change) {
		copy(r.change, change)
		if err := f.holdBy(r); err != nil {
			return nil, err
		}
		r.found = true
	}
	return r.off, f.d.Hold(st, change, r.lambda, derive.HeldRates)
}

// holdBy finds the multipliers of a change of velocities, Jᵀλ = M·change, and what is left of it.
func (f *alphaField) holdBy(r *ratesAt) error {
	r.found = false
	if len(f.d.Mechanism().Geared()) > 0 {
		if err := f.massTo(f.right, r); err != nil {
			return err
		}
		return f.answerBy(r)
	}
	clear(f.right)
	f.d.Mechanism().AddMomentumTo(f.right, r.state, r.change, 1)
	return f.answerBy(r)
}

// massTo stores in right what inertias and armature make of a change of velocities.
func (f *alphaField) massTo(right []float64, r *ratesAt) error {
	clear(f.lambda)
	if err := f.d.Hold(r.state, r.change, f.lambda, derive.HeldRates); err != nil {
		return err
	}
	f.one.Reset(0)
	clear(f.x)
	copy(f.x, r.change)
	err := f.d.ResidualTo(right, f.one, f.x)
	clear(right[len(r.change):])
	return err
}

// answerBy finds multipliers, and what is left, for the right side f.right.
func (f *alphaField) answerBy(r *ratesAt) error {
	var err error
	if r.answers.Plain() { // multipliers are factors of derivatives of the order of the step
		err = r.answers.RoughTo(f.x, f.right)
	} else {
		_, _, err = r.answers.AnswerTo(f.x, f.right)
	}
	if err != nil {
		return err
	}
	copy(r.lambda, f.x[len(r.change):])
	copy(r.off, f.x)
	return nil
}

// ResidualTo implements adjoint.AlphaField.
func (f *alphaField) ResidualTo(r, dx []float64, k int, da []float64) error {
	f.setOne(f.held, dx, k)
	if da == nil {
		return f.d.ResidualTo(r, f.one, nil)
	}
	copy(f.x, da)
	clear(f.x[len(da):])
	return f.d.ResidualTo(r, f.one, f.x)
}

// ResidualBackTo implements adjoint.AlphaField.
func (f *alphaField) ResidualBackTo(x, p, da, y []float64) error {
	if err := f.d.ResidualBack(f.g, f.x, y); err != nil {
		return err
	}
	copy(da, f.x[:len(da)])
	f.g.TakeMotion(x)
	if p == nil {
		return nil
	}
	for k, list := range f.parameters {
		for _, q := range list {
			p[k] += f.g.Of(q)
		}
	}
	return nil
}

// StepAnswerTo implements adjoint.AlphaField.
func (f *alphaField) StepAnswerTo(x, right []float64) error { return f.newton.AnswerTo(x, right) }

// RatesAnswerTo implements adjoint.AlphaField.
func (f *alphaField) RatesAnswerTo(x, right []float64) error {
	_, _, err := f.now.answers.AnswerTo(x, right)
	return err
}
