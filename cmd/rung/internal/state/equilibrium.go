package state

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// equilibriumFlags are the flags of rung equilibrium.
type equilibriumFlags struct {
	output     string
	stationary bool
	steps      int
	ordering   shell.OrderingFlag
	json       bool
}

// newEquilibrium returns the command rung equilibrium with its flags and their defaults.
func newEquilibrium() *cobra.Command {
	f := &equilibriumFlags{}
	cmd := &cobra.Command{
		Use:   "equilibrium MODEL",
		Short: "Find the equilibrium at rest and write the model in it",
		Long: `Moves the bodies of MODEL ("-": standard input) to where all joints hold and
all forces balance, at rest: gravity, springs, constant forces and the reactions
of the joints, redundant ones too. Prescribed freedoms are held at the values of
their motions at the time of the model; dampers do not matter.

The search goes downhill from the state of the model. So of several equilibria
it finds a stable one near by. A small push along the unstable mode leads away
from an unstable one, such as a pendulum upside down; --stationary stays there.

If no equilibrium is found nothing is written, the exit status is 1, and the
body is named whose forces are farthest from balance.`,
		Example: `  rung equilibrium linkage.json -o settled.json
  rung equilibrium linkage.json --json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runEquilibrium(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `file to write, ending in .json; "-" is standard output`)
	flags.BoolVar(&f.stationary, "stationary", false, "end at the first equilibrium, stable or not")
	flags.IntVar(&f.steps, "steps", 500, "largest number of steps")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.Add(cmd)
	return cmd
}

// shortOr returns x as text of a few digits, or a dash for nil.
func shortOr(x *float64) string {
	if x == nil {
		return "–"
	}
	return sheet.Short(*x)
}

// runEquilibrium finds an equilibrium of the model at path and writes the model in it, if the flags name a file.
func runEquilibrium(cmd *cobra.Command, path string, f *equilibriumFlags) error {
	if f.steps < 1 {
		return shell.UseErrorf("--steps %d: there has to be one at least", f.steps)
	}
	c := &shell.StateChange{Path: path, Output: f.output, JSON: f.json}
	return shell.Change(cmd, c, func(m *model.Model, p *shell.Progress) (*answers.Equilibrium, error) {
		return settle(cmd, m, path, f, p)
	}, printEquilibrium)
}

// settle finds an equilibrium of m, read from path, and stores it in m. If the search fails, settle returns both a document and
// an error.
func settle(cmd *cobra.Command, m *model.Model, path string, f *equilibriumFlags, p *shell.Progress) (*answers.Equilibrium, error) {
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	p.Stage("balancing", 0)
	mech, st := plan.Mechanism(), plan.Initial()
	r, err := answers.Equilibrate(cmd.Context(), plan, st, linear.EquilibriumOptions{Stationary: f.stationary, Steps: f.steps})
	if err != nil {
		return r, failedIn(path, err)
	}
	rung.SetState(m, mech, st)
	return r, nil
}

// failedIn turns err into a failure of the computation with the model at path. nil stays nil.
func failedIn(path string, err error) error {
	return shell.Failed(shell.ModelFile(path), err)
}

// printEquilibrium writes r as tables.
func printEquilibrium(p *sheet.Page, r *answers.Equilibrium) {
	p.Line("%s: %s, %s, in equilibrium after %s", sheet.ModelTitle(r.Name), sheet.Plural(r.Bodies, "body"), sheet.Plural(r.Joints, "joint"), sheet.Plural(r.Steps, "step"))
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Width: 22, Left: true}, {Width: 12}}},
		sheet.Group{Columns: []sheet.Column{{Width: 1}, {Width: 37, Left: true}}},
	)
	note := ""
	if r.Left > 0 {
		note = fmt.Sprintf("(%d unstable left on the way)", r.Left)
	}
	t.Row("  stability", r.Stability, "", note)
	if r.Lowest != nil {
		if r.Lowest.Stiffness < 0 {
			t.Row("  growth rate", sheet.Short(math.Sqrt(-r.Lowest.Stiffness)), "", "1/s")
		} else {
			t.Row("  lowest frequency", sheet.Short(r.Lowest.Frequency), "", "Hz, undamped")
		}
	}
	t.Row("  potential energy", shortOr(r.Energy.After), "", "J, before "+shortOr(r.Energy.Before))
	t.Row("  unbalanced force", sheet.Short(r.Unbalanced.Force.Norm()), "", "N      "+fault.Text(r.Unbalanced.Body, 30))
	t.Row("  unbalanced moment", sheet.Short(r.Unbalanced.Moment.Norm()), "", "N m")
	t.Row("  relative", sheet.Short(*r.Unbalanced.Relative), "", "")
	printChanges(p, []namedChange{{"displacement", r.Travel, "m"}, {"rotation", r.Turn, "rad"}})
}
