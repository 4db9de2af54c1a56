package shell

import (
	"errors"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// meantFlag returns the hint for a flag that cmd does not have: ", did you mean --NAME?", or "".
func meantFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return strings.Replace(fault.Meant(name, names...), "mean ", "mean --", 1)
}

// FlagError returns the error of bad use for a flag that cannot be read. It names the flag and the value once. If a number cannot be read,
// the error says which numbers can, in place of the texts of strconv. If cmd has no such flag, the error names the flags that may be meant.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bad *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case errors.As(err, &unknown):
		return UseErrorf("%w%s", err, meantFlag(cmd, unknown.GetSpecifiedName()))
	case !errors.As(err, &bad):
		return UseErrorf("%w", err)
	case !errors.As(err, &number):
		return UseErrorf("--%s: %w", bad.GetFlag().Name, bad.Unwrap())
	}
	wanted := "a number"
	switch kind := bad.GetFlag().Value.Type(); {
	case strings.HasPrefix(kind, "uint"):
		wanted = "a whole number, not below 0"
	case strings.HasPrefix(kind, "int"):
		wanted = "a whole number"
	case kind == "bool":
		wanted = "true or false"
	}
	what := "is not " + wanted
	if errors.Is(number.Err, strconv.ErrRange) {
		what = "is too large"
	}
	return UseErrorf("--%s: %s %s", bad.GetFlag().Name, fault.Name(bad.GetValue()), what)
}
