package main

import (
	"errors"
	"os"
	"slices"
	"strings"
)

// solver is one direct solver in one order.
type solver struct {
	name    string
	program string
	variant string // of the program
	order   string // one of the program order, or what the solver does itself
	given   bool   // the order comes from the program order
	both    bool   // time is spent in code that is compiled here, so both builds are of interest
}

func solvers() []solver {
	return []solver{
		{name: "SuiteSparse LDL", program: "ldl", order: "rung"},
		{name: "SuiteSparse LDL", program: "ldl", order: "amd", given: true},
		{name: "SuiteSparse LDL", program: "ldl", order: "joint-amd", given: true},
		{name: "SuiteSparse LDL", program: "ldl", order: "joint-metis", given: true},
		{name: "CHOLMOD supernodal on S", program: "cholmod", variant: "super", order: "own", both: true},
		{name: "CHOLMOD supernodal on S", program: "cholmod", variant: "super-metis", order: "own METIS"},
		{name: "CHOLMOD simplicial on S", program: "cholmod", variant: "simplicial", order: "own", both: true},
		{name: "MUMPS indefinite", program: "mumps", order: "own"},
		{name: "MUMPS indefinite", program: "mumps", order: "joint-metis", given: true},
		{name: "UMFPACK", program: "umfpack", order: "own"},
		{name: "Eigen SimplicialLDLT", program: "eigen", order: "rung", both: true},
		{name: "Eigen SimplicialLDLT", program: "eigen", variant: "amd", order: "amd"},
	}
}

// solvers measures all direct solvers on the matrix of a model, and Rung on the
// model, interleaved.
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
	var runs []func()
	for _, v := range solvers() {
		runs = append(runs, s.schedule(v, own, bin, orders)...)
	}
	for round := range s.rounds {
		say("%v: round %d of %d", j, round+1, s.rounds)
		if err := s.measureRung(own); err != nil {
			return err
		}
		// Each round begins with another peer, so that none always follows the same one.
		for i := range runs {
			runs[(i+round*len(runs)/s.rounds)%len(runs)]()
		}
	}
	for _, order := range orders {
		if order.file != "" {
			os.Remove(order.file)
		}
	}
	return nil
}

// wanted reports whether a peer is to run.
func (o *options) wanted(name, order string) bool {
	return slices.ContainsFunc(strings.Split(o.only, ","), func(part string) bool { return strings.Contains(name+" "+order, part) })
}

// given is an order in a file.
type given struct {
	file string
	work work
	err  error
}

// makeOrders makes the orders that solvers are given.
func (s *session) makeOrders(j job, bin string) map[string]given {
	orders := map[string]given{}
	for _, v := range solvers() {
		if _, ok := orders[v.order]; !v.given || ok || !s.wanted(v.name, v.order) {
			continue
		}
		g := given{file: s.file(j, "."+v.order)}
		g.err = errors.New("the program order is not built")
		if b := s.builds("order", native, plain); len(b) > 0 {
			g.err = s.peer(b[0], "order", &g.work, bin, v.order, "-o", g.file)
		}
		orders[v.order] = g
	}
	return orders
}

// schedule appends the records of a solver, one a build, and returns what
// measures each of them once.
func (s *session) schedule(v solver, own *record, bin string, orders map[string]given) (runs []func()) {
	wanted := []string{native}
	if v.both {
		wanted = append(wanted, plain)
	}
	for _, build := range s.builds(v.program, wanted...) {
		r := &record{job: own.job, matrix: own.matrix, kind: "solver", name: v.name, order: v.order, build: build}
		if !s.wanted(v.name, v.order) {
			continue
		}
		s.records = append(s.records, r)
		args := []string{bin}
		if v.variant != "" {
			args = append(args, "--variant", v.variant)
		}
		var analysis float64
		if v.given {
			g := orders[v.order]
			if g.err != nil {
				r.failed = g.err.Error()
			}
			args = append(args, "--order", g.file)
			analysis = g.work.AnalyzeNs
		}
		runs = append(runs, func() {
			s.measure(r, func(out *result) error {
				if last := len(r.rounds); last > 0 && r.rounds[last-1].Eps > 0 {
					// The term that was found in the first round.
					return s.peer(build, v.program, out, append(args, "--eps", ftoa(r.rounds[last-1].Eps))...)
				}
				return s.peer(build, v.program, out, args...)
			}, analysis)
		})
	}
	return runs
}

// measure runs a peer once, unless it failed before.
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

// fromBench converts a record of rung bench: its solve_ns is of a solution that
// is checked, and refined where that is needed.
func fromBench(b *rungRecord) result {
	return result{
		Version: ours, Note: "whole evaluation " + number(b.TotalNs/float64(b.Bodies)) + " ns a body, with assembly and refinement", AnalyzeNs: b.AnalyzeNs, FactorNs: b.FactorNs, SolveNs: b.SolveOnceNs, RefinedNs: b.SolveNs, TotalNs: b.TotalNs,
		RelativeRefined: b.Residual, FactorNonzeros: b.FactorNonzeros, FactorFlops: b.FactorFlops, PeakBytes: b.PeakBytes,
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
		if err := s.peer(b[0], "order", &w, bin, method); err != nil {
			say("%v: %s: %v", j, method, err)
			continue
		}
		rec.works = append(rec.works, w)
	}
	s.counts = append(s.counts, rec)
	return nil
}
