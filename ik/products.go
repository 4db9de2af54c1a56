package ik

import (
	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/mechanism"
)

// Set brings s to st: products, the Jacobian and errors are then those at st. st is not changed. Where it violates the joints, s is at
// the state that closes it. After Reach, s is at the state that Reach has stored, so that no Set is needed, unless the method is the
// sparse one.
//
// Cost: O(bodies + joints), no allocation; with the sparse method the first call allocates another engine. It returns
// an error for a state that is not of the mechanism or cannot be closed, and of the sparse method what
// NewSolver would return for another engine.
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

// at returns the engine at the last state.
func (s *Solver) at() engine {
	if !s.placed {
		panic("ik: no state: call Set or Reach first")
	}
	return s.eng
}

// Dims implements fik.Linear: the number of rows with a weight, m, and
// that of the driven freedoms, n. They are those of Problem.Dims.
func (s *Solver) Dims() (m, n int) { return s.p.Dims() }

// JacobianTo stores the effective Jacobian 𝒥 at the last state in dst: what the targets do for rates of the driven
// freedoms, m×n, docs/inverse-kinematics.md (D3). Rows are those of the targets in their order, each times its weight,
// and those of angles times the length of the problem too: with Options.Length 1 in the task and no weights they are m
// and rad. Columns are in the order of Problem.Driven.
//
// Cost: with the engine driven the smaller number of m and n solves, on a tree O(m·n); no allocation. It panics if dst
// is not m×n, or before Set or Reach.
func (s *Solver) JacobianTo(dst *fik.Dense) {
	if m, n := s.Dims(); dst.Rows != m || dst.Cols != n || len(dst.Data) != m*n {
		panic("ik: length mismatch")
	}
	s.at().jacobianTo(dst.Data)
}

// MulTo implements fik.Linear at the last state: it stores 𝒥·u in dst, m numbers for n rates of the driven freedoms.
//
// Cost: one solve, or on a tree O(bodies + m·n); no allocation. It panics on a length mismatch, or before Set or Reach.
func (s *Solver) MulTo(dst, u []float64) {
	if m, n := s.Dims(); len(dst) != m || len(u) != n {
		panic("ik: length mismatch")
	}
	s.at().MulTo(dst, u)
}

// MulTransTo implements fik.Linear at the last state: it stores 𝒥ᵀ·f in dst, n numbers for m of the rows.
//
// Cost: as MulTo. It panics on a length mismatch, or before Set or Reach.
func (s *Solver) MulTransTo(dst, f []float64) {
	if m, n := s.Dims(); len(dst) != n || len(f) != m {
		panic("ik: length mismatch")
	}
	s.at().MulTransTo(dst, f)
}

// ErrorsTo stores in dst the errors of the m rows at the last state, "wanted minus is", weighted as those of JacobianTo.
//
// Cost: O(targets), no allocation. It panics on a length mismatch, or before Set or Reach.
func (s *Solver) ErrorsTo(dst []float64) {
	if len(dst) != s.p.m {
		panic("ik: length mismatch")
	}
	s.at().errorsTo(dst)
}
