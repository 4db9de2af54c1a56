package shell

import (
	"errors"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion"
	"github.com/spf13/cobra"
)

// MethodNames returns the names that --method takes.
func MethodNames() (names []string) {
	for _, m := range motion.Methods() {
		names = append(names, m.String())
	}
	return names
}

// ErrMethod returns the error for a name that is not among the names of methods.
func ErrMethod(name string, names []string) error {
	return errors.New(fault.NoneOf("method", name, names))
}

// MethodFlag is the value of --method.
type MethodFlag struct{ motion.Method }

// Type implements pflag.Value.
func (f *MethodFlag) Type() string { return "name" }

// Set implements pflag.Value.
func (f *MethodFlag) Set(s string) (err error) {
	if f.Method, err = motion.ParseMethod(s); err != nil {
		return ErrMethod(s, MethodNames())
	}
	return nil
}

// Add adds --method to the flags of cmd.
func (f *MethodFlag) Add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "method", "how to solve: "+strings.Join(MethodNames(), ", "))
	Complete(cmd, "method", MethodNames()...)
}
