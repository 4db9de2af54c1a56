package adjoint

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rung-mbd/rung/mechanism"
)

// bend marks a step that is differentiated in parts.
type bend struct {
	step int         // number of the step, from 1
	at   [][]float64 // states between the parts, flat
}

// Split says that a force has a corner within the step added last. parts are states within the step, in time order and close to the corner
// on both sides: derivatives are taken over the parts of the step between them, theory.md (V23). The stages of the whole step lie on both
// sides of the corner, so that its derivative differs from the derivative of the motion, however small the change.
//
// Cost: O(bodies) a state, allocates. It panics without a step, and on tapes of implicit steps.
func (t *Tape) Split(parts []*mechanism.State) {
	if t.steps < 1 || t.end != nil || t.kept != nil {
		panic("derive/adjoint: a tape without an explicit step")
	}
	if len(parts) == 0 {
		return
	}
	s := bend{step: t.steps}
	for _, st := range parts {
		flat := make([]float64, len(t.first))
		st.FlatTo(flat)
		s.at = append(s.at, flat)
	}
	t.bends = append(t.bends, s)
}

// partsOf returns the flat states between the parts of step k, numbered from 1; nil for a step in one part.
func (t *Tape) partsOf(k int) [][]float64 {
	i, found := slices.BinarySearchFunc(t.bends, k, func(s bend, k int) int { return cmp.Compare(s.step, k) })
	if !found {
		return nil
	}
	return t.bends[i].at
}

// ends is memory for the two ends of a part of a step.
type ends struct{ from, to *mechanism.State }

// part returns the ends of part i of the step from at to end. parts are the flat states between its parts.
func (e *ends) part(at, end *mechanism.State, parts [][]float64, i int) (from, to *mechanism.State) {
	if e.from == nil && len(parts) > 0 {
		e.from, e.to = at.Clone(), at.Clone()
	}
	from, to = at, end
	if i > 0 {
		from = e.from
		from.SetFlat(parts[i-1])
	}
	if i < len(parts) {
		to = e.to
		to.SetFlat(parts[i])
	}
	return from, to
}

// overPart computes part i of a step. The last of several parts may end elsewhere than the whole step did, as the run did not end a step at
// the corner. gap is the distance between both ends.
func (s *step[F]) overPart(from, to *mechanism.State, parts [][]float64, i int) (gap float64, err error) {
	if gap, err = s.over(from, to); err == nil || i == 0 || i < len(parts) {
		return gap, err
	}
	if e := new(StepError); errors.As(err, &e) {
		return e.Gap, nil
	}
	return gap, err
}
