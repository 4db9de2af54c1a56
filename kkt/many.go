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

// rowAt returns the row of the whole system for row i of the factor.
func (t *together) rowAt(i int) int {
	if t.lean != nil {
		return int(t.lean.rows.Row[i])
	}
	return i
}

// solveTogether is Answers.TogetherTo for up to eight right sides. It leaves the entries of accuracy without an answer as they are.
func (t *together) solveTogether(s *core, x, right [][]float64, accuracy []float64) {
	n := 6 * s.plan.mech.NumBodies()
	var floor [abreast]float64
	for i := 0; i < n; i += 6 {
		to := (*[6 * abreast]float64)(t.B[abreast*i:])
		for v, b := range right {
			var w [6]float64
			s.sys.AddWrenchTo(w[:], i/6, 1, (*spatial.Force)(b[i:]))
			for k, y := range w {
				to[abreast*k+v] = y
				floor[v] = max(floor[v], math.Abs(y))
			}
		}
	}
	for i := n; i < len(t.B)/abreast; i++ {
		t.gatherRow(t.B, i, t.rowAt(i), right)
	}
	for i := range len(t.left) / abreast {
		t.gatherRow(t.left, i, int(t.lean.row[i]), right)
	}
	errors := t.Solve(len(x), &floor)
	for i := range len(t.X) / abreast {
		from, row := (*[abreast]float64)(t.X[abreast*i:]), t.rowAt(i)
		for v, to := range x {
			to[row] = from[v]
		}
	}
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

// gatherRow stores a row of the right sides in row i of to. Places that no right side has are zero.
func (t *together) gatherRow(to []float64, i, row int, right [][]float64) {
	at := (*[abreast]float64)(to[abreast*i:])
	*at = [abreast]float64{}
	for v, b := range right {
		at[v] = b[row]
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
