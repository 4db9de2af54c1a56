package families

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion"
	"github.com/spf13/cobra"
)

// benchFlags are the flags of rung bench.
type benchFlags struct {
	methods    methodsFlag
	ordering   shell.OrderingFlag
	threads    shell.ThreadsFlag
	ranks      ranks.Flags
	names      familiesFlag
	sizes      sizesFlag
	seed       uint64
	minSeconds float64
	maxSeconds float64
	json       bool
	csv, plot  string
}

// least returns the least total time of the evaluations behind a median.
func (f *benchFlags) least() time.Duration { return max(1, seconds(f.minSeconds)) }

// seconds returns s seconds as a duration, at most the longest one.
func seconds(s float64) time.Duration {
	if ns := s * 1e9; ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

// parseSize reads the size of a family, such as 1000 or 1e3.
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

// Set reads sizes with commas, and sorts them.
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

func (f *familiesFlag) Type() string { return "name,…" }

func (f *familiesFlag) String() string { return strings.Join(*f, ",") }

func (f *familiesFlag) Set(s string) error {
	list, err := namesIn(s, bench.Families(), errFamily)
	*f = list
	return err
}

// namesIn returns the names in a list with commas, each once; "all" stands for all names that are there. For a name that is not there it
// returns the error unknown.
func namesIn(s string, there []string, unknown func(word string) error) (list []string, err error) {
	add := func(name string) {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for word := range strings.SplitSeq(s, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "all":
			for _, name := range there {
				add(name)
			}
		case slices.Contains(there, word):
			add(word)
		default:
			return nil, unknown(word)
		}
	}
	return list, nil
}

// errFamily returns the error for an unknown family.
func errFamily(name string) error {
	return errors.New(fault.NoneOf("family", name, bench.Families()))
}

// sparseMethod is the name of the sparse method.
var sparseMethod = motion.Sparse.String()

// methodsFlag is the value of --method of rung bench.
type methodsFlag []string

func (f *methodsFlag) Type() string { return "name,…" }

func (f *methodsFlag) String() string { return strings.Join(*f, ",") }

func (f *methodsFlag) Set(s string) error {
	list, err := namesIn(s, growth.Methods(), func(word string) error { return shell.ErrMethod(word, growth.Methods()) })
	*f = list
	return err
}

func (f *methodsFlag) Add(cmd *cobra.Command) {
	*f = methodsFlag{sparseMethod}
	names := append(growth.Methods(), "all")
	cmd.Flags().Var(f, "method", "methods to measure: "+strings.Join(names, ", "))
	shell.Complete(cmd, "method", names...)
}
