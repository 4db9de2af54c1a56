package main

import (
	"fmt"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"
)

// bar is a bar of a chart or, in a chart with two kinds, two bars beside each other.
type bar struct {
	name   string
	values []float64 // length of each bar
	shown  []string  // text beside each bar
}

// chart is a bar chart.
type chart struct {
	id, title string
	kinds     []string // names of the kinds; nil: there is one
	bars      []bar
	line      float64 // a value that is marked by a line, above which bars get the second colour; 0: none
	lineName  string
	note      string // Markdown
}

// tables returns the cells of the rows of all tables below a heading of a page, up to the next heading of the same level. heading has
// its number signs, as "## Figures".
func tables(text, heading string) (rows [][]string, err error) {
	_, rest, ok := strings.Cut(text, "\n"+heading+"\n")
	if !ok {
		return nil, fmt.Errorf("docs/benchmarks.md: no heading %q", heading)
	}
	level := heading[:strings.Index(heading, " ")+1]
	if i := strings.Index(rest, "\n"+level); i >= 0 {
		rest = rest[:i]
	}
	body := false
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			body = false
		case strings.HasPrefix(line, "|---"):
			body = true
		case body:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("docs/benchmarks.md: no table below %q", heading)
	}
	return rows, nil
}

// pick returns a bar for each row whose first cell is figure or, if prefix, begins with figure. value is the index of the cell
// with the length, and rename returns the name of the bar.
func pick(rows [][]string, figure string, prefix bool, value int, rename func(cells []string) string) (list []bar, err error) {
	for _, cells := range rows {
		if cells[0] != figure && !(prefix && strings.HasPrefix(cells[0], figure)) {
			continue
		}
		v, err := strconv.ParseFloat(cells[value], 64)
		if err != nil {
			return nil, fmt.Errorf("docs/benchmarks.md, %s of %s: %w", cells[0], cells[1], err)
		}
		list = append(list, bar{rename(cells), []float64{v}, []string{cells[value]}})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("docs/benchmarks.md: no figure %q", figure)
	}
	return list, nil
}

// writeCharts makes the charts of the records in docs/benchmarks.md, for the page of the benchmarks.
func writeCharts(s *site) error {
	text, err := s.read("docs/benchmarks.md")
	if err != nil {
		return err
	}
	list, err := charts(text)
	if err != nil {
		return err
	}
	var out []map[string]string
	for _, c := range list {
		out = append(out, map[string]string{"id": c.id, "title": c.title, "note": c.note, "table": c.table()})
	}
	return s.data("charts", out)
}

// charts returns the charts of the tables in the text of docs/benchmarks.md.
func charts(text string) ([]chart, error) {
	figures, err := tables(text, "## Figures")
	if err != nil {
		return nil, err
	}
	second := func(cells []string) string { return cells[1] }
	growth, err := pick(figures, "evaluation, ns a body", false, 2, second)
	if err != nil {
		return nil, err
	}
	ldl, err := pick(figures, "factor + solve / SuiteSparse LDL", false, 2, func(c []string) string { return "LDL, " + c[1] })
	if err != nil {
		return nil, err
	}
	nets, err := pick(figures, "factor / fastest of all solvers", true, 2, func(c []string) string { return "fastest of four, " + c[1] })
	if err != nil {
		return nil, err
	}
	chains, err := pick(figures, "evaluation / articulated bodies", false, 2, func(c []string) string { return "articulated bodies, " + c[1] })
	if err != nil {
		return nil, err
	}
	tree := func(c []string) string { return "fastest tree method, " + path.Base(c[1]) }
	trees, err := pick(figures, "evaluation / fastest tree method", false, 2, tree)
	if err != nil {
		return nil, err
	}
	steps, err := beside(text)
	if err != nil {
		return nil, err
	}
	return []chart{
		{id: "growth", title: "Time of one evaluation, ns a body", bars: growth,
			note: "From state to accelerations and reactions, residual checked. " +
				"If bars were equal, a body would cost the same in mechanisms of any size."},
		{id: "peers", title: "Rung's time over the others'", line: 1, lineName: "equal", bars: slices.Concat(ldl, nets, trees, chains),
			note: "Below 1 Rung is faster. On open chains it is not: the recursion over articulated bodies takes less time there."},
		{id: "steps", title: "Time of one RK4 step, ns", kinds: []string{"Rung, batch", "MuJoCo, Newton"}, bars: steps,
			note: "One core, the same models and steps. The [table](#beside-mujoco) has the errors, which are part of the comparison, " +
				"and [bench/peers](../bench/peers/README.md) the settings."},
	}, nil
}

// beside returns bars for the rows of RK4 in the table "Beside MuJoCo": Rung's time and MuJoCo's.
func beside(text string) (list []bar, err error) {
	rows, err := tables(text, "### Beside MuJoCo")
	if err != nil {
		return nil, err
	}
	name := ""
	for _, cells := range rows {
		if cells[0] != "" {
			name = cells[0]
		}
		if !strings.HasSuffix(name, ", RK4") {
			continue
		}
		other, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			return nil, err
		}
		own, err := strconv.ParseFloat(cells[4], 64)
		if err != nil {
			return nil, err
		}
		list = append(list, bar{strings.TrimSuffix(name, ", RK4") + ", " + cells[1], []float64{own, other}, []string{cells[4], cells[2]}})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("docs/benchmarks.md: no rows of RK4 beside MuJoCo")
	}
	return list, nil
}

// mostBar is the width of the longest bar, in percent of its cell. The rest is for its text.
const mostBar = 82

// table returns the chart as an HTML table of bars, on a scale that begins at 0. It can be read on a screen of any width, and by a
// screen reader.
func (c *chart) table() string {
	most := c.line
	for _, b := range c.bars {
		for _, v := range b.values {
			most = max(most, v)
		}
	}
	var b strings.Builder
	for i, k := range c.kinds {
		fmt.Fprintf(&b, `<span class="kind"><i class="b%d"></i>%s</span>`, i, html.EscapeString(k))
	}
	if c.line > 0 {
		fmt.Fprintf(&b, `<span class="kind"><i class="line"></i>%s</span>`, html.EscapeString(c.lineName))
	}
	fmt.Fprintf(&b, `<table class="chart" aria-labelledby="chart-%s"`, c.id)
	if c.line > 0 {
		fmt.Fprintf(&b, ` style="--line: %.1f%%"`, mostBar*c.line/most)
	}
	b.WriteString("><tbody>")
	for _, g := range c.bars {
		fmt.Fprintf(&b, `<tr><th scope="row">%s</th><td>`, html.EscapeString(g.name))
		for i, v := range g.values {
			colour := i // the colour of the kind
			if c.line > 0 && v > c.line {
				colour = 1
			}
			fmt.Fprintf(&b, `<div><i class="b%d" style="width: %.1f%%"></i>%s</div>`, colour, mostBar*v/most, html.EscapeString(g.shown[i]))
		}
		b.WriteString("</td></tr>")
	}
	b.WriteString("</tbody></table>")
	return b.String()
}
