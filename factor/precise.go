package factor

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/sparse"
)

// Precise is the factorization K − Γ = L·D·Lᵀ of a matrix with unit +1 blocks, computed with
// twice the digits of a double, theory.md (26). It takes the order of a Symbolic, and finds L
// row by row along its elimination tree (Davis 2006 §4.8).
//
// If the parts of a row differ by 10¹² in scale, its pivot is the small part. A double keeps
// four digits of the pivot, a Precise twenty. A Precise has no blocks, no team and no assembly, and
// takes some hundred times as long as a Factor.
type Precise struct {
	heeds

	p *sparse.Pattern

	old    []int32 // by permuted scalar: its original scalar
	node   []int32 // by permuted scalar: its node
	parent []int32 // elimination tree of the permuted scalars, −1 for roots
	rowPtr []int   // by permuted row: its first entry in rowInd and rowSrc; then their number
	rowInd []int32 // columns left of the diagonal
	rowSrc []int64 // indices in the values of the matrix
	ptr    []int   // by column of L: its first entry in ind and val
	ind    []int32
	val    []dd.Num

	d      []dd.Num  // pivots
	weak   []bool    // −1 rows whose pivot has been replaced by their scale
	pivots []float64 // by −1 row: minus its pivot over its scale
	next   []int     // while factoring: end of each column
	flag   []int32
	stack  []int32
	y      []dd.Num
	work   []dd.Num
	scale  []float64
	values []dd.Num
}

// NewPrecise analyses p in the order perm, perm[new] = old.
//
// Cost: O(nonzeros of L) time and memory, 20 bytes each.
func NewPrecise(p *sparse.Pattern, perm []int32) *Precise {
	inverse(p, perm) // panics if perm is none
	old := make([]int32, 0, p.Dim())
	for _, v := range perm {
		for i := p.Off[v]; i < p.Off[v+1]; i++ {
			old = append(old, i)
		}
	}
	return newPrecise(p, old)
}

// newPrecise is NewPrecise for an order of the scalars.
func newPrecise(p *sparse.Pattern, old []int32) *Precise {
	n := p.Dim()
	f := &Precise{
		p: p, old: old, node: make([]int32, n), parent: make([]int32, n),
		rowPtr: make([]int, n+1), ptr: make([]int, n+1),
		d: make([]dd.Num, n), weak: make([]bool, n), pivots: make([]float64, n),
		next: make([]int, n), flag: make([]int32, n), stack: make([]int32, 2*n), y: make([]dd.Num, n), work: make([]dd.Num, n),
	}
	place := make([]int32, n) // by original scalar: its permuted one
	for k, o := range old {
		place[o] = int32(k)
	}
	for v := range int32(p.Len()) {
		for i := p.Off[v]; i < p.Off[v+1]; i++ {
			f.node[place[i]] = v
		}
	}
	f.rows(place)
	f.columns()
	return f
}

// Postponed returns an analysis in which the given original scalars come last, in the order given.
//
// Cost: as NewPrecise; each of these scalars makes a full row of L. It panics if one is listed twice.
func (f *Precise) Postponed(last []int32) *Precise {
	late := make([]bool, len(f.old))
	for _, i := range last {
		if late[i] {
			panic("factor: not a permutation")
		}
		late[i] = true
	}
	old := make([]int32, 0, len(f.old))
	for _, o := range f.old {
		if !late[o] {
			old = append(old, o)
		}
	}
	out := newPrecise(f.p, append(old, last...))
	out.heeds = f.heeds
	return out
}

// rows lists the entries of each row of the permuted matrix left of its diagonal.
func (f *Precise) rows(place []int32) {
	p := f.p
	each := func(do func(row, col int32, src int64)) {
		for v := range int32(p.Len()) {
			for k := p.Ptr[v]; k < p.Ptr[v+1]; k++ {
				b := p.Ind[k]
				nr, nc := int32(p.Size[v]), int32(p.Size[b])
				for r := range nr {
					for c := range nc {
						i, j := place[p.Off[v]+r], place[p.Off[b]+c]
						do(max(i, j), min(i, j), p.Pos[k]+int64(r*nc+c))
					}
				}
			}
		}
	}
	each(func(row, _ int32, _ int64) { f.rowPtr[row+1]++ })
	for i := range f.old {
		f.rowPtr[i+1] += f.rowPtr[i]
	}
	f.rowInd, f.rowSrc = make([]int32, f.rowPtr[len(f.old)]), make([]int64, f.rowPtr[len(f.old)])
	at := append([]int(nil), f.rowPtr...)
	each(func(row, col int32, src int64) {
		f.rowInd[at[row]], f.rowSrc[at[row]] = col, src
		at[row]++
	})
}

