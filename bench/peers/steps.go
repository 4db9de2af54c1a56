package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// printSteps writes the region of docs/benchmarks.md on rollouts: a table with MuJoCo's converged solution, and the ranges of the
// ratios over all rows.
func (s *session) printSteps(w io.Writer, all []*stepped) error {
	fmt.Fprintf(w, "The least of many short runs in %d rounds, in which both run by turns on one thread. %s\n\n", s.rounds, s.begun.since(readMachine()))
	fmt.Fprint(w, "| | step | MuJoCo, Newton, ns | error, m | Rung, ns | error, m | steps |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, m := range all {
		if err := m.printKinds(w); err != nil {
			return fmt.Errorf("%s: %w", m.file, err)
		}
	}
	fmt.Fprint(w, "\nSteps that Rung makes in the time of one step of MuJoCo, with Newton's solver:\n\n")
	var pgs [2]span // by index of kinds
	var share, worse, work, own, other span
	for _, m := range all {
		var newton [2]span
		for _, r := range m.rows {
			if r.lost != nil {
				return fmt.Errorf("%s, %s, step %g: %w", m.file, r.method, r.h, r.lost)
			}
			if r.program == "rollout" {
				if r.method == "RK4" && m.has(r.h) {
					own.add(r.Violation)
				}
				continue
			}
			steps, much := ratios(r, m.rows)
			kind := 0
			if r.like == kinds[1].own {
				kind = 1
			}
			if m == all[0] {
				work.add(much)
			}
			if r.way == 0 {
				newton[kind].add(steps)
				if kind == 1 {
					other.add(r.Violation)
				}
				continue
			}
			exact := m.find("rollouts", r.method, 0, r.h)
			pgs[kind].add(steps)
			share.add(100 * r.StepNs / exact.StepNs)
			worse.add(r.err / exact.err)
		}
		fmt.Fprintf(w, "- %s: %s with RK4, %s with the semi-implicit method beside Euler\n", m.name, newton[1], newton[0])
	}
	fmt.Fprintf(w, "\n%s is the quickest setting of MuJoCo that stays stable. A step then takes %s %% of the time, with errors %s times as large, "+
		"and Rung makes %s times as many steps with RK4 and %s times as many with the semi-implicit method. ", mujocoWays[1].name, share, worse, pgs[1], pgs[0])
	fmt.Fprintf(w, "For the same error on the %s, MuJoCo takes %s times the work of Rung's cheapest row. ", all[0].name, work)
	_, err := fmt.Fprintf(w, "With RK4, Rung's loops are open by at most %s m, MuJoCo's by %s to %s m.\n\n", power(own.most), power(other.least), power(other.most))
	return err
}

// printKinds writes the rows of a motion: for each kind of method and each step MuJoCo's and Rung's results.
func (m *stepped) printKinds(w io.Writer) error {
	for i, k := range kinds {
		name := m.name + ", " + k.other
		if i == 0 {
			name = fmt.Sprintf("%s, %v s, %s", m.name, m.time, k.other)
		}
		for _, h := range m.steps {
			own, other := m.find("rollout", k.own, 0, h), m.find("rollouts", k.other, 0, h)
			for _, r := range []*rolled{own, other} {
				if r.lost != nil {
					return fmt.Errorf("%s, step %g: %w", r.method, h, r.lost)
				}
			}
			steps, _ := beside(other, m.rows)
			fmt.Fprintf(w, "| %s | %s | %.0f | %s | %.0f | %s | %s |\n", name, length(h), other.StepNs, power(other.err), own.StepNs, power(own.err), steps)
			name = ""
		}
	}
	return nil
}

// find returns the row of a program with a method, way (of MuJoCo; 0 for Rung) and step, or, if there is none, a row whose lost tells
// so.
func (m *stepped) find(program, method string, way int, h float64) *rolled {
	for _, r := range m.rows {
		if r.program == program && r.method == method && r.way == way && r.h == h {
			return r
		}
	}
	return &rolled{lost: fmt.Errorf("was not measured")}
}

// has reports whether both programs run with a step.
func (m *motion) has(h float64) bool {
	for _, x := range m.steps {
		if x == h {
			return true
		}
	}
	return false
}

// span is the range of some numbers. Its zero value has none.
type span struct {
	least, most float64
	n           int // count of the numbers
}

// add widens the span for x; NaN, which stands for a number that was not measured, is ignored.
func (s *span) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if s.n == 0 {
		s.least, s.most = x, x
	}
	s.least, s.most = min(s.least, x), max(s.most, x)
	s.n++
}

// String returns the span as text, one number if both ends have the same text.
func (s span) String() string {
	if s.n == 0 {
		return "(not known)"
	}
	a, b := two(s.least), two(s.most)
	if a == b {
		return a
	}
	return a + " to " + b
}

// two returns a number with one decimal, or without decimals from 9.95 on.
func two(x float64) string {
	if x < 9.95 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// power returns a number with one digit and a power of ten.
func power(x float64) string {
	digit, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 0, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil || x == 0 {
		return digit
	}
	return digit + "e" + strconv.Itoa(n)
}

// length returns a step, s, in µs or ms.
func length(h float64) string {
	if h < 1e-4 {
		return strconv.FormatFloat(h*1e6, 'g', 6, 64) + " µs"
	}
	return strconv.FormatFloat(h*1e3, 'g', 6, 64) + " ms"
}
