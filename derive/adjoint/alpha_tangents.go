package adjoint

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// AlphaTangents go forward over a run of generalized-α along several directions: the transpose of an AlphaSweep. They remember what the
// last step has left, so that one run can be given in several tapes. They own their memory and belong to one goroutine.
type AlphaTangents[F any] struct {
	step  *alphaStep[F]
	z     []alphaState
	given [][]float64
	gap   float64
}

// NewAlphaTangents returns tangents along n directions for runs of m. k is as for NewAlphaSweep.
//
// It panics if an argument is nil, or if n is negative.
func NewAlphaTangents[F any](m *mechanism.Mechanism, k *sim.GeneralizedAlpha, field AlphaField[F], n int) *AlphaTangents[F] {
	if m == nil || k == nil || field == nil || n < 0 {
		panic("derive/adjoint: tangents take a mechanism, a method, a field and a number of directions")
	}
	t := &AlphaTangents[F]{step: newAlphaStep(m, k, field), given: make([][]float64, n)}
	for range n {
		t.z = append(t.z, newAlphaState(m.NumBodies()))
	}
	return t
}

// Gap returns the largest distance between projected velocities and the nearest ones on the joints, as Gradient.Gap, over all steps that
// Run has gone over.
func (t *AlphaTangents[F]) Gap() float64 { return t.gap }

// Run takes dx, changes of the first state on the tape, to the last one in place, as Tangents.Run does. Rates are integrated by the
// trapezoidal rule over the steps.
//
// Cost, errors and panics: as AlphaSweep.Run, with directions in the place of objectives.
func (t *AlphaTangents[F]) Run(ctx context.Context, tape *Tape, dx [][]float64, rates []*F, value []float64, d [][]float64) error {
	mustBeAlpha(tape)
	if len(dx) != len(t.z) || len(value) != len(rates) || len(d) != len(rates) {
		panic("derive/adjoint: length mismatch")
	}
	at, end := tape.state.Clone(), tape.state.Clone()
	return tape.forward(ctx, func(x, y []float64) error {
		from, to := tape.alphaRow(at, x), tape.alphaRow(end, y)
		if err := t.push(&from, &to, dx, rates, value, d); err != nil {
			return fault.Errorf("derive/adjoint: along the step from t = %v: %w", at.Time, err)
		}
		return nil
	})
}

// push takes dx over the step between from and to, and adds the integrals of the rates over it to value and their changes to d.
func (t *AlphaTangents[F]) push(from, to *sim.AlphaEnd, dx [][]float64, rates []*F, value []float64, d [][]float64) error {
	s, at := t.step, from.State
	h := to.State.Time - at.Time
	if err := ratesAlong(s.field, s.acc, at, h/2, dx, rates, value, d); err != nil {
		return err
	}
	if len(dx) > 0 {
		if err := t.begin(from, to, dx); err != nil {
			return err
		}
		s.span(at, to)
		if err := s.hold(to); err != nil {
			return err
		}
		for k := range dx {
			if err := s.stepAhead(&t.z[k], k); err != nil {
				return err
			}
		}
		if s.projects() {
			gap, err := s.holdRates(to.State)
			if err != nil {
				return err
			}
			t.gap = max(t.gap, gap)
		}
		for k := range dx {
			z := &t.z[k]
			if !s.projects() {
				clear(z.w)
			} else if err := s.ratesAhead(z, k); err != nil {
				return err
			}
			copy(dx[k], z.x)
		}
	}
	return ratesAlong(s.field, s.acc, to.State, h/2, dx, rates, value, d)
}

// begin stores in t.z the changes of all that a step takes over from its start, for the changes dx of the state there. The acceleration of
// the method is part of that: the step before has left it, or the step begins with a trial step.
func (t *AlphaTangents[F]) begin(from, to *sim.AlphaEnd, dx [][]float64) error {
	s, at := t.step, from.State
	h := to.State.Time - at.Time
	var b *beginning
	if to.Began || from.Step == 0 {
		var err error
		if b, err = s.begin(at, h); err != nil {
			return err
		}
	}
	for k := range dx {
		z := &t.z[k]
		copy(z.x, dx[k])
		if b == nil {
			s.keepAhead(z, h/from.Step)
			continue
		}
		clear(z.change)
		if err := s.beginAhead(at, b, z, k); err != nil {
			return err
		}
	}
	return nil
}

// ratesAlong adds the rates at st, times the weight w, to value, and their changes along dx to d.
func ratesAlong[F any](
	field TangentField[F], acc []float64, st *mechanism.State, w float64, dx [][]float64, rates []*F, value []float64, d [][]float64,
) error {
	if len(rates) == 0 {
		return nil
	}
	if err := field.At(acc, st); err != nil {
		return err
	}
	for j, f := range rates {
		x, err := field.ValueTo(d[j], dx, f, w)
		if err != nil {
			return err
		}
		value[j] += w * x
	}
	return nil
}
