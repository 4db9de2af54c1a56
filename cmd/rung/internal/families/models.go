package families

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// ReadModels reads the models at paths. A model is known by its name, or by its path if it has no name or the name of a family or of a
// model before it.
func ReadModels(paths []string, in shell.Input, p *shell.Progress) (list []growth.Family, err error) {
	for _, path := range paths {
		m, err := readModel(path, in, p)
		if err != nil {
			return nil, err
		}
		name := m.Name
		taken := func(f growth.Family) bool { return f.Name == name }
		if name == "" || isFamily(name) || slices.ContainsFunc(list, taken) {
			name = shell.ModelFile(path)
		}
		list = append(list, growth.Single(name, m))
	}
	return list, nil
}

// readModel reads a model that can be measured. It returns an error if path is the name of a family, or if the model has no bodies.
func readModel(path string, in shell.Input, p *shell.Progress) (*model.Model, error) {
	if isFamily(path) {
		return nil, shell.UseErrorf("%s is no model file; a family is measured by --family %s", fault.Name(path), path)
	}
	m, err := shell.ReadModel(path, in, p)
	if err == nil && len(m.Bodies) == 0 {
		return nil, fmt.Errorf("%s: there are no bodies", shell.ModelFile(path))
	}
	return m, err
}

// isFamily reports whether a name is the name of a family. Records of models never have such a name.
func isFamily(name string) bool { return slices.Contains(bench.Families(), name) }

// modelWidth is the width of the names of models in tables.
const modelWidth = 23

var modelGroups = []sheet.Group{
	{Columns: []sheet.Column{{Head: "model", Width: modelWidth, Left: true}, {Head: "bodies", Width: 7}}},
	{Columns: []sheet.Column{{Width: 1}, {Head: "order or method", Width: 17, Left: true}}},
	{Title: "time of an evaluation, µs", Columns: []sheet.Column{{Head: "assembly", Width: 8}, {Head: "factor", Width: 8}, {Head: "solve", Width: 8}, {Head: "total", Width: 8}}},
}

// modelCells returns the row of a model from a file.
func modelCells(r *growth.Record) []string {
	return []string{
		fault.Text(r.Family, modelWidth), strconv.Itoa(r.Bodies), "", how(r),
		micros(r.AssembleNs), micros(r.FactorNs), micros(r.SolveNs), micros(r.TotalNs),
	}
}

// micros returns a time in microseconds in at most seven characters, "" for 0, which
// stands for a part that was not timed.
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

// printComparisons prints, below a table of models, a line for each model with its fastest other method.
func printComparisons(p *sheet.Page, list []growth.Comparison) {
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
