package tree

import "math"

// This file factors a positive definite BranchMatrix without fill-in (RBDA
// §6.5): H = LᵀL or H = LᵀDL with L lower triangular. Rows are eliminated from
// the tips to the root; row k changes only the rows on its root path, each by a
// multiple of its own beginning.

// FactorLTL replaces b by L of LᵀL.
//
// Cost: O(Σ depth²), no allocation.
// It returns a *PivotError if b is not positive definite; b is then undefined.
// It panics if b is factored.
func (b *BranchMatrix) FactorLTL() error { return b.factor(factorLTL) }

// FactorLTDL replaces b by L and D of LᵀDL. D is stored on the diagonal, in place of the ones of L.
//
// Cost: O(Σ depth²), no square roots, no allocation.
// It returns a *PivotError as FactorLTL does. It panics if b is factored.
func (b *BranchMatrix) FactorLTDL() error { return b.factor(factorLDL) }

// group is the number of rows along a branch that are eliminated together, so that the rows above are read and written once for all of
// them.
const group = 4

// factor eliminates the rows from the tips to the root: group rows at a time where so many follow each other on a branch, else one row.
func (b *BranchMatrix) factor(what content) error {
	b.mustHold(symmetric)
	b.what = what
	p := b.plan
	for k := p.nv - 1; k >= 0 && !b.watch.Up(); {
		n := 1
		for n < group && k-n >= 0 && p.DofParent[k-n+1] == int32(k-n) {
			n++
		}
		if n < group {
			n = 1
		}
		if err := b.eliminate(k, n); err != nil {
			return err
		}
		k -= n
	}
	return nil
}

// eliminate subtracts multiples of the rows k, k−1, …, k−n+1 from the rows above them, and makes them rows of L. Each of these rows is the
// parent of the one before, and n is 1 or group. All rows after k have been eliminated.
func (b *BranchMatrix) eliminate(k, n int) error {
	p := b.plan
	var rows [group][]float64
	var inv [group]float64
	for g := range n {
		row := b.Row(k - g)
		e := len(row) - 1
		d := row[e]
		if !(d > 0) || math.IsInf(d, 1) {
			return p.pivotError(k-g, d)
		}
		rows[g], inv[g] = row, 1/d
		for up := g + 1; up < n; up++ {
			e--
			subtract(b.Row(k-up), row[e]*inv[g], row[:e+1])
		}
	}
	// Rows above the group.
	e := len(rows[n-1]) - 2
	for i := p.DofParent[k-n+1]; i >= 0 && !b.watch.Every(e); i = p.DofParent[i] {
		dst := b.Row(int(i))
		if n == group {
			subtract4(dst, &rows, &inv, e)
		} else {
			subtract(dst, rows[0][e]*inv[0], rows[0][:e+1])
		}
		e--
	}
	for g := range n {
		b.scale(rows[g], inv[g])
	}
	return nil
}

// scale turns an eliminated row into a row of L. inv is the inverse of its pivot.
func (b *BranchMatrix) scale(row []float64, inv float64) {
	e := len(row) - 1
	if b.what == factorLTL {
		row[e] = math.Sqrt(row[e])
		inv = 1 / row[e]
	}
	row = row[:e]
	for j := range row {
		row[j] *= inv
	}
}

// subtract subtracts a·x from the beginning of dst.
func subtract(dst []float64, a float64, x []float64) {
	dst = dst[:len(x)]
	for j, v := range x {
		dst[j] -= a * v
	}
}

// subtract4 subtracts from dst, the row of entry e, the multiples of four rows' beginnings that eliminate their entries e. inv has the
// inverse pivots of the four rows.
func subtract4(dst []float64, rows *[group][]float64, inv *[group]float64, e int) {
	x0, x1, x2, x3 := rows[0][:e+1], rows[1][:e+1], rows[2][:e+1], rows[3][:e+1]
	a0, a1, a2, a3 := x0[e]*inv[0], x1[e]*inv[1], x2[e]*inv[2], x3[e]*inv[3]
	dst = dst[:e+1]
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	dst = dst[:len(x0)]
	for j, v := range x0 {
		dst[j] -= a0*v + a1*x1[j] + (a2*x2[j] + a3*x3[j])
	}
}

// SolveTo stores in x the solution of H·x = rhs, with b a factor of H.
//
// Shapes: x and rhs have NumDof entries; they may be the same.
// Cost: O(entries of H), no allocation.
// It panics if b is not factored or on a length mismatch.
func (b *BranchMatrix) SolveTo(x, rhs []float64) {
	if len(x) != b.plan.nv || len(rhs) != b.plan.nv {
		panic("tree: length mismatch")
	}
	copy(x, rhs)
	b.solveLT(x)
	if b.what == factorLDL {
		b.solveD(x)
	}
	b.solveL(x)
}

// solveLT replaces x by L⁻ᵀx, from the tips to the root.
//
// Shapes: x has NumDof entries. Cost: O(entries of H), no allocation.
// It panics as SolveTo does, as solveL and solveD do.
func (b *BranchMatrix) solveLT(x []float64) {
	b.mustBeFactored(x)
	p := b.plan
	for k := p.nv - 1; k >= 0 && !b.watch.Every(k); k-- {
		row := b.Row(k)
		e := len(row) - 1
		if b.what == factorLTL {
			x[k] /= row[e]
		}
		v := x[k]
		if v == 0 {
			continue
		}
		for i := p.DofParent[k]; i >= 0; i = p.DofParent[i] {
			e--
			x[i] -= row[e] * v
		}
	}
}

// solveL replaces x by L⁻¹x, from the root to the tips.
func (b *BranchMatrix) solveL(x []float64) {
	b.mustBeFactored(x)
	p := b.plan
	for k := 0; k < p.nv && !b.watch.Every(k); k++ {
		row := b.Row(k)
		e := len(row) - 1
		v := x[k]
		for i := p.DofParent[k]; i >= 0; i = p.DofParent[i] {
			e--
			v -= row[e] * x[i]
		}
		if b.what == factorLTL {
			v /= row[len(row)-1]
		}
		x[k] = v
	}
}

// mulL replaces x by L·x. b is the factor L of LᵀL.
func (b *BranchMatrix) mulL(x []float64) {
	p := b.plan
	for k := p.nv - 1; k >= 0; k-- {
		row := b.Row(k)
		e := len(row) - 1
		v := row[e] * x[k]
		for i := p.DofParent[k]; i >= 0; i = p.DofParent[i] {
			e--
			v += row[e] * x[i]
		}
		x[k] = v
	}
}

// solveD replaces x by D⁻¹x; after FactorLTL, where D is the identity, it does
// nothing.
func (b *BranchMatrix) solveD(x []float64) {
	b.mustBeFactored(x)
	if b.what == factorLTL {
		return
	}
	for k := range x {
		row := b.Row(k)
		x[k] /= row[len(row)-1]
	}
}

// mustBeFactored panics unless b is a factor and x has an entry for each of its rows.
func (b *BranchMatrix) mustBeFactored(x []float64) {
	if b.what == symmetric {
		panic("tree: matrix in the wrong state")
	}
	if len(x) != b.plan.nv {
		panic("tree: length mismatch")
	}
}
