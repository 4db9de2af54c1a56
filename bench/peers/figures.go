package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// figure is one number that docs/benchmarks.md promises.
type figure struct {
	what, at           string  // quantity, and the model or size at which it is measured
	value, limit, goal float64 // limit: largest promised value; goal: value aimed at beyond that; 0: none
	had                float64 // share of a processor that the measured processes had; NaN if not known
}

// Limits and goals of the figures: times in ns per body unless another unit is given; others are ratios.
const (
	ldlLimit, ldlGoal                 = 0.45, 0.2
	smallLadder, smallLadderGoal      = 600, 300 // up to ladderSize
	largeLadder, largeLadderGoal      = 900, 600
	ladderSize                        = 10000
	twoThreads                        = 0.6
	chainLimit, chainGoal             = 2.5, 1.3
	flopsLimit                        = 1.3
	netLimit, netOwnLimit, netGoal    = 0.7, 0.6, 0.5 // netOwnLimit: against peers in their own orders, not Rung's
	nFourBarLimit, nFourBarGoal       = 400, 250
	nFourBarError                     = 1e-11
	smallMicroseconds, smallTreeLimit = 10, 2
	largest                           = 1000000
	analysisSeconds, bytesLimit       = 3, 2500
)

// The models that are measured for the figures.
var (
	figureLadders   = jobs{{"ladder", 1000}, {"ladder", 10000}, {"ladder", 100000}, {"ladder", largest}}
	figureNets      = jobs{{"grid", 10}, {"grid", 30}, {"grid", 100}, {"grid", 300}}
	figureChains    = jobs{{"chain", 1000}, {"chain", 10000}, {"chain", 100000}}
	figureNFourBars = []int{99, 999, 9999, 99999}
	figureSmall     = []string{"golden/four-bar", "golden/bricard-6r", "golden/stewart-6ups", "standard/a03-andrews-ivp", "standard/a04-bricard-slender"}
)

// figureParts are the parts of the figures that -figures names.
var figureParts = []struct {
	name    string
	measure func(*session) error
}{{"evaluations", (*session).figureEvaluations}, {"solvers", (*session).figureSolvers}, {"errors", (*session).figureErrors}}

// parts is a flag such as "solvers,errors", or "all".
type parts []string

// String implements flag.Value; there is no default to show.
func (p *parts) String() string { return "" }

// Set implements flag.Value: it reads "all", or names of parts with commas between them.
func (p *parts) Set(text string) error {
	*p = nil
	for _, f := range figureParts {
		if text == "all" || slices.Contains(strings.Split(text, ","), f.name) {
			*p = append(*p, f.name)
		}
	}
	if n := len(strings.Split(text, ",")); text != "all" && len(*p) != n {
		return fmt.Errorf("%q is not all, nor of evaluations, solvers, errors", text)
	}
	return nil
}

// measureFigures measures the chosen parts of the figures. A part that fails counts as one figure that does not hold.
func (s *session) measureFigures() {
	for _, part := range figureParts {
		if !slices.Contains(s.figures, part.name) {
			continue
		}
		if err := part.measure(s); err != nil {
			s.add(figure{part.name, oneLine(err.Error()), math.NaN(), math.Inf(1), 0, math.NaN()})
		}
	}
}

// figureSolvers compares Rung with direct solvers: on ladders with LDL in Rung's order, on nets with the fastest of all solvers, each
// in the order that suits it best.
func (s *session) figureSolvers() error {
	for _, part := range []struct {
		jobs
		only string
		trim bool
	}{{figureLadders, "SuiteSparse LDL rung", false}, {figureNets, "SuiteSparse,CHOLMOD,MUMPS,Eigen", true}} {
		s.only, s.trim = part.only, part.trim
		for _, j := range part.jobs {
			if err := s.solvers(j); err != nil {
				return fmt.Errorf("%v: %w", j, err)
			}
		}
	}
	for _, g := range s.byModel("solver") {
		at := g[0].job.String()
		if g[0].Family == "grid" {
			best, ratio := s.netRatio(g)
			s.add(figure{"factor / fastest of all solvers: " + best, at, ratio, netLimit, netGoal, leastShare(g)})
			best, ratio = s.netRatio(slices.DeleteFunc(slices.Clone(g), inOurOrder))
			s.add(figure{"the same, in no order of Rung's: " + best, at, ratio, netOwnLimit, netGoal, leastShare(g)})
			continue
		}
		s.add(figure{"factor + solve / SuiteSparse LDL", at, s.ldlRatio(g, false), ldlLimit, ldlGoal, leastShare(g)})
		s.add(figure{"the same, refined", at, s.ldlRatio(g, true), ldlLimit, ldlGoal, leastShare(g)})
	}
	for _, j := range figureNets {
		if err := s.orders(j); err != nil {
			return fmt.Errorf("%v: %w", j, err)
		}
		s.add(figure{"flops / METIS on the graph of joints", j.String(), s.flopsRatio(j), flopsLimit, 0, math.NaN()})
	}
	return nil
}

