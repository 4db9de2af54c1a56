package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// promises returns what a command promises: its name, its flags with the kinds of their values, and what is below it.
func promises(c *cobra.Command) (list []string) {
	list = append(list, c.CommandPath())
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			list = append(list, strings.TrimRight(fmt.Sprintf("%s --%s %s", c.CommandPath(), f.Name, f.Value.Type()), " "))
		}
		if f.Shorthand != "" {
			list = append(list, fmt.Sprintf("%s -%s is --%s", c.CommandPath(), f.Shorthand, f.Name))
		}
	})
	for _, sub := range c.Commands() {
		list = append(list, promises(sub)...)
	}
	return list
}

// TestPromisedCommands: subcommands and flags of the last release are there, and take the same kinds of values.
func TestPromisedCommands(t *testing.T) {
	now := promises(newRoot())
	slices.Sort(now)
	then := check.Promise(t, "commands.txt", []byte(strings.Join(now, "\n")+"\n"))
	gone := slices.DeleteFunc(strings.Split(strings.TrimSpace(string(then)), "\n"), func(line string) bool { return slices.Contains(now, line) })
	check.Broken(t, gone)
	require.Contains(t, now, "rung simulate --until float64")
	require.Contains(t, now, "rung simulate -o is --out")
}
