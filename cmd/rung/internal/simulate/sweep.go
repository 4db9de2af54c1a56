package simulate

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/study"
)

// sweepFlags are the flags of rung sweep.
type sweepFlags struct {
	output       string
	trajectories string
	threads      shell.ThreadsFlag
	index, of    int
	resume       bool
	quiet        bool
	parameters   bool
	plot         string
	plotColumns  []string
	from         []string // --from: tables that are drawn; none: the table of this sweep
	curves       []string // --plot-curves: columns of trajectories that are drawn; none: parameters and outputs are
}

const sweepLong = `Runs the model of STUDY, a document of rung-study/1 (rung schema study), once
for every value of its parameters: lists and grids, random, Latin hypercube,
Halton and Sobol draws. FILE gets a row for each run: its number, the
parameters, whether it is done or failed and for which reason, the outputs, and
the gradients of the outputs that the study asks for. The columns that the study
keeps over time go to the file of --trajectories.

A failed run is a row, and the sweep goes on. What a run computes depends only
on the study, its model and the number of the run, not on threads or shares.

While the sweep goes on, its rows are in folders with .parts after the names of
the files. Ctrl-C and crashes lose the runs of the last parts only: repeat the
command with --resume, and the files will be the same, byte for byte, as those
of a sweep that was never interrupted. Without --resume a sweep begins anew.

--index I --of N takes one of N shares, 0 to N-1, each with a file of its own,
as for job arrays. The rows of all shares, one after the other, are those of the
whole sweep.

--parameters runs nothing: the argument is then a model, and every number in it that
a study can vary is printed by its path, with its value and its unit.

--plot draws the first output: over the parameter, if one differs between the
runs; over two parameters with lists, as colours; otherwise how often it has
which values. --plot-columns names one, two or three parameters or outputs
instead. --from runs nothing and draws the tables of earlier sweeps, such as all
shares. --plot-curves draws one or two columns of the trajectories, one curve
for each run, and their mean. With it, --from expects trajectory tables.`

const sweepExample = `  rung sweep tolerances.json -o runs.parquet --threads 8
  rung sweep tolerances.json -o runs.parquet --threads 8 --resume
  rung sweep --parameters model.json
  rung sweep tolerances.json -o runs-3.parquet --index 3 --of 16
  rung sweep gripper.json -o runs.parquet --trajectories paths.parquet
  rung sweep tolerances.json -o runs.parquet --plot runs.svg
  rung sweep tolerances.json --from runs-0.parquet,runs-1.parquet --plot runs.png --plot-columns crank,x`

// newSweep returns the command rung sweep with its flags and their defaults.
func newSweep() *cobra.Command {
	f := &sweepFlags{}
	cmd := &cobra.Command{
		Use:     "sweep STUDY -o FILE.parquet",
		Short:   "Run a model with many values of its parameters",
		Long:    sweepLong,
		Example: sweepExample,
		Args:    shell.Arguments("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.parameters {
				return listParameters(cmd, args[0])
			}
			if err := f.check(cmd, args[0]); err != nil {
				return err
			}
			return runSweep(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "out", "o", "", "file with a row for each run, ending in .parquet (required)")
	flags.StringVar(&f.trajectories, "trajectories", "", "file for the columns over time, ending in .parquet")
	flags.Var(&f.threads, "threads", "runs at the same time; the files are the same to the last bit")
	flags.IntVar(&f.index, "index", 0, "number of the share to run, from 0")
	flags.IntVar(&f.of, "of", 1, "number of shares")
	flags.BoolVar(&f.resume, "resume", false, "keep the runs that an interrupted sweep has left")
	flags.StringVar(&f.plot, "plot", "", "picture of the runs, ending in .svg or .png")
	flags.StringSliceVar(&f.plotColumns, "plot-columns", nil, "parameters and outputs in the picture: one (how often), two (points) or three (colours)")
	flags.StringSliceVar(&f.curves, "plot-curves", nil, "columns of the trajectories in the picture, a curve a run: one over time, two over each other")
	flags.StringSliceVar(&f.from, "from", nil, "tables of runs to draw in place of running")
	flags.BoolVar(&f.parameters, "parameters", false, "print what a study of the model in the place of STUDY can vary: path, value and unit")
	flags.BoolVar(&f.quiet, "quiet", false, "no summary and no progress")
	return cmd
}

// check returns the first mistake in the flags that shows without reading the study at path.
func (f *sweepFlags) check(cmd *cobra.Command, path string) error {
	set := cmd.Flags().Changed
	switch {
	case path == shell.Stdio:
		return shell.UseErrorf("a study is a file: its model is found from its folder")
	case len(f.curves) > 0 && (f.plot == "" || len(f.plotColumns) > 0):
		return shell.UseErrorf("--plot-curves needs --plot FILE, and is not for --plot-columns")
	case len(f.curves) > mostCurveAxes:
		return shell.UseErrorf("--plot-curves has %d names; a curve has at most %d", len(f.curves), mostCurveAxes)
	case len(f.from) > 0 && f.plot == "":
		return shell.UseErrorf("--from needs --plot FILE")
	case len(f.plotColumns) > 0 && f.plot == "":
		return shell.UseErrorf("--plot-columns needs --plot FILE")
	case len(f.from) > 0 && (f.output != "" || f.trajectories != "" || f.resume || set("index")):
		return shell.UseErrorf("--from draws and runs nothing: it is not for --out, --trajectories, --resume, --index and --of")
	case len(f.from) == 0 && f.output == "":
		return shell.UseErrorf("missing -o FILE.parquet")
	case set("index") != set("of"):
		return shell.UseErrorf("--index I and --of N belong together")
	case f.of < 1 || f.of > study.MaxRuns:
		return shell.UseErrorf("--of %d is not from 1 to %d", f.of, study.MaxRuns)
	case f.index < 0 || f.index >= f.of:
		return shell.UseErrorf("--index %d is not from 0 to %d", f.index, f.of-1)
	}
	for _, out := range [...]string{f.output, f.trajectories} {
		if out != "" && !strings.EqualFold(filepath.Ext(out), ParquetEnding) {
			return shell.UseErrorf("%s: the files of a sweep end in %s", out, ParquetEnding)
		}
	}
	if err := f.checkPlot(path); err != nil {
		return err
	}
	if err := shell.Apart(f.output, "the runs would replace the study", path); err != nil {
		return err
	}
	return shell.Apart(f.trajectories, "the trajectories would replace this file", path, f.output)
}

// mostCurveAxes is the largest number of columns in --plot-curves.
const mostCurveAxes = 2

// checkPlot returns the first mistake in the name of the picture: its ending, or a file that it would replace.
func (f *sweepFlags) checkPlot(path string) error {
	if f.plot == "" {
		return nil
	}
	if !picture.Drawn {
		return shell.UseErrorf(picture.Missing)
	}
	if !slices.Contains(picture.Endings, strings.ToLower(filepath.Ext(f.plot))) {
		return shell.UseErrorf("%s: pictures end in %s", f.plot, strings.Join(picture.Endings, " or "))
	}
	return shell.Apart(f.plot, "the picture would replace this file", append([]string{path, f.output, f.trajectories}, f.from...)...)
}
