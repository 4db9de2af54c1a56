package main

import (
	"io"
	"runtime/debug"

	"github.com/rung-mbd/rung"
	"github.com/spf13/cobra"
)

// accelFlags are the flags of rung accel.
type accelFlags struct {
	method    methodFlag
	ordering  orderingFlag
	threads   threadsFlag
	json, all bool
}

func newAccel() *cobra.Command {
	f := &accelFlags{}
	cmd := &cobra.Command{
		Use:   "accel MODEL",
		Short: "Accelerations and joint forces at the model's state",
		Long: `Solves the forward dynamics at the state written in MODEL ("-": standard input)
and prints accelerations, joint wrenches and what the constraints are like:
rank, redundant rows by joint, mobility, distance to a singular pose; also
by how much they contradict each other, and in which joint, if it is above
rounding.

Vectors are in world axes; a joint's wrench acts on its successor, moments about
the origin of the successor frame. The table shows four digits and the first
bodies and joints; a value below 1e-12 of the largest in its table is shown as
0. --json prints everything, as one rung-result/1 document.

The tree methods solve in the joint coordinates of a spanning tree, at a cost of
at least the square of the size. Their accelerations, wrenches and counts are
their own; what is undetermined is found by the sparse method.`,
		Example: `  rung accel four-bar.json
  rung generate ladder 1000 -o - | rung accel - --json`,
		Args:              arguments("MODEL"),
		ValidArgsFunction: completeModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAccel(cmd, args[0], f)
		},
	}
	f.method.add(cmd)
	f.ordering.add(cmd)
	f.threads.add(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&f.all, "all", false, "list all bodies and joints in the table")
	return cmd
}

func runAccel(cmd *cobra.Command, path string, f *accelFlags) error {
	stdin, stdout, stderr := streams(cmd)
	p := newProgress(stderr)
	defer p.end()
	r, err := accelerate(path, stdin, f, p)
	if err != nil {
		return err
	}
	p.end()
	return writeFile(stdio, stdout, func(w io.Writer) error {
		if f.json {
			return writeResult(w, r)
		}
		most := listed
		if f.all {
			most = max(len(r.Bodies), len(r.Joints))
		}
		return printResult(w, r, most)
	})
}

// accelerate reads and solves the model at path. It holds the model no longer
// than the plan needs it.
func accelerate(path string, stdin io.Reader, f *accelFlags, p *progress) (*acceleration, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(tightGC))
	o := rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)}
	m, err := readModel(path, stdin, p)
	if err != nil {
		return nil, err
	}
	if f.method != sparseMethod {
		p.stage("solving", 0)
		r, err := accelerateByTree(m, string(f.method), o)
		return r, failed(modelFile(path), err)
	}
	p.stage("analysing", 0)
	plan, err := rung.NewPlan(m, o)
	if err != nil {
		return nil, err
	}
	p.stage("solving", 0)
	m = nil
	debug.FreeOSMemory() // the model and the scratch of the analysis
	s := plan.NewSolver()
	if err := s.Solve(plan.Initial()); err != nil {
		return nil, failed(modelFile(path), err)
	}
	p.stage("explaining", 0)
	r, err := rung.NewResult(s)
	if err != nil {
		return nil, failed(modelFile(path), err)
	}
	return &acceleration{Result: r, Contradiction: contradictionOf(plan, s, sparseMethod)}, nil
}
