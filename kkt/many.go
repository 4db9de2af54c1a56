package kkt

import (
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/spatial"
)

// abreast is the number of right sides that are solved together.
const abreast = kernel.Eight

// together is the memory for right sides that are solved together. Slices have abreast numbers for each row or body, one a right side.
type together struct {
	*factor.Together
	lean *lean     // the system without spare rows, if the factor is of that; else nil
	left []float64 // right sides of the spare rows, then their residuals
	near []float64 // by body: the squares of its accelerations; then zeros
}

// newTogether returns the memory for the factor that f has now.
func newTogether(f *Factored) *together {
	if !f.isLean() {
		return &together{Together: f.Factor.NewTogether()}
	}
	l := f.lean
	t := &together{Together: l.fac.NewTogether(), lean: l}
	if l.spare() > 0 {
		t.left, t.near = make([]float64, abreast*l.spare()), make([]float64, abreast*len(l.square))
		t.Spare = t.spareRatio
	}
	return t
}

// isOf reports whether t is for the factor that f has now.
func (t *together) isOf(f *Factored) bool { return (t.lean != nil) == f.isLean() }

// solveTogether is Answers.TogetherTo for up to eight right sides. It leaves the entries of accuracy without an answer as they are.
func (t *together) solveTogether(s *core, x, right [][]float64, accuracy []float64) {
	n := 6 * s.plan.mech.NumBodies()
	var most [abreast]uint64 // bits of the largest magnitude: they are in the order of the numbers, and those of NaN are the largest
	for i := 0; i < n; i += 6 {
		to := (*[6 * abreast]float64)(t.B[abreast*i:])
		for v, b := range right {
			var w [6]float64
			s.sys.AddWrenchTo(w[:], i/6, 1, (*spatial.Force)(b[i:]))
			for k, y := range w {
				to[abreast*k+v] = y
				most[v] = max(most[v], math.Float64bits(math.Abs(y)))
			}
		}
	}
	if t.lean == nil {
		gatherRows(t.B[abreast*n:], n, nil, right)
	} else {
		gatherRows(t.B[abreast*n:], 0, t.lean.rows.Row[n:], right)
		gatherRows(t.left, 0, t.lean.row[:len(t.left)/abreast], right)
	}
	var floor [abreast]float64
	for v, y := range most {
		floor[v] = math.Float64frombits(y)
	}
	errors := t.Solve(len(x), &floor)
	t.scatter(x)
	for v, to := range x {
		if !(errors[v] <= AccurateTol) {
			continue
		}
		if t.lean != nil {
			for _, row := range t.lean.row {
				to[row] = 0
			}
		}
		s.now.accelerations(to, to)
		accuracy[v] = errors[v]
	}
}

// tile is the number of rows that gatherRows and scatter move for one right side after the other. They are in the cache of the first level.
const tile = 32

// gatherRows stores in to the rows of the right sides that rows lists, or the rows from first on if rows is nil. Places that no right side
// has are zero.
func gatherRows(to []float64, first int, rows []int32, right [][]float64) {
	if len(right) < abreast {
		clear(to)
	}
	for n := len(to) / abreast; n > 0; n = len(to) / abreast {
		n = min(n, tile)
		for v, b := range right {
			if rows == nil {
				for i, y := range b[first:][:n] {
					to[abreast*i+v] = y
				}
				continue
			}
			for i, row := range rows[:n] {
				to[abreast*i+v] = b[row]
			}
		}
		to, first = to[abreast*n:], first+n
		if rows != nil {
			rows = rows[n:]
		}
	}
}

// scatter stores the solutions in the rows of the whole system that the factor has.
func (t *together) scatter(x [][]float64) {
	for lo, n := 0, len(t.X)/abreast; lo < n; lo += tile {
		hi := min(lo+tile, n)
		from := t.X[abreast*lo : abreast*hi]
		for v, to := range x {
			if t.lean == nil {
				to = to[lo:hi]
				for i := range to {
					to[i] = from[abreast*i+v]
				}
				continue
			}
			for i, row := range t.lean.rows.Row[lo:hi] {
				to[row] = from[abreast*i+v]
			}
		}
	}
}

// spareRatio is factor.Together.Spare: for each right side it returns the largest residual of a spare row relative to its terms, which
// include rest. It uses up the right sides in t.left.
func (t *together) spareRatio(rest *[abreast]float64) (ratio [abreast]float64) {
	l := t.lean
	for i := range l.bodies {
		x, near := t.X[abreast*6*i:], (*[abreast]float64)(t.near[abreast*i:])
		*near = [abreast]float64{}
		for k := range 6 {
			for v, y := range (*[abreast]float64)(x[abreast*k:]) {
				near[v] += y * y
			}
		}
		for _, b := range l.blocks[l.body[i]:l.body[i+1]] {
			kernel.SubMul8(t.left[abreast*int(b.Res):], l.whole.Val[b.W:], 6, 1, int(b.N), 6, x)
		}
	}
	lo := int32(0)
	for _, end := range l.ends {
		p, q := (*[abreast]float64)(t.near[abreast*end.bodies[0]:]), (*[abreast]float64)(t.near[abreast*end.bodies[1]:])
		var terms [abreast]float64
		for v, r := range rest {
			terms[v] = r*r + p[v] + q[v]
		}
		for ; lo < end.hi; lo++ {
			part := 1 / l.d[l.row[lo]]
			for v, r := range (*[abreast]float64)(t.left[abreast*lo:]) {
				if y := r * r * part; !(y <= ratio[v]*terms[v]) && ratio[v] == ratio[v] { // a NaN stays
					ratio[v] = y / terms[v]
				}
			}
		}
	}
	for v, y := range ratio {
		ratio[v] = math.Sqrt(y)
	}
	return ratio
}
