package ik

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// border has the rows of centres of mass. Such a row touches many bodies and would fill the factor, so these rows border the system: with K
// the system without them and C the rows,
//
//	⎡ K  Cᵀ ⎤ ⎡ x ⎤   ⎡ b ⎤
//	⎣ C  −Γ ⎦ ⎣ λ ⎦ = ⎣ e ⎦,   x = x₀ − Z·λ,   (C·Z + Γ)·λ = C·x₀ − e,   K·x₀ = b,   K·Z = Cᵀ,
//
// which takes one more solve a row, docs/inverse-kinematics.md (S5). Γ is the damping of soft rows.
type border struct {
	targets []int       // numbers of the targets of type Com
	C       [][]float64 // by row, in weighted coordinates, as long as the system
	Z       [][]float64 // by row: its column
	e       []float64   // right sides
	root    []float64   // √Γ; negative for absent rows
	S       []float64   // C·Z + Γ
	lambda  []float64
	own     []float64 // diagonal of S
	r       []float64 // memory of refinement
	drop    []bool    // by row: it depends on rows before it
}

// newBorder returns the border of a system of dim numbers. It returns nil if no target is of type Com.
func newBorder(targets []target, dim int) *border {
	b := &border{}
	n := 0
	for i := range targets {
		if t := &targets[i]; t.Type == Com {
			b.targets = append(b.targets, i)
			n += t.n
		}
	}
	if n == 0 {
		return nil
	}
	for range n {
		b.C, b.Z = append(b.C, make([]float64, dim)), append(b.Z, make([]float64, dim))
	}
	b.e, b.root, b.lambda = make([]float64, n), make([]float64, n), make([]float64, n)
	b.S, b.drop = make([]float64, n*n), make([]bool, n)
	b.own, b.r = make([]float64, n), make([]float64, dim)
	return b
}

// setRows computes the rows at st.
func (b *border) setRows(s *sparseSystem, st *mechanism.State) {
	row := 0
	for _, i := range b.targets {
		t, g := &s.p.targets[i], s.shown[i]
		t.evaluateTo(g, s.layout.Mech, s.y.Kin, st)
		for k := range t.n {
			clear(b.C[row+k])
		}
		var w [6]float64
		for j := range g.sides {
			side := &g.sides[j]
			for k := range t.n { // added, as R may be one of the bodies
				s.weighTo(&w, side.body, &side.F[k])
				out := b.C[row+k][6*int(side.body):]
				for c, v := range w {
					out[c] += v
				}
			}
		}
		row += t.n
	}
}

// dependentRow is the pivot of a row, relative to its diagonal entry, at which the row counts as dependent on the rows before it.
const dependentRow = 1e-12

// prepare solves for the columns of Z with the factor of the system. Absent rows are left out.
func (b *border) prepare(s *sparseSystem) {
	for i := range b.C {
		if b.root[i] >= 0 {
			s.fac.SolveRefinedTo(b.Z[i], b.r, b.C[i], s.W, 0)
		}
	}
}

// solve changes s.x from the solution x₀ without the rows to the solution x with them.
func (b *border) solve(s *sparseSystem) {
	n := len(b.C)
	for i := range n {
		for j := range n {
			b.S[i*n+j] = 0
			if b.root[i] >= 0 && b.root[j] >= 0 {
				b.S[i*n+j] = algebra.Dot(b.C[i], b.Z[j])
			}
		}
		b.lambda[i] = 0
		if b.root[i] >= 0 {
			b.S[i*n+i] += b.root[i] * b.root[i]
			b.lambda[i] = algebra.Dot(b.C[i], s.x) - b.e[i]
		}
	}
	b.eliminate()
	for i, l := range b.lambda {
		if l != 0 {
			add(s.x, -l, b.Z[i])
		}
	}
}

// eliminate replaces λ, which has the right side, by the solution of S·λ = right side, by a factorization L·D·Lᵀ in place. Rows that depend
// on rows before them get λ = 0.
func (b *border) eliminate() {
	n := len(b.lambda)
	for i := range n {
		b.own[i] = b.S[i*n+i]
	}
	for j := range n {
		d := b.S[j*n+j]
		if b.drop[j] = !(d > dependentRow*b.own[j]); b.drop[j] {
			continue
		}
		for i := j + 1; i < n; i++ {
			l := b.S[i*n+j] / d
			for k := j + 1; k <= i; k++ {
				b.S[i*n+k] -= l * b.S[k*n+j]
			}
		}
		for i := j + 1; i < n; i++ {
			b.lambda[i] -= b.S[i*n+j] / d * b.lambda[j]
		}
	}
	for j := n - 1; j >= 0; j-- {
		if b.drop[j] {
			b.lambda[j] = 0
			continue
		}
		for i := j + 1; i < n; i++ {
			b.lambda[j] -= b.S[i*n+j] * b.lambda[i]
		}
		b.lambda[j] /= b.S[j*n+j]
	}
}