// columns finds the elimination tree and the size of each column of L.
func (f *Precise) columns() {
	count := make([]int, len(f.old))
	for k := range f.old {
		f.parent[k], f.flag[k] = -1, int32(k)
		for _, i := range f.rowInd[f.rowPtr[k]:f.rowPtr[k+1]] {
			for ; f.flag[i] != int32(k); i = f.parent[i] {
				if f.parent[i] < 0 {
					f.parent[i] = int32(k)
				}
				count[i]++
				f.flag[i] = int32(k)
			}
		}
	}
	for i, c := range count {
		f.ptr[i+1] = f.ptr[i] + c
	}
	f.ind, f.val = make([]int32, f.ptr[len(count)]), make([]dd.Num, f.ptr[len(count)])
}

// Factorize computes L and D of the matrix. values are the numbers of its off-diagonal
// blocks in the order of sparse.Matrix.Val. A row of sign −1 counts as redundant if its pivot is at
// most tau times its scale, theory.md (26). The pivot is then replaced by the scale, as under WhereWeak, so
// that the multiplier of the row is zero if the right side is consistent.
//
// Shapes: scale has Dim entries in the original order. values and scale are kept, and must not
// change while the factor is used.
// Cost: some 15 ns for each multiplication of a Factor, no allocation. It returns a *PivotError
// if a pivot is not finite, or the pivot of a +1 row is not positive.
func (f *Precise) Factorize(values []sparse.Num, scale []float64, tau float64) error {
	if len(scale) != len(f.old) {
		panic("factor: length mismatch")
	}
	f.begin(values, scale)
	for k := range f.old {
		if err := f.pivot(k, f.row(k, len(f.old)), tau); err != nil {
			return err
		}
		if f.watch.Up() {
			return f.watch.Err()
		}
	}
	return nil
}

// begin prepares for the rows of a factorization.
func (f *Precise) begin(values []dd.Num, scale []float64) {
	f.values, f.scale = values, scale
	copy(f.next, f.ptr)
	for k := range f.flag {
		f.flag[k] = -1
	}
}

// row computes row k of L in the columns before limit, and returns the pivot. The reduced elements of
// the row in the other columns are in f.y.
func (f *Precise) row(k, limit int) dd.Num {
	n := len(f.old)
	f.flag[k] = int32(k)
	top := n
	for e := f.rowPtr[k]; e < f.rowPtr[k+1]; e++ {
		i := f.rowInd[e]
		f.y[i] = f.values[f.rowSrc[e]]
		// This entry fills row k in the columns on the path from i towards the root.
		l := 0
		for ; f.flag[i] != int32(k); i = f.parent[i] {
			f.stack[l] = i
			f.flag[i] = int32(k)
			l++
		}
		for l > 0 {
			l--
			top--
			f.stack[n+top] = f.stack[l]
		}
	}
	var d dd.Num
	if f.p.Sign[f.node[k]] > 0 {
		d = dd.Of(1)
	}
	for ; top < n; top++ {
		i := f.stack[n+top]
		if int(i) >= limit {
			continue
		}
		y := f.y[i]
		f.y[i] = dd.Num{}
		end := f.next[i]
		for q := f.ptr[i]; q < end; q++ {
			j := f.ind[q]
			f.y[j] = dd.Sub(f.y[j], dd.Mul(f.val[q], y))
		}
		l := dd.Div(y, f.d[i])
		d = dd.Sub(d, dd.Mul(l, y))
		f.ind[end], f.val[end] = int32(k), l
		f.next[i] = end + 1
	}
	return d
}

