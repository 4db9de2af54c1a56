package state

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
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

// balancedEnough is the relative unbalanced force beyond which a state is not taken for
// an equilibrium.
const balancedEnough = 1e-6

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

// ModesResult is what rung modes --json prints.
type ModesResult struct {
	Format     string            `json:"format"`
	Name       string            `json:"name"`
	Bodies     int               `json:"bodies"`
	Joints     int               `json:"joints"`
	Method     string            `json:"method"`
	Damped     bool              `json:"damped"`
	Steady     bool              `json:"steady,omitempty"`
	Turning    *spatial.Vec3     `json:"turning,omitempty"` // of the axes of a steady motion, rad/s
	All        bool              `json:"all"`               // there are no other modes
	Unstable   int               `json:"unstable"`
	Unbalanced *unbalancedResult `json:"unbalanced"`
	Edges      []string          `json:"stops_at_edge,omitempty"` // JOINT.FREEDOM
	Modes      []modeResult      `json:"modes"`
}

// modeResult is one mode.
type modeResult struct {
	Kind            string        `json:"kind"`
	Frequency       float64       `json:"frequency"`        // |λ|/2π, Hz
	DampedFrequency float64       `json:"damped_frequency"` // Hz
	DampingRatio    float64       `json:"damping_ratio"`
	Eigenvalue      [2]float64    `json:"eigenvalue"` // real and imaginary part, 1/s
	Stiffness       float64       `json:"stiffness"`  // 1/s²
	Shape           []shapeResult `json:"shape"`

	largest bodyChange // part in the kinetic energy
}

// shapeResult is the part of one body in a mode.
type shapeResult struct {
	Body        string        `json:"body"`
	Linear      spatial.Vec3  `json:"linear"`  // of the centre of mass, 1/√kg
	Angular     spatial.Vec3  `json:"angular"` // rad/(√kg m)
	LinearImag  *spatial.Vec3 `json:"linear_imaginary,omitempty"`
	AngularImag *spatial.Vec3 `json:"angular_imaginary,omitempty"`
}

func runModes(cmd *cobra.Command, path string, f *modesFlags) error {
	stdin, stdout, stderr := shell.Streams(cmd)
	method, err := linear.ParseMethod(f.method)
	switch {
	case err != nil:
		return shell.UseErrorf("--method %s: there are auto, dense and sparse%s", fault.Name(f.method), fault.AfterList(fault.Meant(f.method, "auto", "dense", "sparse")))
	case f.count < 1:
		return shell.UseErrorf("--count %d: there has to be one at least", f.count)
	case f.json && f.csv:
		return shell.UseErrorf("--json and --csv exclude each other")
	case f.moving && f.equilibrium:
		return shell.UseErrorf("--moving and --equilibrium exclude each other: an equilibrium is at rest")
	case f.steady && f.moving:
		return shell.UseErrorf("--steady and --moving exclude each other: --steady takes the motion of the model, too")
	case f.steady && f.equilibrium:
		return shell.UseErrorf("--steady and --equilibrium exclude each other: an equilibrium is at rest")
	case f.steady && f.undamped:
		return shell.UseErrorf("--steady and --undamped exclude each other: a steady motion has its velocity terms")
	case f.steady && method == linear.Sparse:
		return shell.UseErrorf("--steady and --method sparse exclude each other: modes of steady motions are found by the dense method")
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, stdin, p)
	if err != nil {
		return err
	}
	o := linear.ModeOptions{Count: f.count, Method: method, Undamped: f.undamped, Steady: f.steady}
	r, warning, err := modesOf(m, path, f, o, p)
	if err != nil {
		return err
	}
	p.End()
	if warning != "" {
		fmt.Fprintln(stderr, "rung: warning:", warning)
	}
	if u := r.Unbalanced; !(*u.Relative <= balancedEnough) && !f.moving && !f.steady {
		fmt.Fprintf(stderr, "rung: warning: not in equilibrium: body %s is left with a force of %s N and a moment of %s N m (see --equilibrium)\n",
			fault.Name(u.Body), sheet.Short(u.Force.Norm()), sheet.Short(u.Moment.Norm()))
	}
	for _, name := range r.Edges {
		fmt.Fprintf(stderr, "rung: warning: stop %s is at the edge of touching, where it holds on one side only: the modes are those of one side\n", fault.Name(name))
	}
	switch {
	case f.json:
		return shell.WriteJSON(stdout, r)
	case f.csv:
		return shell.WriteFile(shell.Stdio, stdout, func(w io.Writer) error { return writeModes(w, r) })
	}
	return shell.Print(stdout, func(p *sheet.Page) { printModes(p, r) })
}