// ldlRatio returns Rung's time over the time of the only peer in g (ratio); NaN if it has not run.
func (s *session) ldlRatio(g []*record, refined bool) float64 {
	if len(g) == 2 && len(g[1].rounds) > 0 {
		return s.ratio(g[1], refined)
	}
	return math.NaN()
}

// flopsRatio returns the flops of a factorization in Rung's order over the flops in METIS's order of the joints; NaN if one of the two
// was not counted.
func (s *session) flopsRatio(j job) float64 {
	own, metis := math.NaN(), math.NaN()
	for i := range s.counts {
		if s.counts[i].job != j {
			continue
		}
		for _, w := range s.counts[i].works {
			switch w.Method {
			case "rung":
				own = w.Blocks.Flops
			case "joint-metis":
				metis = w.Blocks.Flops
			}
		}
	}
	return own / metis
}

// netPeers are the solvers that must have run for the fastest one to be known.
var netPeers = []string{"SuiteSparse LDL", "CHOLMOD", "MUMPS", "Eigen"}

// netRatio returns the fastest peer in g, and Rung's least time of a factorization over the peer's. If one of netPeers has not run in
// any order, it returns a text on that and NaN.
func (s *session) netRatio(g []*record) (best string, ratio float64) {
	least := math.NaN()
	for _, name := range netPeers {
		ran := false
		for _, r := range g {
			x := r.leastFactor()
			if !strings.HasPrefix(r.name, name) || x != x {
				continue
			}
			if ran = true; !(x >= least) {
				least, best = x, strings.Join([]string{r.name, "order " + r.order, r.result().Kernels}, ", ")
			}
		}
		if !ran {
			return name + " has not run", math.NaN()
		}
	}
	return strings.TrimSuffix(best, ", "), s.rungOf(g[0]).leastFactor() / least
}

// inOurOrder reports whether a peer was given Rung's order of elimination.
func inOurOrder(r *record) bool { return r.name != ours && r.order == "rung" }

// leastShare returns the least share of a processor among the solvers in g that were measured in all rounds; NaN if it is not known
// for one of them.
func leastShare(g []*record) float64 {
	rounds := 0
	for _, r := range g {
		rounds = max(rounds, len(r.rounds))
	}
	least := 1.0
	for _, r := range g {
		if x := r.result(); len(r.rounds) == rounds {
			least = math.Min(least, share(1, x.WallNs, x.CPUNs, x.WaitedNs)) // NaN if one argument is
		}
	}
	return least
}

// evaluation is a measurement by rung bench. It is repeated so many times in each round, each time on one thread and right after it on
// more, up to threads.
type evaluation struct {
	at             string // model or size, as in figure
	times, threads int
	args           []string // of rung bench
}

// evaluations returns the measurements of figureEvaluations. Ladders are measured most often in a round, long evaluations once.
func (s *session) evaluations() (list []evaluation) {
	add := func(e evaluation, family string, bodies int, methods string) {
		e.args = []string{"--family", family, "--sizes", strconv.Itoa(bodies), "--method", methods}
		list = append(list, e)
	}
	for _, j := range figureLadders {
		times := 6
		if j.N == largest {
			times = 1
		}
		add(evaluation{at: j.String(), times: times, threads: 2}, j.Family, j.N, sparse)
	}
	for _, n := range figureNFourBars {
		add(evaluation{at: nFourBar(n), times: 1, threads: 2}, "nfourbar", n, sparse)
	}
	for _, j := range figureChains {
		add(evaluation{at: j.String(), times: 3, threads: 1}, j.Family, j.N, sparse+","+articulated)
	}
	for _, name := range figureSmall {
		args := []string{filepath.Join(s.reference, name+".model.json"), "--method", "all"}
		list = append(list, evaluation{at: name, times: 1, threads: 1, args: args})
	}
	return list
}

// Names of methods in records of rung bench.
const sparse, articulated = "sparse", "tree-aba"

// treeMethods are the names of the tree methods in records of rung bench.
var treeMethods = []string{"tree-direct", "tree-lambda", "tree-projection"}

// nFourBar returns the name of the N-four-bar mechanism with a number of bodies, for figures.
func nFourBar(bodies int) string { return fmt.Sprintf("nfourbar, %d bodies", bodies) }

// evaluationRounds is the number of rounds of evaluations for each round of the options, and evaluationSeconds the time of each
// measurement, s: a process on two threads is slower at its beginning, and a long one seldom has both cores throughout.
const (
	evaluationRounds  = 2
	evaluationSeconds = "0.3"
)

