package ik

import (
	"context"
	"fmt"
	"time"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/mechanism"
)

// mostDense is the number of rows above which the sparse method is taken unless another one is asked for.
const mostDense = 200

// sparse reports whether o means the sparse method: it is asked for,
// or nothing is and there are many rows or no driven freedom.
func (p *Problem) sparse(o *Options) bool {
	switch {
	case o.Method == Sparse || o.Engine == SparseEngine:
		return true
	case o.Method != Auto || o.Engine != AutoEngine:
		return false
	}
	return p.m > mostDense || len(p.driven) == 0
}

// newSparseSolver allocates a solver that is the sparse method.
func (p *Problem) newSparseSolver(o Options) (*Solver, error) {
	switch {
	case o.Method != Sparse && o.Method != Auto:
		return nil, fmt.Errorf("%w: the sparse engine has the method %v, not %v", ErrEngine, Sparse, o.Method)
	case o.Engine != SparseEngine && o.Engine != AutoEngine:
		return nil, fmt.Errorf("%w: the method %v has the engine %v, not %v", ErrEngine, Sparse, SparseEngine, o.Engine)
	case o.All:
		return nil, fmt.Errorf("%w: the method %v has no option all: it keeps the best of its starts", ErrEngine, Sparse)
	}
	whole, err := newSparse(context.Background(), p, o)
	if err != nil {
		return nil, err
	}
	m := p.plan.Mechanism()
	s := &Solver{p: p, o: o, whole: whole}
	s.result = Result{Name: m.Name, Targets: make([]TargetResult, len(p.targets)), Driven: make([]DrivenResult, len(p.driven))}
	for i, f := range p.driven {
		s.result.Driven[i].Joint, s.result.Driven[i].Freedom = m.JointName(f.Joint), f.Freedom
	}
	return s, nil
}

// reach moves st as near to the targets as it can, and fills r, whose lists of targets and driven freedoms are there. It
// returns an error, with st as it was, if st is not a state of the mechanism or a singular pose of a joint
// (joints.ErrSingular), or the cause for which ctx has ended. Targets that are not reached are no error.
//
// Cost: a step is a factorization of the whole system with the targets in it, O(bodies + joints + targets) in what
// fills little; no allocation.
func (s *sparseSolver) reach(ctx context.Context, st *mechanism.State, r *Result) error {
	begin := time.Now()
	flag, end := halt.FlagOf(ctx)
	defer end()
	defer s.work.Watch(ctx)()
	s.flag, s.deadline = flag, time.Time{}
	if s.o.MaxTime > 0 {
		s.deadline = begin.Add(s.o.MaxTime)
	}
	if err := s.run(st); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	s.report(r)
	r.Elapsed = time.Since(begin)
	return nil
}

// report fills r at the last pose. Singular values are not computed: the matrix that has them is not formed.
func (s *sparseSolver) report(r *Result) {
	r.Status, r.Method, r.Engine, r.Steps, r.Restarts = Reached, Sparse, SparseEngine, s.total, s.restarts
	r.SingularValues, r.Manipulability, r.Rank, r.NullMotions = nil, 0, NotComputed, NotComputed
	r.Outside = s.outside
	for l := range s.levels() {
		if s.status[l] != Reached && r.Status == Reached {
			r.Status = s.status[l]
		}
	}
	r.Conflicts = r.Conflicts[:0]
	for i := range s.p.targets {
		t, out := &s.p.targets[i], &r.Targets[i]
		e := s.e[t.first : t.first+t.n]
		out.Name, out.Priority = t.Name, t.Priority
		out.Linear, out.Angular = t.off(e)
		out.Reached = out.Linear <= t.tolerance[0] && out.Angular <= t.tolerance[1]
		for k, x := range e {
			if s.status[t.level] == Conflicting && s.contrary[i] {
				r.Conflicts = append(r.Conflicts, Conflict{Target: t.Name, Row: int(t.own[k]), Residual: x / t.weight[k]})
			}
		}
	}
	for i, q := range s.q {
		d := &r.Driven[i]
		d.Value, d.Limit = q, 0
		tol := limitTol
		if !s.p.angle[i] {
			tol *= s.p.length
		}
		if q <= s.p.lower[i]+tol {
			d.Limit = -1
		} else if q >= s.p.upper[i]-tol {
			d.Limit = 1
		}
	}
	r.ClosingError = s.closing()
}

// closing returns the largest violation of a joint or coupling, angles or relative to the length of the problem.
func (s *sparseSolver) closing() (most float64) {
	for j := range s.mech.NumConstraints() {
		v := s.mech.ConstraintViolation(j, s.kin, s.st)
		most = max(most, v.Length/s.p.length, v.Angle)
	}
	return most
}
