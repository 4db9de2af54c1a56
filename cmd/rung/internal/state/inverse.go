package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/results"
	"github.com/spf13/cobra"
)

// inverseFlags are the flags of rung inverse.
type inverseFlags struct {
	method   shell.MethodFlag
	ordering shell.OrderingFlag
	threads  shell.ThreadsFlag
	actuated []string
	accel    string
	time     float64
	json     bool

	given func(name string) bool // reports whether the flag was given
}

// newInverse returns the command rung inverse with its flags and their defaults.
func newInverse() *cobra.Command {
	f := &inverseFlags{}
	cmd := &cobra.Command{
		Use:   "inverse MODEL [--actuated j1,j2,…]",
		Short: "Actuator forces that make wanted accelerations",
		Long: `Finds the forces along chosen freedoms that make wanted accelerations at the
state of MODEL ("-": standard input), in addition to the forces that the model
has. An actuator is a joint, with all its scalar freedoms, or one freedom of it:
j1.0. By default the actuators are the freedoms that the model prescribes, such
as those that rung ik --model-out drives along a path; their forces are what the
motions need. --time first moves them to another time; what they leave free
stays as near as it can.

The wanted accelerations are the bodies of a rung-result/1 document (--accel).
Without one, prescribed actuators accelerate as their motions say, and the
others do not. If no actuator is prescribed, all bodies are to hold still.
Accelerations that the joints do not allow are replaced by the nearest ones, and
the distance is reported.

The status is "proper" with as many actuators as needed, "redundant" with more
(the forces are then of least norm), and "under" if some motion is not
controlled. The last is an error if the wanted accelerations need that motion;
the forces then hold only the actuated freedoms to them.

The sparse method prescribes the actuated freedoms and reads the multipliers of
their rows. The tree methods solve Guᵀ·u = Gᵀ·τ on a spanning tree, at a cost of
at least the square of the size. tree-projection uses the matrix G of the
independent variables; the other two solve for the accelerations that each
actuator causes by itself.`,
		Example: `  rung inverse four-bar.json --actuated p1
  rung inverse moving.json --time 1.5`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			return runInverse(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.actuated, "actuated", nil, "joints, or joint.freedom, that are actuated (default: those that are prescribed)")
	flags.Float64Var(&f.time, "time", 0, "time to which the motions are followed first, s (default: that of the model)")
	flags.StringVar(&f.accel, "accel", "", `rung-result/1 document with the wanted accelerations of the bodies; "-" is standard input`)
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	shell.CompleteNames(cmd, "actuated", shell.FreedomNames)
	f.method.Add(cmd)
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
	return cmd
}

// runInverse prints the forces of the actuators for the wanted accelerations. If the actuators cannot make these, it prints the
// forces that hold the actuated freedoms only, and returns an error.
func runInverse(cmd *cobra.Command, path string, f *inverseFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	if path == shell.Stdio && f.accel == shell.Stdio {
		return shell.UseErrorf("MODEL and --accel - both read from standard input")
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return err
	}
	o, err := f.options(mech)
	if err != nil {
		return err
	}
	if o.Wanted, err = readAccelerations(f.accel, in.Reader, mech); err != nil {
		return err
	}
	p.Stage("solving", 0)
	doc, err := answers.SolveInverse(cmd.Context(), mech, mech.Initial(), o)
	switch actuator := new(answers.ActuatorError); {
	case errors.Is(err, answers.ErrNoActuators):
		return shell.UseErrorf("%v; give --actuated j1,j2,…", fault.Plain(err))
	case errors.As(err, &actuator):
		return shell.UseErrorf("%v", fault.Plain(err))
	case doc == nil:
		return failedIn(path, err)
	}
	p.End()
	var writeErr error
	if f.json {
		writeErr = shell.WriteJSON(stdout, doc)
	} else {
		writeErr = shell.Print(stdout, func(p *sheet.Page) { printInverse(p, doc) })
	}
	return errors.Join(writeErr, failedIn(path, err))
}

// options returns the options of the solution as the flags say, without the wanted accelerations.
func (f *inverseFlags) options(mech *mechanism.Mechanism) (answers.InverseOptions, error) {
	o := answers.InverseOptions{Plan: rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)}, Method: f.method.Method}
	if len(f.actuated) > 0 {
		var err error
		if o.Actuators, err = shell.Freedoms("--actuated", mech, f.actuated); err != nil {
			return o, err
		}
	}
	if f.given("time") {
		if !algebra.Finite(f.time) {
			return o, shell.UseErrorf("--time: want a finite time, not %v", f.time)
		}
		o.Time = &f.time
	}
	return o, nil
}

