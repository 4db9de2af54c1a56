package growth

import (
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/tree"
)

// measureTree measures a mechanism by a tree method. base is the memory, bytes, that the process held before the mechanism was
// made.
func (s *series) measureTree(ctx context.Context, mech *mechanism.Mechanism, base int64, size int) (*Record, error) {
	plan, analysis, err := analysed(ctx, func() (*tree.Plan, error) { return tree.NewPlan(mech, tree.Options{}) }, s.o.MinTime)
	if err != nil {
		return nil, err
	}
	if err := s.canSolve(plan); err != nil {
		return nil, err
	}
	s.stage("solving", size)
	rec := s.newRecord(mech, plan.NumDof()+plan.NumRows(), timing{})
	rec.AnalyzeNs = analysis
	evaluate := rec.evaluateClosed
	if s.method == Articulated {
		evaluate = rec.evaluateArticulated
	}
	if err := evaluate(ctx, plan, mech.Initial(), s.o.MinTime); err != nil {
		return nil, err
	}
	rec.PeakBytes = max(0, machine.PeakBytes()-base)
	return rec, nil
}

// canSolve returns an error if the method cannot solve the mechanism, would take too much memory, or is predicted to take longer
// than sureOver times the limit: the cost of all methods but articulated bodies grows at least with the square of the size.
func (s *series) canSolve(p *tree.Plan) error {
	if s.method == Articulated {
		if p.NumRows() > 0 {
			return ErrLoops
		}
		return nil
	}
	if err := p.CheckMemory(); err != nil {
		return err
	}
	limit := float64(s.o.MaxTime.Nanoseconds())
	if limit == 0 || s.last == nil {
		return nil
	}
	ratio := float64(p.NumDof()+p.NumRows()) / float64(s.last.Unknowns)
	if float64(s.last.TotalNs)*math.Pow(ratio, 2) > sureOver*limit {
		return ErrTooLong
	}
	return nil
}

// evaluateClosed stores times, work and residual of evaluations by rec.Method, a method for mechanisms with loops.
func (rec *Record) evaluateClosed(ctx context.Context, p *tree.Plan, st *mechanism.State, least time.Duration) error {
	m, err := motion.ParseMethod(rec.Method)
	if err != nil {
		return err
	}
	method, _ := m.Tree()
	c := lossy{p.NewSolver(method, tree.SolverOptions{})}
	defer c.Watch(ctx)()
	times, err := evaluate(ctx, c, func() error { return c.Solve(st) }, st, 1, least, &rec.Usage)
	if err != nil {
		return err
	}
	rec.AssembleNs, rec.FactorNs, rec.SolveNs, rec.TotalNs = times[0], times[1], times[2], times[3]
	rec.FactorNonzeros, rec.FactorFlops = c.Counts().NonZeros, c.Counts().Flops
	rec.Residual = c.Report().Residual
	return nil
}

// lossy is a solver that accepts results that have lost digits, as time and residual are measured all the same.
type lossy struct{ *tree.ClosedSolver }

// Solve is ClosedSolver.Solve without errors of lost digits.
func (c lossy) Solve(st *mechanism.State) error { return c.accept(c.ClosedSolver.Solve(st)) }

// Refine is ClosedSolver.Refine without errors of lost digits.
func (c lossy) Refine() error { return c.accept(c.ClosedSolver.Refine()) }

// accept returns err, or nil if err tells of lost digits and the solver accepts the loss.
func (c lossy) accept(err error) error {
	if lost := new(tree.LostError); errors.As(err, &lost) && c.AcceptLoss() {
		return nil
	}
	return err
}

// evaluateArticulated stores the time and work of evaluations by articulated bodies. Inertias and accelerations are computed in the
// same passes, so only the whole evaluation is timed.
func (rec *Record) evaluateArticulated(ctx context.Context, p *tree.Plan, st *mechanism.State, least time.Duration) error {
	w, qdd := p.NewWorkspace(), make([]float64, p.NumDof())
	solve := func() error {
		if err := w.SetState(st); err != nil {
			return err
		}
		return w.ForwardTo(qdd, nil)
	}
	if err := solve(); err != nil { // the first evaluation touches all memory and is not timed
		return err
	}
	runtime.GC()
	t := time.Now()
	err := solve()
	if err == nil {
		defer rec.begin(1)()
		rec.TotalNs, err = repeated(ctx, solve, time.Since(t).Nanoseconds(), least)
	}
	c := p.ArticulatedCounts()
	rec.FactorNonzeros, rec.FactorFlops = c.NonZeros, c.Flops
	return err
}
