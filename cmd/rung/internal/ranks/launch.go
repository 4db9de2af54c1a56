package ranks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mpi"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/spf13/cobra"
)

// Rank is one rank of a command.
type Rank struct {
	dist.Comm
	Options        dist.Options
	Stdout, Stderr io.Writer // of the command on rank 0; on others the output is discarded
	Processes      bool      // the ranks are processes

	opens func(rank int, path string) (shell.Ranges, error) // Flags.Open
	read  map[string]string                                 // digest of each model in tables, by path
}

// Head reports whether this is the rank that prints.
func (r *Rank) Head() bool { return r.Rank() == 0 }

// Lists sends the numbers of all ranks to rank 0, and returns them there in the order of ranks; on other ranks it returns nil.
// All ranks call it together.
func (r *Rank) Lists(own []float64) [][]float64 {
	if !r.Head() {
		r.Send(0, []float64{float64(len(own))})
		r.Send(0, own)
		return nil
	}
	lists := [][]float64{own}
	for other := 1; other < r.Size(); other++ {
		n := []float64{0}
		r.Recv(other, n)
		v := make([]float64, int(n[0]))
		r.Recv(other, v)
		lists = append(lists, v)
	}
	return lists
}

// Share returns the list of rank 0 on all ranks. All ranks call it together.
func (r *Rank) Share(list []float64) []float64 {
	if !r.Head() {
		n := []float64{0}
		r.Recv(0, n)
		list = make([]float64, int(n[0]))
		r.Recv(0, list)
		return list
	}
	for other := 1; other < r.Size(); other++ {
		r.Send(other, []float64{float64(len(list))})
		r.Send(other, list)
	}
	return list
}

// texts is Lists for texts.
func (r *Rank) texts(own string) (texts []string) {
	padded := append([]byte(own), make([]byte, (8-len(own)%8)%8)...)
	v := []float64{float64(len(own))} // then eight bytes a number
	for ; len(padded) > 0; padded = padded[8:] {
		v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(padded)))
	}
	for _, list := range r.Lists(v) {
		var b []byte
		for _, x := range list[1:] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		texts = append(texts, string(b[:int(list[0])]))
	}
	return texts
}

// Launch loads the input of a command by load, and runs rank on all ranks with it. Goroutines share the result of load; each process
// calls load itself. Launch returns the first error of a rank by number; other ranks may have the same error, or have waited for that
// one.
func Launch[T any](cmd *cobra.Command, f *Flags, load func(r *Rank) (T, error), rank func(r *Rank, of T) error) error {
	_, stdout, stderr := shell.Streams(cmd)
	opens := f.Open
	if opens == nil {
		tables := shell.InputOf(cmd).Tables
		opens = func(_ int, path string) (shell.Ranges, error) { return tables.Open(path) }
	}
	newRank := func(c dist.Comm) *Rank {
		r := &Rank{opens: opens, Comm: c, Options: dist.Options{Root: f.maker()}, Stdout: io.Discard, Stderr: io.Discard, Processes: f.mpi}
		if r.Head() {
			r.Stdout, r.Stderr = stdout, stderr
		}
		return r
	}
	if f.mpi {
		return processesOf(cmd, newRank, load, rank)
	}
	errs := make([]error, f.n)
	var of T
	end := dist.Run(f.n, func(c dist.Comm) error {
		r := newRank(c)
		var err error
		if r.Head() {
			of, err = load(r)
		}
		if err = dist.Agree(c, err); err == nil {
			err = rank(r, of)
		}
		errs[c.Rank()] = err
		return err
	})
	for i, err := range errs { // a RankError only says that another rank has an error
		if err != nil && !errors.As(err, new(*dist.RankError)) {
			return at(i, err)
		}
	}
	return end
}

