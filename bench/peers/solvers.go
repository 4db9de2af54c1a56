package main

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
)

// solver is a direct solver with an elimination order.
type solver struct {
	name    string
	program string
	variant string // argument of the program
	order   string // name of an order of the program order, or of the solver's own
	given   bool   // the program order makes the order
	both    bool   // the time is spent in code that is compiled here, so both builds are measured
	blas    bool   // uses BLAS
}

// solvers returns the direct solvers with the orders that each is tried with.
func solvers() (list []solver) {
	const super, merged, simplicial = "CHOLMOD supernodal on S", "CHOLMOD supernodal, merged, on S", "CHOLMOD simplicial on S"
	list = []solver{
		{name: "SuiteSparse LDL", program: "ldl", order: "rung"},
		{name: "SuiteSparse LDL", program: "ldl", order: "amd", given: true},
		{name: "SuiteSparse LDL", program: "ldl", order: "joint-amd", given: true},
		{name: "SuiteSparse LDL", program: "ldl", order: "joint-metis", given: true},
		{name: super, program: "cholmod", variant: "super", order: "own", both: true, blas: true},
		{name: super, program: "cholmod", variant: "super-given", order: "joint-metis", given: true, blas: true},
	}
	for _, order := range []string{"own", "amd", "metis", "nesdis", "colamd"} {
		v := solver{name: merged, program: "cholmod", variant: "merged", order: order, blas: true}
		if order != "own" {
			v.variant, v.order = v.variant+"-"+order, "own "+strings.ToUpper(order)
		}
		list = append(list, v)
	}
	for _, order := range []string{"rung", "joint-amd", "joint-metis", "kkt-metis"} {
		list = append(list, solver{name: merged, program: "cholmod", variant: "merged-given", order: order, given: true, blas: true})
	}
	return append(list, []solver{
		{name: simplicial, program: "cholmod", variant: "simplicial", order: "own", both: true},
		{name: simplicial, program: "cholmod", variant: "simplicial-given", order: "joint-amd", given: true},
		{name: simplicial, program: "cholmod", variant: "simplicial-given", order: "rung", given: true},
		{name: "MUMPS indefinite", program: "mumps", order: "own", blas: true},
		{name: "MUMPS indefinite, unscaled", program: "mumps", variant: "unscaled", order: "own", blas: true},
		{name: "MUMPS indefinite, unscaled", program: "mumps", variant: "unscaled-scotch", order: "own SCOTCH", blas: true},
		{name: "MUMPS indefinite, unscaled", program: "mumps", variant: "unscaled", order: "joint-metis", given: true, blas: true},
		{name: "UMFPACK", program: "umfpack", order: "own", blas: true},
		{name: "Eigen SimplicialLDLT", program: "eigen", order: "rung", both: true},
		{name: "Eigen SimplicialLDLT", program: "eigen", variant: "amd", order: "amd"},
	}...)
}

// solvers measures all direct solvers on the matrix of a model, and Rung on the model, by turns in each round.
func (s *session) solvers(j job) error {
	say("%v: writing the matrix", j)
	m, bin, err := s.prepare(j)
	if err != nil {
		return err
	}
	defer os.Remove(bin)
	orders := s.makeOrders(j, bin)
	own := &record{job: j, matrix: m, kind: "solver", name: ours, order: "auto", build: "go"}
	s.records = append(s.records, own)
	var runs []*attempt
	for _, v := range solvers() {
		runs = append(runs, s.schedule(v, own, bin, orders)...)
	}
	s.tryCores(runs)
	for round := range s.rounds {
		if round == 1 && s.trim {
			runs = nearlyFastest(runs)
		}
		say("%v: round %d of %d", j, round+1, s.rounds)
		if err := s.measureRung(own); err != nil {
			return err
		}
		// Each round begins with another peer, so that effects of the order of runs even out.
		for i := range runs {
			r := runs[(i+round*len(runs)/s.rounds)%len(runs)]
			s.measure(r.record, func(out *result) error { return r.once(s, s.maxSeconds, r.core, out) }, r.analysis)
		}
	}
	for _, order := range orders {
		if order.file != "" {
			os.Remove(order.file)
		}
	}
	return nil
}

