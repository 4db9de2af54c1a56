package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// TangentEvent is an Event that also has its derivative along directions.
type TangentEvent interface {
	Event
	// PushTo replaces dz, the changes of the state before the action along each direction, by the changes of the state after it. Along
	// direction k parameter k changes by 1, too. It is not called for events that only stop the run.
	PushTo(dz [][]float64, before *mechanism.State) error
}

// passage is memory for taking tangents over an event.
type passage struct{ before, after, slope, p []float64 }

// cross replaces the changes dx of the state before an event by the changes of the state after it, the transpose of theory.md (V16). It
// adds to d the changes of the integrals of the rates with the time of the event. after is nil if the run ends at the event.
func (t *Tangents[F]) cross(e Event, before, after *mechanism.State, dx [][]float64, rates []*F, d [][]float64) error {
	if len(dx) == 0 {
		return nil
	}
	if err := t.passing(e, before, after, dx, rates, d); err != nil {
		return fault.Errorf("derive/adjoint: event at t = %v: %w", before.Time, err)
	}
	return nil
}

// passing is cross with at least one direction; its errors do not name the time of the event.
func (t *Tangents[F]) passing(e Event, before, after *mechanism.State, dx [][]float64, rates []*F, d [][]float64) error {
	m := &t.passage
	n := PerBody * len(before.Bodies)
	m.before, m.after, m.slope, m.p = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, len(dx))
	jumps := make([]float64, len(rates)) // r⁻ − r⁺ by rate; r⁻ where the run ends
	if err := t.flowTo(m.before, before, rates, jumps, 1); err != nil {
		return err
	}
	if err := t.join(before, always, dx); err != nil {
		return err
	}
	if after != nil {
		if err := t.flowTo(m.after, after, rates, jumps, -1); err != nil {
			return err
		}
	}
	byTime, err := e.FunctionTo(m.slope, m.p, before, 1)
	if err != nil {
		return err
	}
	rate, err := crossingRate(e, m.slope, m.before, byTime, before.Time)
	if err != nil {
		return err
	}
	later := make([]float64, len(dx)) // δt*, the change of the time of the event, by direction
	for k := range dx {
		later[k] = -(algebra.Dot(m.slope, dx[k]) + m.p[k]) / rate
		for i, v := range m.before {
			dx[k][i] += v * later[k]
		}
		for j := range rates {
			d[j][k] += jumps[j] * later[k]
		}
	}
	if after == nil {
		return nil
	}
	x, ok := e.(TangentEvent)
	if !ok {
		return fault.Errorf("derive/adjoint: event %s has no derivative along directions", fault.Name(e.Name()))
	}
	if err := x.PushTo(dx, before); err != nil {
		return err
	}
	for k := range dx {
		for i, v := range m.after {
			dx[k][i] -= v * later[k]
		}
	}
	return nil
}

// flowTo stores in f the time derivative of the state st, and adds sign times the rates there to values.
func (t *Tangents[F]) flowTo(f []float64, st *mechanism.State, rates []*F, values []float64, sign float64) error {
	if err := t.step.flowTo(f, st); err != nil {
		return err
	}
	for j, r := range rates {
		x, err := t.fields[0].ValueTo(nil, nil, r, 1)
		if err != nil {
			return err
		}
		values[j] += sign * x
	}
	return nil
}

// flowTo stores in f the time derivative of the state st, PerBody numbers a body: ω, ċ, ω̇ and c̈. It leaves the field of the first stage
// at st.
func (s *step[F]) flowTo(f []float64, st *mechanism.State) error {
	if err := s.stages[0].field.At(s.acc, st); err != nil {
		return err
	}
	for i := range st.Bodies {
		b, v := &st.Bodies[i], (*[6]float64)(f[PerBody*i:])
		arm := b.Rotation.Mat().MulVec(s.mech.Bodies[i].Com)
		b.ComVelocityTo(v, &arm)
		copy(f[PerBody*i+6:][:6], s.acc[6*i:])
	}
	return nil
}

// crossingRate returns ḣ of (V16). slope holds the derivatives of the event function by the state, flow the time derivative of the state,
// and byTime the partial derivative by time. It returns a *GrazingError if the function only grazes zero.
func crossingRate(e Event, slope, flow []float64, byTime, time float64) (float64, error) {
	rate, terms := byTime, math.Abs(byTime)
	for i, x := range slope {
		rate, terms = rate+x*flow[i], terms+math.Abs(x*flow[i])
	}
	if !(math.Abs(rate) > grazingTol*terms) {
		return 0, &GrazingError{Time: time, Name: e.Name(), Rate: rate / terms}
	}
	return rate, nil
}
