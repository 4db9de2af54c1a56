package gradient

import (
	"cmp"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/fault"
)

// runObjective prints the value of an objective and its gradient.
func runObjective(cmd *cobra.Command, path string, f *gradientFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	l, err := load(path, f.ordering.Ordering, p)
	if err != nil {
		return err
	}
	g := l.problem
	p.Stage("differentiating", 0)
	r, err := g.Gradient(cmd.Context())
	if err == nil && f.check {
		p.Stage("differencing", 0)
		err = g.Check(cmd.Context(), r)
	}
	if err != nil {
		if end := shell.Interrupted(cmd.Context()); end != nil {
			return end
		}
		return shell.Failed(g.Model().Name, err)
	}
	if f.plot != "" {
		if err := drawGradient(f.plot, r, stdout); err != nil {
			return err
		}
	}
	p.End()
	if f.json {
		return shell.WriteJSON(stdout, r)
	}
	return shell.Print(stdout, func(p *sheet.Page) { printObjective(p, r) })
}

// printObjective writes r for people. Parameters are in the order of byWeight.
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
		last, checked := "gradient·value", slices.ContainsFunc(r.Parameters, func(x objective.ParameterResult) bool {
			return x.Differences != nil || x.Unchecked != ""
		})
		if checked {
			last = "by differences"
		}
		t := p.Table(
			sheet.Group{Columns: []sheet.Column{{Head: "parameter", Width: nameWidth, Left: true}, {Head: "value", Width: 12}}},
			sheet.Group{Columns: []sheet.Column{{Head: "gradient", Width: 12}, {Head: last, Width: 15}}},
		)
		for _, x := range byWeight(r.Parameters) {
			third := sheet.Short(x.Gradient * x.Value)
			switch {
			case x.Differences != nil:
				third = sheet.Short(*x.Differences)
			case checked:
				third = "none"
			}
			t.Row(fault.Text(x.Name, nameWidth), sheet.Short(x.Value), sheet.Short(x.Gradient), third)
		}
		for _, x := range r.Parameters {
			if x.Unchecked != "" {
				p.Line("no differences by %s: %s", fault.Text(x.Name, barName), x.Unchecked)
			}
		}
	}
	if len(r.Constraints) > 0 {
		p.Blank()
		t := p.Table(sheet.Group{Columns: []sheet.Column{
			{Head: "constraint", Width: nameWidth, Left: true}, {Head: "", Width: 8, Left: true},
			{Head: "bound", Width: 12}, {Head: "value", Width: 12},
		}})
		for _, x := range r.Constraints {
			t.Row(fault.Text(x.Name, nameWidth), x.Kind, sheet.Short(x.Bound), sheet.Short(x.Value))
		}
	}
	if r.Run != nil {
		p.Blank()
		printRun(p, r.Run)
	}
}

// printRun writes the steps of a run, its corners, and doubts about its gradient.
func printRun(p *sheet.Page, r *objective.RunResult) {
	p.Line("%s forwards and back, largest projection: %s", sheet.Plural(int(r.Steps), "step"), sheet.Short(r.Projection))
	if r.TooLong() {
		p.Line("steps are too long: they make the gradient %s-fold larger, where halves of them make it smaller.", sheet.Short(r.Unstable))
		p.Line("It is the gradient of the steps, and may be far from the gradient of the motion: take shorter ones")
	}
	if r.Exponential() {
		p.Line("the gradient grows exponentially: %s-fold over the first half of the run.", sheet.Short(r.Growth))
		p.Line("It holds for changes as small as that is large, and tells little of others")
	}
	if r.Matrix > mostMatrix {
		p.Line("the gradient counts the stiffness and damping in the first step's matrix as constant:")
		p.Line("%s of it depends on them. It may be off by several times that: a run with half the step shows it", sheet.Short(r.Matrix))
	}
	for _, k := range r.Kinks[:min(len(r.Kinks), mostKinks)] {
		if k.What == "extreme" {
			p.Line("extreme of %s: also at %s", fault.Line(k.Name), sheet.Plural(int(k.Count), "other row"))
			continue
		}
		p.Line("corners of %s: %s, %s", fault.Line(k.Name), k.What, sheet.Plural(int(k.Count), "time"))
	}
	if more := len(r.Kinks) - mostKinks; more > 0 {
		p.Line("and of %s", sheet.Plural(more, "other part"))
	}
	if len(r.Kinks) > 0 && r.Kinks[0].Rough {
		p.Line("this is the gradient of the steps over these corners, and may be far from the gradient of the motion: explicit steps have that")
	}
}

// mostMatrix is the part of a gradient by stiffness and damping in the first matrix (objective.RunResult.Matrix) above which it is told.
const mostMatrix = 1e-4

// mostKinks is the largest number of parts with corners that are printed.
const mostKinks = 5

// nameWidth is the width of the names of terms and parameters, which may be paths.
const nameWidth = 27

// byWeight returns the parameters sorted by |gradient·value|, the change of the objective for the same relative change of each, the
// largest first.
func byWeight(list []objective.ParameterResult) []objective.ParameterResult {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b objective.ParameterResult) int {
		return cmp.Compare(math.Abs(b.Gradient*b.Value), math.Abs(a.Gradient*a.Value))
	})
	return list
}

// mostBars is the number of parameters that a picture shows.
const mostBars = 40

// drawGradient draws a bar of gradient·value for each parameter, the largest first. It returns an error if there are none.
func drawGradient(path string, r *objective.Result, stdout io.Writer) error {
	list := byWeight(r.Parameters)
	if len(list) == 0 {
		return shell.UseErrorf("%s: there is nothing to draw: the objective has no parameters", path)
	}
	t := &picture.Tornado{
		Title: sheet.ModelTitle(r.Name), Label: "gradient·value: change of the objective for twice the number, to first order",
	}
	for i := range list[:min(len(list), mostBars)] {
		x := &list[i]
		t.Names, t.X = append(t.Names, fault.Text(x.Name, barName)), append(t.X, x.Gradient*x.Value)
	}
	return shell.WriteFile(path, stdout, func(w io.Writer) error { return picture.Bars(w, pictureFormat(path), t) })
}

// barName is the length to which names beside bars are cut.
const barName = 44