// processesOf is Launch on the processes of mpirun.
func processesOf[T any](cmd *cobra.Command, newRank func(dist.Comm) *Rank, load func(r *Rank) (T, error), rank func(r *Rank, of T) error) error {
	var end error
	err := mpi.Run(func(c dist.Comm) error {
		r := newRank(c)
		err := dist.AgreeOn(c, factsOf(cmd)...)
		if err == nil {
			var of T
			of, err = load(r)
			if err = dist.Agree(c, err); err == nil {
				err = rank(r, of)
			}
		}
		end = settle(c, cmd, r.Stderr, startedAlike(err))
		return nil
	})
	if err != nil {
		return shell.Failed("", err)
	}
	return end
}

// startedAlike returns err, or only the *dist.DifferError in it, which is a mistake in use: the processes were started differently.
func startedAlike(err error) error {
	if d := new(dist.DifferError); errors.As(err, &d) {
		return d
	}
	return err
}

// patience is the time for which a rank with an error waits for the other ranks. If they do not take part by then, they know nothing of
// the error, and the rank ends the run.
const patience = 3 * time.Second

// settle ends the run of all ranks together: it returns nil if no rank has an error. Otherwise it chooses one of their errors, which
// rank 0 reports, and returns a *shell.Told with its exit status on all ranks. They return only after the report, as mpirun ends all
// processes when one of them has ended with an error.
func settle(c dist.Comm, cmd *cobra.Command, stderr io.Writer, err error) error {
	err = common(c, err)
	if err == nil {
		return nil
	}
	status := []float64{float64(shell.StatusOf(err))}
	if c.Rank() > 0 {
		c.Recv(0, status) // waits for the report
		return &shell.Told{Status: int(status[0])}
	}
	shell.Report(stderr, cmd, err)
	for r := 1; r < c.Size(); r++ {
		c.Send(r, status)
	}
	return &shell.Told{Status: int(status[0])}
}

// common returns the error of a rank that dist.Agree chooses, if a rank has one. Rank 0 returns it; other ranks return some error.
func common(c dist.Comm, err error) error {
	if err != nil {
		alone := time.AfterFunc(patience, func() {
			fmt.Fprintf(os.Stderr, "rung: rank %d: %v\n", c.Rank(), fault.Plain(err))
			os.Exit(shell.ExitFailed)
		})
		defer alone.Stop()
	}
	own := err
	if errors.As(err, new(*dist.RankError)) {
		own = nil
	}
	status := shell.ExitFailed
	if own != nil {
		status = shell.StatusOf(own)
		own = &marked{status, own}
	}
	all := dist.Agree(c, own)
	other := new(dist.RankError)
	switch {
	case all == nil:
		return err
	case errors.As(all, &other):
		text, rest, _ := strings.Cut(other.Text, " ")
		err = fmt.Errorf("rank %d: %s", other.Rank, rest)
		if text == strconv.Itoa(shell.ExitFailed) {
			err = shell.Failed("", err)
		}
	}
	return err
}

// marked is an error whose text begins with its exit status, which dist.Agree sends to other ranks.
type marked struct {
	status int
	err    error
}

func (m *marked) Error() string { return fmt.Sprintf("%d %v", m.status, fault.Plain(m.err)) }

// at adds the rank to an error, unless it is rank 0, which reports the errors that all ranks share.
func at(rank int, err error) error {
	if rank == 0 {
		return err
	}
	wrapped := fmt.Errorf("rank %d: %w", rank, fault.Plain(err))
	if shell.StatusOf(err) == shell.ExitFailed {
		return shell.Failed("", wrapped)
	}
	return wrapped
}

// Hushed reports whether this is a process of mpirun, by its args, and not the first one. Such a process does not print mistakes in the
// command line, as the first one does.
func Hushed(args []string) bool {
	on := false
	for i, a := range args {
		on = on || a == "--ranks="+processes || a == "--ranks" && i+1 < len(args) && args[i+1] == processes
	}
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"} {
		if n, err := strconv.Atoi(os.Getenv(name)); on && err == nil {
			return n > 0
		}
	}
	return false
}

// Linger waits until the first process has printed its error, as mpirun ends all processes when one of them ends with an error.
func Linger() { time.Sleep(time.Second) }
