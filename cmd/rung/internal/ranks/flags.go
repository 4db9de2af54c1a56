package ranks

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mpi"
	"github.com/rung-mbd/rung/dist/mumps"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
)

// processes is the value of --ranks for the processes of mpirun.
const processes = "mpi"

// The values of --root.
const (
	goRoot    = "go"
	mumpsRoot = "mumps"
)

// most is the largest number of ranks in one process. Their queues take some 500 bytes for each pair, which is 0.5 GB then.
const most = 1024

// Flags are the flags of commands that run on ranks.
type Flags struct {
	// Open opens a model in tables on a rank. Nil stands for shell.Tables; a test can count reads by it.
	Open func(rank int, path string) (shell.Ranges, error)

	n    int // goroutines; 0 without --ranks, or with processes
	mpi  bool
	root string
	low  float64 // mumps.Options.LowRank
}

// Add adds --ranks and --root to the flags of cmd.
func (f *Flags) Add(cmd *cobra.Command) {
	f.root = goRoot
	cmd.Flags().Var((*count)(f), "ranks", "cut the model into pieces: mpi, one a process of mpirun, or a number of ranks in this process")
	cmd.Flags().Var((*rootName)(f), "root", "what solves between the pieces: go, on rank 0, or mumps, on all ranks")
	cmd.Flags().Float64Var(&f.low, "low-rank", 0, "with --root mumps: compress blocks up to this error, as 1e-10")
	shell.Complete(cmd, "ranks", processes)
	shell.Complete(cmd, "root", goRoot, mumpsRoot)
}

// Given reports whether the command is to run on ranks. It returns an error if the flags contradict each other.
func (f *Flags) Given() (bool, error) {
	switch {
	case f.low != 0 && f.root != mumpsRoot:
		return false, shell.UseErrorf("--low-rank needs --root mumps")
	case !(f.low >= 0 && f.low < 1):
		return false, shell.UseErrorf("--low-rank %v: it is from 0 up to 1", f.low)
	case f.root == mumpsRoot && !f.mpi:
		return false, shell.UseErrorf("--root mumps needs --ranks mpi")
	case f.root == mumpsRoot && mumps.Available() != nil:
		return false, shell.UseErrorf("--root mumps: built without MUMPS; go build -tags mpi,mumps ./cmd/rung builds it (docs/cluster.md)")
	}
	return f.mpi || f.n > 0, nil
}

// TellsPivots reports whether the root solver reports its pivots.
func (f *Flags) TellsPivots() bool { return f.root == goRoot }

// RootName returns the name of the root solver, which solves between the pieces.
func (f *Flags) RootName() string { return f.root }

// maker returns the constructor of the root solver.
func (f *Flags) maker() dist.RootMaker {
	if f.root == mumpsRoot {
		return mumps.Options{LowRank: f.low}.NewRoot
	}
	return dist.NewSparseRoot
}

// count is the value of --ranks.
type count Flags

func (c *count) Type() string { return "n" }

// String returns the flag as the user gives it: mpi, a number, or nothing.
func (c *count) String() string {
	switch {
	case c.mpi:
		return processes
	case c.n > 0:
		return strconv.Itoa(c.n)
	}
	return ""
}

// Set reads a number of ranks, or mpi, which needs a program that was built with MPI.
func (c *count) Set(s string) error {
	if s == processes {
		if mpi.Available() != nil {
			return fmt.Errorf("built without MPI; go build -tags mpi,mumps ./cmd/rung builds it (docs/cluster.md)")
		}
		c.mpi, c.n = true, 0
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		return fmt.Errorf("%s is neither mpi nor a number of ranks from 1 to %d", fault.Name(s), most)
	}
	c.mpi, c.n = false, n
	return nil
}

// rootName is the value of --root.
type rootName Flags

func (r *rootName) Type() string { return "name" }

func (r *rootName) String() string { return r.root }

func (r *rootName) Set(s string) error {
	if s != goRoot && s != mumpsRoot {
		return errors.New(fault.NoneOf("root", s, []string{goRoot, mumpsRoot}))
	}
	r.root = s
	return nil
}