// wanted reports whether a peer runs according to the option only.
func (o *options) wanted(name, order string) bool {
	return slices.ContainsFunc(strings.Split(o.only, ","), func(part string) bool { return strings.Contains(name+" "+order, part) })
}

// given is an order in a file, with its work, or the error of making it.
type given struct {
	file string
	work work
	err  error
}

// makeOrders makes the orders that solvers are given, by name.
func (s *session) makeOrders(j job, bin string) map[string]given {
	orders := map[string]given{}
	for _, v := range solvers() {
		if _, ok := orders[v.order]; !v.given || ok || !s.wanted(v.name, v.order) {
			continue
		}
		g := given{file: s.file(j, "."+v.order)}
		g.err = errors.New("the program order is not built")
		if b := s.builds("order", native, plain); len(b) > 0 {
			g.err = s.order(b[0], &g.work, bin, v.order, "-o", g.file)
		}
		orders[v.order] = g
	}
	return orders
}

// attempt is a record with the program and arguments that measure it.
type attempt struct {
	*record
	program  string
	blas     bool
	args     []string
	analysis float64 // time of making the given order, ns
}

// schedule appends the records of a solver, one for each build, and returns the attempts that measure them.
func (s *session) schedule(v solver, own *record, bin string, orders map[string]given) (runs []*attempt) {
	wanted := []string{native}
	if v.both && !s.trim {
		wanted = append(wanted, plain)
	}
	for _, build := range s.builds(v.program, wanted...) {
		r := &attempt{record: &record{job: own.job, matrix: own.matrix, kind: "solver", name: v.name, order: v.order, build: build}, program: v.program, blas: v.blas}
		if !s.wanted(v.name, v.order) {
			continue
		}
		s.records = append(s.records, r.record)
		r.args = []string{bin}
		if v.variant != "" {
			r.args = append(r.args, "--variant", v.variant)
		}
		if v.given {
			g := orders[v.order]
			if g.err != nil {
				r.failed = g.err.Error()
			}
			r.args = append(r.args, "--order", g.file)
			r.analysis = g.work.AnalyzeNs
		}
		runs = append(runs, r)
	}
	return runs
}

// once measures a record once, with the kernels for a core (process.core).
func (r *attempt) once(s *session, seconds float64, core string, out *result) error {
	args := r.args
	if last := len(r.rounds); last > 0 && r.rounds[last-1].Eps > 0 {
		// The proximal term that was found in the first round, so that it is not searched again.
		args = append(slices.Clone(args), "--eps", ftoa(r.rounds[last-1].Eps))
	}
	p := s.peer(r.build, r.program)
	p.core = core
	return s.timed(p, seconds, out, args...)
}

// trialSeconds is the time for the evaluations of a trial of kernels, s.
const trialSeconds = 2

// tryCores sets the kernels of all attempts with BLAS: for each program, the kernels with which its first attempt factors fastest.
func (s *session) tryCores(runs []*attempt) {
	best := map[string]string{}
	for _, r := range runs {
		if !r.blas || r.failed != "" || s.over[r.key()] {
			continue
		}
		core, ok := best[r.program]
		if !ok {
			core = s.fastestCore(r)
			best[r.program] = core
		}
		r.core = core
	}
}

