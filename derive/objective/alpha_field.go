package objective

import (
	"slices"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
)

// alphaField is a field for implicit steps: it implements adjoint.AlphaField for generalized-α and adjoint.RattleField.
type alphaField struct {
	*field
	newton *motion.Newton
	rates  [2]ratesAt         // the last two states of HoldRates and ErrorsAnswerTo
	now    *ratesAt           // state of the last HoldRates, or the start in HoldErrors
	ends   *ratesAt           // end of the step in HoldErrors
	one    *derive.Directions // one direction
	change *derive.Changes    // its results
	flat   []float64          // memory of ratesOf
	last   int                // index in rates of the last state
	held   *mechanism.State   // state of the last HoldStep, HoldRates or HoldErrors
	late   bool               // d has yet to Hold the state held, the end of a step
	shapes bool               // parameters change position errors of joints
	motion []float64          // memory of ErrorsBackTo, PerBody a body
	rows   int
	x      []float64 // a solution of the system: accelerations, and multipliers with their signs changed
	lambda []float64
	off    []float64 // six a body
	right  []float64 // as x
}

// newAlphaField makes an alphaField of f. With slopes it returns ErrNotDifferentiable for a mechanism with rows of velocities alone, over
// which implicit steps have no derivatives.
func (g *Problem) newAlphaField(f *field, slopes bool) (*alphaField, error) {
	if err := g.mech.Holonomic(); err != nil && slopes {
		return nil, fault.Errorf("%w: %w", ErrNotDifferentiable, err)
	}
	dim, six := g.plan.Layout().Pattern.Dim(), 6*g.mech.NumBodies()
	a := &alphaField{
		field: f, newton: motion.NewNewton(g.plan), one: f.d.NewDirections(1),
		change: f.d.NewChanges(1), rows: dim - six, x: make([]float64, dim), lambda: make([]float64, dim-six),
		off: make([]float64, six), right: make([]float64, dim), motion: make([]float64, 2*six),
	}
	for _, list := range f.parameters {
		a.shapes = a.shapes || slices.ContainsFunc(list, f.d.Shapes)
	}
	for i := range a.rates {
		a.rates[i] = ratesAt{
			answers: g.plan.NewAnswers(kkt.AnswersOfSteps), mech: g.mech,
			change: make([]float64, six), lambda: make([]float64, dim-six), off: make([]float64, six),
		}
		if len(g.mech.Geared())+len(g.mech.Singular()) > 0 {
			a.rates[i].x, a.rates[i].right = make([]float64, dim), make([]float64, dim)
		}
	}
	return a, nil
}

// ratesAt is the matrix of velocities at a state, with the last change of velocities that was held there. Two of them are kept, as the
// start of a step is the end of the step before.
type ratesAt struct {
	answers *kkt.Answers
	mech    *mechanism.Mechanism
	state   *mechanism.State
	flat    []float64 // the state, flat
	ready   bool      // answers has the matrix of the state
	found   bool      // lambda and off belong to change
	change  []float64 // change of velocities, six a body
	lambda  []float64 // its multipliers: M·change = Jᵀλ but for off
	off     []float64 // its component that the joints allow
	x       []float64 // memory of addMassTo, with right; nil without armature and held bodies
	right   []float64
}

// ratesOf returns the matrix of velocities at a state. A new state replaces the older one of the two that are kept.
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

// setOne sets the one direction: parameter k with the state changed by dx; no parameter for −1.
func (f *alphaField) setOne(st *mechanism.State, dx []float64, k int) {
	setOne(f.field, f.one, st, dx, k)
}

// setOne sets the direction one: parameter k of f with the state changed by dx; no parameter for −1.
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
	f.held, f.late = st, false
	return f.d.Hold(st, u, lambda, derive.HeldDynamics)
}

// HoldErrors implements adjoint.RattleField.
func (f *alphaField) HoldErrors(start, end *mechanism.State) (err error) {
	if f.ends, err = f.ratesOf(end); err != nil {
		return err
	}
	if f.now, err = f.ratesOf(start); err != nil {
		return err
	}
	f.held, f.late = end, true
	return nil
}

// holdErrors lets d hold the state of HoldErrors, which waits until a residual is asked for.
func (f *alphaField) holdErrors() error {
	if !f.late {
		return nil
	}
	f.late = false
	clear(f.lambda)
	clear(f.off)
	return f.d.Hold(f.held, f.off, f.lambda, derive.HeldDynamics)
}

