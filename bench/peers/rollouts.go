package main

import (
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// motion is a model that Rung and MuJoCo both simulate from its initial state.
type motion struct {
	name     string    // in tables
	file     string    // in the folder of reference models, without the ending
	time     float64   // s, end of the motion
	steps    []float64 // s, steps of both
	coarse   []float64 // s, further steps of Rung's RK4
	fine     float64   // s, step of the reference
	settings []string  // arguments of cpp/rollouts.cpp
}

// motions are the compared motions. With "planar=1", where everything moves in a plane, the second of the two points that hold the axis
// of a hinge is left out. MJCF has no constant wrench, so it is an argument.
var motions = []motion{
	{"four-bar", "golden/four-bar", 1, []float64{1e-4, 1e-3, 4e-3}, []float64{0.01, 0.02}, 2e-5, []string{"planar=1"}},
	{"Andrews", "standard/a03-andrews-ivp", 0.03, []float64{3e-6, 3e-5, 1e-4}, []float64{3e-4, 6e-4}, 1e-6, []string{"planar=1", "K1.moment=0.033"}},
	{"Stewart", "golden/stewart-6ups", 0.5, []float64{1e-4, 1e-3, 5e-3}, []float64{0.02, 0.05}, 2e-5, nil},
}

// kinds are the pairs of integration methods of the same kind: Rung's and MuJoCo's.
var kinds = []struct{ own, other string }{{"semi-implicit", "Euler"}, {"RK4", "RK4"}}

// mujocoWays are the settings of MuJoCo's solver: the quickest one that converges to its solution, and the quickest one that stays
// stable.
var mujocoWays = []struct {
	name     string
	settings []string
}{
	{"Newton", []string{"solver=Newton"}},
	{"PGS, 2 iterations", []string{"solver=PGS", "iterations=2"}},
}

// rolled is the result of a program for one motion.
type rolled struct {
	StepNs    float64 `json:"step_ns"`
	Violation float64
	OneByOne  int `json:"one_by_one"`
	Positions map[string][3]float64

	program, method string
	like            string  // for a row of MuJoCo: Rung's method of the same kind
	way             int     // index of mujocoWays
	h, two, err     float64 // step, s; time of a step on two threads, ns; largest distance from the reference, m
	lost            error   // nil if the run succeeded
}

// away returns the largest distance, m, between the positions of a body in two results; +Inf if their bodies are not the same.
func (r *rolled) away(from *rolled) (d float64) {
	if len(r.Positions) != len(from.Positions) {
		return math.Inf(1)
	}
	for name, a := range r.Positions {
		b, ok := from.Positions[name]
		if !ok {
			return math.Inf(1)
		}
		d = max(d, math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]))
	}
	return d
}

// stepped is a motion with its results.
type stepped struct {
	*motion
	rows []*rolled
}

// measureRollouts simulates the motions by Rung and by MuJoCo, by turns, prints a table for each motion, and replaces the region of the
// file in the options, if there is one.
func (s *session) measureRollouts(w io.Writer) error {
	fmt.Fprint(w, "## Steps beside MuJoCo\n\n")
	fmt.Fprintf(w, "Wall time of a step of one state, least of many short runs in %d rounds, on one thread and on two; MuJoCo with an mjData a thread, Rung with 256 states. Error: largest distance of a body from the fine solution at the end. "+
		"Steps: how many Rung makes in the time of one of this row, by the method of the same kind and step. Work: time of this row over that of Rung's quickest row that is no less accurate.\n", s.rounds)
	if len(s.builds("rollouts", native)) == 0 {
		return fmt.Errorf("MuJoCo is not there, package libmujoco-dev")
	}
	var all []*stepped
	for i := range motions {
		m, err := s.rollout(&motions[i])
		if err != nil {
			return fmt.Errorf("%s: %w", motions[i].file, err)
		}
		m.print(w)
		all = append(all, m)
	}
	fmt.Fprintf(w, "%s\n", s.begun.since(readMachine()))
	if s.into == "" {
		return nil
	}
	return rolloutsRegion.write(s.into, func(w io.Writer) error {
		if err := s.copyFacts(w); err != nil {
			return err
		}
		return s.printSteps(w, all)
	})
}