// fastestCore returns the kernels with which an attempt factors fastest; "" if none works.
func (s *session) fastestCore(r *attempt) (core string) {
	least, auto := math.Inf(1), ""
	for _, c := range s.cores {
		if c != "" && strings.EqualFold(c, auto) {
			continue
		}
		var out result
		if err := r.once(s, trialSeconds, c, &out); err != nil {
			say("%v: %s, %s, kernels %q: %v", r.job, r.name, r.order, c, err)
			continue
		}
		say("%v: %s, %s, kernels %s: factor in %s µs", r.job, r.name, r.order, out.Kernels, number(out.FactorNs/1e3))
		if c == "" {
			auto = out.Kernels
		}
		if out.FactorNs < least {
			least, core = out.FactorNs, c
		}
	}
	return core
}

// nearly is the largest time of a factorization in the first round, relative to the fastest peer, with which a peer runs in the others.
const nearly = 1.3

// nearlyFastest returns the attempts that may turn out the fastest (nearly).
func nearlyFastest(runs []*attempt) []*attempt {
	least := math.Inf(1)
	for _, r := range runs {
		if x := r.leastFactor(); x < least {
			least = x
		}
	}
	return slices.DeleteFunc(slices.Clone(runs), func(r *attempt) bool { return !(r.leastFactor() <= nearly*least) })
}

// measure runs a peer once by the function run and appends its result, with the time of making its order, ns, added. A peer that failed
// before, or ran into a limit at a smaller size, does not run.
func (s *session) measure(r *record, run func(*result) error, analysis float64) {
	if s.over[r.key()] && r.failed == "" {
		r.failed = "left out after a smaller size"
	}
	if r.failed != "" {
		return
	}
	var out result
	if err := run(&out); err != nil {
		r.failed, r.rounds = err.Error(), nil
		s.over[r.key()] = errors.Is(err, errLimit) || r.failed == "out of memory"
		say("%v: %s, %s: %v", r.job, r.name, r.order, err)
		return
	}
	out.AnalyzeNs += analysis
	r.rounds = append(r.rounds, out)
}

// measureRung runs rung bench on the model of a record.
func (s *session) measureRung(r *record) error {
	list, err := s.bench(r.Family, r.Bodies, "sparse")
	if err != nil {
		return err
	}
	r.order = list[0].Ordering
	r.rounds = append(r.rounds, fromBench(&list[0]))
	return nil
}

// fromBench converts a record of rung bench: solve_ns, of a solution that is checked and, if needed, refined, becomes RefinedNs.
func fromBench(b *rungRecord) result {
	return result{
		Version: ours, Note: "whole evaluation " + number(b.TotalNs/float64(b.Bodies)) + " ns a body, with assembly and refinement", AnalyzeNs: b.AnalyzeNs, FactorNs: b.FactorNs, SolveNs: b.SolveOnceNs, RefinedNs: b.SolveNs, TotalNs: b.TotalNs,
		RelativeRefined: b.Residual, FactorNonzeros: b.FactorNonzeros, FactorFlops: b.FactorFlops, PeakBytes: b.PeakBytes,
		WallNs: b.WallNs, CPUNs: b.CPUNs, WaitedNs: b.WaitedNs,
	}
}

// orders counts the work of all orders on a model, without a solver.
func (s *session) orders(j job) error {
	b := s.builds("order", native, plain)
	if len(b) == 0 {
		say("%v: flops are not counted, the program order is not built", j)
		return nil
	}
	say("%v: counting flops", j)
	m, bin, err := s.prepare(j)
	if err != nil {
		return err
	}
	defer os.Remove(bin)
	rec := orderRecord{job: j, matrix: m}
	if list, err := s.bench(j.Family, m.Bodies, "sparse"); err == nil {
		rec.own = &list[0]
	} else {
		say("%v: Rung's own count: %v", j, err)
	}
	for _, method := range []string{"rung", "joint-metis", "kkt-metis", "joint-amd"} {
		var w work
		if err := s.order(b[0], &w, bin, method); err != nil {
			say("%v: %s: %v", j, method, err)
			continue
		}
		rec.works = append(rec.works, w)
	}
	s.counts = append(s.counts, rec)
	return nil
}
