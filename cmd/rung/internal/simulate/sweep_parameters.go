package simulate

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/study"
)

// listParameters prints the numbers in the model at path that a study can vary, one on a line: path in the document, value and
// unit, with tabs between them.
func listParameters(cmd *cobra.Command, path string) error {
	for _, name := range [...]string{"out", "trajectories", "threads", "index", "of", "resume", "plot", "plot-columns", "plot-curves", "from"} {
		if cmd.Flags().Changed(name) {
			return shell.UseErrorf("--parameters runs nothing: it is not for --%s", name)
		}
	}
	p := shell.NewProgress(cmd.ErrOrStderr())
	defer p.End()
	text, err := shell.ReadDocument(path, p)
	if err != nil {
		return err
	}
	in, err := study.NewInputs(text, path)
	if err != nil {
		return shell.InputError(path, err)
	}
	p.End()
	for _, x := range in.All() {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\n", fault.Escape(x.Path), document.Number(x.Value), x.Unit); err != nil {
			return err
		}
	}
	return nil
}
