package growth

import (
	"context"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// measureSparse measures a mechanism by the sparse method; base is what the process held before it was there.
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
	freeLarge(mech.NumBodies()) // the scratch of the analysis
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

// hopeless reports whether flops would exceed the limit of time by far, at the
// speed of the last record.
func (s *series) hopeless(flops int64) bool {
	limit := float64(s.o.MaxTime.Nanoseconds())
	return limit > 0 && s.last != nil && s.last.FactorFlops > 0 &&
		float64(s.last.FactorNs)*float64(flops)/float64(s.last.FactorFlops) > sureOver*limit
}

// residual returns the scaled residual of the solution (see
// sparse.Matrix.BackwardError). Only the system and the solution are kept
// while it is computed. Where freedoms have armature, the system has unknowns of flywheels besides, and a Report looks at them.
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
	freeLarge(plan.Mechanism().NumBodies()) // the factor, which the system does not refer to
	return sys.Matrix.BackwardError(sys.Right, x), nil
}

// solveOnce returns the median time of a solution, in ns, that is neither checked nor refined (kkt.Stages.SolveOnceTo).
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
		if took := time.Since(t).Nanoseconds(); warm { // the memory has been touched
			times = append(times, took)
		}
	}
	return median(times), nil
}
