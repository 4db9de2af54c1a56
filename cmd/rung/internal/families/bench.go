package families

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/tree"
	"github.com/spf13/cobra"
)

// newBench returns the command rung bench with its flags and their defaults.
func newBench() *cobra.Command {
	f := &benchFlags{names: familiesFlag{"ladder"}, sizes: sizesFlag{100, 1000, 10000, 100000}}
	cmd := &cobra.Command{
		Use:   "bench [MODEL...]",
		Short: "Measure how the cost grows with the size, or what models cost",
		Long: `Measures one evaluation of the forward dynamics of generated models (see rung
generate) and fits how its time grows. An evaluation assembles the system,
factors it, and solves it with refinement, on one thread. A size is a number of
bodies; each family contributes its largest model that is not larger, or its
smallest one. Model files ("-": standard input) are measured at their states,
and families then only if --family is given; the sparse method is compared with
the fastest of the others.

Times are medians over repeated evaluations; the first one is not counted. Short
evaluations are timed several in a row. The analysis is done once for a
mechanism and measured by itself. Peak memory is what the mechanism, its
analysis and its evaluation add to the process; the model and its generation do
not count. If others kept the process waiting for a processor, a line below the
table says so.

The tree methods solve in the joint coordinates of a spanning tree. They
assemble the joint-space inertia and the loop constraints, and factor what a
solution needs of both. tree-aba, articulated bodies, is for families without
loops; its parts are not timed separately. The size at which two methods cross
is interpolated between sizes at which both were measured.

With --ranks a model, or a family and a size, is cut into pieces: rung bench
--ranks 4 ladder 1e5. The table says what each rank holds, and how long it works
and waits and how much it sends in an evaluation (medians of wall time). Each
rank generates its own part of a ladder; no rank has the whole.

The fit is time = c bodies^exponent, by least squares of the logarithms, over
the three largest sizes and all others within a factor of ten of the largest. ns
a body is the value of the fit at the largest size.`,
		Example: `  rung bench --family ladder,grid --sizes 1e3,1e4,1e5 --plot growth.svg
  rung bench --family all --sizes 1000 --json
  rung bench four-bar.json robot.json --method all
  mpirun -n 4 rung bench --ranks mpi ladder 5e6`,
		ValidArgsFunction: shell.CompleteModels,
		RunE:              func(cmd *cobra.Command, args []string) error { return runBench(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.Var(&f.names, "family", "families to measure, or all")
	flags.Var(&f.sizes, "sizes", "numbers of bodies, such as 100,1e6")
	f.methods.Add(cmd)
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
	f.ranks.Add(cmd)
	flags.Float64Var(&f.minSeconds, "min-seconds", 0.1, "least time of the evaluations behind a median, together")
	flags.Float64Var(&f.maxSeconds, "max-seconds", 10, "larger sizes of a family are left out once an evaluation exceeds this, or is sure to; 0 is no limit")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the random numbers")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.StringVar(&f.csv, "csv", "", `file for the records as CSV; "-" is standard output, in place of the table`)
	const plot = `plot of time over bodies, ending in .svg or .png; "-" is standard output, as SVG, in place of the table`
	flags.StringVar(&f.plot, "plot", "", plot)
	shell.Complete(cmd, "family", append(bench.Families(), "all")...)
	return cmd
}

// runBench measures the families, sizes and models of the command line, on ranks with --ranks, and writes table, document and pictures.
func runBench(cmd *cobra.Command, args []string, f *benchFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	if err := f.checkNumbers(); err != nil {
		return err
	}
	if on, err := f.ranks.Given(); err != nil {
		return err
	} else if on {
		return benchOnRanks(cmd, args, f)
	}
	if err := f.checkFiles(args); err != nil {
		return err
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	list, err := f.families(cmd, args, in, p)
	if err != nil {
		return err
	}
	out, err := openOutputs(f, stdout)
	defer out.drop()
	if err != nil {
		return err
	}
	var show func(*growth.Record) error
	if f.forPeople() {
		show = tablePrinter(stdout)
	}
	doc, missed, err := measure(f, list, p, stderr, show)
	p.End()
	if err != nil {
		return shell.Failed("", err)
	}
	switch {
	case f.json:
		err = shell.WriteFile(shell.Stdio, stdout, doc.WriteJSON)
	case f.forPeople() && len(doc.Records) > 0:
		err = shell.Print(stdout, func(p *sheet.Page) {
			printFits(p, doc)
			printComparisons(p, doc.Comparisons)
			printBusy(p, doc.Records)
		})
	}
	return errors.Join(missed, err, out.write(doc))
}

// forPeople reports whether standard output has the tables, and no document, CSV or picture.
func (f *benchFlags) forPeople() bool {
	return !f.json && f.csv != shell.Stdio && f.plot != shell.Stdio
}

// checkNumbers returns an error if two outputs go to standard output, or if a time is out of range.
func (f *benchFlags) checkNumbers() error {
	switch {
	case f.json && f.csv == shell.Stdio:
		return shell.UseErrorf("--json and --csv - both write to standard output")
	case f.json && f.plot == shell.Stdio:
		return shell.UseErrorf("--json and --plot - both write to standard output")
	case f.csv == shell.Stdio && f.plot == shell.Stdio:
		return shell.UseErrorf("--csv - and --plot - both write to standard output")
	}
	if !(f.maxSeconds >= 0) {
		return shell.UseErrorf("--max-seconds is below 0")
	}
	if !(f.minSeconds >= 0 && f.minSeconds <= 1e6) {
		return shell.UseErrorf("--min-seconds is not from 0 to 1e6")
	}
	return nil
}

// checkFiles returns the first mistake in the names of the output files: an ending, or a file that would replace a model or another
// output.
func (f *benchFlags) checkFiles(models []string) error {
	if f.plot != "" && !picture.Drawn {
		return shell.UseErrorf(picture.Missing)
	}
	if f.plot != shell.Stdio { // standard output gets SVG
		if err := shell.CheckPicture(f.plot, picture.Endings...); err != nil {
			return err
		}
	}
	for _, output := range [...]string{f.csv, f.plot} {
		if err := shell.Apart(output, "would replace a model", models...); err != nil {
			return err
		}
	}
	return shell.Apart(f.plot, "two outputs in one file", f.csv)
}

// families returns the families of the flags and the models of the arguments. With models, families are left out unless --family is given.
func (f *benchFlags) families(cmd *cobra.Command, args []string, in shell.Input, p *shell.Progress) ([]growth.Family, error) {
	models, err := ReadModels(args, in, p)
	if err != nil || len(args) > 0 && !cmd.Flags().Changed("family") {
		return models, err
	}
	var list []growth.Family
	for _, name := range f.names {
		family, err := growth.Generated(name, f.seed, f.sizes...)
		if err != nil {
			return nil, err
		}
		list = append(list, family)
	}
	return append(list, models...), nil
}

// measure measures every family and size, and passes each record to show, unless show is nil. missed is not nil if some sizes could not
// be measured.
func measure(
	f *benchFlags, list []growth.Family, p *shell.Progress, stderr io.Writer, show func(*growth.Record) error,
) (doc *growth.Document, missed, err error) {
	p.Stage("benchmark", totalBodies(list)*int64(len(f.methods)))
	before, bad := int64(0), 0
	doc, err = growth.Measure(context.Background(), list, growth.Options{
		Methods: f.methods, Sparse: rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)},
		MinTime: f.least(), MaxTime: seconds(f.maxSeconds),
		OnStage: func(stage string, done int64) {
			p.Describe(stage)
			p.Add(done - before)
			before = done
		},
		OnRecord: func(r *growth.Record) (err error) {
			if show != nil {
				p.Aside(func() { err = show(r) })
			}
			return err
		},
		OnMissing: func(e *growth.SizeError) error {
			text, out := f.missing(e)
			if !out {
				bad++
			}
			p.Aside(func() { fmt.Fprintf(stderr, "rung: %s\n", text) })
			return nil
		},
	})
	if bad > 0 {
		missed = shell.Failed("", fmt.Errorf("%d of the sizes could not be measured", bad))
	}
	return doc, missed, err
}

// missing returns the reason why a size has no record. out is true if the size was left out, because of loops, time or memory, and
// false for a failure.
func (f *benchFlags) missing(e *growth.SizeError) (text string, out bool) {
	name := fault.Text(e.Family, sheet.TextWidth)
	switch {
	case errors.Is(e, growth.ErrLoops):
		return fmt.Sprintf("%s: %s left out, there are loops", name, e.Method), true
	case errors.Is(e, growth.ErrTooLong):
		why := fmt.Sprintf("an evaluation takes more than %g s (--max-seconds)", f.maxSeconds)
		return fmt.Sprintf("%s, %s: sizes from %d left out, %s", name, e.Method, e.Size, why), true
	case errors.Is(e, tree.ErrMemory):
		return fmt.Sprintf("%s, %s: sizes from %d left out, %v", name, e.Method, e.Size, fault.Plain(e.Err)), true
	}
	return fmt.Sprintf("%s, %s, size %d: %v", name, e.Method, e.Size, fault.Plain(e.Err)), false
}

// totalBodies returns the sum of the sizes of all families, for the bar of progress.
func totalBodies(list []growth.Family) (total int64) {
	for i := range list {
		for _, n := range list[i].Sizes {
			total += int64(n)
		}
	}
	return total
}

// benchOutputs are the files of rung bench, opened before anything is measured
// so that a name that cannot be written costs no time.
type benchOutputs struct{ csv, plot *shell.Output }

// openOutputs opens the files that the flags name. With an error it also returns the files that it has opened, for drop.
func openOutputs(f *benchFlags, stdout io.Writer) (out benchOutputs, err error) {
	if f.csv != "" {
		if out.csv, err = shell.Create(f.csv, stdout); err != nil {
			return out, err
		}
	}
	if f.plot != "" {
		out.plot, err = shell.Create(f.plot, stdout)
	}
	return out, err
}

// drop gives up the files that have not been written.
func (out benchOutputs) drop() {
	for _, o := range [...]*shell.Output{out.csv, out.plot} {
		if o != nil {
			_ = o.Drop() // an earlier error is more important
		}
	}
}

// write fills the files from the records of doc, and puts them in their places.
func (out benchOutputs) write(doc *growth.Document) error {
	var err error
	if out.csv != nil {
		err = out.csv.Close(doc.WriteCSV(out.csv))
	}
	if out.plot != nil {
		format := "svg"
		if strings.EqualFold(filepath.Ext(out.plot.Path), ".png") {
			format = "png"
		}
		err = errors.Join(err, out.plot.Close(WritePlot(out.plot, doc.Records, format)))
	}
	return err
}