// evaluated has the records of all rounds, by evaluatedKey, in the order in which they were measured.
type evaluated map[string][]rungRecord

// evaluatedKey returns the key of an evaluation on a number of threads by a method.
func evaluatedKey(at string, threads int, method string) string {
	return fmt.Sprintf("%s, %d, %s", at, threads, method)
}

// least returns the least value of a number over all records, as other processes on the machine only add to a time; NaN if there are
// no records, or one of them has no value.
func (e evaluated) least(at string, threads int, method string, of func(*rungRecord) float64) float64 {
	list := e[evaluatedKey(at, threads, method)]
	if len(list) == 0 {
		return math.NaN()
	}
	least := math.Inf(1)
	for i := range list {
		least = math.Min(least, measured(of(&list[i])))
	}
	return least
}

// total returns the least time of an evaluation, ns; NaN if it is missing.
func (e evaluated) total(at string, threads int, method string) float64 {
	return e.least(at, threads, method, func(r *rungRecord) float64 { return r.TotalNs })
}

// ratio returns the median, over all measurements of an evaluation, of its time over the time of the fastest of other methods. These
// were measured right after or before it, so that a disturbance of some seconds slows both. It is NaN if one is missing.
func (e evaluated) ratio(at string, threads int, method string, otherThreads int, others ...string) float64 {
	list := e[evaluatedKey(at, threads, method)]
	ratios := make([]float64, len(list))
	for i := range list {
		best := math.NaN()
		for _, other := range others {
			if o := e[evaluatedKey(at, otherThreads, other)]; i < len(o) && !(measured(o[i].TotalNs) >= best) {
				best = measured(o[i].TotalNs)
			}
		}
		ratios[i] = measured(list[i].TotalNs) / best
	}
	return median(ratios)
}

// share returns the share of a processor in all measurements of an evaluation together; NaN if it is not known.
func (e evaluated) share(at string, threads int, method string) float64 {
	var wall, cpu, waited float64
	for _, r := range e[evaluatedKey(at, threads, method)] {
		wall, cpu, waited = wall+r.WallNs, cpu+r.CPUNs, waited+r.WaitedNs
	}
	return share(threads, wall, cpu, waited)
}

// perBody returns the least time of an evaluation by the sparse method per body, ns; NaN if it is missing.
func (e evaluated) perBody(at string, threads int) float64 {
	return e.least(at, threads, sparse, func(r *rungRecord) float64 { return r.TotalNs / float64(r.Bodies) })
}

// figureEvaluations measures whole evaluations of ladders and N-four-bars on one thread and on two, of chains by
// articulated bodies too, and of small mechanisms by all methods. All are measured in each round.
func (s *session) figureEvaluations() error {
	e, rounds := evaluated{}, evaluationRounds*s.rounds
	for round := range rounds {
		say("evaluations, round %d of %d", round+1, rounds)
		for _, v := range s.evaluations() {
			for range v.times {
				if err := s.evaluate(e, &v); err != nil {
					return fmt.Errorf("%s: %w", v.at, err)
				}
			}
		}
	}
	for _, j := range figureLadders {
		at, limit, goal := j.String(), float64(smallLadder), float64(smallLadderGoal)
		if j.N > ladderSize {
			limit, goal = largeLadder, largeLadderGoal
		}
		s.add(figure{"evaluation, ns a body", at, e.perBody(at, 1), limit, goal, e.share(at, 1, sparse)})
		s.add(figure{"on two threads, ns a body", at, e.perBody(at, 2), twoThreads * limit, twoThreads * goal, e.share(at, 2, sparse)})
		s.addSpeedUp(e, at, twoThreads)
		if j.N == largest {
			s.add(figure{"analysis, s", at, e.least(at, 1, sparse, func(r *rungRecord) float64 { return r.AnalyzeNs }) / 1e9, analysisSeconds, 0, math.NaN()})
			s.add(figure{"peak memory, bytes a body", at, e.least(at, 1, sparse, func(r *rungRecord) float64 { return r.PeakBytes }) / largest, bytesLimit, 0, math.NaN()})
		}
	}
	for _, n := range figureNFourBars {
		at := nFourBar(n)
		s.add(figure{"evaluation, ns a body", at, e.perBody(at, 1), nFourBarLimit, nFourBarGoal, e.share(at, 1, sparse)})
		s.addSpeedUp(e, at, 0)
	}
	for _, j := range figureChains {
		at := j.String()
		s.add(figure{"evaluation / articulated bodies", at, e.ratio(at, 1, sparse, 1, articulated), chainLimit, chainGoal, e.share(at, 1, sparse)})
	}
	for _, at := range figureSmall {
		s.add(figure{"evaluation, µs", at, e.total(at, 1, sparse) / 1e3, smallMicroseconds, 0, e.share(at, 1, sparse)})
		s.add(figure{"evaluation / fastest tree method", at, e.ratio(at, 1, sparse, 1, treeMethods...), smallTreeLimit, 0, e.share(at, 1, sparse)})
	}
	return nil
}

