package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// Lines of the page between which the tables stand.
const begin, end = "<!-- doors -->", "<!-- end of doors -->"

// publish writes the tables into the page.
func (r *record) publish(page string) error {
	before, after, err := beside.Around(page, begin, end)
	if err != nil {
		return err
	}
	return beside.Put(page, before+r.tables()+after)
}

// tables are what stands between the lines of the page.
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

// row is the line of a figure.
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

func withUnit(x float64, unit string) string { return strings.TrimSpace(short(x) + " " + unit) }

// short is a number with three digits and no power of ten.
func short(x float64) string {
	if x == math.Trunc(x) && x < 1e6 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(x))))
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func known(text string) string {
	if text == "" {
		return "not there"
	}
	return text
}
