package state

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/spatial"
	"github.com/spf13/cobra"
)

// modesFlags are the flags of rung modes.
type modesFlags struct {
	count       int
	method      string
	equilibrium bool
	moving      bool
	steady      bool
	undamped    bool
	ordering    shell.OrderingFlag
	json, csv   bool
}

// newModes returns the command rung modes with its flags and their defaults.
func newModes() *cobra.Command {
	f := &modesFlags{method: linear.Auto.String()}
	cmd := &cobra.Command{
		Use:   "modes MODEL",
		Short: "Frequencies, damping and shapes of the modes of vibration",
		Long: `Linearizes the equations of motion of MODEL ("-": standard input) about its
pose, at rest, and prints the lowest modes: frequency, damping ratio, shape.
Prescribed freedoms are held. Modes that grow come first, marked as such;
motions that meet no force have the frequency zero.

The pose should be an equilibrium (rung equilibrium writes one, --equilibrium
seeks one first) and hold its joints (rung assemble closes them); if it is not
or does not, a warning says so.

--steady takes the motion of the model in place of a pose at rest: wheels that
roll straight ahead or in a circle, rotors, tops. It has to be steady, at
velocities that stay as they are, or do so in axes that turn at a constant rate;
if it is not, an error says where and by how much. Frequencies and shapes are
those in these axes. --moving takes the equations of the instant as they
are, in axes of the world; a mechanism that rolls without slip needs --steady.

A shape is the displacement of every body, of its centre of mass and in
rotation, world axes, of unit modal mass. The table names the body that has the
largest part in the kinetic energy; --json and --csv give all bodies.`,
		Example: `  rung modes chain.json --count 4
  rung modes linkage.json --equilibrium --csv > modes.csv
  rung modes bicycle.json --steady`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return runModes(cmd, args[0], f) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.count, "count", 10, "number of modes")
	flags.StringVar(&f.method, "method", f.method, "auto, dense (all modes, few bodies) or sparse")
	flags.BoolVar(&f.equilibrium, "equilibrium", false, "seek the equilibrium first")
	flags.BoolVar(&f.moving, "moving", false, "about the motion of the model at this instant, not at rest")
	flags.BoolVar(&f.steady, "steady", false, "about the motion of the model, which has to be steady")
	flags.BoolVar(&f.undamped, "undamped", false, "leave dampers and other velocity terms out")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.BoolVar(&f.csv, "csv", false, "print comma-separated values, a line for each mode and body")
	shell.Complete(cmd, "method", linear.Auto.String(), linear.Dense.String(), linear.Sparse.String())
	f.ordering.Add(cmd)
	return cmd
}

// runModes prints the modes of the model at path about its state, an equilibrium or a steady motion.
func runModes(cmd *cobra.Command, path string, f *modesFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	method, err := linear.ParseMethod(f.method)
	switch {
	case err != nil:
		return shell.UseErrorf("--method %s: there are auto, dense and sparse%s", fault.Name(f.method), fault.AfterList(fault.Meant(f.method, "auto", "dense", "sparse")))
	case f.count < 1:
		return shell.UseErrorf("--count %d: there has to be one at least", f.count)
	case f.json && f.csv:
		return shell.UseErrorf("--json and --csv exclude each other")
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	o := answers.ModesOptions{
		ModeOptions: linear.ModeOptions{Count: f.count, Method: method, Undamped: f.undamped, Steady: f.steady},
		Equilibrium: f.equilibrium, Moving: f.moving, Stage: func(name string) { p.Stage(name, 0) },
	}
	if err := o.Exclusive(func(option string) string { return "--" + option }); err != nil {
		return shell.UseErrorf("%v", fault.Plain(err))
	}
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return err
	}
	r, err := answers.FindModes(cmd.Context(), plan, plan.Initial(), o)
	if err != nil {
		return failedIn(path, err)
	}
	p.End()
	for _, w := range r.Warnings {
		fmt.Fprintln(stderr, "rung: warning:", w)
	}
	switch {
	case f.json:
		return shell.WriteJSON(stdout, r)
	case f.csv:
		return shell.WriteFile(shell.Stdio, stdout, func(w io.Writer) error { return writeModes(w, r) })
	}
	return shell.Print(stdout, func(p *sheet.Page) { printModes(p, r) })
}

