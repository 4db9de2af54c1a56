package state

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
	"github.com/spf13/cobra"
)

// matrixFlags are the flags of rung matrix.
type matrixFlags struct {
	output, rhs, spy string
	ordering         shell.OrderingFlag
	permuted         bool
}

// newMatrix returns the command rung matrix with its flags and their defaults.
func newMatrix() *cobra.Command {
	f := &matrixFlags{}
	cmd := &cobra.Command{
		Use:   "matrix MODEL",
		Short: "Write the KKT matrix, its right side and a picture of it",
		Long: `Writes the system of RBDA eq. 8.64 at the state of MODEL ("-": standard input)
in MatrixMarket files: the symmetric matrix K (lower triangle) to the file of -o
and the right side b beside it, with .rhs before the ending: -o K.mtx writes
K.mtx and K.rhs.mtx. The solution of K x = b is the accelerations, six a body
(angular, then of the centre of mass), and minus the multipliers of each joint.
Comments in the file of K tell which rows belong to which body or joint.

K has no proximal term: with redundant constraints it is singular.`,
		Example: `  rung matrix ladder.json -o K.mtx
  rung matrix ladder.json --spy K.svg --ordering min-degree`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMatrix(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `MatrixMarket file of K; "-" is standard output, without b`)
	flags.StringVar(&f.rhs, "rhs", "", "MatrixMarket file of b, in place of the one beside K")
	flags.StringVar(&f.spy, "spy", "", `picture of the pattern in elimination order, ending in .svg; "-" is standard output`)
	flags.BoolVar(&f.permuted, "permuted", false, "write K and b in elimination order")
	f.ordering.Add(cmd)
	return cmd
}

// rhsBeside returns the name of the file of the right side for the file of the matrix at path: K.rhs.mtx for K.mtx.
func rhsBeside(path string) string {
	ending := filepath.Ext(path)
	return strings.TrimSuffix(path, ending) + ".rhs" + ending
}

// check returns the first mistake in the names of files, model being the file of the model, and sets the name of the file of the
// right side if the flags give none.
func (f *matrixFlags) check(model string) error {
	if f.output == "" && f.rhs == "" && f.spy == "" {
		return shell.UseErrorf("nothing to write: give -o K.mtx, --rhs b.mtx or --spy K.svg")
	}
	if err := shell.CheckPicture(f.spy, ".svg"); err != nil {
		return err
	}
	if f.rhs == "" && f.output != "" && f.output != shell.Stdio {
		f.rhs = rhsBeside(f.output)
	}
	list := [...]string{f.output, f.rhs, f.spy}
	for i, path := range list {
		if path == shell.Stdio && slices.Contains(list[:i], shell.Stdio) {
			return shell.UseErrorf("%s: two outputs in one file", path)
		}
		if err := shell.Apart(path, "two outputs in one file", list[:i]...); err != nil {
			return err
		}
		if err := shell.Apart(path, "would replace the model", model); err != nil {
			return err
		}
	}
	return nil
}

// runMatrix writes the matrix and the right side of the system at the initial state of the model at path, and the picture of the
// pattern, as the flags say.
func runMatrix(cmd *cobra.Command, path string, f *matrixFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	if err := f.check(path); err != nil {
		return err
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	p.Stage("analysing", 0)
	o := rung.Options{Ordering: f.ordering.Ordering}
	if !f.permuted && f.spy == "" {
		o.Ordering = order.Natural // no output depends on the order, so none is computed
	}
	plan, err := rung.NewPlan(m, o)
	if err != nil {
		return err
	}
	p.Stage("assembling", 0)
	sys := plan.Layout().NewSystem()
	if err := sys.FillTo(plan.Initial()); err != nil {
		return shell.Failed(shell.ModelFile(path), err)
	}
	p.Stage("writing", 0)
	return f.write(plan, sys, stdout)
}

// write writes the files that the flags name. They replace earlier files once all of them are complete.
func (f *matrixFlags) write(plan *rung.Plan, sys *assemble.System, stdout io.Writer) error {
	mech := plan.Mechanism()
	return shell.WriteFiles(stdout, []shell.FileOf{
		{Path: f.output, Write: func(w io.Writer) error { return answers.WriteMatrix(w, plan, sys, f.permuted) }},
		{Path: f.rhs, Write: func(w io.Writer) error { return answers.WriteRight(w, plan, sys, f.permuted) }},
		{Path: f.spy, Write: func(w io.Writer) error {
			return sparse.WriteSpy(w, plan.Layout().Pattern, plan.Order(), sparse.SpyOptions{
				Title: fmt.Sprintf("%s: %s, %s, ordering %s", sheet.ModelTitle(mech.Name),
					sheet.Plural(mech.NumBodies(), "body"), sheet.Plural(mech.NumJoints(), "joint"), plan.Ordering()),
			})
		}},
	})
}
