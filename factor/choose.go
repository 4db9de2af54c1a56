package factor

import "github.com/rung-mbd/rung/sparse"

// ChooseRows chooses rows of sign −1 to keep, so that the other rows depend on them and no kept row depends on other kept
// ones (theory.md, "Spare rows"). kept[i] tells whether scalar i, in the original order, is kept; it is true for rows of sign +1.
// A row counts as dependent by the pivot limit of WhereWeak. In a front the row with the largest pivot, relative to its scale,
// is kept first. So a row that closes a short loop is kept before a row that closes the same loop through
// a long part of the mechanism, whose inertia makes the pivot small. Rows before a node of sign +1 in a front are chosen as if
// that node were at rest, and the choice is not revised behind it (theory.md, "Hubs").
//
// Shapes and panics are as for Factorize; kept has Dim entries. There is no valid factor afterwards.
// Cost: as Factorize in loops without vectors, some ten times as long; allocates. It returns a *PivotError as Factorize does,
// and the cause for which a context has ended.
func (f *Factor) ChooseRows(kept []bool, m *sparse.Matrix, scale []float64, eps float64) error {
	f.mustBe()
	p := f.Symbolic.Pattern
	if len(kept) != p.Dim() {
		panic("factor: length mismatch")
	}
	first := p.Off[p.Positive()]
	for i := range kept {
		kept[i] = i < int(first)
	}
	f.kept = kept
	err := f.Factorize(m, scale, eps, WhereWeak)
	f.kept, f.ok = nil, false
	return err
}
