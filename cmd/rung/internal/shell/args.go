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

// FitHelp makes the help of root and its subcommands fit the width of the terminal.
func FitHelp(root *cobra.Command) {
	columns := func(c *cobra.Command) int { return min(max(Columns(rawOutput(c)), sheet.Narrowest), sheet.Widest) }
	cobra.AddTemplateFunc("columns", columns)
	cobra.AddTemplateFunc("reflow", func(text string, c *cobra.Command) string {
		return sheet.Reflow(strings.TrimSpace(text), columns(c))
	})
	cobra.AddTemplateFunc("short", func(c *cobra.Command) string {
		return sheet.Hanging(c.Short, c.NamePadding()+3, columns(c))
	})
	root.SetUsageTemplate(strings.NewReplacer(
		"{{if .Runnable}}", "{{if and .Runnable (not .HasSubCommands)}}",
		".LocalFlags.FlagUsages", ".LocalFlags.FlagUsagesWrapped (columns .)",
		".InheritedFlags.FlagUsages", ".InheritedFlags.FlagUsagesWrapped (columns .)",
		"{{rpad .Name .NamePadding }} {{.Short}}", "{{rpad .Name .NamePadding }} {{short .}}",
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		`{{reflow (printf "Use \"%s [command] --help\" for more information about a command." .CommandPath) .}}`,
	).Replace(root.UsageTemplate()))
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. | trimTrailingWhitespaces}}", "{{reflow . $}}", 1))
}

// Arguments returns a check that there is one argument for each name.
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
func Streams(cmd *cobra.Command) (in Input, stdout, stderr io.Writer) {
	return InputOf(cmd), rawOutput(cmd), cmd.ErrOrStderr()
}

// rawOutput returns the output of cmd without the watched around it, for writers that check their errors themselves.
func rawOutput(cmd *cobra.Command) io.Writer {
	if o, ok := cmd.OutOrStdout().(*watched); ok {
		return o.w
	}
	return cmd.OutOrStdout()
}

// Columns returns the number of columns of a page on w: the variable COLUMNS, else the width of the terminal if w is one, else
// sheet.Widest.
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
