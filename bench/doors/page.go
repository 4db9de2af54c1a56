package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// The lines of the page between which the tables are.
const begin, end = "<!-- doors -->", "<!-- end of doors -->"

// publish writes the tables into the page, between its lines begin and end.
func (r *record) publish(page string) error {
	before, after, err := beside.Around(page, begin, end)
	if err != nil {
		return err
	}
	return beside.Put(page, before+r.tables()+after)
}

// tables returns the facts on the machine and a table for each part, in Markdown.
func (r *record) tables() string {
	t := &strings.Builder{}
	m := &r.Machine
	fmt.Fprintf(t, "\n- Processor: %s, %d cores, %s\n", m.Processor, m.Cores, m.System)
	fmt.Fprintf(t, "- Rung: commit %s, %s; Python %s, NumPy %s, Node %s\n", m.Commit, m.Go, known(r.Python), known(r.NumPy), known(r.Node))
	fmt.Fprintf(t, "- %d rounds, by turns; %.0f s in all\n", r.Rounds, m.Took)
	m.Busy(t)
	missed, wanted := 0, 0
	for i := range r.Figures {
		if f := &r.Figures[i]; f.AtMost != nil && f.Value != nil {
			wanted++
			if f.missed() {
				missed++
			}
		}
	}
	fmt.Fprintf(t, "- %d of %d wanted figures are met; others are bold\n", wanted-missed, wanted)
	part := ""
	for i := range r.Figures {
		if p := subjects[i].part; p != part {
			part = p
			fmt.Fprintf(t, "\n### %s\n\n| figure | measured | wanted, at most | |\n|---|---:|---:|---|\n", part)
		}
		r.Figures[i].row(t)
	}
	t.WriteString("\n")
	return t.String()
}

// row writes the line of a figure. A value above the wanted one is bold.
func (f *figure) row(t *strings.Builder) {
	value, most := "not measured: "+f.Missing, ""
	if f.Value != nil {
		value = withUnit(*f.Value, f.Unit)
	}
	if f.AtMost != nil {
		most = withUnit(*f.AtMost, f.Unit)
	}
	if f.missed() {
		value = "**" + value + "**"
	}
	fmt.Fprintf(t, "| %s | %s | %s | %s |\n", f.Title, value, most, f.Kind)
}

// withUnit returns x and its unit, which may be empty.
func withUnit(x float64, unit string) string { return strings.TrimSpace(short(x) + " " + unit) }

// short returns a number with three significant digits or more and no power of ten; integers below 10⁶ have all digits.
func short(x float64) string {
	if x == math.Trunc(x) && x < 1e6 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(x))))
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// known returns a version, or "not there" if it is empty.
func known(text string) string {
	if text == "" {
		return "not there"
	}
	return text
}