// LastOrder returns the last m scalars, all of sign −1, in the order of falling pivots: after the
// other scalars have been eliminated, the scalar with the largest pivot relative to its scale is
// always taken next. In a Postponed analysis with this order, no pivot is smaller than a later one, so
// no digits are lost by a small pivot.
//
// Cost: as Factorize, and O(m³). There is no factor afterwards. It returns a *PivotError as
// Factorize does.
func (f *Precise) LastOrder(values []sparse.Num, scale []float64, m int) ([]int32, error) {
	f.begin(values, scale)
	n := len(f.old)
	s := make([][]dd.Num, m) // reduced matrix of the last rows, symmetric
	for k := range f.old {
		if f.watch.Up() {
			return nil, f.watch.Err()
		}
		d := f.row(k, n-m)
		if k < n-m {
			if err := f.pivot(k, d, 0); err != nil {
				return nil, err
			}
			continue
		}
		r := k - (n - m)
		s[r] = make([]dd.Num, m)
		s[r][r] = d
		for c := range r {
			s[r][c], s[c][r] = f.y[n-m+c], f.y[n-m+c]
			f.y[n-m+c] = dd.Num{}
		}
	}
	out := make([]int32, 0, m)
	taken := make([]bool, m)
	for range m {
		if f.watch.Up() {
			return nil, f.watch.Err()
		}
		best, size := -1, 0.0
		for r := range m {
			if v := -s[r][r].Hi / scale[f.old[n-m+r]]; !taken[r] && (best < 0 || v > size) {
				best, size = r, v
			}
		}
		taken[best] = true
		out = append(out, f.old[n-m+best])
		if !(size > 0) {
			continue // the rest is rounding
		}
		for r := range m {
			if taken[r] {
				continue
			}
			l := dd.Div(s[r][best], s[best][best])
			for c := range m {
				s[r][c] = dd.Sub(s[r][c], dd.Mul(l, s[best][c]))
			}
		}
	}
	return out, nil
}

// pivot stores the pivot d of row k, or minus its scale if the row counts as redundant. It returns a *PivotError if d cannot be a pivot;
// see Factorize.
func (f *Precise) pivot(k int, d dd.Num, tau float64) error {
	f.weak[k] = false
	bad := !algebra.Finite(d.Hi)
	if f.p.Sign[f.node[k]] > 0 {
		bad = bad || d.Hi <= 0
	} else {
		scale := f.scale[f.old[k]]
		f.pivots[k] = -d.Hi / scale
		if f.weak[k] = -d.Hi <= tau*scale; f.weak[k] {
			d = dd.Of(-scale)
		}
		bad = bad || d.Hi == 0
	}
	f.d[k] = d
	if bad {
		v := f.node[k]
		return &PivotError{Node: int(v), Row: int(f.old[k] - f.p.Off[v]), Value: d.Hi}
	}
	return nil
}

// SolveTo solves (K − Γ)·x = b, where Γ has the scales of the weak rows. x and b have Dim entries in the
// original order; they may be the same slice.
func (f *Precise) SolveTo(x, b []sparse.Num) {
	w := f.work
	for k, o := range f.old {
		w[k] = b[o]
	}
	for k := range w {
		if f.watch.Every(k) {
			return
		}
		for q := f.ptr[k]; q < f.ptr[k+1]; q++ {
			i := f.ind[q]
			w[i] = dd.Sub(w[i], dd.Mul(f.val[q], w[k]))
		}
	}
	for k := len(w) - 1; k >= 0 && !f.watch.Every(k); k-- {
		s := dd.Div(w[k], f.d[k])
		for q := f.ptr[k]; q < f.ptr[k+1]; q++ {
			s = dd.Sub(s, dd.Mul(f.val[q], w[f.ind[q]]))
		}
		w[k] = s
	}
	for k, o := range f.old {
		x[o] = w[k]
	}
}

// ResidualTo stores b − K·x in r, without the proximal term Γ of SolveTo. r overlaps neither x nor b.
func (f *Precise) ResidualTo(r, b, x []sparse.Num) {
	for k, o := range f.old {
		r[o] = b[o]
		if f.p.Sign[f.node[k]] > 0 {
			r[o] = dd.Sub(b[o], x[o])
		}
	}
	for k, o := range f.old {
		if f.watch.Every(k) {
			return
		}
		for e := f.rowPtr[k]; e < f.rowPtr[k+1]; e++ {
			c := f.old[f.rowInd[e]]
			v := f.values[f.rowSrc[e]]
			r[o] = dd.Sub(r[o], dd.Mul(v, x[c]))
			r[c] = dd.Sub(r[c], dd.Mul(v, x[o]))
		}
	}
}

// EachRow calls do for each row of sign −1 in elimination order, with three things: its
// original scalar, whether it counts as redundant, and its pivot relative to its scale before
// anything replaced it. The pivot is positive but for rounding.
func (f *Precise) EachRow(do func(scalar int32, weak bool, pivot float64)) {
	for k, v := range f.node {
		if f.p.Sign[v] < 0 {
			do(f.old[k], f.weak[k], f.pivots[k])
		}
	}
}
