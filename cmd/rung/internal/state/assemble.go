package state

import (
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// assembleFlags are the flags of rung assemble.
type assembleFlags struct {
	output    string
	hold      []string
	tolerance float64
	ordering  shell.OrderingFlag
	json      bool
}

// newAssemble returns the command rung assemble with its flags and their defaults.
func newAssemble() *cobra.Command {
	f := &assembleFlags{}
	cmd := &cobra.Command{
		Use:   "assemble MODEL -o OUT",
		Short: "Close the joints and write the model with the new state",
		Long: `Moves the bodies of MODEL ("-": standard input) until all joints hold, then
changes their velocities until those hold too, and writes the model with that
state to OUT. Prescribed freedoms take the values of their motions at the time of
the model; bodies of --hold keep pose and velocity.

Of the assemblies near the state of the model it takes the nearest, and the
nearest velocities at that, heavier bodies moving less: distances are in the
metric of the inertias. Joints of redundant loops and singular poses need no
care. Redundant joints that do not quite fit, such as hinges of which a file
gives ten decimals, may stay off by --tolerance where nothing closes them further.

If the joints cannot be closed nothing is written, the exit status is 1, and the
joint is named that is farthest from holding at the best pose that was found.`,
		Example: `  rung assemble four-bar.json -o closed.json
  rung assemble linkage.json --hold base,crank -o closed.json --json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAssemble(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `file to write, ending in .json; "-" is standard output (required)`)
	flags.StringSliceVar(&f.hold, "hold", nil, "bodies that do not move")
	flags.Float64Var(&f.tolerance, "tolerance", 5e-13, "error accepted where no step gains more, rad, or relative to a body's length")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	shell.CompleteNames(cmd, "hold", shell.BodyNames)
	f.ordering.Add(cmd)
	return cmd
}

// runAssemble writes the model at path with its joints closed.
func runAssemble(cmd *cobra.Command, path string, f *assembleFlags) error {
	switch {
	case f.output == "":
		return shell.UseErrorf(`missing -o OUT ("-o -" writes to standard output)`)
	case !(f.tolerance >= 1e-13 && f.tolerance <= 1e-3):
		return shell.UseErrorf("--tolerance %g: from 1e-13 to 1e-3", f.tolerance)
	}
	c := &shell.StateChange{Path: path, Output: f.output, JSON: f.json}
	return shell.Change(cmd, c, func(m *model.Model, p *shell.Progress) (*answers.Assembly, error) {
		return assembleModel(cmd, m, path, f, p)
	}, printAssembly)
}

// assembleModel closes the joints of m, read from path, and stores the new state in m. If the joints cannot be closed, it returns
// both a document and an error.
func assembleModel(cmd *cobra.Command, m *model.Model, path string, f *assembleFlags, p *shell.Progress) (*answers.Assembly, error) {
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	mech, st := plan.Mechanism(), plan.Initial()
	hold, err := heldBodies(mech, f.hold)
	if err != nil {
		return nil, err
	}
	stage := func(name string) { p.Stage(name, 0) }
	a, err := answers.Assemble(cmd.Context(), plan, st, answers.AssemblyOptions{Hold: hold, Tolerance: f.tolerance, Stage: stage})
	if err != nil {
		return a, failedIn(path, err)
	}
	rung.SetState(m, mech, st)
	return a, nil
}

// heldBodies returns the numbers of the bodies with the names, without the world, or an error of use for a name that no body has.
func heldBodies(mech *mechanism.Mechanism, names []string) ([]int, error) {
	var hold []int
	for _, name := range names {
		i, err := mech.BodyIndex(name)
		if err != nil {
			return nil, shell.NoBody("--hold", name, mech)
		}
		if i != mechanism.World { // the world never moves
			hold = append(hold, i)
		}
	}
	return hold, nil
}

// printAssembly writes a as tables.
func printAssembly(p *sheet.Page, a *answers.Assembly) {
	p.Line("%s: %s, %s, closed", sheet.ModelTitle(a.Name), sheet.Plural(a.Bodies, "body"), sheet.Plural(a.Joints, "joint"))
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Width: 10, Left: true}, {Head: "error before", Width: 13}, {Head: "error after", Width: 13}}},
		sheet.Group{Columns: []sheet.Column{{Head: "steps", Width: 8}, {Width: 2}, {Width: 14, Left: true}}},
	)
	for _, level := range [2]struct {
		name, unit string
		of         *answers.Closing
	}{{"position", "m or rad", a.Position}, {"velocity", "m/s or rad/s", a.Velocity}} {
		t.Row(level.name, sheet.Short(level.of.Before), sheet.Short(level.of.After), strconv.Itoa(level.of.Steps), "", level.unit)
	}
	if left := a.Position.Left; left > 0 {
		p.Blank()
		p.Line("NOT THE NEAREST: the joints allow motions towards the start, %.1g of the displacement; the search has ended without the nearest pose", left)
	}
	printChanges(p, []namedChange{
		{"displacement", &a.Position.Travel, "m"}, {"rotation", &a.Position.Turn, "rad"},
		{"velocity", &a.Velocity.Travel, "m/s"}, {"angular velocity", &a.Velocity.Turn, "rad/s"},
	})
	if len(a.Held) > 0 {
		names := make([]string, len(a.Held))
		for i, name := range a.Held {
			names[i] = fault.Text(name, sheet.NameWidth)
		}
		p.Blank()
		p.Line("held: %s", strings.Join(names, ", "))
	}
}

// namedChange is the largest change of a kind, with the name and the unit of the kind.
type namedChange struct {
	name string
	of   *answers.BodyChange
	unit string
}

// printChanges writes a table of the largest changes of the state, with the bodies that changed so.
func printChanges(p *sheet.Page, list []namedChange) {
	p.Blank()
	p.Line("largest changes")
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Width: 19, Left: true}, {Width: 10}, {Width: 1}, {Width: 7, Left: true}}},
		sheet.Group{Columns: []sheet.Column{{Left: true}}},
	)
	for _, c := range list {
		if c.of.Value == 0 {
			t.Row("  "+c.name, "none", "", "", "")
			continue
		}
		t.Row("  "+c.name, sheet.Short(c.of.Value), "", c.unit, fault.Text(c.of.Body, t.Rest()))
	}
}
