package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// orderingFlag is the value of --ordering.
type orderingFlag struct{ order.Ordering }

func (f *orderingFlag) Type() string { return "name" }

func (f *orderingFlag) Set(s string) error {
	o, err := order.Parse(s)
	if err != nil {
		return fmt.Errorf("no ordering %s; there are %s", fault.Name(s), strings.Join(orderingNames(), ", "))
	}
	f.Ordering = o
	return nil
}

// threadsFlag is the value of --threads; 0 stands for 1.
type threadsFlag int

func (f *threadsFlag) Type() string { return "n" }

func (f *threadsFlag) String() string { return strconv.Itoa(max(1, int(*f))) }

func (f *threadsFlag) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > kkt.MaxThreads {
		return fmt.Errorf("%s is not a number of threads from 1 to %d", fault.Name(s), kkt.MaxThreads)
	}
	*f = threadsFlag(n)
	return nil
}

func (f *threadsFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "threads", "threads of the sparse method; the results are the same to the last bit")
}

// orderingNames returns the names that --ordering takes.
func orderingNames() []string {
	var names []string
	for o := order.Auto; ; o++ {
		if _, err := order.Parse(o.String()); err != nil {
			return names
		}
		names = append(names, o.String())
	}
}

func (f *orderingFlag) add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "ordering", "elimination order: "+strings.Join(orderingNames(), ", "))
	complete(cmd, "ordering", orderingNames()...)
}

// complete registers the words that the shell offers for a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	f := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag is not defined
	}
}

// completeModel makes the shell offer model files as the first argument.
func completeModel(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

// parseSize reads a count of bodies, or of what a family counts: 1000 or 1e3.
func parseSize(s string) (int, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x != math.Trunc(x) || x < 1 || x > bench.MaxBodies {
		return 0, fmt.Errorf("size %s is not a whole number from 1 to %d", fault.Name(s), bench.MaxBodies)
	}
	return int(x), nil
}

// sizesFlag is the value of --sizes, increasing and without duplicates.
type sizesFlag []int

func (f *sizesFlag) Type() string { return "n,n,…" }

func (f *sizesFlag) String() string {
	words := make([]string, len(*f))
	for i, n := range *f {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func (f *sizesFlag) Set(s string) error {
	var list sizesFlag
	for word := range strings.SplitSeq(s, ",") {
		n, err := parseSize(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		list = append(list, n)
	}
	slices.Sort(list)
	*f = slices.Compact(list)
	return nil
}

// familiesFlag is the value of --family.
type familiesFlag []string

func (f *familiesFlag) Type() string   { return "name,…" }
func (f *familiesFlag) String() string { return strings.Join(*f, ",") }

func (f *familiesFlag) Set(s string) error {
	var list familiesFlag
	for word := range strings.SplitSeq(s, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "all":
			list = append(list, bench.Families()...)
		case slices.Contains(bench.Families(), word):
			list = append(list, word)
		default:
			return errFamily(word)
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

func errFamily(name string) error {
	return fmt.Errorf("no family %s; there are %s", fault.Name(name), strings.Join(bench.Families(), ", "))
}

var (
	_ pflag.Value = (*orderingFlag)(nil)
	_ pflag.Value = (*sizesFlag)(nil)
	_ pflag.Value = (*familiesFlag)(nil)
)