// rollout measures the steps of a motion by all methods and step sizes in rounds, and their distances from a run with fine steps.
func (s *session) rollout(m *motion) (*stepped, error) {
	model, xml := filepath.Join(s.reference, m.file+".model.json"), filepath.Join(s.work, filepath.Base(m.file)+".xml")
	if out, err := exec.Command(s.rung, "export", model, "-o", xml).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("rung export: %w %s", err, oneLine(string(out)))
	}
	exact := &rolled{program: "rollout", method: "RK4", h: m.fine}
	if s.step(exact, m, model, xml, 1); exact.lost != nil {
		return nil, exact.lost
	}
	var rows []*rolled
	for _, h := range m.steps {
		for _, k := range kinds {
			rows = append(rows, &rolled{program: "rollout", method: k.own, h: h})
			for way := range mujocoWays {
				rows = append(rows, &rolled{program: "rollouts", method: k.other, way: way, like: k.own, h: h})
			}
		}
	}
	for _, h := range m.coarse {
		rows = append(rows, &rolled{program: "rollout", method: "RK4", h: h})
	}
	for round := range s.rounds {
		say("%s, round %d of %d", m.file, round+1, s.rounds)
		for _, r := range rows {
			for threads := 1; threads <= 2; threads++ {
				s.step(r, m, model, xml, threads)
			}
		}
	}
	for _, r := range rows {
		r.err = r.away(exact)
	}
	return &stepped{m, rows}, nil
}

// print writes the table of a motion.
func (m *stepped) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s, %v s\n\n| | method | step, s | ns a step | two threads | error, m | violation | steps | work |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n", filepath.Base(m.file), m.time)
	for _, r := range m.rows {
		name, steps, work := "Rung", "", ""
		if r.program == "rollouts" {
			name = "MuJoCo, " + mujocoWays[r.way].name
			steps, work = beside(r, m.rows)
		}
		if r.lost != nil {
			fmt.Fprintf(w, "| %s | %s | %g | %v | | | | | |\n", name, r.method, r.h, r.lost)
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %g | %.0f | %.0f | %.1e | %.0e | %s | %s |\n", name, r.method, r.h, r.StepNs, r.two, r.err, r.Violation, steps, work)
	}
	fmt.Fprintln(w)
}

// beside returns the ratios of a row (ratios) as text; "" for NaN.
func beside(r *rolled, rows []*rolled) (steps, work string) {
	s, w := ratios(r, rows)
	if s == s {
		steps = fmt.Sprintf("%.1f", s)
	}
	if w == w {
		work = fmt.Sprintf("%.0f", w)
	}
	return steps, work
}

// ratios compares a row of MuJoCo with the rows of Rung. steps is the number of steps that Rung makes, by the method of the same kind
// and with the same step size, in the time of one step of the row. work is the row's time for the motion over the time of Rung's
// quickest row that is no less accurate. They are NaN if there is no such row.
func ratios(r *rolled, rows []*rolled) (steps, work float64) {
	steps, work = math.NaN(), math.NaN()
	if r.lost != nil {
		return steps, work
	}
	quickest := math.Inf(1)
	for _, x := range rows {
		if x.program != "rollout" || x.lost != nil {
			continue
		}
		if x.method == r.like && x.h == r.h {
			steps = r.StepNs / x.StepNs
		}
		if x.err <= r.err {
			quickest = min(quickest, x.StepNs/x.h)
		}
	}
	if !math.IsInf(quickest, 1) {
		work = r.StepNs / r.h / quickest
	}
	return steps, work
}

// step runs a row once on a number of threads, and keeps the least times. An error is stored in r.lost, and the row is not run again.
func (s *session) step(r *rolled, m *motion, model, xml string, threads int) {
	if r.lost != nil {
		return
	}
	h, end := strconv.FormatFloat(r.h, 'g', -1, 64), strconv.FormatFloat(m.time, 'g', -1, 64)
	p := &process{program: filepath.Join(s.bin, "rollout"), threads: threads, limit: 10 * time.Minute}
	args := []string{model, r.method, h, end, strconv.Itoa(threads)}
	if r.program == "rollouts" {
		p.program = filepath.Join(s.bin, native, "rollouts")
		args = append(append([]string{xml, r.method, h, end, strconv.Itoa(threads)}, m.settings...), mujocoWays[r.way].settings...)
	}
	var x rolled
	if r.lost = p.call(&x, args...); r.lost != nil {
		return
	}
	if threads == 2 {
		if r.two == 0 || x.StepNs < r.two {
			r.two = x.StepNs
		}
		return
	}
	if r.StepNs == 0 || x.StepNs < r.StepNs {
		r.StepNs = x.StepNs
	}
	r.Violation, r.OneByOne, r.Positions = x.Violation, x.OneByOne, x.Positions
}
