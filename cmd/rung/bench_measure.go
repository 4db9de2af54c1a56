package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	minRuns   = 5                      // evaluations behind a median, and
	minTime   = 150 * time.Millisecond // the least time they take together,
	enoughRun = 3 * time.Second        // unless fewer take this long
	sureOver  = 4                      // times --max-seconds: a predicted time that is over it for sure
	tightGC   = 20                     // percent: the collector keeps the peak near the live size,
	defaultGC = 100                    // and as it runs in every Go program
)

// record is one measurement, as docs/cli.md describes it.
type record struct {
	Family         string  `json:"family"`
	Bodies         int     `json:"bodies"`
	Joints         int     `json:"joints"`
	Unknowns       int     `json:"unknowns"`
	Method         string  `json:"method"`
	Ordering       string  `json:"ordering"`
	Threads        int     `json:"threads"`
	AnalyzeNs      int64   `json:"analyze_ns"`
	AssembleNs     int64   `json:"assemble_ns"`
	FactorNs       int64   `json:"factor_ns"`
	SolveNs        int64   `json:"solve_ns"`
	TotalNs        int64   `json:"total_ns"`
	FactorNonzeros int64   `json:"factor_nonzeros"`
	FactorFlops    int64   `json:"factor_flops"`
	PeakBytes      int64   `json:"peak_bytes"` // the mechanism, its analysis with scratch, solver and evaluations
	Residual       float64 `json:"residual"`
}

// series measures the sizes of one family by one method, in increasing order.
type series struct {
	flags  *benchFlags
	family string
	method string
	p      *progress
	last   *record // the largest size so far
	over   int     // first size left out, 0 if none
	loops  bool    // left out because of loops
}

// errOver says that an evaluation would take too long.
var errOver = errors.New("over the limit of time")

// next measures the family's model for a number of bodies. It returns nil if
// the size is left out: over the limit of time, or a model already measured.
func (s *series) next(size int) (*record, error) {
	if s.over > 0 {
		return nil, nil
	}
	if s.exceeds(s.last) {
		s.over = size
		return nil, nil
	}
	n := largest(s.family, size)
	nb, err := bench.Bodies(s.family, n)
	if err != nil || s.last != nil && s.last.Bodies == nb {
		return nil, err
	}
	measure := s.measure
	if s.method != sparseMethod {
		measure = s.measureTree
	}
	rec, err := measure(n, nb)
	if errors.Is(err, errOver) {
		s.over = size
		return nil, nil
	}
	if errors.Is(err, errLoops) {
		s.over, s.loops = size, true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.last = rec
	return rec, nil
}

// exceeds reports whether rec took longer than the limit.
func (s *series) exceeds(rec *record) bool {
	limit := s.flags.maxSeconds * 1e9
	return limit > 0 && rec != nil && float64(rec.TotalNs) > limit
}

// hopeless reports whether flops would exceed the limit of time by far, at the
// speed of the last record.
func (s *series) hopeless(flops int64) bool {
	limit := s.flags.maxSeconds * 1e9
	return limit > 0 && s.last != nil && s.last.FactorFlops > 0 &&
		float64(s.last.FactorNs)*float64(flops)/float64(s.last.FactorFlops) > sureOver*limit
}

// note says which sizes were left out, if any.
func (s *series) note() string {
	if s.over == 0 {
		return ""
	}
	if s.loops {
		return fmt.Sprintf("%s: %s left out, the family has loops", s.family, s.method)
	}
	return fmt.Sprintf("%s, %s: sizes from %d left out, an evaluation takes more than %g s (--max-seconds)", s.family, s.method, s.over, s.flags.maxSeconds)
}

// largest returns the largest n whose model has at most size bodies, or 1.
func largest(family string, size int) int {
	return max(1, sort.Search(size, func(n int) bool {
		nb, err := bench.Bodies(family, n+1)
		return err != nil || nb > size
	}))
}

// measure measures the model of size n with nb bodies.
func (s *series) measure(n, nb int) (*record, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(tightGC))
	mech, base, err := s.prepare(n, nb)
	if err != nil {
		return nil, err
	}
	o := rung.Options{Ordering: s.flags.ordering.Ordering, Threads: int(s.flags.threads)}
	plan, analysis, err := analysed(func() (*rung.Plan, error) { return rung.PlanMechanism(mech, o), nil })
	if err != nil {
		return nil, err
	}
	c := plan.Counts()
	if s.hopeless(c.Flops) {
		return nil, errOver
	}
	s.doing("solving", nb)
	debug.FreeOSMemory() // the scratch of the analysis
	solver := plan.NewSolver()
	runs, err := evaluate(solver, plan.Initial())
	if err != nil {
		return nil, err
	}
	rec := &record{
		Family: s.family, Bodies: nb, Joints: mech.NumJoints(), Unknowns: plan.Layout().Pattern.Dim(),
		Method: sparseMethod, Ordering: plan.Ordering().String(), Threads: max(1, int(s.flags.threads)), AnalyzeNs: analysis,
		FactorNonzeros: c.NonZeros, FactorFlops: c.Flops,
		PeakBytes: max(0, peakBytes()-base),
	}
	rec.AssembleNs, rec.FactorNs, rec.SolveNs, rec.TotalNs = medians(runs)
	rec.Residual = residual(plan, solver)
	return rec, nil
}