// ErrorsAnswerTo implements adjoint.RattleField.
func (f *alphaField) ErrorsAnswerTo(x, right []float64) error {
	_, _, err := f.ends.answers.AnswerTo(x, right)
	return err
}

// RoughAnswerTo implements adjoint.RattleField.
func (f *alphaField) RoughAnswerTo(x, right []float64) error { return f.now.roughTo(x, right) }

// AddMassTo implements adjoint.RattleField.
func (f *alphaField) AddMassTo(to, a []float64, scale float64) { f.now.addMassTo(to, a, scale) }

// ErrorsBackTo implements adjoint.RattleField. The cotangents of poses are the forces Jᵀy of the rows.
func (f *alphaField) ErrorsBackTo(x, p, y []float64) error {
	six := len(f.off)
	clear(f.x[:six])
	copy(f.x[six:], y)
	f.ends.answers.ProductTo(f.right, f.x)
	for i, force := range f.right[:six] {
		x[adjoint.PerBody*(i/6)+i%6] += force
	}
	if p == nil || !f.shapes {
		return nil
	}
	clear(f.right[:six])
	copy(f.right[six:], y)
	clear(f.motion)
	return f.residualBack(f.motion, p, f.right)
}

// HoldRates implements adjoint.AlphaField.
func (f *alphaField) HoldRates(st *mechanism.State, change []float64) (off []float64, err error) {
	r, err := f.ratesOf(st)
	if err != nil {
		return nil, err
	}
	f.now, f.held, f.late = r, st, false
	if !r.found || !slices.Equal(r.change, change) {
		copy(r.change, change)
		if err := f.holdBy(r); err != nil {
			return nil, err
		}
		r.found = true
	}
	return r.off, f.d.Hold(st, change, r.lambda, derive.HeldRates)
}

// holdBy finds the multipliers λ of a change of velocities, Jᵀλ = M·change, and the component of it that they leave (off).
func (f *alphaField) holdBy(r *ratesAt) error {
	r.found = false
	clear(f.right)
	r.addMassTo(f.right[:len(r.change)], r.change, 1)
	return f.answerBy(r)
}

// addMassTo adds to f scale times the momentum of the change a of velocities. It includes armature, and the inertia with which bodies
// without inertia are held.
func (r *ratesAt) addMassTo(f, a []float64, scale float64) {
	if r.x == nil {
		r.mech.AddMomentumTo(f, r.state, a, scale)
		return
	}
	copy(r.x, a)
	clear(r.x[len(a):])
	r.answers.ProductTo(r.right, r.x)
	for i := range f {
		f[i] += scale * r.right[i]
	}
}

// answerBy finds lambda and off of r for the right side f.right.
func (f *alphaField) answerBy(r *ratesAt) error {
	if err := r.roughTo(f.x, f.right); err != nil { // rough, as multipliers only enter derivatives times a factor of the order of the step
		return err
	}
	copy(r.lambda, f.x[len(r.change):])
	copy(r.off, f.x)
	return nil
}

// roughTo is AnswerTo, without refinement if the system allows that.
func (r *ratesAt) roughTo(x, right []float64) error {
	if r.answers.Plain() {
		return r.answers.RoughTo(x, right)
	}
	_, _, err := r.answers.AnswerTo(x, right)
	return err
}

// ResidualTo implements adjoint.AlphaField.
func (f *alphaField) ResidualTo(r, dx []float64, k int, da []float64) error {
	if err := f.holdErrors(); err != nil {
		return err
	}
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
	if err := f.residualBack(x, p, y); err != nil {
		return err
	}
	copy(da, f.x[:len(da)])
	return nil
}

// residualBack is ResidualBackTo with the cotangents of accelerations in f.x.
func (f *alphaField) residualBack(x, p, y []float64) error {
	if err := f.holdErrors(); err != nil {
		return err
	}
	if err := f.d.ResidualBack(f.g, f.x, y); err != nil {
		return err
	}
	f.g.TakeMotion(x)
	if p == nil {
		return nil
	}
	f.gradientTo(p, 1)
	return nil
}

// StepAnswerTo implements adjoint.AlphaField.
func (f *alphaField) StepAnswerTo(x, right []float64) error { return f.newton.AnswerTo(x, right) }

// RatesAnswerTo implements adjoint.AlphaField.
func (f *alphaField) RatesAnswerTo(x, right []float64) error {
	_, _, err := f.now.answers.AnswerTo(x, right)
	return err
}
