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

// figure is one number that docs/benchmarks.md promises, with its bound and its goal beyond
// that; zero where there is none. It has the share of a processor that the processes behind it
// had, NaN if that is not known.
type figure struct {
	what, at           string
	value, limit, goal float64
	had                float64
}

// Bounds of the figures: times in ns a body where no other unit is said.
const (
	ldlLimit, ldlGoal                 = 0.45, 0.2
	smallLadder, smallLadderGoal      = 600, 300 // up to ladderSize
	largeLadder, largeLadderGoal      = 900, 600
	ladderSize                        = 10000
	twoThreads                        = 0.6
	chainLimit, chainGoal             = 2.5, 1.3
	flopsLimit                        = 1.3
	netLimit, netOwnLimit, netGoal    = 0.7, 0.6, 0.5 // own: the peer in no order of Rung's
	nFourBarLimit, nFourBarGoal       = 400, 250
	nFourBarError                     = 1e-11
	smallMicroseconds, smallTreeLimit = 10, 2
	largest                           = 1000000
	analysisSeconds, bytesLimit       = 3, 2500
)

// What is measured for the figures.
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

func (p *parts) String() string { return "" }

// Set reads all, or names of parts with commas.
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

// measureFigures measures what has a bound. A part that fails is one figure that does not hold.
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

// figureSolvers compares with direct solvers: ladders with LDL in Rung's
// order, nets with the fastest of all in the order that suits it best.
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

// ldlRatio returns the ratio to the one peer of a model, NaN if that has not run.
func (s *session) ldlRatio(g []*record, refined bool) float64 {
	if len(g) == 2 && len(g[1].rounds) > 0 {
		return s.ratio(g[1], refined)
	}
	return math.NaN()
}

// flopsRatio returns the flops of a factorization in Rung's order over those in METIS's order of the joints, NaN if one of the two is
// not counted.
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

// netPeers are the solvers without which the fastest of all is not known.
var netPeers = []string{"SuiteSparse LDL", "CHOLMOD", "MUMPS", "Eigen"}

// netRatio returns the fastest peer of a model, and Rung's least time of a factorization over that peer's, NaN if one of
// netPeers has not run in any order.
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

// leastShare returns the least share of a processor that the solvers
// had which were measured in all rounds, NaN if it is not known of one.
func leastShare(g []*record) float64 {
	rounds := 0
	for _, r := range g {
		rounds = max(rounds, len(r.rounds))
	}
	least := 1.0
	for _, r := range g {
		if x := r.result(); len(r.rounds) == rounds {
			least = math.Min(least, share(1, x.WallNs, x.CPUNs, x.WaitedNs)) // NaN if one is
		}
	}
	return least
}

// evaluation is what rung bench is asked for: a family or a file, and how often in each round, on one thread and right
// after it on more, up to threads.
type evaluation struct {
	at             string
	times, threads int
	args           []string
}

// evaluations lists what figureEvaluations measures. What takes long is measured once a round.
func (s *session) evaluations() (list []evaluation) {
	add := func(at, family string, bodies, times, threads int, methods string) {
		list = append(list, evaluation{at, times, threads, []string{"--family", family, "--sizes", strconv.Itoa(bodies), "--method", methods}})
	}
	for _, j := range figureLadders {
		times := 6
		if j.N == largest {
			times = 1
		}
		add(j.String(), j.Family, j.N, times, 2, sparse)
	}
	for _, n := range figureNFourBars {
		add(nFourBar(n), "nfourbar", n, 1, 2, sparse)
	}
	for _, j := range figureChains {
		add(j.String(), j.Family, j.N, 3, 1, sparse+","+articulated)
	}
	for _, name := range figureSmall {
		list = append(list, evaluation{name, 1, 1, []string{filepath.Join(s.reference, name+".model.json"), "--method", "all"}})
	}
	return list
}

// Names of methods in records of rung bench.
const sparse, articulated = "sparse", "tree-aba"

var treeMethods = []string{"tree-direct", "tree-lambda", "tree-projection"}

// nFourBar names the N-four-bar of a number of bodies.
func nFourBar(bodies int) string { return fmt.Sprintf("nfourbar, %d bodies", bodies) }

// evaluationRounds is how often evaluations are measured in the place of one round of peers.
// evaluationSeconds is how long each is measured. A process on two threads is slower in its
// first moments, and a long one seldom has both cores throughout.
const (
	evaluationRounds  = 2
	evaluationSeconds = "0.3"
)

// evaluated are the records of all rounds, in the order they were measured in.
type evaluated map[string][]rungRecord

func evaluatedKey(at string, threads int, method string) string {
	return fmt.Sprintf("%s, %d, %s", at, threads, method)
}

// least returns the least of one number over the rounds, NaN if a round has none. Other
// processes on the machine can only add to a time.
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

// total returns the least time of an evaluation, ns.
func (e evaluated) total(at string, threads int, method string) float64 {
	return e.least(at, threads, method, func(r *rungRecord) float64 { return r.TotalNs })
}

// ratio returns the median, over the times that an evaluation was measured, of its time over
// that of the fastest of other ways. Each of these was measured right beside it, so what slows
// the machine for seconds slows both. NaN if one is missing.
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

// share returns the share of a processor that all measurements of an evaluation had together, NaN if it is not known.
func (e evaluated) share(at string, threads int, method string) float64 {
	var wall, cpu, waited float64
	for _, r := range e[evaluatedKey(at, threads, method)] {
		wall, cpu, waited = wall+r.WallNs, cpu+r.CPUNs, waited+r.WaitedNs
	}
	return share(threads, wall, cpu, waited)
}

// perBody is total for a body.
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

// addSpeedUp adds two figures: the time of two threads over that of one, both left alone, and
// the same ratio as the machine was. The machine may have had less than both cores free.
func (s *session) addSpeedUp(e evaluated, at string, limit float64) {
	had := e.share(at, 2, sparse)
	s.add(figure{"on two threads / on one", at, e.perBody(at, 2) / e.perBody(at, 1), limit, 0, had})
	s.add(figure{"the same, neighbours in time", at, e.ratio(at, 2, sparse, 1, sparse), 0, 0, had})
}

// evaluate measures once.
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

// figureErrors compares accelerations of N-four-bars with the closed form: for rods of 1 m and 1 kg at an angle θ from
// the upright, θ″ = g sin θ·((n+1)/2 + n)/((n+1)/3 + n).
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

// Of rung generate nfourbar.
const nFourBarGravity, nFourBarAngle = 9.81, 0.4

// measured returns x, NaN if it is not positive: rung bench has not told it.
func measured(x float64) float64 {
	if x > 0 {
		return x
	}
	return math.NaN()
}

// add keeps a figure and says it.
func (s *session) add(f figure) {
	s.promise = append(s.promise, f)
	say("%s, %s: %s", f.what, f.at, number(f.value))
}

// holds reports whether a figure is within its bound; one that is not a number is not.
func (f *figure) holds() bool { return f.limit == 0 || f.value <= f.limit }

// printFigures prints them all, with their bounds.
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

// waited returns the number of figures whose processes had too little of a processor.
func (s *session) waited() (n int) {
	for i := range s.promise {
		if s.promise[i].had < enough {
			n++
		}
	}
	return n
}

// part prints a share, nothing if it is not known.
func part(x float64) string {
	if x != x {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// missed returns the number of figures out of bounds.
func (s *session) missed() (n int) {
	for i := range s.promise {
		if !s.promise[i].holds() {
			n++
		}
	}
	return n
}
