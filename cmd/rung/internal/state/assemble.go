package state

import (
	"errors"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
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

// Assembly is what rung assemble --json prints.
type Assembly struct {
	Format   string         `json:"format"`
	Name     string         `json:"name"`
	Bodies   int            `json:"bodies"`
	Joints   int            `json:"joints"`
	Held     []string       `json:"held"`
	Closed   bool           `json:"closed"`
	Unmet    *unmet         `json:"unmet,omitempty"`
	Position *ClosingResult `json:"position,omitempty"`
	Velocity *ClosingResult `json:"velocity,omitempty"`
}

// ClosingResult is what was done at position or at velocity level.
type ClosingResult struct {
	Before   float64    `json:"error_before"` // M or rad, m/s or rad/s
	After    float64    `json:"error_after"`
	Steps    int        `json:"steps"`
	Distance float64    `json:"distance"`             // in the metric of the inertias, √kg m or √kg m/s
	Travel   bodyChange `json:"largest_displacement"` // of a centre of mass, m or m/s
	Turn     bodyChange `json:"largest_rotation"`     // rad or rad/s
	// Left is the part of Distance that is left along motions that the joints allow, where the search for the nearest pose
	// has ended without it; else 0.
	Left float64 `json:"left,omitempty"`
}

// bodyChange is the largest change and the body that has it.
type bodyChange struct {
	Body  string  `json:"body"`
	Value float64 `json:"value"`
}

// unmet is the joint that is farthest from holding.
type unmet struct {
	Joint       string  `json:"joint"`
	Predecessor string  `json:"predecessor"`
	Successor   string  `json:"successor"`
	Row         int     `json:"row"`
	Level       string  `json:"level"` // position or velocity
	Error       float64 `json:"error"`
	Unit        string  `json:"unit"`

	Coupling string `json:"coupling,omitempty"` // in place of the joint
}

func runAssemble(cmd *cobra.Command, path string, f *assembleFlags) error {
	switch {
	case f.output == "":
		return shell.UseErrorf(`missing -o OUT ("-o -" writes to standard output)`)
	case !(f.tolerance >= 1e-13 && f.tolerance <= 1e-3):
		return shell.UseErrorf("--tolerance %g: from 1e-13 to 1e-3", f.tolerance)
	}
	c := &shell.StateChange{Path: path, Output: f.output, JSON: f.json}
	return shell.Change(cmd, c, func(m *model.Model, p *shell.Progress) (*Assembly, error) {
		return assembleModel(m, path, f, p)
	}, printAssembly)
}

// assembleModel closes m, read from path, and stores the new state in it. If the
// joints cannot be closed, it returns both a document and an error.
func assembleModel(m *model.Model, path string, f *assembleFlags, p *shell.Progress) (*Assembly, error) {
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	mech := plan.Mechanism()
	hold, err := heldBodies(mech, f.hold)
	if err != nil {
		return nil, err
	}
	a := &Assembly{Format: "rung-assembly/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(), Held: []string{}}
	for _, i := range hold {
		a.Held = append(a.Held, mech.BodyName(i))
	}
	p.Stage("closing", 0)
	c, st := closing.NewCloser(plan, closing.Options{Hold: hold, Nearest: true, Tolerance: f.tolerance}), plan.Initial()
	kin := mech.NewKinematics()
	mech.FollowAngles(kin, st)
	if err := c.ClosePositions(st); err != nil {
		return a.fail(path, err)
	}
	a.Position = NewClosingResult(mech, c.Closing())
	if err := c.ProjectVelocities(st); err != nil {
		return a.fail(path, err)
	}
	a.Velocity = NewClosingResult(mech, c.Closing())
	a.Closed = true
	rung.SetState(m, st)
	mech.TurnsTo(m, kin, st)
	return a, nil
}

// fail stores the joint of err, and returns no document for other errors.
func (a *Assembly) fail(path string, err error) (*Assembly, error) {
	e := new(closing.CloseError)
	if !errors.As(err, &e) {
		return nil, shell.Failed(shell.ModelFile(path), err)
	}
	a.Unmet = newUnmet(e)
	return a, shell.Failed(shell.ModelFile(path), err)
}

func newUnmet(e *closing.CloseError) *unmet {
	u := &unmet{e.At.Joint, e.Predecessor, e.Successor, max(e.At.Row, 0), "position", e.Off, e.Unit(), e.At.Coupling}
	if e.Rate {
		u.Level = "velocity"
	}
	return u
}

// heldBodies returns the numbers of the bodies called names.
func heldBodies(mech *mechanism.Mechanism, names []string) ([]int, error) {
	var hold []int
	for _, name := range names {
		i, err := mech.BodyIndex(name)
		if err != nil {
			return nil, shell.NoBody("--hold", name, mech)
		}
		if i != mechanism.World { // which never moves
			hold = append(hold, i)
		}
	}
	return hold, nil
}

// NewClosingResult names the bodies of k.
func NewClosingResult(mech *mechanism.Mechanism, k closing.Closing) *ClosingResult {
	change := func(i int, x float64) bodyChange {
		if i < 0 {
			return bodyChange{}
		}
		return bodyChange{mech.BodyName(i), x}
	}
	r := &ClosingResult{
		Before: k.Before, After: k.After, Steps: k.Steps, Distance: k.Distance,
		Travel: change(k.TravelBody, k.Travel), Turn: change(k.TurnBody, k.Turn),
	}
	if k.Along > 0 && !k.Nearest {
		r.Left = k.Along / k.Distance
	}
	return r
}

// printAssembly writes a for people.
func printAssembly(p *sheet.Page, a *Assembly) {
	p.Line("%s: %s, %s, closed", sheet.ModelTitle(a.Name), sheet.Plural(a.Bodies, "body"), sheet.Plural(a.Joints, "joint"))
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Width: 10, Left: true}, {Head: "error before", Width: 13}, {Head: "error after", Width: 13}}},
		sheet.Group{Columns: []sheet.Column{{Head: "steps", Width: 8}, {Width: 2}, {Width: 14, Left: true}}},
	)
	for _, level := range [2]struct {
		name, unit string
		of         *ClosingResult
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

// namedChange is a change of the state, with its name and unit.
type namedChange struct {
	name string
	of   *bodyChange
	unit string
}

// printChanges writes a table of changes with the bodies that have them.
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
