package gradient

import (
	"cmp"
	"fmt"
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
		err = shell.WriteJSON(stdout, r)
	} else {
		err = shell.Print(stdout, func(p *sheet.Page) { printObjective(p, r) })
	}
	if err != nil {
		return err
	}
	return shell.Failed(g.Model().Name, disagrees(r))
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
		printParameters(p, r)
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

// printParameters writes the parameters in the order of byWeight, with what a check has found.
func printParameters(p *sheet.Page, r *objective.Result) {
	checked := r.Differenced > 0
	groups := []sheet.Group{
		{Columns: []sheet.Column{{Head: "parameter", Width: nameWidth, Left: true}, {Head: "value", Width: 12}}},
		{Columns: []sheet.Column{{Head: "gradient", Width: 12}, {Head: "gradient·value", Width: 15}}},
	}
	if checked {
		groups[0].Columns = groups[0].Columns[:1]
		groups[1].Columns[1] = sheet.Column{Head: "by differences", Width: 15}
		groups = append(groups, sheet.Group{Columns: []sheet.Column{{Head: "±", Width: 9}, {Head: " verdict", Width: 12, Left: true}}})
	}
	t := p.Table(groups...)
	for _, x := range byWeight(r.Parameters) {
		name, slope := fault.Text(x.Name, nameWidth), sheet.Short(x.Gradient)
		switch {
		case !checked:
			t.Row(name, sheet.Short(x.Value), slope, sheet.Short(x.Gradient*x.Value))
		case x.Differences == nil:
			t.Row(name, slope, "none", "", " unchecked")
		default:
			t.Row(name, slope, sheet.Short(*x.Differences), sheet.Digits2(*x.DifferencesError), " "+x.Verdict)
		}
	}
	if !checked {
		return
	}
	for _, x := range r.Parameters {
		switch {
		case x.Unchecked != "":
			p.Line("no differences by %s: %s", fault.Text(x.Name, barName), x.Unchecked)
		case x.Verdict == objective.CannotTell:
			p.Line("by %s, differences cannot tell whether the gradient is right: their error, some %s, or the error by projection is too large",
				fault.Text(x.Name, barName), sheet.Digits2(*x.DifferencesError))
		}
	}
	p.Line("differences of %s", sheet.Plural(int(r.Differenced), "value"))
}

// disagrees returns an error that names the first parameter whose differences disagree with its gradient.
func disagrees(r *objective.Result) error {
	for _, x := range r.Parameters {
		if x.Verdict == objective.Disagrees {
			return fmt.Errorf("by %s, differences disagree with the gradient: %v ± %.2g, and %v",
				fault.Text(x.Name, barName), *x.Differences, *x.DifferencesError, x.Gradient)
		}
	}
	return nil
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
