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

// FlagError returns an error of bad use for err, the error of reading a flag. It names the flag and the value once. For a wrong number it
// says which numbers are allowed, in place of the text of strconv. For an unknown flag it suggests similar ones.
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
