package simulate

import (
	"io"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

const simulateLong = `Integrates the motion of MODEL ("-": standard input) from its state and time to
the time T and writes a trajectory, comma-separated values or Parquet by the
ending of its name: time, pose and velocity of the body frames as in the model
format, energies, how far the joints are from holding, and the constraint
wrenches of the joints in --wrenches and multipliers of the couplings in
--multipliers. A summary goes to standard error.

A state that does not fit the joints is closed first, as by rung assemble.
During the run positions and velocities are put back on the joints whenever
they are off by more than 1e-10, and fixed steps close the joints at every
stage where some are redundant; --stabilize baumgarte feeds the violations back
instead, and none leaves them alone. dopri5 chooses its steps by the tolerance
--tol unless --step gives a fixed one; rk4 needs --step. generalized-alpha, an
implicit method of order 2 for stiff springs and dampers, takes either; --rho is
the part of the fastest vibrations that a step keeps. force-balance, of order 1
and with --step, is for vehicles on wheels, in steps of 10 to 40 ms. rattle, of
order 2 and with --step, keeps the energy nearly constant over long times.

Ctrl-C ends the run after the current step with status 1. The trajectory written
so far is valid then. With --checkpoint the run can go on from there, or from
the last checkpoint before a crash, written every few seconds: repeat the
command with --resume, and the file will be the same, byte for byte, as that of
a run that was never interrupted. Without --resume a run
begins anew and replaces both files.

An existing trajectory stays until the new one is whole or can go on from a
checkpoint. Until then the new rows are in a file beside it, with .rung-new
after its name. Without an existing file the rows go to the file itself. A
Parquet file is joined when the run ends; until then its row groups are Parquet
files in a folder beside it, with .parts after its name.

--columns replaces these columns by others, by name or pattern: coordinates,
rates and second rates of joints, forces of prescribed motions, points of the
model's frames, contacts and more. --list-columns prints all names.

With --ranks the model is cut into pieces that ranks work on together, as many
as mpirun has processes or as the number says; rank 0 alone writes. Checkpoints
are two files a rank, with .rank0.0 and so on after FILE, and a run goes on with
the same number of ranks. Methods are explicit then, columns are those without
reactions and accelerations, and stops with an impact speed are refused.

--plot draws changes of energy, drift and the columns in --plot-columns, at the
rows of this run and the ends of steps between them. Without --plot-columns it
draws the changing coordinates of the body that moves farthest, or, with
--columns, the six columns that change most. For wheels on a terrain, --view
draws tracks and outlines from above, --side draws ground and vehicle along the
track of the heaviest body, at true scale, and --relief draws the terrain
obliquely. A body is drawn as the box with its mass and moments of inertia.`

const simulateExample = `  rung simulate four-bar.json --until 10 --every 0.01 --out four-bar.csv
  rung simulate ladder.json --until 1 --bodies L1 | head
  rung simulate four-bar.json --until 10 --out four-bar.parquet --wrenches p1,p4
  rung simulate four-bar.json --until 10 --plot run.svg --plot-columns crank.px
  rung simulate four-bar.json --until 10 --columns 'joint.*.q,drive.*'
  rung simulate big.json --until 60 --out big.csv --checkpoint big.ckpt
  rung simulate big.json --until 60 --out big.csv --checkpoint big.ckpt --resume`

func newSimulate() *cobra.Command { return Command(&Flags{}) }

// Command returns rung simulate with these flags.
func Command(f *Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "simulate MODEL --until T",
		Short:             "Integrate over time and write a trajectory",
		Long:              simulateLong,
		Example:           simulateExample,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.readOptions(cmd); err != nil {
				return err
			}
			return runSimulate(cmd, args[0], f)
		},
	}
	f.add(cmd)
	return cmd
}

