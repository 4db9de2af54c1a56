package ik

import (
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/mechanism"
)

// Set brings s to st, so that products, the Jacobian and errors are those at st, with its joints closed. st is not changed. After Reach, s
// is already at the state that Reach has stored, unless the method is the sparse one.
//
// Cost: O(bodies + joints), no allocation; with the sparse method the first call allocates another engine. It returns an error for a
// state that is not of the mechanism or cannot be closed. With the sparse method it also returns the errors of NewSolver for another
// engine.
func (s *Solver) Set(st *mechanism.State) error {
	if s.eng == nil {
		eng, err := s.p.newEngine(Options{Threads: s.o.Threads})
		if err != nil {
			return err
		}
		s.eng = eng
	}
	if err := s.eng.set(st); err != nil {
		s.placed = false
		return err
	}
	s.placed = true
	return nil
}

// at returns the engine, at the last state. It panics before Set or Reach.
func (s *Solver) at() engine {
	if !s.placed {
		panic("ik: no state: call Set or Reach first")
	}
	return s.eng
}

// Dims implements fik.Linear. It returns the number of rows with a weight, m, and the number of driven freedoms, n, as Problem.Dims does.
func (s *Solver) Dims() (m, n int) { return s.p.Dims() }

// JacobianTo stores in dst the effective Jacobian 𝒥 at the last state, which takes rates of the driven freedoms to rates of the targets,
// docs/inverse-kinematics.md (D3). Its rows are in the order of the targets, each multiplied by its weight, and for angles by the length
// of the problem too: with Options.Length 1 in the task and no weights the rows are in m and rad. Columns are in the order of
// Problem.Driven.
//
// Shapes: dst is m×n.
// Cost: with the driven engine min(m, n) solves, on a tree O(m·n); no allocation. It panics if dst is not m×n, or before Set or Reach.
func (s *Solver) JacobianTo(dst *fik.Dense) {
	if m, n := s.Dims(); dst.Rows != m || dst.Cols != n || len(dst.Data) != m*n {
		panic("ik: length mismatch")
	}
	s.at().jacobianTo(dst.Data)
}

// MulTo implements fik.Linear at the last state: it stores 𝒥·u in dst, m rates of the rows for n rates u of the driven freedoms.
//
// Cost: one solve, or on a tree O(bodies + m·n); no allocation. It panics on a length mismatch, or before Set or Reach.
func (s *Solver) MulTo(dst, u []float64) {
	if m, n := s.Dims(); len(dst) != m || len(u) != n {
		panic("ik: length mismatch")
	}
	s.at().MulTo(dst, u)
}

// MulTransTo implements fik.Linear at the last state: it stores 𝒥ᵀ·f in dst, n forces of the driven freedoms for m forces f of the rows.
//
// Cost: as MulTo. It panics on a length mismatch, or before Set or Reach.
func (s *Solver) MulTransTo(dst, f []float64) {
	if m, n := s.Dims(); len(dst) != n || len(f) != m {
		panic("ik: length mismatch")
	}
	s.at().MulTransTo(dst, f)
}

// ErrorsTo stores in dst the errors of the m rows at the last state, "wanted minus is", weighted as the rows of JacobianTo are.
//
// Cost: O(targets), no allocation. It panics on a length mismatch, or before Set or Reach.
func (s *Solver) ErrorsTo(dst []float64) {
	if len(dst) != s.p.m {
		panic("ik: length mismatch")
	}
	s.at().errorsTo(dst)
}
