package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// The lines of the page between which the tables are.
const (
	tablesBegin = "<!-- precision -->"
	tablesEnd   = "<!-- end of precision -->"
)

// levels are the errors for which the tables have the least times.
var levels = []float64{1e-3, 1e-5, 1e-7}

// pictures returns the folder of the pictures of a page: its name without the ending.
func pictures(page string) string { return strings.TrimSuffix(page, filepath.Ext(page)) }

// publish writes the tables into the page, and a picture for each mechanism into the folder beside it.
func (r *record) publish(page string) error {
	before, after, err := beside.Around(page, tablesBegin, tablesEnd)
	if err != nil {
		return err
	}
	folder := pictures(page)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range r.Mechanisms {
		m := &r.Mechanisms[i]
		picture := newChart(m).svg()
		if err := beside.Put(filepath.Join(folder, m.Name+".svg"), picture); err != nil {
			return err
		}
	}
	return beside.Put(page, before+r.tables(filepath.Base(folder))+after)
}

// tables returns the facts, the summary, the list of losses and a section for each mechanism, in Markdown. folder has the pictures.
func (r *record) tables(folder string) string {
	t := &strings.Builder{}
	r.facts(t)
	r.summary(t)
	r.losses(t)
	for i := range r.Mechanisms {
		m := &r.Mechanisms[i]
		fmt.Fprintf(t, "\n### %s\n\n", m.Title)
		fmt.Fprintf(t, "![Error over processor time: %s](%s/%s.svg)\n\n", m.Title, folder, m.Name)
		size := count(m.Bodies, "body", "bodies") + ", " + count(m.Joints, "joint", "joints")
		fmt.Fprintf(t, "%s, %s s of motion, a point of `%s`. ", size, beside.Number(m.Seconds), m.Body)
		fmt.Fprintf(t, "Runs up to %s s. Reference: %s, error about %s.\n\n", beside.Short(m.Longest), m.Reference, beside.Power(m.Vouched))
		m.table(t)
	}
	t.WriteString("\n")
	return t.String()
}

// facts writes the lines on the machine, the programs and the settings.
func (r *record) facts(t *strings.Builder) {
	r.Machine.Facts(t)
	for i := range r.Engines {
		e := &r.Engines[i]
		switch {
		case e.Missing != "":
			fmt.Fprintf(t, "- %s: **not measured**, %s\n", e.Name, e.Missing)
		case e.Name != beside.Ours:
			fmt.Fprintf(t, "- %s %s: %s\n", e.Name, e.Version, r.settingsOf(e.Name))
		}
	}
	how := &r.Settings
	fmt.Fprintf(t, "- The least of %d rounds, %d samples a run; %.0f s in all\n", how.Rounds, how.Samples, r.Machine.Took)
	r.Machine.Busy(t)
}

// settingsOf returns the settings of an engine, from its first series; "no runs" if it has none.
func (r *record) settingsOf(engine string) string {
	for i := range r.Mechanisms {
		for k := range r.Mechanisms[i].Series {
			if s := &r.Mechanisms[i].Series[k]; s.Engine == engine {
				return s.Settings
			}
		}
	}
	return "no runs"
}

// summary writes the table of the quickest integrator of each engine, by mechanism and level.
func (r *record) summary(t *strings.Builder) {
	var names []string
	for i := range r.Engines {
		if r.Engines[i].Missing == "" {
			names = append(names, r.Engines[i].Name)
		}
	}
	t.WriteString("\n### In short\n\nProcessor time of the quickest run with an error of at most that, ms. " +
		"\"Factor\" is the time of the quickest peer over that of Rung: below 1, Rung loses.\n")
	t.WriteString("\n| mechanism | error |")
	for _, n := range names {
		fmt.Fprintf(t, " %s | by |", n)
	}
	t.WriteString(" factor |\n|---|---|" + strings.Repeat("---:|---|", len(names)) + "---:|\n")
	for i := range r.Mechanisms {
		m := &r.Mechanisms[i]
		for k, e := range levels {
			title := m.Title
			if k > 0 {
				title = ""
			}
			fmt.Fprintf(t, "| %s | %s |", title, beside.Power(e))
			own, peer := math.Inf(1), math.Inf(1)
			for _, n := range names {
				run, by := m.quickest(n, e)
				if run == nil {
					t.WriteString(" – | |")
					continue
				}
				fmt.Fprintf(t, " %s | %s |", milliseconds(run.Seconds), by)
				if n == beside.Ours {
					own = run.Seconds
				} else {
					peer = min(peer, run.Seconds)
				}
			}
			fmt.Fprintf(t, " %s |\n", factor(own, peer))
		}
	}
}