// addSpeedUp adds two figures of two threads over one: the ratio of the least times, which has a limit, and the median ratio of
// measurements one right after the other. In the second one the machine may not have had both cores free.
func (s *session) addSpeedUp(e evaluated, at string, limit float64) {
	had := e.share(at, 2, sparse)
	s.add(figure{"on two threads / on one", at, e.perBody(at, 2) / e.perBody(at, 1), limit, 0, had})
	s.add(figure{"the same, neighbours in time", at, e.ratio(at, 2, sparse, 1, sparse), 0, 0, had})
}

// evaluate does a measurement once, on one thread and on more, and appends the records to e.
func (s *session) evaluate(e evaluated, v *evaluation) error {
	for threads := 1; threads <= v.threads; threads++ {
		list, err := s.rungBench(threads, append(v.args, "--min-seconds", evaluationSeconds)...)
		if err != nil {
			return err
		}
		for _, r := range list {
			key := evaluatedKey(v.at, threads, r.Method)
			e[key] = append(e[key], r)
		}
	}
	return nil
}

// figureErrors compares accelerations of N-four-bar mechanisms with the closed form: for rods of 1 m and 1 kg at an angle θ from the
// vertical, θ″ = g sin θ·((n+1)/2 + n)/((n+1)/3 + n).
func (s *session) figureErrors() error {
	for _, bodies := range figureNFourBars {
		j := job{"nfourbar", bodies / 2}
		_, text, got, err := s.model(j)
		if err != nil {
			return err
		}
		if err := os.Remove(text); err != nil {
			return err
		}
		if len(got) != bodies {
			return fmt.Errorf("%v: accelerations of %d bodies, not %d", j, len(got), bodies)
		}
		n := float64(j.N)
		want := nFourBarGravity * math.Sin(nFourBarAngle) * ((n+1)/2 + n) / ((n+1)/3 + n)
		worst := 0.0
		for k := 0; k < len(got); k += 2 { // rods and couplers alternate
			worst = math.Max(worst, math.Abs(got[k][5]/want-1)) // NaN if one is
		}
		s.add(figure{"error against the closed form", nFourBar(bodies), worst, nFourBarError, 0, math.NaN()})
	}
	return nil
}

// Gravity, m/s², and the angle θ, rad, of rung generate nfourbar.
const nFourBarGravity, nFourBarAngle = 9.81, 0.4

// measured returns x, or NaN if x is not positive, which means that rung bench has no value for it.
func measured(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}

// add keeps a figure and prints it as progress.
func (s *session) add(f figure) {
	s.promise = append(s.promise, f)
	say("%s, %s: %s", f.what, f.at, number(f.value))
}

// holds reports whether a figure is within its limit, if it has one; NaN is not.
func (f *figure) holds() bool { return f.limit == 0 || f.value <= f.limit }

// printFigures prints the table of all figures with their limits and goals.
func (s *session) printFigures(w io.Writer) {
	fmt.Fprint(w, "All ratios come from this run. Against LDL they compare medians over the rounds; against the fastest solver, the shortest times. Evaluation times, bytes and two threads over one use the shortest times too. Ratios to other methods, and \"neighbours in time\", are medians of ratios of back-to-back measurements. \"Processor\" is the share of the time in which the processes behind a figure had a processor.\n\n| figure | of | value | bound | holds | goal beyond | processor |\n|---|---|---|---|---|---|---|\n")
	for i := range s.promise {
		f := &s.promise[i]
		holds := ""
		switch {
		case !f.holds():
			holds = "**no**"
		case f.limit > 0:
			holds = "yes"
		}
		if f.goal > 0 && f.value <= f.goal {
			holds += ", goal too"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", f.what, f.at, number(f.value), number(f.limit), holds, number(f.goal), part(f.had))
	}
	fmt.Fprintf(w, "\n%d figures, %d out of bounds.", len(s.promise), s.missed())
	if n := s.waited(); n > 0 {
		fmt.Fprintf(w, " **The machine was busy**: the processes behind %d of them had one for less than %g of the time.", n, enough)
	}
	fmt.Fprintf(w, " %s\n\n", s.begun.since(readMachine()))
}

// waited returns the number of figures whose processes had a processor for less than the share enough.
func (s *session) waited() (n int) {
	for i := range s.promise {
		if s.promise[i].had < enough {
			n++
		}
	}
	return n
}

// part returns a share as text; "" if it is NaN.
func part(x float64) string {
	if x != x {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// missed returns the number of figures that do not hold.
func (s *session) missed() (n int) {
	for i := range s.promise {
		if !s.promise[i].holds() {
			n++
		}
	}
	return n
}
