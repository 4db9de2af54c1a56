package growth

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
)

// ReadProblems reads the models that rung bench is given.
func ReadProblems(paths []string, stdin io.Reader, p *shell.Progress) (list []problem, err error) {
	for _, path := range paths {
		if slices.Contains(bench.Families(), path) {
			return nil, shell.UseErrorf("%s is no model file; a family is measured by --family %s", fault.Name(path), path)
		}
		m, err := shell.ReadModel(path, stdin, p)
		if err != nil {
			return nil, err
		}
		if len(m.Bodies) == 0 {
			return nil, fmt.Errorf("%s: there are no bodies", shell.ModelFile(path))
		}
		list = append(list, problem{Name: m.Name, Sizes: []int{len(m.Bodies)}, model: m})
		nameLast(list, path)
	}
	return list, nil
}

// nameLast gives the last problem the name of its file if its own one is empty,
// or taken by a family or another model.
func nameLast(list []problem, path string) {
	last := len(list) - 1
	name := list[last].Name
	taken := func(p problem) bool { return p.Name == name }
	if name == "" || slices.Contains(bench.Families(), name) || slices.ContainsFunc(list[:last], taken) {
		list[last].Name = shell.ModelFile(path)
	}
}

// modelWidth is the width of the names of models in tables.
const modelWidth = 23

var modelGroups = []sheet.Group{
	{Columns: []sheet.Column{{Head: "model", Width: modelWidth, Left: true}, {Head: "bodies", Width: 7}}},
	{Columns: []sheet.Column{{Width: 1}, {Head: "order or method", Width: 17, Left: true}}},
	{Title: "time of an evaluation, µs", Columns: []sheet.Column{{Head: "assembly", Width: 8}, {Head: "factor", Width: 8}, {Head: "solve", Width: 8}, {Head: "total", Width: 8}}},
}

// modelCells returns the row of a model from a file.
func modelCells(r *Record) []string {
	return []string{
		fault.Text(r.Family, modelWidth), strconv.Itoa(r.Bodies), "", r.how(),
		micros(r.AssembleNs), micros(r.FactorNs), micros(r.SolveNs), micros(r.TotalNs),
	}
}

// micros returns a time in microseconds in at most seven characters; nothing for
// what was not timed.
func micros(ns int64) string {
	x := float64(ns) / 1e3
	switch {
	case ns == 0:
		return ""
	case x < 100:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < 1e6:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return sheet.Count(int64(x))
}

// comparison is the sparse method against the fastest other one on a model.
type comparison struct {
	Model  string  `json:"model"`
	Method string  `json:"method"` // the fastest of the others
	Ratio  float64 `json:"ratio"`  // total_ns of the sparse method over its
}

// comparisons compares the methods on every model that was measured by the sparse
// one and another.
func comparisons(records []Record) (list []comparison) {
	for i := range records {
		sparse := &records[i]
		if !sparse.file || sparse.Method != sparseMethod {
			continue
		}
		var best *Record
		for k := range records {
			r := &records[k]
			if r.file && r.Family == sparse.Family && r.Method != sparseMethod && (best == nil || r.TotalNs < best.TotalNs) {
				best = r
			}
		}
		if best != nil {
			list = append(list, comparison{sparse.Family, best.Method, float64(sparse.TotalNs) / float64(max(best.TotalNs, 1))})
		}
	}
	return list
}

// printComparisons prints, below a table of models, a line for each of them.
func printComparisons(p *sheet.Page, list []comparison) {
	if len(list) == 0 {
		return
	}
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "model", Width: modelWidth, Left: true}}},
		sheet.Group{Columns: []sheet.Column{{Width: 1}, {Head: "fastest other", Width: 16, Left: true}, {Head: "sparse / other", Width: 15}}},
	)
	for _, c := range list {
		t.Row(fault.Text(c.Model, modelWidth), "", c.Method, fmt.Sprintf("%.2f", c.Ratio))
	}
}
