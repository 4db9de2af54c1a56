package tree

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// energy maps generalized forces f on the tree to the accelerations that they bring about within the motions that the loops allow,
//
//	q̈ = P·f,    P = G·(GᵀHG)⁻¹·Gᵀ,
//
// in coordinates z of these accelerations with |z|² = q̈ᵀHq̈. So motions are compared by their energy. It makes the inverse dynamics
// independent of the Method, which has factored the system at the state in use.
type energy interface {
	prepare() error
	dim() int                        // number of entries of z, at most the number of entries of q̇
	ofForce(z, f []float64)          // stores z of P·f
	toAcceleration(qdd, z []float64) // stores q̈ of z
}

// energyOf returns the energy for the method of s.
func energyOf(s *ClosedSolver) energy {
	if m, ok := s.how.(*projection); ok {
		return &projectedEnergy{s: s, m: m, x: make([]float64, m.n)}
	}
	n, rows := s.plan.nv, len(s.all)
	return &treeEnergy{
		s: s, L: s.plan.NewBranchMatrix(), qdd: make([]float64, n), lambda: make([]float64, rows), none: make([]float64, rows),
	}
}

// projectedEnergy is the energy of a projection, with one coordinate for each independent variable: with GᵀHG = R·Rᵀ,
//
//	z = R⁻¹·Gᵀ·f,    q̈ = G·R⁻ᵀ·z.
type projectedEnergy struct {
	s *ClosedSolver
	m *projection
	x []float64
}

func (e *projectedEnergy) prepare() error { return nil }

func (e *projectedEnergy) dim() int { return e.m.count }

// ofForce stores R⁻¹·Gᵀ·f in z.
//
// Cost: O(n·m).
func (e *projectedEnergy) ofForce(z, f []float64) {
	m := e.m
	for d, c := range e.s.colScale {
		e.x[d] = c * f[d]
	}
	m.restrict(z, e.x, len(m.elims))
	for i := range z {
		row := m.A[i*m.n : i*m.n+i+1]
		z[i] = (z[i] - floats.Dot(row[:i], z[:i])) / row[i]
	}
}

// toAcceleration solves Rᵀ·y = z and stores G·y. It costs O(n·m).
func (e *projectedEnergy) toAcceleration(qdd, z []float64) {
	m := e.m
	y := m.z[:m.count]
	copy(y, z)
	for i := m.count - 1; i >= 0; i-- {
		row := m.A[i*m.n : i*m.n+i+1]
		y[i] /= row[i]
		axpy(-y[i], row[:i], y[:i])
	}
	clear(qdd)
	m.prolong(qdd, y)
	for d, c := range e.s.colScale {
		qdd[d] *= c
	}
}

// treeEnergy is the energy of the other methods, with one coordinate for each freedom of the tree: with H = LᵀL,
//
//	z = L·q̈,    q̈ = L⁻¹·z,
//
// where q̈ = P·f is the solution of the closed-loop system for the loads f and
// k = 0.
type treeEnergy struct {
	s           *ClosedSolver
	L           *BranchMatrix
	qdd, lambda []float64
	none        []float64 // zeros, by row of K
}

func (e *treeEnergy) prepare() error {
	e.s.H.CopyTo(e.L)
	return e.L.FactorLTL()
}

func (e *treeEnergy) dim() int { return e.s.plan.nv }

// ofForce stores L·q̈ in z, with q̈ the accelerations of f alone.
//
// Cost: two solutions of the method; the second corrects the first.
func (e *treeEnergy) ofForce(z, f []float64) {
	s := e.s
	s.how.solveTo(s, e.qdd, e.lambda, f, e.none)
	s.residuals(e.qdd, e.lambda, f, e.none)
	s.how.solveTo(s, s.dq, s.dl, s.rf, s.rk)
	for d, x := range e.qdd {
		z[d] = x + s.dq[d]
	}
	e.L.mulL(z)
}

func (e *treeEnergy) toAcceleration(qdd, z []float64) {
	copy(qdd, z)
	e.L.solveL(qdd)
}

// norm2 returns the length of x.
func norm2(x []float64) float64 { return math.Sqrt(floats.Dot(x, x)) }
