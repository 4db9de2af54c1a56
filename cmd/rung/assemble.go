package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
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
	ordering  orderingFlag
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
		Args:              arguments("MODEL"),
		ValidArgsFunction: completeModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runAssemble(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `file to write, ending in .json; "-" is standard output (required)`)
	flags.StringSliceVar(&f.hold, "hold", nil, "bodies that do not move")
	flags.Float64Var(&f.tolerance, "tolerance", 5e-13, "error accepted where no step gains more, rad, or relative to a body's length")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.add(cmd)
	return cmd
}

// assembly is what rung assemble --json prints.
type assembly struct {
	Format   string         `json:"format"`
	Name     string         `json:"name"`
	Bodies   int            `json:"bodies"`
	Joints   int            `json:"joints"`
	Held     []string       `json:"held"`
	Closed   bool           `json:"closed"`
	Unmet    *unmet         `json:"unmet,omitempty"`
	Position *closingResult `json:"position,omitempty"`
	Velocity *closingResult `json:"velocity,omitempty"`
}

// closingResult is what was done at position or at velocity level.
type closingResult struct {
	Before   float64    `json:"error_before"` // m or rad, m/s or rad/s
	After    float64    `json:"error_after"`
	Steps    int        `json:"steps"`
	Distance float64    `json:"distance"`             // in the metric of the inertias, √kg m or √kg m/s
	Travel   bodyChange `json:"largest_displacement"` // of a centre of mass, m or m/s
	Turn     bodyChange `json:"largest_rotation"`     // rad or rad/s
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
}

func runAssemble(cmd *cobra.Command, path string, f *assembleFlags) error {
	switch {
	case f.output == "":
		return useErrorf(`missing -o OUT ("-o -" writes to standard output)`)
	case f.output == stdio && f.json:
		return useErrorf("--json and the model in one output: give -o a file")
	case !(f.tolerance >= 1e-13 && f.tolerance <= 1e-3):
		return useErrorf("--tolerance %g: from 1e-13 to 1e-3", f.tolerance)
	}
	if err := checkModelOutput(f.output); err != nil {
		return err
	}
	c := stateChange{path: path, output: f.output, json: f.json}
	return c.run(cmd, func(m *model.Model, p *progress) (any, func(io.Writer) error, error) {
		a, err := assembleModel(m, path, f, p)
		if a == nil {
			return nil, nil, err
		}
		return a, func(w io.Writer) error { return printAssembly(w, a) }, err
	})
}

// assembleModel closes m, read from path, and stores the new state in it. If the
// joints cannot be closed, it returns both a document and an error.
func assembleModel(m *model.Model, path string, f *assembleFlags, p *progress) (*assembly, error) {
	p.stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, err
	}
	mech := plan.Mechanism()
	hold, err := heldBodies(mech, f.hold)
	if err != nil {
		return nil, err
	}
	a := &assembly{Format: "rung-assembly/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(), Held: []string{}}
	for _, i := range hold {
		a.Held = append(a.Held, mech.BodyName(i))
	}
	p.stage("closing", 0)
	c, st := closing.NewCloser(plan, closing.Options{Hold: hold, Nearest: true, Tolerance: f.tolerance}), plan.Initial()
	kin := mech.NewKinematics()
	mech.FollowAngles(kin, st)
	if err := c.ClosePositions(st); err != nil {
		return a.fail(path, err)
	}
	a.Position = newClosingResult(mech, c.Closing())
	if err := c.ProjectVelocities(st); err != nil {
		return a.fail(path, err)
	}
	a.Velocity = newClosingResult(mech, c.Closing())
	a.Closed = true
	rung.SetState(m, st)
	mech.TurnsTo(m, kin, st)
	return a, nil
}

// fail stores the joint of err, and returns no document for other errors.
func (a *assembly) fail(path string, err error) (*assembly, error) {
	e := new(closing.CloseError)
	if !errors.As(err, &e) {
		return nil, failed(modelFile(path), err)
	}
	a.Unmet = newUnmet(e)
	return a, failed(modelFile(path), err)
}

func newUnmet(e *closing.CloseError) *unmet {
	u := &unmet{e.Joint, e.Predecessor, e.Successor, e.Row, "position", e.Off, e.Unit()}
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
			return nil, useErrorf("--hold: no body %s", fault.Name(name))
		}
		if i != mechanism.World { // which never moves
			hold = append(hold, i)
		}
	}
	return hold, nil
}

func newClosingResult(mech *mechanism.Mechanism, k closing.Closing) *closingResult {
	change := func(i int, x float64) bodyChange {
		if i < 0 {
			return bodyChange{}
		}
		return bodyChange{mech.BodyName(i), x}
	}
	return &closingResult{
		Before: k.Before, After: k.After, Steps: k.Steps, Distance: k.Distance,
		Travel: change(k.TravelBody, k.Travel), Turn: change(k.TurnBody, k.Turn),
	}
}

// printAssembly writes a for people.
func printAssembly(w io.Writer, a *assembly) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %s, %s, closed\n", modelTitle(a.Name), plural(a.Bodies, "body"), plural(a.Joints, "joint"))
	fmt.Fprintf(b, "\n%-10s%13s%13s%8s  %s\n", "", "error before", "error after", "steps", "")
	fmt.Fprintf(b, "%-10s%13s%13s%8d  m or rad\n", "position", short(a.Position.Before), short(a.Position.After), a.Position.Steps)
	fmt.Fprintf(b, "%-10s%13s%13s%8d  m/s or rad/s\n", "velocity", short(a.Velocity.Before), short(a.Velocity.After), a.Velocity.Steps)
	fmt.Fprintln(b, "\nlargest changes")
	printChange(b, "displacement", &a.Position.Travel, "m")
	printChange(b, "rotation", &a.Position.Turn, "rad")
	printChange(b, "velocity", &a.Velocity.Travel, "m/s")
	printChange(b, "angular velocity", &a.Velocity.Turn, "rad/s")
	if len(a.Held) > 0 {
		names := make([]string, len(a.Held))
		for i, name := range a.Held {
			names[i] = fault.Text(name, nameWidth)
		}
		fmt.Fprintf(b, "\nheld: %s\n", strings.Join(names, ", "))
	}
	return b.Flush()
}

func printChange(w io.Writer, what string, c *bodyChange, unit string) {
	if c.Value == 0 {
		fmt.Fprintf(w, "  %-17s%10s\n", what, "none")
		return
	}
	fmt.Fprintf(w, "  %-17s%10s %-6s %s\n", what, short(c.Value), unit, fault.Text(c.Body, 40))
}
