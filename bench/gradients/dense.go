package main

import (
	"errors"

	"github.com/rung-mbd/rung/internal/dd"
)

// dense solves M·a − Jᵀ·λ = f, J·a = g with 32 digits, by a dense factor L·D·Lᵀ of J·M⁻¹·Jᵀ with diagonal pivots. Rows of J that
// depend on rows already eliminated are left out: their multipliers are 0.
type dense struct {
	bodies  int
	J       []sparseRow
	inverse [][]dd.Num // by body: inverse inertia about the centre of mass, world axes, nine numbers by row, then 1/mass
	kept    []int      // rows of J that are not left out, in the order of pivots
	L       [][]dd.Num // rows in the order of pivots, without the unit diagonal
	D       []dd.Num   // pivots
}

// sparseRow is a row of J: six numbers for each of two bodies, −1 for none.
type sparseRow struct {
	body [2]int
	x    [2][6]dd.Num
}

// dependent is the pivot, relative to the diagonal entry before elimination, up to which a row counts as dependent on others. Poses of
// models have 16 digits and pivots are squares, so the pivots of dependent rows are about 1e-32.
const dependent = 1e-24

// newDense returns the factored system of the bodies of t and the rows. It returns an error if a body has no mass or inertia.
func newDense(t *truth, rows []row) (*dense, error) {
	d := &dense{bodies: len(t.bodies)}
	for i := range t.bodies {
		inv, err := t.bodies[i].inverse()
		if err != nil {
			return nil, err
		}
		d.inverse = append(d.inverse, inv)
	}
	for i := range rows {
		J := rows[i].jacobian(t.bodies)
		r := sparseRow{body: [2]int{rows[i].a, rows[i].b}}
		for side := range J {
			for k := range J[side] {
				r.x[side][k] = J[side][k].v
			}
		}
		d.J = append(d.J, r)
	}
	d.factor()
	return d, nil
}

// inverse returns the inverse of the inertia in world axes, row by row, and 1/mass.
func (s *solid) inverse() ([]dd.Num, error) {
	var I [3]triple
	for k := range I {
		var e triple
		e[k].v = dd.Of(1)
		I[k] = s.moment(e)
	}
	n := I[0].cross(I[1])
	det := n.dot(I[2])
	if !(dd.Float(det.v) > 0) || !(dd.Float(s.mass.v) > 0) {
		return nil, errors.New("a body has no mass or inertia")
	}
	var inv []dd.Num
	for k := range 3 {
		c := I[(k+1)%3].cross(I[(k+2)%3])
		for i := range c {
			inv = append(inv, dd.Div(c[i].v, det.v))
		}
	}
	return append(inv, dd.Div(dd.Of(1), s.mass.v)), nil
}

// apply stores M⁻¹·x of one body in y, six numbers each, angular first.
func (d *dense) apply(y, x []dd.Num, body int) {
	inv := d.inverse[body]
	for k := range 3 {
		sum := dd.Num{}
		for c := range 3 {
			sum = dd.Add(sum, dd.Mul(inv[3*k+c], x[c]))
		}
		y[k], y[3+k] = sum, dd.Mul(inv[9], x[3+k])
	}
}

// factor makes and factors J·M⁻¹·Jᵀ.
func (d *dense) factor() {
	n := len(d.J)
	S := make([][]dd.Num, n)
	for i := range S {
		S[i] = make([]dd.Num, n)
	}
	of := make([][]int, d.bodies) // by body: its rows so far
	for i := range d.J {
		for side, b := range d.J[i].body {
			if b < 0 {
				continue
			}
			var y [6]dd.Num
			d.apply(y[:], d.J[i].x[side][:], b)
			for _, k := range append(of[b], i) {
				for other, c := range d.J[k].body {
					if c != b {
						continue
					}
					x := S[i][k]
					for m := range y {
						x = dd.Add(x, dd.Mul(y[m], d.J[k].x[other][m]))
					}
					S[i][k], S[k][i] = x, x
				}
			}
			of[b] = append(of[b], i)
		}
	}
	own := make([]float64, n) // diagonal before elimination
	left := make([]int, n)    // rows that are not eliminated yet
	for i := range own {
		own[i], left[i] = S[i][i].Hi, i
	}
	for len(left) > 0 {
		best := 0
		for k, i := range left {
			if S[i][i].Hi*own[left[best]] > S[left[best]][left[best]].Hi*own[i] {
				best = k
			}
		}
		p := left[best]
		if !(S[p][p].Hi > dependent*own[p]) {
			break
		}
		left = append(left[:best], left[best+1:]...)
		d.eliminate(S, p, left)
	}
	for i, p := range d.kept {
		line := make([]dd.Num, i)
		for k, q := range d.kept[:i] {
			line[k] = S[p][q]
		}
		d.L = append(d.L, line)
	}
}

// eliminate eliminates row p from the rows that are left. Column p of S then has the column of L.
func (d *dense) eliminate(S [][]dd.Num, p int, left []int) {
	pivot := S[p][p]
	d.kept, d.D = append(d.kept, p), append(d.D, pivot)
	for _, i := range left {
		if S[i][p] == (dd.Num{}) {
			continue
		}
		l := dd.Div(S[i][p], pivot)
		for _, k := range left {
			if k <= i && S[p][k] != (dd.Num{}) {
				x := dd.Sub(S[i][k], dd.Mul(l, S[p][k]))
				S[i][k], S[k][i] = x, x
			}
		}
		S[i][p] = l
	}
}

// solve returns a and λ for the right sides f and g, which are not changed.
func (d *dense) solve(f, g []dd.Num) (a, lambda []dd.Num) {
	a, lambda = make([]dd.Num, len(f)), make([]dd.Num, len(g))
	for b := range d.bodies {
		d.apply(a[6*b:][:6], f[6*b:][:6], b)
	}
	x := make([]dd.Num, len(d.kept))
	for i, p := range d.kept {
		x[i] = g[p]
		r := &d.J[p]
		for side, b := range r.body {
			for k := 0; b >= 0 && k < 6; k++ {
				x[i] = dd.Sub(x[i], dd.Mul(r.x[side][k], a[6*b+k]))
			}
		}
		for k, l := range d.L[i] {
			if l != (dd.Num{}) {
				x[i] = dd.Sub(x[i], dd.Mul(l, x[k]))
			}
		}
	}
	for i := range x {
		x[i] = dd.Div(x[i], d.D[i])
	}
	for i := len(x) - 1; i >= 0; i-- {
		for k, l := range d.L[i] {
			if l != (dd.Num{}) {
				x[k] = dd.Sub(x[k], dd.Mul(l, x[i]))
			}
		}
	}
	push := make([]dd.Num, len(f)) // f + Jᵀ·λ
	copy(push, f)
	for i, p := range d.kept {
		lambda[p] = x[i]
		r := &d.J[p]
		for side, b := range r.body {
			for k := 0; b >= 0 && k < 6; k++ {
				push[6*b+k] = dd.Add(push[6*b+k], dd.Mul(r.x[side][k], x[i]))
			}
		}
	}
	for b := range d.bodies {
		d.apply(a[6*b:][:6], push[6*b:][:6], b)
	}
	return a, lambda
}
