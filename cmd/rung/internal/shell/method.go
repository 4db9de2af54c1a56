package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/tree"
	"github.com/spf13/cobra"
)

// Names of methods. Those between them are treePrefix with the name of a
// tree.Method.
const (
	SparseMethod = "sparse"
	TreePrefix   = "tree-"
)

// MethodNames returns the names that --method takes.
func MethodNames() []string {
	names := []string{SparseMethod}
	for m := tree.Direct; m <= tree.Projection; m++ {
		names = append(names, TreePrefix+m.String())
	}
	return names
}

// TreeMethod returns the method of tree.ClosedSolver of a name, which is one of
// MethodNames but sparse.
func TreeMethod(name string) tree.Method {
	return tree.Method(slices.Index(MethodNames(), name) - 1)
}

func ErrMethod(name string, names []string) error {
	return fmt.Errorf("no method %s; there are %s", fault.Name(name), strings.Join(names, ", "))
}

// MethodFlag is the value of --method.
type MethodFlag string

func (f *MethodFlag) String() string { return string(*f) }

func (f *MethodFlag) Type() string { return "name" }

func (f *MethodFlag) Set(s string) error {
	if !slices.Contains(MethodNames(), s) {
		return ErrMethod(s, MethodNames())
	}
	*f = MethodFlag(s)
	return nil
}

func (f *MethodFlag) Add(cmd *cobra.Command) {
	*f = SparseMethod
	cmd.Flags().Var(f, "method", "how to solve: "+strings.Join(MethodNames(), ", "))
	Complete(cmd, "method", MethodNames()...)
}
