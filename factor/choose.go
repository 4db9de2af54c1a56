package factor

import "github.com/rung-mbd/rung/sparse"

// ChooseRows stores in kept which rows of sign −1 to keep such that the others depend on them and no row that is kept depends
// on others: theory.md, "Spare rows". Rows count as dependent as under WhereWeak. In a front the row with the largest pivot,
// relative to its scale, is kept first. So a row that closes a short loop is kept before one that closes the same loop through
// a long part of the mechanism, whose inertia makes its pivot small. Rows before a node of sign +1 are chosen as if that were at
// rest, and are not asked again behind it (theory.md, "Hubs"). Entries of rows of sign +1 become true.
//
// Shapes and panics are those of Factorize; kept has Dim entries. There is no factor afterwards.
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
