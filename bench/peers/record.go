package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
)

// result is the document that a solver or an engine prints; 0 stands for values that it does not tell.
type result struct {
	Version         string
	Note            string
	AnalyzeNs       float64 `json:"analyze_ns"` // includes the making of the order, if that is a separate program
	FactorNs        float64 `json:"factor_ns"`
	SolveNs         float64 `json:"solve_ns"`
	RefinedNs       float64 `json:"refined_ns"` // solution with one step of refinement
	TotalNs         float64 `json:"total_ns"`   // engines and Rung: from state to accelerations
	Residual        float64 // max |b − K x| after one solution
	Relative        float64 // Residual over ‖K‖₁ max|x| + max|b|
	ResidualRefined float64 `json:"residual_refined"` // after refinement
	RelativeRefined float64 `json:"relative_refined"` // after refinement
	Eps             float64 // proximal term on the joint rows, times their diagonal of S; 0: none was needed
	FactorNonzeros  float64 `json:"factor_nonzeros"`
	FactorFlops     float64 `json:"factor_flops"`
	PeakBytes       float64 `json:"peak_bytes"`
	WallNs          float64 `json:"wall_ns"`   // wall time of all timed work together
	CPUNs           float64 `json:"cpu_ns"`    // processor time of the same
	WaitedNs        float64 `json:"waited_ns"` // Rung on Linux: time for which its threads waited for a processor
	Faults          float64 // page faults of one factorization, or, for engines, of one evaluation
	Threads         int     // largest number of threads of the process at a time
	Kernels         string  // of OpenBLAS; "" without it
	Error           float64 `json:"-"` // engines: error of the accelerations against Rung's (distance)
}

// record is one peer on one model, with a result for each round.
type record struct {
	job
	matrix
	kind   string // solver or engine
	name   string
	order  string
	build  string
	core   string // kernels that OpenBLAS must use; "": its own choice
	rounds []result
	failed string // reason for which there is no result
}

// ours is the name of Rung among the peers.
const ours = "Rung"

// result returns the last result with the medians of times over the rounds, and the sums of WallNs, CPUNs and WaitedNs.
func (r *record) result() result {
	if len(r.rounds) == 0 {
		return result{}
	}
	m := r.rounds[len(r.rounds)-1]
	for _, field := range []func(*result) *float64{
		func(x *result) *float64 { return &x.AnalyzeNs },
		func(x *result) *float64 { return &x.FactorNs },
		func(x *result) *float64 { return &x.SolveNs },
		func(x *result) *float64 { return &x.RefinedNs },
		func(x *result) *float64 { return &x.TotalNs },
	} {
		var v []float64
		for i := range r.rounds {
			v = append(v, *field(&r.rounds[i]))
		}
		*field(&m) = median(v)
	}
	m.WallNs, m.CPUNs, m.WaitedNs = 0, 0, 0
	for i := range r.rounds {
		m.WallNs += r.rounds[i].WallNs
		m.CPUNs += r.rounds[i].CPUNs
		m.WaitedNs += r.rounds[i].WaitedNs
	}
	return m
}

// leastFactor returns the least time of a factorization over the rounds, as other work on the machine only adds to it; NaN if there
// is none.
func (r *record) leastFactor() float64 {
	least := math.NaN()
	for i := range r.rounds {
		if x := r.rounds[i].FactorNs; !(x >= least) {
			least = x
		}
	}
	return least
}

// median returns the median of v, which it sorts; NaN for no numbers, or if one is NaN.
func median(v []float64) float64 {
	if len(v) == 0 || slices.ContainsFunc(v, math.IsNaN) {
		return math.NaN()
	}
	slices.Sort(v)
	h := len(v) / 2
	if len(v)%2 == 1 {
		return v[h]
	}
	return (v[h-1] + v[h]) / 2
}

// work is the document that the program order prints: the work of a factorization in one order.
type work struct {
	Method    string
	Version   string
	AnalyzeNs float64 `json:"analyze_ns"`
	Scalars   count   // counted by single entries of K
	Blocks    count   // counted by full blocks of K, as Rung does
	Schur     count   // of the factor of S only
}

// count is the flops of a factorization and the nonzeros of the factor.
type count struct{ Flops, Fill float64 }

// orderRecord is the work of all orders on one model.
type orderRecord struct {
	job
	matrix
	works []work
	own   *rungRecord // Rung's own count; nil if Rung cannot solve the model
}

// session has the options and collects the results.
type session struct {
	*options
	records []*record
	counts  []orderRecord
	promise []figure        // the figures with their limits
	begun   machine         // times of the machine at the start
	trim    bool            // after the first round only the peers that are nearly fastest run
	over    map[string]bool // by key: the peer ran into a limit at a smaller size of the family
}

// say writes progress to standard error.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// key identifies a peer within a family.
func (r *record) key() string {
	return r.Family + " " + r.kind + " " + r.name + " " + r.order + " " + r.build
}

// rungOf returns Rung's record of the same kind on the same model; nil if there is none.
func (s *session) rungOf(r *record) *record {
	i := slices.IndexFunc(s.records, func(o *record) bool { return o.kind == r.kind && o.name == ours && o.job == r.job })
	if i < 0 {
		return nil
	}
	return s.records[i]
}

// byModel returns the records of a kind grouped by model, in the order of measurement.
func (s *session) byModel(kind string) [][]*record {
	var out [][]*record
	for _, r := range s.records {
		if r.kind != kind {
			continue
		}
		i := slices.IndexFunc(out, func(g []*record) bool { return cmp.Compare(g[0].job.String(), r.job.String()) == 0 })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], r)
	}
	return out
}
