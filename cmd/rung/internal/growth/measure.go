package growth

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sort"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/machine"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// sureOver times --max-seconds is a predicted time that is over it for sure.
const sureOver = 4

// Record is one measurement, as docs/cli.md describes it.
type Record struct {
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
	SolveOnceNs    int64   `json:"solve_once_ns"` // a solution that is not checked or refined; 0 for tree methods

	usage // while the evaluations were timed

	file bool // Family is the name of a model from a file
}

// problem is a family, or a model from a file.
type problem struct {
	Name  string
	Sizes []int        // numbers of bodies, increasing; of a model its own
	model *model.Model // nil for a family
}

// series measures the sizes of one problem by one method, in increasing order.
type series struct {
	problem
	flags  *benchFlags
	method string
	p      *shell.Progress
	last   *Record // the largest size so far
	over   int     // first size left out, 0 if none
	loops  bool    // left out because of loops
}

// errOver says that an evaluation would take too long.
var errOver = errors.New("over the limit of time")

// next measures the model for a number of bodies. It returns nil if
// the size is left out: over the limit of time, or a model already measured.
func (s *series) next(size int) (*Record, error) {
	if s.over > 0 {
		return nil, nil
	}
	if s.exceeds(s.last) {
		s.over = size
		return nil, nil
	}
	n, nb := size, size
	if s.model == nil {
		var err error
		n = largest(s.Name, size)
		if nb, err = bench.Bodies(s.Name, n); err != nil || s.last != nil && s.last.Bodies == nb {
			return nil, err
		}
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
func (s *series) exceeds(rec *Record) bool {
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
		return fmt.Sprintf("%s: %s left out, there are loops", fault.Text(s.Name, sheet.TextWidth), s.method)
	}
	return fmt.Sprintf("%s, %s: sizes from %d left out, an evaluation takes more than %g s (--max-seconds)", fault.Text(s.Name, sheet.TextWidth), s.method, s.over, s.flags.maxSeconds)
}

// largest returns the largest n whose model has at most size bodies, or 1.
func largest(family string, size int) int {
	return max(1, sort.Search(size, func(n int) bool {
		nb, err := bench.Bodies(family, n+1)
		return err != nil || nb > size
	}))
}

// measure measures the model of size n with nb bodies.
func (s *series) measure(n, nb int) (*Record, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	mech, base, err := s.prepare(n, nb)
	if err != nil {
		return nil, err
	}
	o := rung.Options{Ordering: s.flags.ordering.Ordering, Threads: int(s.flags.threads)}
	plan, analysis, err := analysed(func() (*rung.Plan, error) { return kkt.NewPlan(mech, o), nil }, s.flags.least())
	if err != nil {
		return nil, err
	}
	c := plan.Counts()
	if s.hopeless(c.Flops) {
		return nil, errOver
	}
	s.doing("solving", nb)
	freeLarge(nb) // the scratch of the analysis
	solver := plan.NewSolver()
	var used usage
	threads := max(1, int(s.flags.threads))
	times, err := evaluate(solver, plan.Initial(), threads, s.flags.least(), &used)
	if err != nil {
		return nil, err
	}
	rec := s.newRecord(mech, plan.Layout().Pattern.Dim(), times)
	rec.Ordering, rec.Threads, rec.AnalyzeNs, rec.usage = plan.Ordering().String(), threads, analysis, used
	rec.FactorNonzeros, rec.FactorFlops = c.NonZeros, c.Flops
	rec.PeakBytes = max(0, machine.PeakBytes()-base)
	if rec.Residual, err = residual(plan, solver); err != nil {
		return nil, err
	}
	rec.SolveOnceNs, err = solveOnce(plan, s.flags.least())
	return rec, err
}

// newRecord returns a record of one thread with its times.
func (s *series) newRecord(mech *mechanism.Mechanism, unknowns int, times timing) *Record {
	return &Record{
		Family: s.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(), Unknowns: unknowns,
		Method: s.method, Threads: 1, file: s.model != nil,
		AssembleNs: times[0], FactorNs: times[1], SolveNs: times[2], TotalNs: times[3],
	}
}

// prepare generates and compiles the model of size n, and starts the account of
// memory: base is what the process held before.
func (s *series) prepare(n, nb int) (mech *mechanism.Mechanism, base int64, err error) {
	s.doing("generating", nb)
	debug.FreeOSMemory()
	base = machine.ResidentBytes()
	if mech, err = s.mechanism(n); err != nil {
		return nil, 0, err
	}
	debug.FreeOSMemory()
	machine.ResetPeak()
	s.doing("analysing", nb)
	return mech, base, nil
}

// manyBodies is a number of bodies whose matrices are some megabytes:
// those of fewer go unseen in the memory of a process.
const manyBodies = 1000

// freeLarge returns memory that nothing refers to any more to the system, unless the model is small.
func freeLarge(bodies int) {
	if bodies >= manyBodies {
		debug.FreeOSMemory()
	}
}

func (s *series) doing(what string, nb int) {
	s.p.Describe(fmt.Sprintf("%s %s of %d bodies, %s", what, fault.Text(s.Name, sheet.TextWidth), nb, s.method))
}

// mechanism compiles the model; one of size n of a family, which nothing refers
// to afterwards, is generated.
func (s *series) mechanism(n int) (*mechanism.Mechanism, error) {
	if s.model != nil {
		return mechanism.New(s.model)
	}
	m, err := bench.Generate(s.Name, n, s.flags.seed)
	if err != nil {
		return nil, err
	}
	return mechanism.New(m)
}

// residual returns the scaled residual of the solution (see
// sparse.Matrix.BackwardError). Only the system and the solution are kept
// while it is computed.
func residual(plan *rung.Plan, s *kkt.Solver) (float64, error) {
	p, l := plan.Layout().Pattern, plan.Layout()
	sys, err := s.System()
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
	freeLarge(plan.Mechanism().NumBodies()) // the factor, which s.System does not refer to
	return sys.Matrix.BackwardError(sys.Right, x), nil
}

// how returns the order of the sparse method, or another method's name.
func (r *Record) how() string {
	if r.Method == sparseMethod {
		return r.Ordering
	}
	return r.Method
}
