package adjoint

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rung-mbd/rung/mechanism"
)

// bend is a step that is differentiated in parts.
type bend struct {
	step int
	at   [][]float64 // states between the parts, flat
}

// Split says that forces have a corner in the last step that was added, and at which states within it the step is taken apart for
// derivatives, theory.md (V23): in time order, and near to the corner on both sides of it. The step as it was done has its stages on either
// side, and the derivative of that is not the one of the motion, however small the change.
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

// partsOf returns the states between the parts of step k, numbered from 1.
func (t *Tape) partsOf(k int) [][]float64 {
	i, found := slices.BinarySearchFunc(t.bends, k, func(s bend, k int) int { return cmp.Compare(s.step, k) })
	if !found {
		return nil
	}
	return t.bends[i].at
}

// ends are the memory for the ends of parts of a step.
type ends struct{ from, to *mechanism.State }

// part returns the ends of part i of a step from at to end.
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

// overPart computes part i of a step. The last of several parts may end where the step as a whole did not: the corner was not an end of
// it. The gap tells by how much.
func (s *step[F]) overPart(from, to *mechanism.State, parts [][]float64, i int) (gap float64, err error) {
	if gap, err = s.over(from, to); err == nil || i == 0 || i < len(parts) {
		return gap, err
	}
	if e := new(StepError); errors.As(err, &e) {
		return e.Gap, nil
	}
	return gap, err
}
