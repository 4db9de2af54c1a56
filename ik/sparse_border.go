package ik

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// A centre of mass is one row through many bodies, which would fill the factor. So its rows border the system: with K
// the system without them and C the rows,
//
//	⎡ K  Cᵀ ⎤ ⎡ x ⎤   ⎡ b ⎤
//	⎣ C  −Γ ⎦ ⎣ λ ⎦ = ⎣ e ⎦,   x = x₀ − Z·λ,   (C·Z + Γ)·λ = C·x₀ − e,   K·x₀ = b,   K·Z = Cᵀ,
//
// one solve more a row, docs/inverse-kinematics.md (S5). Γ is the damping of soft rows.
type border struct {
	targets []int       // of the problem
	C       [][]float64 // rows in weighted coordinates, of the length of the system
	Z       [][]float64
	e       []float64 // right sides
	root    []float64 // √Γ; negative for absent rows
	S       []float64
	lambda  []float64
	own     []float64 // diagonal of S
	r       []float64
	drop    []bool
}

// newBorder returns the border of a system of dim numbers, nil if the targets have no centres of mass.
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

// look fills the rows at st.
func (b *border) look(s *sparseSystem, st *mechanism.State) {
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
			for k := range t.n { // R may be among the bodies
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

// dependentRow is the part of a row's own square that is left of a row which depends on others.
const dependentRow = 1e-12

// prepare solves for Z with the factor of the system.
func (b *border) prepare(s *sparseSystem) {
	for i := range b.C {
		if b.root[i] >= 0 {
			s.fac.SolveRefinedTo(b.Z[i], b.r, b.C[i], s.W, 0)
		}
	}
}

// solve adds the rows to the solution x₀ of the system at hand.
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

// eliminate solves S·λ = λ by Cholesky factors, in place. Rows that depend on those before get λ = 0.
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