// wantedBody is a body in a rung-result/1 document. Lists of other lengths than three, and nil for null, show missing numbers.
type wantedBody struct {
	Name    string
	Angular []*float64 `json:"angular_acceleration"` // rad/s², world axes
	Com     []*float64 `json:"com_acceleration"`     // of the centre of mass, m/s², world axes
}

// readAccelerations reads the accelerations of all bodies from the rung-result/1 document at path, or from stdin if path is "-".
// It returns six numbers for each body in the order of the mechanism: angular acceleration, rad/s², then the acceleration of the
// centre of mass, m/s², world axes. It returns nil for an empty path, and an error of use if a body is missing, twice or unknown.
func readAccelerations(path string, stdin io.Reader, mech *mechanism.Mechanism) ([]float64, error) {
	var b []byte
	var err error
	switch path {
	case "":
		return nil, nil
	case shell.Stdio:
		b, err = readResult(stdin, mech)
	default:
		var f *os.File
		if f, err = os.Open(path); err == nil {
			defer f.Close()
			b, err = readResult(f, mech)
		}
	}
	if err != nil {
		return nil, shell.UseErrorf("%v", fault.Plain(err))
	}
	path = shell.ModelFile(path)
	var doc struct {
		Format string
		Bodies []wantedBody
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, shell.UseErrorf("%s: %v", path, err)
	}
	if doc.Format != results.Format {
		return nil, shell.UseErrorf("%s: $.format: wrong format (value %s)", path, fault.Name(doc.Format))
	}
	index := make(map[string]int, mech.NumBodies())
	for i := range mech.NumBodies() {
		index[mech.BodyName(i)] = i
	}
	a := make([]float64, 6*mech.NumBodies())
	seen := make([]bool, mech.NumBodies())
	for k, r := range doc.Bodies {
		i, ok := index[r.Name]
		if !ok || seen[i] {
			return nil, shell.UseErrorf("%s: $.bodies[%d].name: no such body, or twice (value %s)", path, k, fault.Name(r.Name))
		}
		seen[i] = true
		for at, list := range [2][]*float64{r.Angular, r.Com} {
			if len(list) != 3 || slices.Contains(list, nil) { // nil: null in the document
				field := [2]string{"angular_acceleration", "com_acceleration"}[at]
				return nil, shell.UseErrorf("%s: $.bodies[%d].%s: has to be three numbers", path, k, field)
			}
			for c, x := range list {
				a[6*i+3*at+c] = *x
			}
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		return nil, shell.UseErrorf("%s: $.bodies: body %s is missing", path, fault.Name(mech.BodyName(i)))
	}
	return a, nil
}

// readResult reads a document. It returns an error if the document is longer than a result of mech can be, so that a wrong
// file does not fill the memory.
func readResult(r io.Reader, mech *mechanism.Mechanism) ([]byte, error) {
	const least, element = 16 << 20, 4 << 10 // bytes: in any case, and for each body and joint
	most := least + element*int64(mech.NumBodies()+mech.NumJoints())
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("the accelerations are longer than %d bytes, more than a result of this model may be", most)
	}
	return b, err
}

// printInverse writes a table of the forces, N or N m, then status, residual and distance from the wanted accelerations.
func printInverse(p *sheet.Page, doc *answers.Inverse) {
	t := p.Table(sheet.Group{Columns: []sheet.Column{{Head: "actuator", Width: 24, Left: true}, {Head: "freedom", Width: 8}}},
		sheet.Group{Columns: []sheet.Column{{Head: "force, N or N m", Width: 19}}})
	for _, a := range doc.Actuators {
		t.Row(fault.Text(a.Joint, 24), strconv.Itoa(a.Freedom), fmt.Sprintf("%.6g", a.Force))
	}
	p.Blank()
	p.Item("time", fmt.Sprintf("%.6g s", doc.Time))
	p.Item("status", doc.Status)
	if doc.Status == "under" {
		p.Item("uncontrolled", listOf(doc.Uncontrolled))
	}
	p.Item("residual", fmt.Sprintf("%.2g of the accelerations that the loads could make", doc.Residual))
	p.Item("distance", fmt.Sprintf("%.4g from the accelerations asked for", doc.Distance))
}

// listOf joins the first names of uncontrolled joints, at most listed of them. Without names, the uncontrolled motion is of
// joints without scalar freedoms or of bodies without joints.
func listOf(names []string) string {
	if len(names) == 0 {
		return "bodies on ball joints or without joints"
	}
	short := make([]string, min(len(names), listed))
	for i := range short {
		short[i] = fault.Text(names[i], sheet.TextWidth)
	}
	if n := len(names) - listed; n > 0 {
		return strings.Join(short, ", ") + fmt.Sprintf(", and %d more", n)
	}
	return strings.Join(short, ", ")
}
