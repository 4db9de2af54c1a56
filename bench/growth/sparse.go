package growth

import (
	"context"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// measureSparse measures a mechanism by the sparse method. base is the memory, bytes, that the process held before the mechanism
// was made.
func (s *series) measureSparse(ctx context.Context, mech *mechanism.Mechanism, base int64, size int) (*Record, error) {
	o, least := s.o.Sparse, s.o.MinTime
	plan, analysis, err := analysed(ctx, func() (*kkt.Plan, error) { return kkt.NewPlanContext(ctx, mech, o) }, least)
	if err != nil {
		return nil, err
	}
	c := plan.Counts()
	if s.hopeless(c.Flops) {
		return nil, ErrTooLong
	}
	s.stage("solving", size)
	freeLarge(mech.NumBodies()) // frees the scratch memory of the analysis
	solver := plan.NewSolver()
	defer solver.Watch(ctx)()
	threads := max(1, o.Threads)
	var used Usage
	st := plan.Initial()
	times, err := evaluate(ctx, solver.Stages(), func() error { return solver.Solve(st) }, st, threads, least, &used)
	if err != nil {
		return nil, err
	}
	rec := s.newRecord(mech, plan.Layout().Pattern.Dim(), times)
	rec.Ordering, rec.Threads, rec.AnalyzeNs, rec.Usage = plan.Ordering().String(), threads, analysis, used
	rec.FactorNonzeros, rec.FactorFlops = c.NonZeros, c.Flops
	rec.PeakBytes = max(0, machine.PeakBytes()-base)
	if rec.Residual, err = residual(plan, solver); err != nil {
		return nil, err
	}
	rec.SolveOnceNs, err = solveOnce(ctx, plan, least)
	return rec, err
}

// hopeless reports whether a factorization of so many flops would take longer than sureOver times the limit, at the speed of
// the last record's.
func (s *series) hopeless(flops int64) bool {
	limit := float64(s.o.MaxTime.Nanoseconds())
	return limit > 0 && s.last != nil && s.last.FactorFlops > 0 &&
		float64(s.last.FactorNs)*float64(flops)/float64(s.last.FactorFlops) > sureOver*limit
}

// residual returns the backward error of the solution in s (sparse.Matrix.BackwardError). To save memory, only the system and the
// solution are kept while it is computed. If joints have armature, the system also has the unknowns of the rotors, and the
// backward error is taken from the report of s.
func residual(plan *kkt.Plan, s *kkt.Solver) (float64, error) {
	if plan.Dynamics() != plan {
		r, err := s.Report()
		if err != nil {
			return 0, err
		}
		return r.BackwardError, nil
	}
	p, l := plan.Layout().Pattern, plan.Layout()
	sys, err := s.Stages().System()
	if err != nil {
		return 0, err
	}
	x := make([]float64, p.Dim())
	s.AccelerationsTo(x[:p.Off[p.Positive()]])
	var lambda [6]float64
	for node := p.Positive(); node < p.Len(); node++ {
		rows := 1
		if j := l.NodeJoint(node); j >= 0 {
			rows = s.Reactions().MultipliersTo(&lambda, j)
		} else {
			lambda[0] = s.Reactions().CouplingMultiplier(l.NodeConstraint(node) - l.Mech.NumJoints())
		}
		for k := range rows {
			x[int(p.Off[node])+k] = -lambda[k]
		}
	}
	freeLarge(plan.Mechanism().NumBodies()) // frees the factor, to which the system does not refer
	return sys.Matrix.BackwardError(sys.Right, x), nil
}

// solveOnce returns the median time, ns, of a solution without check and refinement (kkt.Stages.SolveOnceTo).
func solveOnce(ctx context.Context, plan *kkt.Plan, least time.Duration) (int64, error) {
	s, a := plan.NewSolver(), make([]float64, 6*plan.Mechanism().NumBodies())
	defer s.Watch(ctx)()
	stages := s.Stages()
	if err := stages.Assemble(plan.Initial()); err != nil {
		return 0, err
	}
	times := make([]int64, 0, 1024)
	for begun, warm := time.Now(), false; more(ctx, len(times), time.Since(begun), least); warm = true {
		if err := stages.Factorize(); err != nil {
			return 0, err
		}
		t := time.Now()
		stages.SolveOnceTo(a)
		if took := time.Since(t).Nanoseconds(); warm { // the first solution only touches the memory
			times = append(times, took)
		}
	}
	return median(times), nil
}