// losses lists the rows of the summary in which a peer is quicker than Rung, or reaches an error that Rung does not.
func (r *record) losses(t *strings.Builder) {
	rows, lost := 0, 0
	list := &strings.Builder{}
	for i := range r.Mechanisms {
		m := &r.Mechanisms[i]
		for _, e := range levels {
			own, ownBy := m.quickest(beside.Ours, e)
			var peer *run
			by := ""
			for k := range r.Engines {
				if n := r.Engines[k].Name; n != beside.Ours {
					if run, integrator := m.quickest(n, e); run != nil && (peer == nil || run.Seconds < peer.Seconds) {
						peer, by = run, n+", "+integrator
					}
				}
			}
			if peer == nil {
				continue
			}
			rows++
			switch {
			case own == nil:
				fmt.Fprintf(list, "- %s, %s: %s takes %s ms; Rung has no run as exact within the limit.\n",
					m.Title, beside.Power(e), by, milliseconds(peer.Seconds))
			case peer.Seconds < own.Seconds:
				fmt.Fprintf(list, "- %s, %s: %s takes %s ms, Rung's %s %s ms, %s times as long.\n",
					m.Title, beside.Power(e), by, milliseconds(peer.Seconds), ownBy, milliseconds(own.Seconds), beside.Short(own.Seconds/peer.Seconds))
			default:
				continue
			}
			lost++
		}
	}
	if rows == 0 {
		return
	}
	fmt.Fprintf(t, "\n### Where Rung loses\n\n%d of the %d rows that a peer reaches:\n\n%s", lost, rows, list)
}

// factor returns the time of the quickest peer over the time of Rung, bold if Rung loses; "" without a peer. Infinite times mean that
// there is no run.
func factor(own, peer float64) string {
	switch {
	case math.IsInf(peer, 1):
		return ""
	case math.IsInf(own, 1):
		return "**Rung has none**"
	case peer < own:
		return "**" + beside.Short(peer/own) + "**"
	}
	return beside.Short(peer / own)
}

// quickest returns the run of an engine with an error of at most e that takes the least time, and its integrator; nil if there is
// none.
func (m *diagram) quickest(engine string, e float64) (best *run, by string) {
	for i := range m.Series {
		s := &m.Series[i]
		if s.Engine != engine {
			continue
		}
		if r := s.least(e); r != nil && (best == nil || r.Seconds < best.Seconds) {
			best, by = r, s.Integrator
		}
	}
	return best, by
}

// table writes, for each integrator, the times of the quickest runs, the smallest error, and the reason for which there is no finer
// run.
func (m *diagram) table(t *strings.Builder) {
	t.WriteString("| integrator |")
	for _, e := range levels {
		fmt.Fprintf(t, " %s, ms |", beside.Power(e))
	}
	t.WriteString(" smallest error | at | ended because |\n|---|" + strings.Repeat("---:|", len(levels)) + "---:|---|---|\n")
	for i := range m.Series {
		s := &m.Series[i]
		fmt.Fprintf(t, "| %s |", s.name())
		for _, e := range levels {
			text := "–"
			if r := s.least(e); r != nil {
				text = milliseconds(r.Seconds)
			}
			fmt.Fprintf(t, " %s |", text)
		}
		smallest, at := "–", ""
		if r := s.finest(); r != nil {
			smallest, at = beside.Power(r.Error), s.By+" "+beside.Short(r.At)
		}
		fmt.Fprintf(t, " %s | %s | %s |\n", smallest, at, s.Ended)
	}
}

// finest returns the run with the smallest error, nil if there is none.
func (s *series) finest() (best *run) {
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Failure == "" && (best == nil || r.Error < best.Error) {
			best = r
		}
	}
	return best
}

// count returns a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// milliseconds returns a time given in s, in ms with three significant digits and no power of ten.
func milliseconds(s float64) string { return beside.Plain(1e3 * s) }