// add declares the flags.
func (f *Flags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Float64Var(&f.until, "until", 0, "model time to end at, s (required)")
	flags.Float64Var(&f.every, "every", 0, "output interval, s (default a hundredth of the run); the end has a row besides")
	flags.StringVar(&f.integrator, "integrator", runs.DormandPrince.String(), "method: "+strings.Join(integratorNames(), ", "))
	flags.Float64Var(&f.step, "step", 0, "fixed step, s")
	flags.Float64Var(&f.tol, "tol", sim.DefaultTolerance, tolUsage)
	flags.Lookup("tol").DefValue = "0" // the usage tells both
	f.addRho(cmd)
	flags.StringVarP(&f.output, "out", "o", shell.Stdio, `trajectory to write, ending in .csv or .parquet; "-" is standard output, CSV`)
	flags.StringSliceVar(&f.bodies, "bodies", nil, "bodies to write (default all)")
	flags.StringSliceVar(&f.chosen, "columns", nil, columnsUsage)
	flags.BoolVar(&f.list, "list-columns", false, "print the columns that MODEL has, with their units, and end")
	flags.StringSliceVar(&f.wrenches, "wrenches", nil, "joints whose constraint wrenches are written, after the other columns")
	flags.StringSliceVar(&f.multipliers, "multipliers", nil, "couplings whose multipliers are written, after the wrenches")
	flags.StringVar(&f.plot, "plot", "", "picture of the run, ending in .svg or .png")
	flags.StringSliceVar(&f.plotColumns, "plot-columns", nil, "columns of the trajectory in the picture (default what moves)")
	f.addViews(cmd)
	flags.StringVar(&f.contacts, "contacts", "", "file for depths, places and forces of the contacts at the times of the trajectory, ending in .csv")
	flags.StringVar(&f.events, "events", "", "file for the times at which contacts touch the ground and joints their stops, and leave them, ending in .csv")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "file to keep what is needed to go on after an interruption")
	flags.BoolVar(&f.resume, "resume", false, "go on from the checkpoint")
	flags.BoolVar(&f.json, "json", false, "print the summary as one JSON document")
	flags.BoolVar(&f.quiet, "quiet", false, "no summary and no progress")
	f.addOptions(cmd)
	f.method.Add(cmd)
	f.stabilize.Add(cmd)
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
	f.ranks.Add(cmd)
	shell.CompleteNames(cmd, "bodies", shell.BodyNames)
	shell.CompleteNames(cmd, "columns", ColumnNames)
	shell.CompleteNames(cmd, "wrenches", shell.JointNames)
	shell.CompleteNames(cmd, "multipliers", shell.CouplingNames)
	shell.Complete(cmd, "integrator", integratorNames()...)
}

// runSimulate runs the model and prints the summary of the run.
func runSimulate(cmd *cobra.Command, path string, f *Flags) error {
	if f.list {
		in, stdout, stderr := shell.Streams(cmd)
		p := shell.NewProgress(stderr)
		defer p.End()
		return ListColumns(path, in, stdout, p)
	}
	if on, err := f.ranks.Given(); err != nil {
		return err
	} else if on {
		return simulateOnRanks(cmd, path, f)
	}
	if _, err := f.check(path); err != nil {
		return err
	}
	in, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet || f.json || f.output == shell.Stdio && shell.Terminal(stdout) {
		bar = io.Discard // a bar among the rows on one screen could not be read
	}
	p := shell.NewProgress(bar)
	defer p.End()
	r, err := newRunner(path, in, stdout, f, p)
	if err != nil {
		return err
	}
	defer r.release()
	if err := r.open(stdout); err != nil {
		return err
	}
	err = r.do(cmd.Context())
	p.End()
	s := r.summary()
	if f.json {
		if e := shell.WriteJSON(stdout, s); err == nil {
			err = e
		}
	} else if !f.quiet {
		page := sheet.NewPage(stderr, shell.Columns(stderr))
		printSimulation(page, s)
		_ = page.Flush() // errors of standard error are ignored
	}
	return err
}
