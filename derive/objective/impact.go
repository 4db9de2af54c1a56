package objective

import (
	"fmt"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// impacts differentiates the events at stops with impulses over a run. prepare allocates the memory for the way over the run.
type impacts struct {
	mech *mechanism.Mechanism
	f    *field             // its outputs are the coordinate and the rate of each stop; nil before prepare
	at   []int              // by resistor: index of its coordinate in the outputs; the rate follows
	hit  *kkt.Answers       // solves for impulses
	one  *derive.Directions // one direction

	blow  blow
	right []float64
	x     []float64
	y     []float64 // PerBody a body
	p     []float64 // one a parameter
}

// blow is an impulse at a stop, docs/stops-and-friction.md (J4), with the quantities of theory.md (V19).
type blow struct {
	after, mean  *mechanism.State // mean has the velocities w = (v⁺ + e v⁻)/(1 + e)
	rate, e      float64          // g·v⁻, and the coefficient of restitution
	impulse, gAg float64          // π, and g·A·gᵀ
	row          []float64        // PerBody a body: its entries for velocities are g
	unit         []float64        // A·gᵀ, then the multipliers with their signs changed
	change       []float64        // Δv, six a body
	lambda       []float64        // λ
}

// prepare allocates the memory for derivatives.
func (m *impacts) prepare(g *Problem) error {
	list, err := g.newFields(1, 0)
	if err != nil {
		return err
	}
	m.f = list[0]
	if err := m.mech.Holonomic(); err != nil {
		return fault.Errorf("%w: %w", ErrNotDifferentiable, err)
	}
	m.f.outputs = nil
	m.at = make([]int, m.mech.NumResistors())
	for i := range m.at {
		if speed, _ := m.mech.ImpactSpeed(i); speed == 0 {
			continue
		}
		m.at[i] = len(m.f.outputs)
		for _, what := range [2]string{"q", "qd"} {
			o, err := m.f.d.Output(columnOf(m.mech, i, what))
			if err != nil {
				return err
			}
			m.f.outputs = append(m.f.outputs, o)
		}
	}
	m.hit, m.one = g.plan.NewAnswers(kkt.AnswersOfImpulses), m.f.d.NewDirections(1)
	nb, dim := m.mech.NumBodies(), 6*m.mech.NumBodies()+m.f.d.NumRows()
	m.right, m.x, m.y = make([]float64, dim), make([]float64, dim), make([]float64, adjoint.PerBody*nb)
	m.p = make([]float64, len(m.f.parameters))
	b := &m.blow
	b.after, b.mean = g.plan.Initial(), g.plan.Initial()
	b.row, b.unit = make([]float64, adjoint.PerBody*nb), make([]float64, dim)
	b.change, b.lambda = make([]float64, 6*nb), make([]float64, dim-6*nb)
	return nil
}

// columnOf returns the name of the column q or qd (what) of the freedom of a resistor.
func columnOf(m *mechanism.Mechanism, resistor int, what string) string {
	f, _ := m.Resistor(resistor)
	if m.Joints[f.Joint].Kind.Freedoms() > 1 {
		what += fmt.Sprint(f.Freedom)
	}
	return "joint." + m.JointName(f.Joint) + "." + what
}

// impact is an event at a stop: an impulse or, if it does not strike, the contact of the freedom with the spring of the stop, or its end.
// It implements adjoint.TangentEvent.
type impact struct {
	*impacts
	resistor int
	lower    bool // the lower limit is met, not the upper one
	strikes  bool // it is an impulse
}

// newImpact returns the event at a stop at the state st.
func (m *impacts) newImpact(resistor int, what sim.StopChange, st *mechanism.State) *impact {
	f, _ := m.mech.Resistor(resistor)
	q, _ := m.mech.Coordinate(f, st)
	set := m.mech.ResistorSettings(resistor)
	return &impact{impacts: m, resistor: resistor, lower: !(q-set.Upper > set.Lower-q), strikes: what == sim.StopImpact}
}

// Name implements adjoint.Event.
func (e *impact) Name() string {
	f, _ := e.mech.Resistor(e.resistor)
	return fmt.Sprintf("stop of joint %s, freedom %d", e.mech.JointName(f.Joint), f.Freedom)
}

// FunctionTo implements adjoint.Event: the function is the depth of the freedom in the stop.
func (e *impact) FunctionTo(x, p []float64, st *mechanism.State, scale float64) (float64, error) {
	if err := e.f.d.At(st); err != nil {
		return 0, err
	}
	if !e.lower {
		scale = -scale
	}
	clear(e.p)
	if _, err := e.f.PullTo(x, e.p, e.f.none, &term{output: e.at[e.resistor], raw: true}, -scale); err != nil {
		return 0, err
	}
	f, _ := e.mech.Resistor(e.resistor)
	for k := range p {
		p[k] += e.p[k]
		for _, q := range e.f.parameters[k] {
			lower, upper, _ := e.f.d.StopBy(q, f)
			if e.lower {
				upper = lower
			}
			p[k] += scale * upper
		}
	}
	return 0, nil
}

// JumpTo implements adjoint.Event, the transpose of theory.md (V19).
func (e *impact) JumpTo(x, p, y []float64, before *mechanism.State) error {
	for i, v := range y {
		x[i] += v
	}
	if !e.strikes {
		return nil
	}
	if err := e.strike(before); err != nil {
		return err
	}
	b := &e.blow
	clear(e.right)
	// Δv = v⁺ − v⁻ has the cotangents of v⁺.
	for i := range b.change {
		e.right[i] = y[adjoint.PerBody*(i/6)+6+i%6]
	}
	nu, err := e.answer(0)
	if err != nil {
		return err
	}
	// The residuals of (V19) but for the last row, which rebound takes.
	if err := e.f.d.ResidualBack(e.f.g, e.right, e.x); err != nil {
		return err
	}
	clear(e.y)
	e.f.g.TakeMotion(e.y)
	for i, v := range e.y {
		x[i] -= v
	}
	e.f.gradientTo(p, -1)
	return e.rebound(x, p, nu)
}

// PushTo implements adjoint.TangentEvent, theory.md (V19).
func (e *impact) PushTo(dz [][]float64, before *mechanism.State) error {
	if !e.strikes {
		return nil
	}
	if err := e.strike(before); err != nil {
		return err
	}
	row, by := make([]float64, len(e.y)), make([]float64, len(e.p))
	// The last row of (V19): its derivatives by the state (row) and by the parameters (by).
	if err := e.rebound(row, by, 1); err != nil {
		return err
	}
	b := &e.blow
	for k := range dz {
		setOne(e.f, e.one, b.after, dz[k], k)
		if err := e.hold(); err != nil {
			return err
		}
		if err := e.f.d.ResidualTo(e.right, e.one, nil); err != nil {
			return err
		}
		for i := range e.right {
			e.right[i] = -e.right[i]
		}
		back := by[k] // the change of the last row
		for i, v := range row {
			back += v * dz[k][i]
		}
		if _, err := e.answer(back); err != nil {
			return err
		}
		for i := range b.change {
			dz[k][adjoint.PerBody*(i/6)+6+i%6] += e.x[i]
		}
	}
	return nil
}

// strike computes e.blow from the state before an impulse, and holds the residual of (V19) there.
func (e *impact) strike(before *mechanism.State) error {
	b, d := &e.blow, e.f.d
	if err := d.At(before); err != nil {
		return err
	}
	// The rate before it, g·v⁻, and the row g.
	_, b.e = e.mech.ImpactSpeed(e.resistor)
	b.rate = d.OutputValue(e.f.outputs[e.at[e.resistor]+1])
	clear(b.row)
	clear(e.p)
	if _, err := e.f.PullTo(b.row, e.p, e.f.none, &term{output: e.at[e.resistor] + 1, raw: true}, 1); err != nil {
		return err
	}
	// A·gᵀ: the change of velocities by a unit impulse.
	if err := e.hit.At(before); err != nil {
		return err
	}
	clear(e.right)
	for i := range b.change {
		e.right[i] = b.row[adjoint.PerBody*(i/6)+6+i%6]
	}
	if _, _, err := e.hit.AnswerTo(b.unit, e.right); err != nil {
		return err
	}
	// The impulse of docs/stops-and-friction.md (J4), and Δv and λ of theory.md (V19).
	b.gAg = e.rowOf(b.unit)
	b.impulse = -(1 + b.e) * b.rate / b.gAg
	for i := range b.change {
		b.change[i] = b.impulse * b.unit[i]
	}
	for i := range b.lambda {
		b.lambda[i] = -b.impulse * b.unit[len(b.change)+i]
	}
	// The states with v⁺ and with w, at which (V19) is differentiated.
	e.stateTo(b.after, before, 1)
	e.stateTo(b.mean, before, 1/(1+b.e))
	return e.hold()
}

// stateTo stores in st the state before an impulse, with part times the change of its velocities added.
func (e *impact) stateTo(st, before *mechanism.State, part float64) {
	st.Time, st.Angles, st.Internal, st.Bearings = before.Time, before.Angles, before.Internal, before.Bearings
	for i := range before.Bodies {
		st.Bodies[i] = before.Bodies[i]
		arm := before.Bodies[i].Rotation.Rotate(e.mech.Bodies[i].Com)
		st.Bodies[i].AddComVelocity(part, (*[6]float64)(e.blow.change[6*i:]), &arm)
	}
}

// hold holds the residual of the first two equations of theory.md (V19) at the state after the impulse, with Δv, λ and π held.
func (e *impact) hold() error {
	f, _ := e.mech.Resistor(e.resistor)
	b := &e.blow
	return e.f.d.HoldImpulse(b.after, b.change, b.lambda, f, b.impulse)
}

// rowOf returns g·change, the change of the freedom's rate by a change of velocities.
func (e *impact) rowOf(change []float64) (sum float64) {
	for i := range e.blow.change {
		sum += e.blow.row[adjoint.PerBody*(i/6)+6+i%6] * change[i]
	}
	return sum
}

// answer stores in e.x the solution of (V19): for the right side e.right of the bodies and the rows of the joints, and −back for the row of
// the freedom. It returns the factor nu of the unit impulse in it.
func (e *impact) answer(back float64) (nu float64, err error) {
	if _, _, err := e.hit.AnswerTo(e.x, e.right); err != nil {
		return 0, err
	}
	nu = (-back - e.rowOf(e.x)) / e.blow.gAg
	for i, u := range e.blow.unit {
		e.x[i] += nu * u
	}
	return nu, nil
}

// rebound adds to x and p scale times the derivatives of the last row of theory.md (V19), g·v⁺ + e·g·v⁻, with the change of velocities
// held.
func (e *impact) rebound(x, p []float64, scale float64) error {
	b := &e.blow
	if err := e.f.d.At(b.mean); err != nil {
		return err
	}
	clear(e.p)
	if _, err := e.f.PullTo(x, e.p, e.f.none, &term{output: e.at[e.resistor] + 1, raw: true}, scale*(1+b.e)); err != nil {
		return err
	}
	f, _ := e.mech.Resistor(e.resistor)
	for k := range p {
		p[k] += e.p[k]
		for _, q := range e.f.parameters[k] {
			_, _, restitution := e.f.d.StopBy(q, f)
			p[k] += scale * restitution * b.rate
		}
	}
	return nil
}
