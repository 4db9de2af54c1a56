package gradient

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// runObjective prints the value of an objective and its gradient.
func runObjective(cmd *cobra.Command, path string, f *gradientFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	text, err := os.ReadFile(path)
	if err != nil {
		return shell.InputError(path, err)
	}
	o, err := objective.Read(bytes.NewReader(text), path)
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(path), o.Model)
	if filepath.IsAbs(o.Model) {
		file = o.Model
	}
	source := objective.Source{
		Name: file, Folder: model.Folder(filepath.Dir(file)), Data: model.Folder(filepath.Dir(path)), Ordering: f.ordering.Ordering,
	}
	if source.Text, err = shell.ReadDocument(file, p); err != nil {
		return err
	}
	p.Stage("analysing", 0)
	g, err := objective.NewProblem(o, path, source)
	if err != nil {
		return err
	}
	p.Stage("differentiating", 0)
	r, err := g.Gradient(cmd.Context())
	if err != nil {
		if end := shell.Interrupted(cmd.Context()); end != nil {
			return end
		}
		return shell.Failed(g.Model().Name, err)
	}
	p.End()
	if f.json {
		return shell.WriteJSON(stdout, r)
	}
	return shell.Print(stdout, func(p *sheet.Page) { printObjective(p, r) })
}

// printObjective writes r for people, the parameters that count most first.
func printObjective(p *sheet.Page, r *objective.Result) {
	p.Line("%s, at %s: objective %s", sheet.ModelTitle(r.Name), r.At, sheet.Short(r.Value))
	if len(r.Terms) > 1 {
		p.Blank()
		t := p.Table(sheet.Group{Columns: []sheet.Column{{Head: "term", Width: nameWidth, Left: true}, {Head: "value", Width: 12}}})
		for _, x := range r.Terms {
			t.Row(fault.Text(x.Name, nameWidth), sheet.Short(x.Value))
		}
	}
	if len(r.Parameters) > 0 {
		p.Blank()
		t := p.Table(
			sheet.Group{Columns: []sheet.Column{{Head: "parameter", Width: nameWidth, Left: true}, {Head: "value", Width: 12}}},
			sheet.Group{Columns: []sheet.Column{{Head: "gradient", Width: 12}, {Head: "gradient·value", Width: 15}}},
		)
		for _, x := range byWeight(r.Parameters) {
			t.Row(fault.Text(x.Name, nameWidth), sheet.Short(x.Value), sheet.Short(x.Gradient), sheet.Short(x.Gradient*x.Value))
		}
	}
	if r.Run != nil {
		p.Blank()
		p.Line("%s forwards and back, projection left out: %s", sheet.Plural(int(r.Run.Steps), "step"), sheet.Short(r.Run.Projection))
	}
}

// nameWidth is that of terms and parameters, which are paths.
const nameWidth = 27

// byWeight returns the parameters by how much a relative change of each counts.
func byWeight(list []objective.ParameterResult) []objective.ParameterResult {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b objective.ParameterResult) int {
		return cmp.Compare(math.Abs(b.Gradient*b.Value), math.Abs(a.Gradient*a.Value))
	})
	return list
}
