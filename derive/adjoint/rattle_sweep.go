package adjoint

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// NewRattleTape returns an empty tape for runs of m by RATTLE. kept returns the accelerations, six a body, that the next step of the run
// takes over (motion.Rattle.Leaves); nil if the next step computes the accelerations of its start. States are added by AddStep.
//
// It panics without a mechanism or a function.
func NewRattleTape(m *mechanism.Mechanism, kept func(s Stand) []float64) *Tape {
	if kept == nil {
		panic("derive/adjoint: no accelerations of a step")
	}
	t := NewTape(m)
	t.kept = kept
	return t
}

// rattleRow reads a row of the tape of a run of RATTLE. It sets st, and returns the accelerations that the next step takes over, nil if
// that step computes them.
func (t *Tape) rattleRow(st *mechanism.State, row []float64) []float64 {
	n := st.FlatLen()
	st.SetFlat(row[:n])
	if row[n] == 0 {
		return nil
	}
	return row[n+1:]
}

// mustBeRattle panics unless t is the tape of a run of RATTLE with a step, without events, and not yet gone back over.
func mustBeRattle(t *Tape) {
	switch {
	case t.kept == nil || t.Steps() == 0:
		panic("derive/adjoint: a tape without a step of RATTLE")
	case t.spent:
		panic("derive/adjoint: a tape that has been gone back over")
	case len(t.jumps) > 0 || t.stopped != nil:
		panic("derive/adjoint: events over steps of RATTLE")
	}
}

// RattleSweep goes back over a run of RATTLE, as a Sweep does over a run of explicit steps. It owns its memory and belongs to one
// goroutine.
type RattleSweep[F any] struct {
	Growth *Growth // records the growth of the cotangents; may be nil

	step *rattleStep[F]
	none []float64 // zeros: no cotangents of accelerations
	acc  []float64
}

// NewRattleSweep returns a sweep for runs of m.
//
// It panics if an argument is nil.
func NewRattleSweep[F any](m *mechanism.Mechanism, field RattleField[F]) *RattleSweep[F] {
	if m == nil || field == nil {
		panic("derive/adjoint: a sweep takes a mechanism and a field")
	}
	six := 6 * m.NumBodies()
	return &RattleSweep[F]{step: newRattleStep(m, field), none: make([]float64, six), acc: make([]float64, six)}
}

// keptByRattle is the number of entries a body of Gradient.Kept for RATTLE: cotangents of accelerations.
const keptByRattle = 6

// Run stores in g[k] the value of objective k over the run on the tape, and its gradient, theory.md (V20). At the call, g[k].Kept has the
// cotangents of the accelerations that the last step leaves to the next one, or is empty, which means zeros. Afterwards it has the
// cotangents at the start of the tape; they are zeros if the run starts there. Rates are integrated by the trapezoidal rule over the steps.
//
// Cost: for each step three factors and, for each objective, some ten sweeps over the mechanism with a solve each, O(bodies + joints). It
// returns ErrChord or an error of Sweep.Run; g is then unspecified. It panics as Sweep.Run does, and if the tape has other steps or events.
func (s *RattleSweep[F]) Run(ctx context.Context, t *Tape, of []Objective[F], g []Gradient) error {
	mustBeRattle(t)
	if len(of) != len(g) {
		panic("derive/adjoint: not a gradient for each objective")
	}
	at, end := t.state.Clone(), t.state.Clone()
	t.rattleRow(end, t.last())
	for i := range g {
		if err := startBack(s.step.field, s.acc, s.none, &of[i], &g[i], end, keptByRattle); err != nil {
			return err
		}
	}
	s.Growth.See(end.Time, g)
	return t.walk(ctx, func(x, y []float64) error {
		a, next := t.rattleRow(at, x), t.rattleRow(end, y)
		if err := s.back(at, end, a, next, of, g); err != nil {
			return fault.Errorf("derive/adjoint: back over the step from t = %v: %w", at.Time, err)
		}
		s.Growth.See(at.Time, g)
		return nil
	})
}