// printModes writes r as a table.
func printModes(p *sheet.Page, r *answers.Modes) {
	modes := "the lowest " + sheet.Plural(len(r.Modes), "mode")
	if r.All {
		modes = sheet.Plural(len(r.Modes), "mode")
	}
	p.Line("%s: %s, %s, %s", sheet.ModelTitle(r.Name), sheet.Plural(r.Bodies, "body"), sheet.Plural(r.Joints, "joint"), modes)
	if r.Turning != nil && *r.Turning != (spatial.Vec3{}) {
		w := *r.Turning
		for i, size := range w {
			if math.Abs(size) <= 1e-12*r.Turning.Norm() { // a component of rounding is shown as 0
				w[i] = 0
			}
		}
		p.Line("in axes that turn at (%s, %s, %s) rad/s", sheet.Short(w[0]), sheet.Short(w[1]), sheet.Short(w[2]))
	}
	p.Blank()
	if len(r.Modes) == 0 {
		p.Line("the joints allow no motion")
		return
	}
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "mode", Width: 5}, {Width: 2}, {Head: "kind", Width: 11, Left: true}, {Head: "frequency\nHz", Width: 12}}},
		sheet.Group{Columns: []sheet.Column{{Head: "damped\nHz", Width: 12}, {Head: "damping\nratio", Width: 11}, {Head: "growth\n1/s", Width: 10}}},
		sheet.Group{Columns: []sheet.Column{{Width: 2}, {Head: "moves most", Width: sheet.NameWidth, Left: true}}},
	)
	for i := range r.Modes {
		m := &r.Modes[i]
		growth, damped, ratio := "", "", ""
		if m.Eigenvalue[0] > 0 || r.Steady && m.Eigenvalue[0] != 0 {
			growth = sheet.Narrow(m.Eigenvalue[0])
		}
		if r.Damped {
			damped, ratio = sheet.Narrow(m.DampedFrequency), sheet.Narrow(m.DampingRatio)
		}
		frequency := sheet.Short(m.Frequency)
		if m.Kind == linear.Divergence.String() || m.Kind == linear.Decay.String() {
			frequency = "–"
		}
		t.Row(strconv.Itoa(i+1), "", m.Kind, frequency, damped, ratio, growth, "", fault.Text(m.Largest.Body, sheet.NameWidth))
	}
	if r.Unstable > 0 {
		p.Blank()
		p.Line("unstable: %s that will grow", sheet.Plural(r.Unstable, "mode"))
	}
}

// writeModes writes r as comma-separated values, a line for each mode and body. Imaginary parts of real shapes are 0.
func writeModes(w io.Writer, r *answers.Modes) error {
	c := csv.NewWriter(w)
	head := []string{"mode", "kind", "frequency", "damped_frequency", "damping_ratio", "eigenvalue.re", "eigenvalue.im", "body"}
	for _, part := range [2]string{"", ".im"} {
		for _, v := range [2]string{"v", "w"} {
			for _, axis := range [3]string{"x", "y", "z"} {
				head = append(head, v+axis+part)
			}
		}
	}
	if err := c.Write(head); err != nil {
		return err
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 17, 64) }
	for i := range r.Modes {
		m := &r.Modes[i]
		first := []string{
			strconv.Itoa(i + 1), m.Kind, number(m.Frequency), number(m.DampedFrequency), number(m.DampingRatio),
			number(m.Eigenvalue[0]), number(m.Eigenvalue[1]),
		}
		for k := range m.Shape {
			s := &m.Shape[k]
			line := append(append([]string(nil), first...), fault.Escape(s.Body))
			var zero spatial.Vec3
			parts := [4]*spatial.Vec3{&s.Linear, &s.Angular, s.LinearImag, s.AngularImag}
			for _, v := range parts {
				if v == nil {
					v = &zero
				}
				for _, x := range v {
					line = append(line, number(x))
				}
			}
			if err := c.Write(line); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
