package objective

import (
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
)

// alphaField is a field that differentiates steps of generalized-α, too: it implements adjoint.AlphaField.
type alphaField struct {
	*field
	newton *motion.Newton
	least  *kkt.Answers
	plan   *kkt.Plan
	ends   *kkt.Answers       // of ErrorsAnswerTo; nil until it is asked
	errors *mechanism.State   // that it has to go to
	one    *derive.Directions // of one direction, as the next
	change *derive.Changes
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
	if err := f.d.Holds(); err != nil && slopes {
		return nil, fault.Errorf("%w: %w", ErrNotDifferentiable, err)
	}
	dim, six := g.plan.Layout().Pattern.Dim(), 6*g.mech.NumBodies()
	a := &alphaField{
		field: f, plan: g.plan, newton: motion.NewNewton(g.plan), least: g.plan.NewAnswers(kkt.AnswersOfVelocities), one: f.d.NewDirections(1),
		change: f.d.NewChanges(1), rows: dim - six, x: make([]float64, dim), lambda: make([]float64, dim-six),
		off: make([]float64, six), right: make([]float64, dim),
	}
	return a, nil
}

// Rows implements adjoint.AlphaField.
func (f *alphaField) Rows() int { return f.rows }

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
func (f *alphaField) HoldErrors(st *mechanism.State) error {
	clear(f.lambda)
	clear(f.off)
	f.held, f.errors = st, st
	return f.d.Hold(st, f.off, f.lambda, derive.HeldDynamics)
}

// ErrorsAnswerTo implements adjoint.RattleField.
func (f *alphaField) ErrorsAnswerTo(x, right []float64) error {
	if f.errors != nil {
		if f.ends == nil {
			f.ends = f.plan.NewAnswers(kkt.AnswersOfVelocities)
		}
		if err := f.ends.At(f.errors); err != nil {
			return err
		}
		f.errors = nil
	}
	_, _, err := f.ends.AnswerTo(x, right)
	return err
}

// HoldRates implements adjoint.AlphaField.
func (f *alphaField) HoldRates(st *mechanism.State, change []float64) (off []float64, err error) {
	if err := f.least.At(st); err != nil {
		return nil, err
	}
	clear(f.lambda)
	f.held = st
	if err := f.d.Hold(st, change, f.lambda, derive.HeldRates); err != nil {
		return nil, err
	}
	// Multipliers: Jᵀλ = M·change.
	f.one.Reset(0)
	right := f.right
	copy(f.x, change)
	clear(f.x[len(change):])
	if err := f.d.ResidualTo(right, f.one, f.x); err != nil {
		return nil, err
	}
	clear(right[len(change):])
	if _, _, err := f.least.AnswerTo(f.x, right); err != nil {
		return nil, err
	}
	copy(f.lambda, f.x[len(change):])
	copy(f.off, f.x)
	return f.off, f.d.Hold(st, change, f.lambda, derive.HeldRates)
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
	_, _, err := f.least.AnswerTo(x, right)
	return err
}
