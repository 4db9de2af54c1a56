package gradient

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/internal/fault"
)

// newOptimize returns the command rung optimize with its flags and their defaults.
func newOptimize() *cobra.Command {
	f := &searchFlags{}
	cmd := &cobra.Command{
		Use:   "optimize OBJECTIVE",
		Short: "Find the numbers of a model that make an objective least",
		Long: `Moves the parameters of OBJECTIVE, a document of rung-objective/1 (rung schema
objective), to where its value is least, within their bounds and such that the
constraints of the document hold: lengths of a linkage for a path, springs for a
frequency, masses for a motion. The method is an augmented Lagrangian around
L-BFGS, with exact gradients. Minima are local ones, near the start. To make a
column large, give its term a negative weight.

Trials at which the mechanism cannot be closed or simulated are not taken.
Multipliers say how much a bound or a constraint costs, in units of the value
over those of the number.`,
		Example: `  rung optimize hoeken.objective.json -o straight.json
  rung optimize hoeken.objective.json --json --checkpoint search.json --resume`,
		Args: shell.Arguments("OBJECTIVE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args[0], "optimize", "optimizing", runOptimize)
		},
	}
	f.add(cmd, "picture of the value and the gradient over the iterations, .svg or .png", hasTask)
	return cmd
}

// runOptimize minimizes the objective of l, from the evaluations of the checkpoint c on, and adds each evaluation to c.
func runOptimize(ctx context.Context, f *searchFlags, l *loaded, c *checkpoint, p *shell.Progress) (*found, error) {
	o := search.OptimizeOptions{Evaluations: c.Evaluations}
	o.Iterations = f.iterations
	o.OnEvaluation = func(e *search.Evaluation) error {
		c.Evaluations = append(c.Evaluations, *e)
		return c.keep()
	}
	o.OnIteration = func(*search.Iteration) error {
		p.Add(1)
		return nil
	}
	r, err := search.Optimize(ctx, l.problem, o)
	if err != nil {
		return nil, err
	}
	x := &found{document: r, print: func(p *sheet.Page) { printOptimum(p, r) }}
	for k := range r.Parameters {
		x.values = append(x.values, r.Parameters[k].Value)
	}
	x.draw = func(w io.Writer) error { return drawSearch(w, f.plot, r) }
	return x, nil
}

// leastDrawn is the least gradient on the logarithmic axis; smaller ones, such as 0, are drawn as this.
const leastDrawn = 1e-16

// drawSearch draws the value and the gradient over the iterations, in the format that the ending of path names. It returns an error if
// there are no iterations.
func drawSearch(w io.Writer, path string, r *search.Optimum) error {
	if len(r.Iterations) == 0 {
		return shell.UseErrorf("%s: there is nothing to draw: the start is where the search ends", path)
	}
	chart := &picture.Chart{Title: sheet.ModelTitle(r.Name), Label: "iterations", Whole: true}
	value, gradient := picture.Curve{Name: "value with penalties, scaled"}, picture.Curve{Name: "gradient over that at the start"}
	for i, it := range r.Iterations {
		chart.X = append(chart.X, float64(i))
		value.Y, gradient.Y = append(value.Y, it.Value), append(gradient.Y, max(it.Gradient, leastDrawn))
	}
	chart.Panels = []picture.Panel{
		{Label: "value", Curves: []picture.Curve{value}}, {Label: "gradient", Log: true, Curves: []picture.Curve{gradient}},
	}
	return shell.Failed("", picture.Motion(w, pictureFormat(path), chart))
}

// printOptimum writes r for people.
func printOptimum(p *sheet.Page, r *search.Optimum) {
	p.Line("%s: %s %s", sheet.ModelTitle(r.Name), saidOf(r.Status), sheet.Plural(len(r.Iterations), "iteration"))
	p.Line("value %s, at the start %s; %s", sheet.Short(r.Value), sheet.Short(r.Start), sheet.Plural(r.Evaluations, "evaluation"))
	if r.Reason != "" {
		p.Item("last trial", r.Reason)
	}
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "parameter", Width: nameWidth, Left: true}, {Head: "start", Width: 12}}},
		sheet.Group{Columns: []sheet.Column{{Head: "value", Width: 12}, {Head: "multiplier", Width: 12}}},
	)
	for _, x := range r.Parameters {
		multiplier := ""
		if x.AtBound {
			multiplier = sheet.Short(x.Multiplier)
		}
		t.Row(fault.Text(x.Name, nameWidth), sheet.Short(x.Start), sheet.Short(x.Value), multiplier)
	}
	if len(r.Constraints) == 0 {
		return
	}
	p.Blank()
	t = p.Table(
		sheet.Group{Columns: []sheet.Column{
			{Head: "constraint", Width: nameWidth, Left: true}, {Head: "", Width: 8, Left: true}, {Head: "bound", Width: 10},
		}},
		sheet.Group{Columns: []sheet.Column{{Head: "value", Width: 12}, {Head: "multiplier", Width: 12}}},
	)
	for _, x := range r.Constraints {
		t.Row(fault.Text(x.Name, nameWidth), x.Kind, sheet.Short(x.Bound), sheet.Short(x.Value), sheet.Short(x.Multiplier))
	}
}
