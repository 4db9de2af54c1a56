package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestJobs(t *testing.T) {
	l, err := list("ladder:1e3,10 grid:3")
	if err != nil || len(l) != 3 || l[0] != (job{"ladder", 1000}) || l[2] != (job{"grid", 3}) {
		t.Fatal(l, err)
	}
	for _, bad := range []string{"ladder", "ladder:", "ladder:x", "ladder:1.5", "ladder:0"} {
		if _, err := list(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestMedians(t *testing.T) {
	r := record{rounds: []result{{FactorNs: 5, SolveNs: 1}, {FactorNs: 1, SolveNs: 9}, {FactorNs: 3, SolveNs: 2}}}
	if x := r.result(); x.FactorNs != 3 || x.SolveNs != 2 {
		t.Fatal(x)
	}
	if median([]float64{4, 1}) != 2.5 {
		t.Fatal("median of two")
	}
}

func TestDistance(t *testing.T) {
	want := [][6]float64{{10, 0, 0, 2, 0, 0}}
	if d := distance([][6]float64{{11, 0, 0, 2, 0, 0.5}}, want); d != 0.25 {
		t.Fatal(d)
	}
	if d := distance([][6]float64{{math.NaN()}}, want); !math.IsInf(d, 1) {
		t.Fatal(d)
	}
}

// TestTables holds the ratio to its definition and failures to their message.
func TestTables(t *testing.T) {
	j := job{"ladder", 10}
	s := &session{options: &options{rounds: 1}, records: []*record{
		{job: j, kind: "solver", name: ours, rounds: []result{{FactorNs: 20, SolveNs: 5, RefinedNs: 10}}},
		{job: j, kind: "solver", name: "A", rounds: []result{{FactorNs: 40, SolveNs: 60, RefinedNs: 20}}},
		{job: j, kind: "solver", name: "B", failed: "no luck"},
	}}
	if x, y := s.ratio(s.records[1], true), s.ratio(s.records[1], false); x != 0.5 || y != 0.25 {
		t.Fatal(x, y)
	}
	var out bytes.Buffer
	if err := s.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 0.5 |", "| 0.25 |", "| failed |", "| no luck |", "| fastest | | | 0.5: A,", "| fastest | | | 0.25: A,"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestWanted(t *testing.T) {
	for only, want := range map[string]bool{"": true, "LDL": true, "LDL rung": true, "MUMPS,LDL": true, "MUMPS": false, "LDL amd": false} {
		if o := (&options{only: only}); o.wanted("SuiteSparse LDL", "rung") != want {
			t.Errorf("%q", only)
		}
	}
}

func TestFigures(t *testing.T) {
	s := &session{options: &options{}, promise: []figure{
		{"ratio", "ladder 10", 0.3, 0.45, 0.2, 0.99},
		{"ratio", "ladder 20", 0.1, 0.45, 0.2, 0.6},
		{"time", "net", 5, 4, 0, 1},
		{"error", "net", math.NaN(), 1, 0, math.NaN()},
		{"told", "net", 7, 0, 0, math.NaN()},
	}}
	var b bytes.Buffer
	s.printFigures(&b)
	for _, want := range []string{
		"| ratio | ladder 10 | 0.3 | 0.45 | yes | 0.2 | 0.99 |", "| ratio | ladder 20 | 0.1 | 0.45 | yes, goal too | 0.2 | 0.60 |",
		"| time | net | 5 | 4 | **no** |  | 1.00 |", "| error | net | NaN | 1 | **no** |  |  |", "| told | net | 7 |  |  |  |  |", "5 figures, 2 out of bounds.", "the processes behind 1 of them",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestNetRatio(t *testing.T) {
	net := job{"grid", 3}
	made := func(name string, ns ...float64) *record {
		r := &record{job: net, kind: "solver", name: name}
		for _, t := range ns {
			r.rounds = append(r.rounds, result{FactorNs: t})
		}
		return r
	}
	own, chol, mumps, ldl, eigen := made(ours, 7, 6), made("CHOLMOD on S", 40, 30), made("MUMPS", 14, 12, 13), made("SuiteSparse LDL", 50), made("Eigen", 60)
	for _, c := range []struct {
		g    []*record
		want float64
	}{
		{[]*record{own, chol, mumps, ldl, eigen}, 0.5},
		{[]*record{own, made("CHOLMOD in another order", 8), chol, mumps, ldl, eigen, made("MUMPS in another order")}, 0.75},
		{[]*record{own, made("CHOLMOD on S"), mumps, ldl, eigen}, math.NaN()},
		{[]*record{own, chol, ldl, eigen}, math.NaN()},
		{[]*record{own, chol, mumps, eigen}, math.NaN()},
		{[]*record{own}, math.NaN()},
	} {
		s := &session{options: &options{}, records: c.g}
		if _, x := s.netRatio(c.g); x != c.want && !(x != x && c.want != c.want) {
			t.Errorf("%d peers: %g, not %g", len(c.g)-1, x, c.want)
		}
	}
}

func TestInOurOrder(t *testing.T) {
	for _, c := range []struct {
		name, order string
		want        bool
	}{{"SuiteSparse LDL", "rung", true}, {"SuiteSparse LDL", "joint-amd", false}, {ours, "rung", false}} {
		if inOurOrder(&record{name: c.name, order: c.order}) != c.want {
			t.Error(c)
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	if x := median(nil); x == x {
		t.Error(x)
	}
	if x := median([]float64{1, measured(0), 3}); x == x {
		t.Error(x)
	}
	s := &session{options: &options{figures: parts{"solvers", "evaluations", "errors"}, rung: filepath.Join(t.TempDir(), "rung"), bin: t.TempDir(), rounds: 1}}
	s.measureFigures()
	if len(s.promise) != 3 || s.missed() != len(s.promise) {
		t.Errorf("%d of %d figures are missed without a rung to measure", s.missed(), len(s.promise))
	}
}

func TestLeast(t *testing.T) {
	e := evaluated{
		evaluatedKey("a", 1, sparse): {{TotalNs: 30, Bodies: 10}, {TotalNs: 20, Bodies: 10}},
		evaluatedKey("a", 2, sparse): {{TotalNs: 30, Bodies: 10}, {Bodies: 10}},
	}
	if x := e.perBody("a", 1); x != 2 {
		t.Error(x)
	}
	if x := e.total("a", 1, sparse); x != 20 {
		t.Error(x)
	}
	for _, x := range []float64{e.perBody("a", 2), e.perBody("b", 1), e.total("a", 1, articulated)} {
		if x == x {
			t.Error(x, "without a measurement")
		}
	}
}

func TestRatio(t *testing.T) {
	total := func(v ...float64) (list []rungRecord) {
		for _, x := range v {
			list = append(list, rungRecord{TotalNs: x})
		}
		return list
	}
	e := evaluated{
		evaluatedKey("a", 1, sparse):  total(10, 40, 20), // the machine is slow the second time, and fast for this alone
		evaluatedKey("a", 2, sparse):  total(6, 20, 11),
		evaluatedKey("a", 1, "tree"):  total(20, 80, 50),
		evaluatedKey("a", 1, "other"): total(50, 40, 40),
		evaluatedKey("a", 1, "short"): total(1, 1),
		evaluatedKey("a", 1, "none"):  total(1, 0, 1),
	}
	if x := e.ratio("a", 2, sparse, 1, sparse); x != 0.55 {
		t.Error(x)
	}
	if x := e.ratio("a", 1, sparse, 1, "tree", "other"); x != 0.5 { // of 0.5, 1, 0.5
		t.Error(x)
	}
	for _, other := range []string{"short", "none", "missing"} {
		if x := e.ratio("a", 1, sparse, 1, other); x == x {
			t.Error(x, "without a measurement of", other)
		}
	}
	if x := e.ratio("b", 1, sparse, 1, sparse); x == x {
		t.Error(x, "without a measurement")
	}
}

func TestParts(t *testing.T) {
	var p parts
	if err := p.Set("all"); err != nil || len(p) != 3 {
		t.Error(p, err)
	}
	if err := p.Set("errors,solvers"); err != nil || len(p) != 2 || p[1] != "errors" {
		t.Error(p, err)
	}
	for _, bad := range []string{"", "error", "errors,", "errors,errors", "all,errors"} {
		if p.Set(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		threads                int
		wall, cpu, waited, had float64
	}{
		{1, 100, 90, 0, 0.9}, {1, 100, 120, 0, 1}, {2, 100, 90, 10, 0.9},
		{1, 0, 0, 0, math.NaN()}, {1, 100, 0, 0, math.NaN()}, {2, 100, 190, 0, math.NaN()},
	} {
		if x := share(c.threads, c.wall, c.cpu, c.waited); x != c.had && !(x != x && c.had != c.had) {
			t.Errorf("%+v: %g", c, x)
		}
	}
}

func TestThreadsOf(t *testing.T) {
	if n := threadsOf([]byte("Name:\tx\nThreads:\t4\nSigQ:\t0/1\n")); n != 4 {
		t.Error(n)
	}
	if n := threadsOf([]byte("Name:\tThreads:\n")); n != 0 {
		t.Error(n)
	}
}

// TestManyThreads holds that a peer on more threads than one does not count: the command is such a peer.
func TestManyThreads(t *testing.T) {
	program := filepath.Join(t.TempDir(), "peer")
	for text, fails := range map[string]bool{`{"threads": 4, "factor_ns": 1}`: true, `{"threads": 1, "factor_ns": 1}`: false} {
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+text+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		var out result
		err := (&options{}).timed(&process{program: program, threads: 1, limit: time.Minute}, 1, &out)
		if (err != nil) != fails {
			t.Error(text, err)
		}
	}
}

// TestEnvironment holds that a peer is told to take one thread and the kernels that are tried.
func TestEnvironment(t *testing.T) {
	env := (&process{threads: 1, core: "Haswell"}).environment()
	for _, want := range []string{"OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1", "OPENBLAS_NUM_THREADS=1", "OPENBLAS_CORETYPE=Haswell"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestCoresFor(t *testing.T) {
	for flags, want := range map[string]string{
		"sse2": "", "avx": ",Sandybridge", "avx avx2 fma": ",Haswell,Zen",
		"avx avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl": ",Haswell,Zen,SkylakeX",
	} {
		if got := strings.Join(coresFor(strings.Fields(flags)), ","); got != want {
			t.Errorf("%s: %s", flags, got)
		}
	}
}

func TestNearlyFastest(t *testing.T) {
	made := func(name string, ns ...float64) *attempt {
		r := &record{name: name}
		for _, x := range ns {
			r.rounds = append(r.rounds, result{FactorNs: x})
		}
		return &attempt{record: r}
	}
	var names []string
	for _, r := range nearlyFastest([]*attempt{made("slow", 20), made("fast", 10), made("near", 12), made("failed")}) {
		names = append(names, r.name)
	}
	if strings.Join(names, " ") != "fast near" {
		t.Error(names)
	}
}

func TestInto(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	page := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := &session{options: &options{}, promise: []figure{{"ratio", "ladder 10", 0.3, 0.45, 0, 0.99}}}
	begin, end := "<!-- figures -->", "<!-- end of figures -->"
	page("before\n" + begin + "\nold\n" + end + "\nafter\n")
	for range 2 { // the second time in its own place
		if err := s.printInto(file); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "before\n"+begin+"\n") || !strings.HasSuffix(string(text), end+"\nafter\n") ||
		strings.Contains(string(text), "\nold\n") || strings.Count(string(text), "| ratio | ladder 10 | 0.3 |") != 1 {
		t.Errorf("%s", text)
	}
	for _, bad := range []string{"", begin + "\n", end + "\n" + begin + "\n"} {
		page(bad)
		if s.printInto(file) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestSteps: the page has MuJoCo's own solution beside Rung, and what all rows come to; a row that was lost ends it.
func TestSteps(t *testing.T) {
	m := &stepped{motion: &motion{name: "arm", file: "arm", time: 2, steps: []float64{3e-5, 1e-3}}}
	for i, h := range m.steps {
		f := float64(i + 1)
		m.rows = append(m.rows,
			&rolled{program: "rollout", method: "semi-implicit", h: h, StepNs: 100, err: 1e-3 * f},
			&rolled{program: "rollouts", method: "Euler", like: "semi-implicit", h: h, StepNs: 1000 * f, err: 2e-4 * f},
			&rolled{program: "rollouts", method: "Euler", like: "semi-implicit", way: 1, h: h, StepNs: 800 * f, err: 4e-4 * f},
			&rolled{program: "rollout", method: "RK4", h: h, StepNs: 400, err: 1e-9, Violation: 3e-14 * f},
			&rolled{program: "rollouts", method: "RK4", like: "RK4", h: h, StepNs: 4000, err: 5e-5, Violation: 2e-5 * f},
			&rolled{program: "rollouts", method: "RK4", like: "RK4", way: 1, h: h, StepNs: 2000, err: 5e-4, Violation: 1})
	}
	s := &session{options: &options{rounds: 4}}
	var b bytes.Buffer
	if err := s.printSteps(&b, []*stepped{m}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"in 4 rounds", "| arm, 2 s, Euler | 30 µs | 1000 | 2e-4 | 100 | 1e-3 | 10.0 |", "|  | 1 ms | 2000 | 4e-4 | 100 | 2e-3 | 20.0 |",
		"| arm, RK4 | 30 µs | 4000 | 5e-5 | 400 | 1e-9 | 10.0 |", "- arm: 10 with RK4, 10 to 20 with", "PGS, 2 iterations is", "takes 50 to 80 % of", "errors 2.0 to 10 times",
		"makes 5.0 times as many steps with RK4 and 8.0 to 16 times", "on the arm, MuJoCo takes 4.0 to 333 times", "at most 6e-14 m, MuJoCo's by 2e-5 to 4e-5 m"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	m.rows[5].lost = os.ErrNotExist
	if err := s.printSteps(&b, []*stepped{m}); err == nil || !strings.Contains(err.Error(), "arm, RK4, step 3e-05") {
		t.Error(err)
	}
}
