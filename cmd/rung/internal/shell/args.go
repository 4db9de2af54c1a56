package shell

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// HelpColumns is the width that help texts are wrapped to.
const HelpColumns = "80"

// Arguments checks that there is one argument a name.
func Arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return UseErrorf("missing %s", strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return UseErrorf("unexpected argument %s", fault.Name(args[len(names)]))
		}
		return nil
	}
}

// Streams returns the input and outputs of cmd.
func Streams(cmd *cobra.Command) (stdin io.Reader, stdout, stderr io.Writer) {
	stdout = cmd.OutOrStdout()
	if o, ok := stdout.(*watched); ok {
		stdout = o.w // the commands look at the errors themselves
	}
	return cmd.InOrStdin(), stdout, cmd.ErrOrStderr()
}

// Columns returns the columns of a page on w: those of COLUMNS, else those of the terminal that w is, else the most.
func Columns(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return sheet.Widest
}