// modesOf computes the modes of m, read from path, and warns of a state that the joints do
// not allow.
func modesOf(m *model.Model, path string, f *modesFlags, o linear.ModeOptions, p *shell.Progress) (r *ModesResult, warning string, err error) {
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return nil, "", err
	}
	st := plan.Initial()
	if !f.moving && !f.steady {
		st.Rest()
	}
	if f.equilibrium {
		p.Stage("balancing", 0)
		if _, err := linear.Equilibrate(plan, st, linear.EquilibriumOptions{}); err != nil {
			return nil, "", failedIn(path, err)
		}
	}
	if rolls := plan.Mechanism().Holonomic(); rolls != nil && f.moving {
		return nil, "", failedIn(path, fmt.Errorf("%w: see --steady", rolls))
	}
	p.Stage("linearizing", 0)
	s := linear.NewSystem(plan)
	var open *mechanism.ViolationError
	if err = s.Linearize(st); errors.As(err, &open) {
		warning, err = openJoint(open), s.LinearizeAsItIs(st)
	}
	if err != nil {
		return nil, "", failedIn(path, err)
	}
	p.Stage("modes", 0)
	found, err := s.Modes(o)
	if err != nil {
		return nil, "", failedIn(path, err)
	}
	r = newModesResult(plan.Mechanism(), s, found)
	r.Edges = edges(plan.Mechanism(), st)
	return r, warning, nil
}

// edges names the stops at the edge of touching.
func edges(mech *mechanism.Mechanism, st *mechanism.State) (names []string) {
	k := mech.NewKinematics()
	if mech.KinematicsTo(k, st) != nil {
		return nil
	}
	for _, f := range mech.StopsAtEdge(k, st) {
		names = append(names, fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom))
	}
	return names
}

// openJoint says which joint or coupling is farthest from holding.
func openJoint(e *mechanism.ViolationError) string {
	what := "joint "
	if e.At.Coupling != "" {
		what = "coupling "
	}
	what += fault.Name(e.Name())
	position, velocity := e.Violation.In(e.Unit)
	if velocity > position {
		return fmt.Sprintf("the velocities open %s by %s m/s or rad/s (see rung assemble)", what, sheet.Short(max(e.Violation.Speed, e.Violation.Turn)))
	}
	return fmt.Sprintf("%s is open by %s m or rad (see rung assemble)", what, sheet.Short(max(e.Violation.Length, e.Violation.Angle)))
}

func newModesResult(mech *mechanism.Mechanism, s *linear.System, found *linear.Modes) *ModesResult {
	left, relative := s.Unbalanced()
	r := &ModesResult{
		Format: "rung-modes/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints(),
		Method: found.Method.String(), Damped: found.Damped, All: found.All, Unstable: found.Unstable(),
		Unbalanced: newUnbalanced(&left, &relative), Modes: make([]modeResult, len(found.List)),
	}
	if found.Steady {
		r.Steady, r.Turning = true, &found.Turning
	}
	part := make([]float64, mech.NumBodies())
	for i := range found.List {
		m := &found.List[i]
		out := &r.Modes[i]
		*out = modeResult{
			Kind: m.Kind.String(), Frequency: m.Frequency(), DampedFrequency: m.DampedFrequency(),
			DampingRatio: m.DampingRatio(), Eigenvalue: [2]float64{real(m.Lambda), imag(m.Lambda)},
			Stiffness: m.Stiffness, Shape: make([]shapeResult, mech.NumBodies()),
		}
		s.EnergyPartsTo(part, m)
		for b := range out.Shape {
			out.Shape[b] = shapeOf(mech, m, b)
			if part[b] > out.largest.Value*(1+1e-9) {
				out.largest = bodyChange{mech.BodyName(b), part[b]}
			}
		}
	}
	return r
}

func shapeOf(mech *mechanism.Mechanism, m *linear.Mode, b int) shapeResult {
	x := m.Shape[6*b : 6*b+6]
	out := shapeResult{Body: mech.BodyName(b), Angular: spatial.Vec3(x[:3]), Linear: spatial.Vec3(x[3:])}
	if m.Imag != nil {
		y := m.Imag[6*b : 6*b+6]
		a, l := spatial.Vec3(y[:3]), spatial.Vec3(y[3:])
		out.AngularImag, out.LinearImag = &a, &l
	}
	return out
}

// printModes writes r for people.
func printModes(p *sheet.Page, r *ModesResult) {
	what := "the lowest " + sheet.Plural(len(r.Modes), "mode")
	if r.All {
		what = sheet.Plural(len(r.Modes), "mode")
	}
	p.Line("%s: %s, %s, %s", sheet.ModelTitle(r.Name), sheet.Plural(r.Bodies, "body"), sheet.Plural(r.Joints, "joint"), what)
	if r.Turning != nil && *r.Turning != (spatial.Vec3{}) {
		w := *r.Turning
		for i, size := range w {
			if math.Abs(size) <= 1e-12*r.Turning.Norm() { // rounding
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
		t.Row(strconv.Itoa(i+1), "", m.Kind, frequency, damped, ratio, growth, "", fault.Text(m.largest.Body, sheet.NameWidth))
	}
	if r.Unstable > 0 {
		p.Blank()
		p.Line("unstable: %s that will grow", sheet.Plural(r.Unstable, "mode"))
	}
}

// writeModes writes r as comma-separated values, a line for each mode and body.
func writeModes(w io.Writer, r *ModesResult) error {
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