// back takes the cotangents in g from the end of a step to its start: the rates over its second half, the step with its closing, the
// accelerations with which a run begins, and the rates over its first half.
func (s *RattleSweep[F]) back(at, end *mechanism.State, a, next []float64, of []Objective[F], g []Gradient) error {
	h := end.Time - at.Time
	if err := ratesInto(s.step.field, s.acc, s.none, end, h/2, of, g); err != nil {
		return err
	}
	// A run begins with the accelerations at its start.
	begins := a == nil
	if begins {
		if err := s.step.field.At(s.acc, at); err != nil {
			return err
		}
		a = append([]float64(nil), s.acc...)
	}
	s.step.span(at, end, a, next)
	gap, err := s.step.backOver(end, g)
	if err != nil {
		return err
	}
	for i := range g {
		g[i].Gap = max(g[i].Gap, gap)
	}
	if begins {
		if err := s.step.field.At(s.acc, at); err != nil {
			return err
		}
		for i := range g {
			if err := pullAccelerations[F](s.step.field, g[i].Start, g[i].Parameters, g[i].Kept); err != nil {
				return err
			}
			clear(g[i].Kept)
		}
	}
	return ratesInto(s.step.field, s.acc, s.none, at, h/2, of, g)
}

// RattleTangents go forward over a run of RATTLE along several directions: the transpose of a RattleSweep. They remember what the last step
// has left, so that one run can be given in several tapes. They own their memory and belong to one goroutine.
type RattleTangents[F any] struct {
	step *rattleStep[F]
	a    [][]float64 // changes of the accelerations that the next step takes over, by direction
	gap  float64
}

// NewRattleTangents returns tangents along n directions for runs of m.
//
// It panics if an argument is nil, or if n is negative.
func NewRattleTangents[F any](m *mechanism.Mechanism, field RattleField[F], n int) *RattleTangents[F] {
	if m == nil || field == nil || n < 0 {
		panic("derive/adjoint: tangents take a mechanism, a field and a number of directions")
	}
	return &RattleTangents[F]{step: newRattleStep(m, field), a: table(n, 6*m.NumBodies())}
}

// Gap returns the largest distance between the changes that have closed the joints and the least ones, as Gradient.Gap, over all steps that
// Run has gone over.
func (t *RattleTangents[F]) Gap() float64 { return t.gap }

// Run takes dx, changes of the first state on the tape, to the last one in place, as Tangents.Run does. Rates are integrated by the
// trapezoidal rule over the steps.
//
// Cost, errors and panics: as RattleSweep.Run, with directions in the place of objectives.
func (t *RattleTangents[F]) Run(ctx context.Context, tape *Tape, dx [][]float64, rates []*F, value []float64, d [][]float64) error {
	mustBeRattle(tape)
	if len(dx) != len(t.a) || len(value) != len(rates) || len(d) != len(rates) {
		panic("derive/adjoint: length mismatch")
	}
	at, end := tape.state.Clone(), tape.state.Clone()
	return tape.forward(ctx, func(x, y []float64) error {
		a, next := tape.rattleRow(at, x), tape.rattleRow(end, y)
		h := end.Time - at.Time
		err := ratesAlong(t.step.field, t.step.acc, at, h/2, dx, rates, value, d)
		if err == nil && len(dx) > 0 {
			err = t.push(at, end, a, next, dx)
		}
		if err == nil {
			err = ratesAlong(t.step.field, t.step.acc, end, h/2, dx, rates, value, d)
		}
		if err != nil {
			return fault.Errorf("derive/adjoint: along the step from t = %v: %w", at.Time, err)
		}
		return nil
	})
}

// push takes dx over the step from at to end. a are the accelerations that the step takes over, nil if it computes them, and next the
// accelerations that it leaves.
func (t *RattleTangents[F]) push(at, end *mechanism.State, a, next []float64, dx [][]float64) error {
	s := t.step
	if a == nil {
		if err := s.field.At(s.acc, at); err != nil {
			return err
		}
		a = append([]float64(nil), s.acc...)
		for k := range dx {
			if err := s.field.PushOneTo(t.a[k], dx[k], k); err != nil {
				return err
			}
		}
	}
	s.span(at, end, a, next)
	gap, err := s.ahead(end, dx, t.a)
	t.gap = max(t.gap, gap)
	return err
}
