package main

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// The lines of the page between which the tables are.
const (
	tablesBegin = "<!-- gradients -->"
	tablesEnd   = "<!-- end of gradients -->"
)

// publish writes the tables into the page.
func (r *record) publish(page string) error {
	before, after, err := beside.Around(page, tablesBegin, tablesEnd)
	if err != nil {
		return err
	}
	return beside.Put(page, before+r.tables()+after)
}

// tables returns the facts, the tables and the list of losses, in Markdown.
func (r *record) tables() string {
	t := &strings.Builder{}
	r.facts(t)
	along := "Derivatives along all directions, the evaluation included: µs, multiples of the program's own evaluation, error."
	r.table(t, along, func(x *result) string {
		return x.cell(x.Matrix, x.MatrixError)
	})
	r.table(t, "Gradient of one acceleration, the evaluation included: µs, by how many numbers, error.", func(x *result) string {
		if x.Gradient == 0 {
			return "–"
		}
		return fmt.Sprintf("%s by %d, %s", beside.Plain(1e6*x.Gradient), x.Numbers, beside.Power(x.GradientError))
	})
	r.table(t, "An evaluation alone, from the state to accelerations: µs, error.", func(x *result) string {
		return fmt.Sprintf("%s, %s", beside.Plain(1e6*x.Evaluation), beside.Power(x.AccelerationError))
	})
	r.losses(t)
	t.WriteString("\n")
	return t.String()
}

// cell returns a time, s, also as multiples of the evaluation, and an error; a dash for the time 0.
func (x *result) cell(seconds, e float64) string {
	if seconds == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s×), %s", beside.Plain(1e6*seconds), beside.Plain(seconds/x.Evaluation), beside.Power(e))
}

// facts writes the lines on the machine, the programs and the settings.
func (r *record) facts(t *strings.Builder) {
	r.Machine.Facts(t)
	for i := range r.Engines {
		e := &r.Engines[i]
		if e.Name == beside.Ours {
			continue
		}
		if e.Missing != "" {
			fmt.Fprintf(t, "- %s: **not measured**, %s\n", e.Name, e.Missing)
			continue
		}
		for k := range peers {
			if peers[k].Name == e.Name {
				fmt.Fprintf(t, "- %s %s: %s\n", e.Name, e.Version, peers[k].settings)
			}
		}
	}
	how := &r.Settings
	fmt.Fprintf(t, "- The least of %d rounds of %s s a figure; %.0f s in all\n", how.Rounds, beside.Number(how.Enough), r.Machine.Took)
	r.Machine.Busy(t)
}

// column is a column of the tables: a program in one of its ways.
type column struct{ engine, way string }

// columns returns the columns that have results, in the order in which these first appear.
func (r *record) columns() (list []column) {
	seen := map[column]bool{}
	for i := range r.Cases {
		for k := range r.Cases[i].Results {
			c := column{r.Cases[i].Results[k].Engine, r.Cases[i].Results[k].Way}
			if !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	return list
}

// of returns the result for a column; nil if there is none.
func (m *diagram) of(c column) *result {
	for k := range m.Results {
		if x := &m.Results[k]; x.Engine == c.engine && x.Way == c.way {
			return x
		}
	}
	return nil
}

// table writes a table with a row for each mechanism and a column for each program; cell returns the text for a result.
func (r *record) table(t *strings.Builder, title string, cell func(x *result) string) {
	list := r.columns()
	fmt.Fprintf(t, "\n%s\n\n| mechanism | directions |", title)
	for _, c := range list {
		fmt.Fprintf(t, " %s, %s |", c.engine, c.way)
	}
	t.WriteString("\n|---|---:|" + strings.Repeat("---|", len(list)) + "\n")
	for i := range r.Cases {
		m := &r.Cases[i]
		fmt.Fprintf(t, "| %s | %d |", m.Title, m.Directions)
		for _, c := range list {
			text := "–"
			if x := m.of(c); x != nil && x.Failure == "" {
				text = cell(x)
			}
			fmt.Fprintf(t, " %s |", text)
		}
		t.WriteString("\n")
	}
}

// losses lists the times in which a peer is faster than Rung, and the mechanisms that a peer could not do.
func (r *record) losses(t *strings.Builder) {
	list := &strings.Builder{}
	rows, lost := 0, 0
	for i := range r.Cases {
		m := &r.Cases[i]
		for _, figure := range []struct {
			name string
			of   func(x *result) float64
		}{
			{"derivatives along all directions", func(x *result) float64 { return x.Matrix }},
			{"the gradient", func(x *result) float64 { return x.Gradient }},
		} {
			own, _ := m.least(figure.of, true)
			peer, by := m.least(figure.of, false)
			if peer == 0 || own == 0 {
				continue
			}
			rows++
			if peer < own {
				lost++
				fmt.Fprintf(list, "- %s, %s: %s takes %s µs, Rung %s µs, %s times as long.\n",
					m.Title, figure.name, by, beside.Plain(1e6*peer), beside.Plain(1e6*own), beside.Short(own/peer))
			}
		}
	}
	for i := range r.Cases {
		m := &r.Cases[i]
		for k := range m.Results {
			if x := &m.Results[k]; x.Failure != "" {
				fmt.Fprintf(list, "- %s: %s is not measured: %s.\n", m.Title, x.Engine, x.Failure)
			}
		}
	}
	if rows == 0 && list.Len() == 0 {
		return
	}
	t.WriteString("\n### Where Rung loses\n\n")
	where := fmt.Sprint("In ", lost)
	if lost == 0 {
		where = "In none"
	}
	fmt.Fprintf(t, "%s of the %d rows of times that have a peer, ", where, rows)
	fmt.Fprintf(t, "whatever its error and the numbers of its gradient:\n\n%s", list)
}

// least returns the least time of Rung (own) or of its peers, and the program that takes it; 0 if none has a time.
func (m *diagram) least(of func(x *result) float64, own bool) (best float64, by string) {
	for k := range m.Results {
		x := &m.Results[k]
		if t := of(x); (x.Engine == beside.Ours) == own && x.Failure == "" && t > 0 && (best == 0 || t < best) {
			best, by = t, x.Engine
		}
	}
	return best, by
}
