package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/tree"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Names of methods. Those between them are treePrefix with the name of a
// tree.Method.
const (
	sparseMethod = "sparse"
	treePrefix   = "tree-"
	treeABA      = treePrefix + "aba" // articulated bodies, of rung bench only
)

// methodNames returns the names that --method takes.
func methodNames() []string {
	names := []string{sparseMethod}
	for m := tree.Direct; m <= tree.Projection; m++ {
		names = append(names, treePrefix+m.String())
	}
	return names
}

// benchMethods returns the names that --method of rung bench takes besides all.
func benchMethods() []string { return append(methodNames(), treeABA) }

// treeMethod returns the method of tree.ClosedSolver of a name, which is one of
// methodNames but sparse.
func treeMethod(name string) tree.Method {
	return tree.Method(slices.Index(methodNames(), name) - 1)
}

func errMethod(name string, names []string) error {
	return fmt.Errorf("no method %s; there are %s", fault.Name(name), strings.Join(names, ", "))
}

// methodFlag is the value of --method.
type methodFlag string

func (f *methodFlag) String() string { return string(*f) }
func (f *methodFlag) Type() string   { return "name" }

func (f *methodFlag) Set(s string) error {
	if !slices.Contains(methodNames(), s) {
		return errMethod(s, methodNames())
	}
	*f = methodFlag(s)
	return nil
}

func (f *methodFlag) add(cmd *cobra.Command) {
	*f = sparseMethod
	cmd.Flags().Var(f, "method", "how to solve: "+strings.Join(methodNames(), ", "))
	complete(cmd, "method", methodNames()...)
}

// methodsFlag is the value of --method of rung bench.
type methodsFlag []string

func (f *methodsFlag) Type() string   { return "name,…" }
func (f *methodsFlag) String() string { return strings.Join(*f, ",") }

func (f *methodsFlag) Set(s string) error {
	var list methodsFlag
	for word := range strings.SplitSeq(s, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "all":
			list = append(list, benchMethods()...)
		case slices.Contains(benchMethods(), word):
			list = append(list, word)
		default:
			return errMethod(word, benchMethods())
		}
	}
	*f = nil
	for _, name := range list {
		if !slices.Contains(*f, name) {
			*f = append(*f, name)
		}
	}
	return nil
}

func (f *methodsFlag) add(cmd *cobra.Command) {
	*f = methodsFlag{sparseMethod}
	names := append(benchMethods(), "all")
	cmd.Flags().Var(f, "method", "methods to measure: "+strings.Join(names, ", "))
	complete(cmd, "method", names...)
}

var (
	_ pflag.Value = (*methodFlag)(nil)
	_ pflag.Value = (*methodsFlag)(nil)
)
