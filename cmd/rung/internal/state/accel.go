package state

import (
	"io"
	"runtime/debug"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/spf13/cobra"
)

// accelFlags are the flags of rung accel.
type accelFlags struct {
	method    shell.MethodFlag
	ordering  shell.OrderingFlag
	threads   shell.ThreadsFlag
	ranks     ranks.Flags
	json, all bool
}

// newAccel returns the command rung accel.
func newAccel() *cobra.Command { return accelCommand(&accelFlags{}) }

// accelCommand returns the command rung accel, which stores its flags in f.
func accelCommand(f *accelFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "accel MODEL",
		Short: "Accelerations and joint forces at the model's state",
		Long: `Solves the forward dynamics at the state written in MODEL ("-": standard input)
and prints accelerations, joint wrenches and the constraints: rank, redundant
rows by joint, mobility, distance to a singular pose. If constraints contradict
each other by more than rounding, it says by how much and in which joint.

Vectors are in world axes; a joint's wrench acts on its successor, moments about
the origin of the successor frame. The table shows four digits and the first
bodies and joints; a value below 1e-12 of the largest in its table is shown as
0. --json prints everything, as one rung-result/1 document.

The tree methods solve in the joint coordinates of a spanning tree. Their cost
grows at least with the square of the size. They compute accelerations, wrenches
and counts themselves; the sparse method finds what is undetermined.

With --ranks the model is cut into pieces that ranks solve together. The
document is the same, but results that need the whole system are omitted:
distance to a singular pose, reactions where rows are redundant. "left_out"
lists them and says why.`,
		Example: `  rung accel four-bar.json
  rung generate ladder 1000 -o - | rung accel - --json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAccel(cmd, args[0], f)
		},
	}
	f.method.Add(cmd)
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
	f.ranks.Add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&f.all, "all", false, "list all bodies and joints in the table")
	return cmd
}

// runAccel prints accelerations and reactions at the initial state of the model at path; with --ranks, ranks compute them.
func runAccel(cmd *cobra.Command, path string, f *accelFlags) error {
	if on, err := f.ranks.Given(); err != nil {
		return err
	} else if on {
		return accelOnRanks(cmd, path, f)
	}
	in, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	r, err := accelerate(path, in, f, p)
	if err != nil {
		return err
	}
	p.End()
	return f.print(stdout, r, entriesOf(r))
}

// print writes r with the bodies and joints in e, as a JSON document or as tables. Without --all the tables have the first
// bodies and joints only.
func (f *accelFlags) print(to io.Writer, r *rung.Result, e entries) error {
	if f.json {
		return shell.WriteFile(shell.Stdio, to, func(w io.Writer) error { return writeEntries(w, r, e) })
	}
	most := listed
	if f.all {
		most = max(e.numBodies, e.numJoints)
	}
	return shell.Print(to, func(p *sheet.Page) { printResult(p, r, e, most) })
}

// accelerate reads and solves the model at path. It lets go of the model once the plan is made, to save memory.
func accelerate(path string, in shell.Input, f *accelFlags, p *shell.Progress) (*rung.Result, error) {
	large := shell.Large(path)
	if large {
		defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	}
	o := rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)}
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return nil, err
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, o)
	if err != nil {
		return nil, err
	}
	p.Stage("solving", 0)
	m = nil
	if large {
		debug.FreeOSMemory() // returns the memory of the model and of the analysis
	}
	r, err := compare.Accelerate(plan, f.method.Method, plan.Initial())
	return r, shell.Failed(shell.ModelFile(path), err)
}
