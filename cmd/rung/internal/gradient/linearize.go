package gradient

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// linearizeFlags are the flags of rung linearize.
type linearizeFlags struct {
	coordinates, inputs, outputs []string
	ordering                     shell.OrderingFlag
	json, csv                    bool
}

// newLinearize returns the command rung linearize with its flags and their defaults.
func newLinearize() *cobra.Command {
	f := &linearizeFlags{}
	cmd := &cobra.Command{
		Use:   "linearize MODEL",
		Short: "State space A, B, C, D about any moving state",
		Long: `Linearizes the motion of MODEL about its state, at rest or moving, in
independent coordinates: freedoms of joints, as JOINT, or JOINT.I where a joint has
several. The states are these coordinates and then their rates. With y the
coordinates and u generalized forces along the freedoms of --inputs,

  d(y, y')/dt = A (y, y') + B u,   outputs = C (y, y') + D u

are changes about the motion. Without --coordinates they are chosen, driven
freedoms first. Outputs are columns of trajectories
(rung simulate MODEL --list-columns).

Coordinates that do not determine the motion, or that depend on each other, are an
error that names the freedom.`,
		Example: `  rung linearize pendulum.json --inputs pin
  rung linearize stewart.json --coordinates P1,P2,P3,P4,P5,P6 --json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runLinearize(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.coordinates, "coordinates", nil, "freedoms that are the coordinates; default: chosen")
	flags.StringSliceVar(&f.inputs, "inputs", nil, "freedoms along which forces are inputs")
	flags.StringSliceVar(&f.outputs, "outputs", nil, "columns that are outputs")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.BoolVar(&f.csv, "csv", false, "print the matrices as comma-separated values, one block each")
	shell.CompleteNames(cmd, "coordinates", shell.FreedomNames)
	shell.CompleteNames(cmd, "inputs", shell.FreedomNames)
	f.ordering.Add(cmd)
	return cmd
}

// LinearizeResult is the document that rung linearize --json prints.
type LinearizeResult struct {
	Format      string             `json:"format"`
	Name        string             `json:"name"`
	Time        float64            `json:"time"`
	Coordinates []coordinateResult `json:"coordinates"`
	Inputs      []freedomResult    `json:"inputs"`
	Outputs     []outputResult     `json:"outputs"`
	A           [][]float64        `json:"A"`
	B           [][]float64        `json:"B"`
	C           [][]float64        `json:"C"`
	D           [][]float64        `json:"D"`
	Eigenvalues [][2]float64       `json:"eigenvalues"` // of A: real and imaginary part, 1/s
	Accuracy    float64            `json:"accuracy"`
}

type freedomResult struct {
	Joint   string `json:"joint"`
	Freedom int    `json:"freedom"`
}

type coordinateResult struct {
	freedomResult
	Value      float64 `json:"value"`
	Rate       float64 `json:"rate"`
	SecondRate float64 `json:"second_rate"`
}

type outputResult struct {
	Column string  `json:"column"`
	Value  float64 `json:"value"`
}

// runLinearize prints the matrices of the state space at the initial state of a model. That state has to satisfy the joints.
func runLinearize(cmd *cobra.Command, path string, f *linearizeFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	if f.json && f.csv {
		return shell.UseErrorf("--json and --csv exclude each other")
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return err
	}
	mech := plan.Mechanism()
	d := derive.New(plan, m)
	o, err := f.options(d)
	if err != nil {
		return err
	}
	if err := mech.Holds(plan.Initial()); err != nil {
		return shell.Failed(m.Name, err)
	}
	p.Stage("linearizing", 0)
	if err := d.At(plan.Initial()); err != nil {
		return shell.Failed(m.Name, err)
	}
	s, err := d.StateSpace(o)
	if err != nil {
		return shell.Failed(m.Name, err)
	}
	p.End()
	r, err := newLinearizeResult(mech, s, f.outputs)
	if err != nil {
		return shell.Failed(m.Name, err)
	}
	for _, in := range o.Inputs {
		r.Inputs = append(r.Inputs, freedomResult{mech.JointName(in.Joint), in.Freedom})
	}
	switch {
	case f.json:
		return shell.WriteJSON(stdout, r)
	case f.csv:
		return shell.WriteFile(shell.Stdio, stdout, func(w io.Writer) error { return writeMatrices(w, r) })
	}
	return shell.Print(stdout, func(p *sheet.Page) { printLinearize(p, r) })
}

// options returns the coordinates, inputs and outputs that the flags name.
func (f *linearizeFlags) options(d *derive.Derivatives) (o derive.StateSpaceOptions, err error) {
	mech := d.Mechanism()
	if o.Coordinates, err = shell.Freedoms("--coordinates", mech, f.coordinates); err != nil {
		return o, err
	}
	if o.Inputs, err = shell.Freedoms("--inputs", mech, f.inputs); err != nil {
		return o, err
	}
	for _, name := range f.outputs {
		x, err := d.Output(name)
		if err != nil {
			return o, shell.UseErrorf("--outputs: %w", err)
		}
		o.Outputs = append(o.Outputs, x)
	}
	return o, nil
}

// newLinearizeResult returns the document of a state space without its inputs. outputs are the names of the outputs of s.
func newLinearizeResult(mech *mechanism.Mechanism, s *derive.StateSpace, outputs []string) (*LinearizeResult, error) {
	r := &LinearizeResult{
		Format: "rung-linearization/1", Name: mech.Name, Time: mech.Initial().Time,
		Coordinates: []coordinateResult{}, Inputs: []freedomResult{}, Outputs: []outputResult{},
		A: rows(s.A), B: rows(s.B), C: rows(s.C), D: rows(s.D), Eigenvalues: [][2]float64{}, Accuracy: s.Accuracy,
	}
	for _, c := range s.Coordinates {
		at := freedomResult{mech.JointName(c.Joint), c.Freedom.Freedom}
		r.Coordinates = append(r.Coordinates, coordinateResult{at, c.Value, c.Rate, c.SecondRate})
	}
	for i, name := range outputs {
		r.Outputs = append(r.Outputs, outputResult{name, s.Values[i]})
	}
	list, err := s.Eigenvalues()
	for _, l := range list {
		r.Eigenvalues = append(r.Eigenvalues, [2]float64{real(l), imag(l)})
	}
	return r, err
}

// rows returns a copy of a matrix that is never null in JSON, even without rows or columns.
func rows(m [][]float64) [][]float64 {
	list := make([][]float64, len(m))
	for i, row := range m {
		list[i] = append([]float64{}, row...)
	}
	return list
}

// printLinearize writes r for people: the coordinates, the eigenvalues, and the matrices.
func printLinearize(p *sheet.Page, r *LinearizeResult) {
	p.Line("%s: %s", sheet.ModelTitle(r.Name), sheet.Plural(len(r.Coordinates), "coordinate"))
	if len(r.Coordinates) == 0 {
		p.Blank()
		p.Line("the joints allow no motion")
		return
	}
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "coordinate", Width: sheet.NameWidth, Left: true}, {Head: "value\nrad, m", Width: 11}}},
		sheet.Group{Columns: []sheet.Column{{Head: "rate\n1/s", Width: 11}, {Head: "second rate\n1/s²", Width: 13}}},
	)
	for _, c := range r.Coordinates {
		name := fault.Text(fmt.Sprintf("%s.%d", c.Joint, c.Freedom), sheet.NameWidth)
		t.Row(name, sheet.Short(c.Value), sheet.Short(c.Rate), sheet.Short(c.SecondRate))
	}
	p.Blank()
	t = p.Table(sheet.Group{Columns: []sheet.Column{
		{Head: "eigenvalue\n1/s", Width: 14}, {Head: "imaginary", Width: 12}, {Head: "frequency\nHz", Width: 12},
	}})
	for _, l := range r.Eigenvalues {
		t.Row(sheet.Short(l[0]), sheet.Short(l[1]), sheet.Short(math.Hypot(l[0], l[1])/(2*math.Pi)))
	}
	for _, m := range r.matrices() {
		p.Blank()
		p.Line("%s", m.name)
		for _, row := range m.rows {
			cells := make([]string, len(row))
			for i, x := range row {
				cells[i] = sheet.Short(x)
			}
			p.Line("  %s", strings.Join(cells, "  "))
		}
	}
}

// matrix is a matrix with its name.
type matrix struct {
	name string
	rows [][]float64
}

// matrices returns the matrices that have entries.
func (r *LinearizeResult) matrices() (list []matrix) {
	for _, m := range []matrix{{"A", r.A}, {"B", r.B}, {"C", r.C}, {"D", r.D}} {
		if len(m.rows) > 0 && len(m.rows[0]) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// writeMatrices writes the matrices as CSV, one after the other, each below a line with its name.
func writeMatrices(w io.Writer, r *LinearizeResult) error {
	c := csv.NewWriter(w)
	for _, m := range r.matrices() {
		if err := c.Write([]string{m.name}); err != nil {
			return err
		}
		for _, row := range m.rows {
			line := make([]string, len(row))
			for i, x := range row {
				line[i] = strconv.FormatFloat(x, 'g', 17, 64)
			}
			if err := c.Write(line); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
