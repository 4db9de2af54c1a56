package main

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// errLoops says that articulated bodies were asked of a mechanism with loops.
var errLoops = errors.New("the family has loops")

// treeMemory is the memory a tree method may take, bytes.
const treeMemory = 4 << 30

// measureTree measures the model of size n with nb bodies by a tree method.
func (s *series) measureTree(n, nb int) (*record, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(tightGC))
	mech, base, err := s.prepare(n, nb)
	if err != nil {
		return nil, err
	}
	plan, analysis, err := analysed(func() (*tree.Plan, error) { return tree.NewPlan(mech, tree.Options{}) })
	if err != nil {
		return nil, err
	}
	if s.method == treeABA && plan.NumRows() > 0 {
		return nil, errLoops
	}
	if s.tooLarge(plan) {
		return nil, errOver
	}
	s.doing("solving", nb)
	rec := &record{
		Family: s.family, Bodies: nb, Joints: mech.NumJoints(), Unknowns: plan.NumDof() + plan.NumRows(),
		Method: s.method, Threads: 1, AnalyzeNs: analysis,
	}
	evaluate := rec.evaluateClosed
	if s.method == treeABA {
		evaluate = rec.evaluateArticulated
	}
	if err := evaluate(plan, mech.Initial()); err != nil {
		return nil, err
	}
	rec.PeakBytes = max(0, peakBytes()-base)
	return rec, nil
}

// tooLarge reports whether a tree method would take more memory than it may, or
// is sure to take too long: all but articulated bodies grow at least with the
// square of the size.
func (s *series) tooLarge(p *tree.Plan) bool {
	if s.method == treeABA {
		return false
	}
	n, rows := float64(p.NumDof()), float64(p.NumRows())
	if 8*(n+rows)*(n+rows) > treeMemory {
		return true
	}
	limit := s.flags.maxSeconds * 1e9
	if limit == 0 || s.last == nil {
		return false
	}
	ratio := (n + rows) / float64(s.last.Unknowns)
	return float64(s.last.TotalNs)*math.Pow(ratio, 2) > sureOver*limit
}

// evaluateClosed enters what solving by rec.Method takes.
func (rec *record) evaluateClosed(p *tree.Plan, st *mechanism.State) error {
	c := p.NewSolver(treeMethod(rec.Method), tree.SolverOptions{})
	runs, err := evaluate(c, st)
	if err != nil {
		return err
	}
	rec.AssembleNs, rec.FactorNs, rec.SolveNs, rec.TotalNs = medians(runs)
	rec.FactorNonzeros, rec.FactorFlops = c.Counts().NonZeros, c.Counts().Flops
	rec.Residual = c.Report().Residual
	return nil
}

// evaluateArticulated enters what articulated bodies take. Their inertias and
// accelerations are computed in the same passes, so that only the whole is timed.
func (rec *record) evaluateArticulated(p *tree.Plan, st *mechanism.State) error {
	w, qdd := p.NewWorkspace(), make([]float64, p.NumDof())
	solve := func() error {
		if err := w.SetState(st); err != nil {
			return err
		}
		return w.ForwardTo(qdd, nil)
	}
	if err := solve(); err != nil {
		return err
	}
	runtime.GC()
	times := make([]int64, 0, 1024)
	for begun := time.Now(); more(len(times), time.Since(begun)); {
		t := time.Now()
		if err := solve(); err != nil {
			return err
		}
		times = append(times, time.Since(t).Nanoseconds())
	}
	rec.TotalNs = median(times)
	c := p.ArticulatedCounts()
	rec.FactorNonzeros, rec.FactorFlops = c.NonZeros, c.Flops
	return nil
}
