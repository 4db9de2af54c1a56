package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan returns the command rung man, which packagers call. It is hidden from the help.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all subcommands",
		Hidden: true,
		Long: `Writes a manual page, section 1, for rung and one for each subcommand into the
folder DIR, which is made if it is not there: rung.1, rung-accel.1 and so on.
Equal versions give equal pages.`,
		Args: shell.Arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, stdout, _ := shell.Streams(cmd)
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return shell.InputError(args[0], err)
			}
			return writeManual(cmd.Root(), args[0], stdout)
		},
	}
}

// writeManual writes the pages of c and of all its subcommands to the folder dir.
func writeManual(c *cobra.Command, dir string, stdout io.Writer) error {
	if c.Hidden || c.Name() == "help" {
		return nil
	}
	path := filepath.Join(dir, pageName(c)+".1")
	if err := shell.WriteFile(path, stdout, func(w io.Writer) error { return writeManualPage(w, c) }); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if err := writeManual(sub, dir, stdout); err != nil {
			return err
		}
	}
	return nil
}

// pageName returns the name of the page of c, such as "rung-accel".
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// writeManualPage writes the page of c in the language of man(7).
func writeManualPage(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	section := func(name string) { fmt.Fprintf(&b, ".SH %s\n", name) }
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"rung %s\" \"Rung\"\n", strings.ToUpper(roff(pageName(c))), roff(rung.Version()))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, "\\fB%s\\fR\n", roff(c.UseLine()))
	section("DESCRIPTION")
	writeText(&b, c.Long)
	if c.HasAvailableFlags() {
		section("OPTIONS")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { writeOption(&b, f) })
	}
	if c.HasExample() {
		section("EXAMPLES")
		writeText(&b, c.Example)
	}
	section("SEE ALSO")
	fmt.Fprintf(&b, "%s\n", strings.Join(others(c), ", "))
	_, err := io.WriteString(w, b.String())
	return err
}

// others returns references to the pages of the parent and of the subcommands of c.
func others(c *cobra.Command) (list []string) {
	ref := func(c *cobra.Command) { list = append(list, "\\fB"+roff(pageName(c))+"\\fR(1)") }
	if c.HasParent() {
		ref(c.Parent())
	}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			ref(sub)
		}
	}
	return list
}

// writeOption writes a flag with the kind of its value, its usage and its default.
func writeOption(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	name := "\\fB" + roff("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		name = "\\fB" + roff("-"+f.Shorthand) + "\\fR, " + name
	}
	kind, usage := pflag.UnquoteUsage(f)
	if kind != "" {
		name += " \\fI" + roff(kind) + "\\fR"
	}
	if d := f.DefValue; d != "" && d != "false" && d != "[]" && d != "0" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", name, roff(usage))
}

// writeText writes a text of the help: indented lines stay as they are, other lines are filled.
func writeText(b *strings.Builder, text string) {
	fixed := false
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); indented != fixed && line != "" {
			fixed = indented
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[fixed])
		}
		if line == "" && !fixed {
			line = ".PP"
		} else {
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	if fixed {
		b.WriteString(".fi\n")
	}
}

// roff escapes a line for roff: backslashes, hyphens (so that they can be copied as such), and a dot or quote at the beginning,
// which would make the line a request.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
