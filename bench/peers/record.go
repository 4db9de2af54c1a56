package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
)

// result is what a solver or an engine prints; zero where it does not say.
type result struct {
	Version         string
	Note            string
	AnalyzeNs       float64 `json:"analyze_ns"` // order, if made apart, included
	FactorNs        float64 `json:"factor_ns"`
	SolveNs         float64 `json:"solve_ns"`
	RefinedNs       float64 `json:"refined_ns"` // solution with one step of refinement
	TotalNs         float64 `json:"total_ns"`   // engines and Rung: state to accelerations
	Residual        float64 // max |b - K x| after one solution
	Relative        float64 // the same over |K|_1 max|x| + max|b|
	ResidualRefined float64 `json:"residual_refined"`
	RelativeRefined float64 `json:"relative_refined"`
	Eps             float64
	FactorNonzeros  float64 `json:"factor_nonzeros"`
	FactorFlops     float64 `json:"factor_flops"`
	PeakBytes       float64 `json:"peak_bytes"`
	WallNs          float64 `json:"wall_ns"`   // all that was timed, together
	CPUNs           float64 `json:"cpu_ns"`    // what processors worked for it
	WaitedNs        float64 `json:"waited_ns"` // Rung on Linux: what its threads waited for a processor
	Faults          float64 // page faults of one factorization or, of engines, evaluation
	Threads         int     // most that the process had at a time
	Kernels         string  // of OpenBLAS; empty without it
	Error           float64 `json:"-"` // engines: of the accelerations against Rung's, relative
}

// record is one peer on one model, with a result a round.
type record struct {
	job
	matrix
	kind   string // solver or engine
	name   string
	order  string
	build  string
	core   string // whose kernels OpenBLAS is told to take; as it chooses if empty
	rounds []result
	failed string // why there is no result
}

// ours is the name of Rung among the peers.
const ours = "Rung"

// result returns the medians over the rounds.
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

// leastFactor returns the least time of a factorization over the rounds, as others on the machine only add to it, NaN if
// there is none.
func (r *record) leastFactor() float64 {
	least := math.NaN()
	for i := range r.rounds {
		if x := r.rounds[i].FactorNs; !(x >= least) {
			least = x
		}
	}
	return least
}

// median returns NaN for no numbers, or if one is NaN.
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

// work is what the program order counts.
type work struct {
	Method    string
	Version   string
	AnalyzeNs float64 `json:"analyze_ns"`
	Scalars   count   // entries of K one by one
	Blocks    count   // blocks of K in full, as Rung counts
	Schur     count   // the factor of S alone
}

type count struct{ Flops, Fill float64 }

// orderRecord is the work of all orders on one model.
type orderRecord struct {
	job
	matrix
	works []work
	own   *rungRecord // nil if Rung cannot solve the model
}

// session collects what is measured.
type session struct {
	*options
	records []*record
	counts  []orderRecord
	promise []figure
	begun   machine
	trim    bool            // after the first round only those that are nearly fastest run
	over    map[string]bool // family and peer that failed at a smaller size
}

// say writes progress to standard error.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// key identifies a peer within a family.
func (r *record) key() string {
	return r.Family + " " + r.kind + " " + r.name + " " + r.order + " " + r.build
}

// rungOf returns Rung's record of the same kind on the same model.
func (s *session) rungOf(r *record) *record {
	i := slices.IndexFunc(s.records, func(o *record) bool { return o.kind == r.kind && o.name == ours && o.job == r.job })
	if i < 0 {
		return nil
	}
	return s.records[i]
}

// byModel returns the records of a kind, model by model in the order measured.
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
