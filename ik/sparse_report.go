package ik

import (
	"fmt"

	"github.com/rung-mbd/rung/mechanism"
)

// mostDense is the largest number of rows with which Auto takes the dense method.
const mostDense = 200

// sparse reports whether o means the sparse method: o asks for it, or leaves the choice and there are many rows or no driven freedom.
func (p *Problem) sparse(o *Options) bool {
	switch {
	case o.Method == Sparse || o.Engine == SparseEngine:
		return true
	case o.Method != Auto || o.Engine != AutoEngine:
		return false
	}
	return p.m > mostDense || len(p.driven) == 0
}

// fitSparse returns an error that wraps ErrEngine for options that the sparse method does not have.
func (o *Options) fitSparse() error {
	switch {
	case o.Method != Sparse && o.Method != Auto:
		return fmt.Errorf("%w: the sparse engine has the method %v, not %v", ErrEngine, Sparse, o.Method)
	case o.Engine != SparseEngine && o.Engine != AutoEngine:
		return fmt.Errorf("%w: the method %v has the engine %v, not %v", ErrEngine, Sparse, SparseEngine, o.Engine)
	case o.All:
		return fmt.Errorf("%w: the method %v has no option all: it keeps the best of its starts", ErrEngine, Sparse)
	}
	return nil
}

func (s *sparseMethod) status(l int) Status    { return s.ends[l] }
func (s *sparseMethod) coordinates() []float64 { return s.q }

func (s *sparseMethod) errorsOf(i int) []float64 {
	t := &s.p.targets[i]
	return s.e[t.first : t.first+t.n]
}

// pulls reports whether target i contradicts others of its level, and the level is Conflicting.
func (s *sparseMethod) pulls(i int) bool {
	return s.contrary[i] && s.ends[s.p.targets[i].level] == Conflicting
}

// side returns −1 if driven freedom i is at its lower limit, within limitTol, 1 at its upper limit, else 0.
func (s *sparseMethod) side(i int) int8 {
	tol := limitTol
	if !s.p.angle[i] {
		tol *= s.p.length
	}
	switch q := s.q[i]; {
	case q <= s.p.lower[i]+tol:
		return -1
	case q >= s.p.upper[i]-tol:
		return 1
	}
	return 0
}

// reportTo fills in that singular values are not computed: the Jacobian is never formed.
func (s *sparseMethod) reportTo(r *Result) {
	r.SingularValues, r.Manipulability, r.Rank, r.NullMotions = nil, 0, NotComputed, NotComputed
}

// violation fills in the largest violation of a joint or coupling at the current pose, rad or relative to the length of the problem.
func (s *sparseMethod) violation(r *Result, _ *mechanism.State) {
	most := 0.0
	for j := range s.mech.NumConstraints() {
		v := s.mech.ConstraintViolation(j, s.kin, s.st)
		most = max(most, v.Length/s.p.length, v.Angle)
	}
	r.ClosingError = most
}
