package gradient

import (
	"context"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/internal/fault"
)

// newFit returns the command rung fit with its flags and their defaults.
func newFit() *cobra.Command {
	f := &searchFlags{}
	cmd := &cobra.Command{
		Use:   "fit OBJECTIVE",
		Short: "Find numbers of a model from measured motions",
		Long: `Moves the parameters of OBJECTIVE, a document of rung-objective/1 (rung schema
objective) whose terms all take data, to where the misfit to the data is least:
masses, places, springs and dampers of a mechanism from its recorded motion, in
one run or several. Bounds of the parameters are kept. The method is that of
Levenberg and Marquardt with exact derivatives of the runs.

Printed are the values with their standard deviations, as far as the data
determine them. Combinations of parameters that change nothing in the data are
named, and stay as they are: mass and inertia of a crank that moves alone.
Where a term has no "sigma", deviations come from the residuals.

Each start is closed with the new numbers, as by rung assemble: "hold" in the
document names bodies that stay where they are, such as the crank.`,
		Example: `  rung fit slider-crank.objective.json -o fitted.json --plot fit.svg
  rung fit slider-crank.objective.json --json --checkpoint fit.json --resume`,
		Args: shell.Arguments("OBJECTIVE"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0], "fit", "fitting", runFit) },
	}
	f.add(cmd, "picture of the data, and of the motions at the start and at the end, .svg or .png", !hasTask)
	return cmd
}

// runFit fits the parameters of l, from the iterations of the checkpoint c on, and adds each iteration to c.
func runFit(ctx context.Context, f *searchFlags, l *loaded, c *checkpoint, p *shell.Progress) (*found, error) {
	from := c.Iterations
	if len(from) > 0 { // search.Fit reports the last one again
		c.Iterations = from[:len(from)-1]
	}
	o := search.Options{Iterations: f.iterations, From: from, OnIteration: func(it *search.Iteration) error {
		p.Add(1)
		c.Iterations = append(c.Iterations, *it)
		return c.keep()
	}}
	r, err := search.Fit(ctx, l.problem, o)
	if err != nil {
		return nil, err
	}
	x := &found{document: r, print: func(p *sheet.Page) { printFit(p, r) }}
	for k := range r.Parameters {
		x.values = append(x.values, r.Parameters[k].Value)
	}
	x.draw = func(w io.Writer) error { return drawFit(ctx, w, pictureFormat(f.plot), l, x.values) }
	return x, nil
}

// drawFit draws the data of each term, with its values at the start and at the fitted values.
func drawFit(ctx context.Context, w io.Writer, format string, l *loaded, values []float64) error {
	var sides [2][]objective.Residual
	for i, x := range [2][]float64{l.problem.Values(), values} {
		g, err := l.problem.With(x)
		if err != nil {
			return fault.Plain(err)
		}
		if sides[i], err = g.Residuals(ctx); err != nil {
			return shell.Failed(g.Model().Name, err)
		}
	}
	var list []picture.Fitted
	for i := range sides[0] {
		start, end := &sides[0][i], &sides[1][i]
		name := start.Term
		if start.Run != "" {
			name = start.Run + ": " + name
		}
		if n := len(list); n == 0 || list[n-1].Label != name {
			list = append(list, picture.Fitted{Label: name, Curves: []picture.Curve{{Name: "start"}, {Name: "fit"}}})
		}
		f := &list[len(list)-1]
		f.X, f.Data = append(f.X, start.Time), append(f.Data, start.Datum)
		f.Curves[0].Y, f.Curves[1].Y = append(f.Curves[0].Y, start.Value), append(f.Curves[1].Y, end.Value)
	}
	for i := range list {
		list[i].Label = fault.Text(list[i].Label, sheet.NameWidth)
	}
	return shell.Failed("", picture.Fits(w, format, sheet.ModelTitle(l.problem.Model().Name), list))
}

// printFit writes r for people.
func printFit(p *sheet.Page, r *search.FitResult) {
	p.Line("%s: %s %s", sheet.ModelTitle(r.Name), saidOf(r.Status), sheet.Plural(len(r.Iterations)-1, "step"))
	if r.Reason != "" {
		p.Item("last trial", r.Reason)
	}
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "parameter", Width: nameWidth, Left: true}, {Head: "start", Width: 12}}},
		sheet.Group{Columns: []sheet.Column{{Head: "value", Width: 12}, {Head: "deviation", Width: 14}}},
	)
	for _, x := range r.Parameters {
		deviation := "undetermined"
		switch {
		case x.AtBound && x.Deviation == nil:
			deviation = "at bound"
		case x.Deviation != nil:
			deviation = sheet.Digits3(*x.Deviation)
		}
		t.Row(fault.Text(x.Name, nameWidth), sheet.Short(x.Start), sheet.Short(x.Value), deviation)
	}
	p.Blank()
	p.Line("%d data, root mean square of the misfits %s", r.Residual.Count, sheet.Digits3(r.Residual.RMS))
	for _, names := range r.Unidentified {
		p.Item("undetermined", fault.Line(strings.Join(names, " with ")))
	}
	for i := range r.Correlation {
		for j := range i {
			if x := r.Correlation[i][j]; x != nil && math.Abs(*x) >= toldCorrelation {
				p.Item("correlated", fault.Line(r.Parameters[j].Name+" with "+r.Parameters[i].Name+", "+sheet.Digits3(*x)))
			}
		}
	}
}

// toldCorrelation is the least correlation that is printed.
const toldCorrelation = 0.95

// saidOf returns the words before the number of steps for the way in which a search has ended.
func saidOf(s search.Status) string {
	switch s {
	case search.Converged:
		return "converged after"
	case search.AtBounds:
		return "converged, with numbers at their bounds, after"
	case search.Limit:
		return "not converged after"
	case search.Violated:
		return "not all constraints hold after"
	}
	return "no step leads further down after"
}