// prepare generates and compiles the model of size n, and starts the account of
// memory: base is what the process held before.
func (s *series) prepare(n, nb int) (mech *mechanism.Mechanism, base int64, err error) {
	s.doing("generating", nb)
	debug.FreeOSMemory()
	base = residentBytes()
	if mech, err = s.mechanism(n); err != nil {
		return nil, 0, err
	}
	debug.FreeOSMemory()
	resetPeak()
	s.doing("analysing", nb)
	return mech, base, nil
}

func (s *series) doing(what string, nb int) {
	s.p.describe(fmt.Sprintf("%s %s of %d bodies, %s", what, s.family, nb, s.method))
}

// mechanism generates and compiles the model of size n, which nothing refers
// to afterwards.
func (s *series) mechanism(n int) (*mechanism.Mechanism, error) {
	m, err := bench.Generate(s.family, n, s.flags.seed)
	if err != nil {
		return nil, err
	}
	return mechanism.New(m)
}

// analysed returns what makePlan makes and the median time of that, in ns, with
// the collector's default pace: a tight one would take a good part of the time.
func analysed[P any](makePlan func() (*P, error)) (plan *P, ns int64, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(defaultGC))
	var times []int64
	for begun := time.Now(); more(len(times), time.Since(begun)); {
		plan = nil // two at a time would count as peak memory
		runtime.GC()
		t := time.Now()
		if plan, err = makePlan(); err != nil {
			return nil, 0, err
		}
		times = append(times, time.Since(t).Nanoseconds())
	}
	return plan, median(times), nil
}

// more reports whether a median over n runs that took so long needs more.
func more(n int, t time.Duration) bool {
	return n == 0 || t < enoughRun && (n < minRuns || t < minTime)
}

// timing is one evaluation: assembly, factorization, solution, all, in ns.
type timing [4]int64

// phased solves in one step, or in three.
type phased interface {
	Solve(st *mechanism.State) error
	Assemble(st *mechanism.State) error
	Factorize() error
	Refine() error
}

// evaluate solves at st until a median is due, after one evaluation that
// touches all memory for the first time.
func evaluate(s phased, st *mechanism.State) ([]timing, error) {
	if err := s.Solve(st); err != nil {
		return nil, err
	}
	runtime.GC()
	runs := make([]timing, 0, 1024)
	for begun := time.Now(); more(len(runs), time.Since(begun)); {
		t0 := time.Now()
		if err := s.Assemble(st); err != nil {
			return nil, err
		}
		t1 := time.Now()
		if err := s.Factorize(); err != nil {
			return nil, err
		}
		t2 := time.Now()
		if err := s.Refine(); err != nil {
			return nil, err
		}
		t3 := time.Now()
		runs = append(runs, timing{
			t1.Sub(t0).Nanoseconds(), t2.Sub(t1).Nanoseconds(), t3.Sub(t2).Nanoseconds(), t3.Sub(t0).Nanoseconds(),
		})
	}
	return runs, nil
}

func medians(runs []timing) (assemble, factor, solve, total int64) {
	var m timing
	column := make([]int64, len(runs))
	for k := range m {
		for i := range runs {
			column[i] = runs[i][k]
		}
		m[k] = median(column)
	}
	return m[0], m[1], m[2], m[3]
}

// median returns the lower median of v, which it sorts.
func median(v []int64) int64 {
	slices.Sort(v)
	return v[(len(v)-1)/2]
}

// residual returns the scaled residual of the solution (see
// sparse.Matrix.BackwardError). Only the system and the solution are kept
// while it is computed.
func residual(plan *rung.Plan, s *rung.Solver) float64 {
	p, l, sys := plan.Layout().Pattern, plan.Layout(), s.System()
	x := make([]float64, p.Dim())
	s.AccelerationsTo(x[:p.Off[p.Positive()]])
	var lambda [6]float64
	for node := p.Positive(); node < p.Len(); node++ {
		rows := s.MultipliersTo(&lambda, l.NodeJoint(node))
		for k := range rows {
			x[int(p.Off[node])+k] = -lambda[k]
		}
	}
	debug.FreeOSMemory() // the factor, which s.System does not refer to
	return sys.K.BackwardError(sys.B, x)
}
