package main

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
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
		{"ratio", "ladder 10", 0.3, 0.45, 0.2},
		{"ratio", "ladder 20", 0.1, 0.45, 0.2},
		{"time", "net", 5, 4, 0},
		{"error", "net", math.NaN(), 1, 0},
		{"told", "net", 7, 0, 0},
	}}
	var b bytes.Buffer
	s.printFigures(&b)
	for _, want := range []string{
		"| ratio | ladder 10 | 0.3 | 0.45 | yes | 0.2 |", "| ratio | ladder 20 | 0.1 | 0.45 | yes, goal too | 0.2 |",
		"| time | net | 5 | 4 | **no** |  |", "| error | net | NaN | 1 | **no** |  |", "| told | net | 7 |  |  |  |", "5 figures, 2 out of bounds.",
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
	own, chol, mumps := made(ours, 6), made("CHOLMOD on S", 40, 30), made("MUMPS", 10, 14, 12)
	for _, c := range []struct {
		g    []*record
		want float64
	}{
		{[]*record{own, chol, mumps}, 0.5},
		{[]*record{own, made("CHOLMOD in another order", 8), chol, mumps, made("MUMPS in another order")}, 0.75},
		{[]*record{own, made("CHOLMOD on S"), mumps}, math.NaN()},
		{[]*record{own, chol}, math.NaN()},
		{[]*record{own}, math.NaN()},
	} {
		s := &session{options: &options{}, records: c.g}
		if x := s.netRatio(c.g); x != c.want && !(x != x && c.want != c.want) {
			t.Errorf("%d peers: %g, not %g", len(c.g)-1, x, c.want)
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
