package growth

import (
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/tree"
)

// errLoops says that articulated bodies were asked for a mechanism with loops.
var errLoops = errors.New("there are loops")

// measureTree measures the model of size n with nb bodies by a tree method.
func (s *series) measureTree(n, nb int) (*Record, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	mech, base, err := s.prepare(n, nb)
	if err != nil {
		return nil, err
	}
	plan, analysis, err := analysed(func() (*tree.Plan, error) { return tree.NewPlan(mech, tree.Options{}) }, s.flags.least())
	if err != nil {
		return nil, err
	}
	if s.method == TreeABA && plan.NumRows() > 0 {
		return nil, errLoops
	}
	if s.tooLarge(plan) {
		return nil, errOver
	}
	s.doing("solving", nb)
	rec := s.newRecord(mech, plan.NumDof()+plan.NumRows(), timing{})
	rec.AnalyzeNs = analysis
	evaluate := rec.evaluateClosed
	if s.method == TreeABA {
		evaluate = rec.evaluateArticulated
	}
	if err := evaluate(plan, mech.Initial(), s.flags.least()); err != nil {
		return nil, err
	}
	rec.PeakBytes = max(0, machine.PeakBytes()-base)
	return rec, nil
}

// tooLarge reports whether a tree method would take more memory than it may, or
// is sure to take too long: all but articulated bodies grow at least with the
// square of the size.
func (s *series) tooLarge(p *tree.Plan) bool {
	if s.method == TreeABA {
		return false
	}
	n, rows := float64(p.NumDof()), float64(p.NumRows())
	if p.CheckMemory() != nil {
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
func (rec *Record) evaluateClosed(p *tree.Plan, st *mechanism.State, least time.Duration) error {
	m, err := motion.ParseMethod(rec.Method)
	if err != nil {
		return err
	}
	method, _ := m.Tree()
	c := lossy{p.NewSolver(method, tree.SolverOptions{})}
	times, err := evaluate(c, st, 1, least, &rec.usage)
	if err != nil {
		return err
	}
	rec.AssembleNs, rec.FactorNs, rec.SolveNs, rec.TotalNs = times[0], times[1], times[2], times[3]
	rec.FactorNonzeros, rec.FactorFlops = c.Counts().NonZeros, c.Counts().Flops
	rec.Residual = c.Report().Residual
	return nil
}

// lossy is a solver that goes on where it loses digits: time and residual are measured all the same.
type lossy struct{ *tree.ClosedSolver }

// Solve is that of the solver.
func (c lossy) Solve(st *mechanism.State) error { return c.accept(c.ClosedSolver.Solve(st)) }

// Refine is that of the solver.
func (c lossy) Refine() error { return c.accept(c.ClosedSolver.Refine()) }

// accept returns err unless it says what is lost of a result.
func (c lossy) accept(err error) error {
	if lost := new(tree.LostError); errors.As(err, &lost) && c.AcceptLoss() {
		return nil
	}
	return err
}

// evaluateArticulated stores the times of articulated bodies. Their inertias and accelerations
// are computed in the same passes, so only the whole is timed.
func (rec *Record) evaluateArticulated(p *tree.Plan, st *mechanism.State, least time.Duration) error {
	w, qdd := p.NewWorkspace(), make([]float64, p.NumDof())
	solve := func() error {
		if err := w.SetState(st); err != nil {
			return err
		}
		return w.ForwardTo(qdd, nil)
	}
	if err := solve(); err != nil { // touches all memory for the first time
		return err
	}
	runtime.GC()
	t := time.Now()
	err := solve()
	if err == nil {
		defer rec.begin(1)()
		rec.TotalNs, err = repeated(solve, time.Since(t).Nanoseconds(), least)
	}
	c := p.ArticulatedCounts()
	rec.FactorNonzeros, rec.FactorFlops = c.NonZeros, c.Flops
	return err
}
