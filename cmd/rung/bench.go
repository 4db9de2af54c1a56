package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rung-mbd/rung/bench"
	"github.com/spf13/cobra"
)

// benchFlags are the flags of rung bench.
type benchFlags struct {
	methods    methodsFlag
	ordering   orderingFlag
	threads    threadsFlag
	families   familiesFlag
	sizes      sizesFlag
	seed       uint64
	maxSeconds float64
	json       bool
	csv, plot  string
}

func newBench() *cobra.Command {
	f := &benchFlags{families: familiesFlag{"ladder"}, sizes: sizesFlag{100, 1000, 10000, 100000}}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how the cost grows with the size of a mechanism",
		Long: `Measures the forward dynamics of generated models (see rung generate) and fits
the growth of the time of one evaluation: assembly of the system, factorization,
and solution with refinement, on one thread. A size is a number of bodies; of
each family the largest model that is not larger is taken, or its smallest one.

Times are medians over repeated evaluations after a first one, which is not
counted; the analysis, done once for a mechanism, is measured by itself. Peak
memory is that of analysis and evaluation, mechanism included, over what the
process held before it; the model and its generation are not in it.

The tree methods solve in the joint coordinates of a spanning tree. Their
assembly is that of joint-space inertia and loop constraints, their factor what
a solution needs of both. tree-aba, articulated bodies, is for families without
loops; its parts are not timed apart. Where two methods cross is read off
between the sizes that both were measured at.

The fit is time = c bodies^exponent by least squares of the logarithms, over the
largest three sizes and all others within a factor of ten of the largest; ns a
body is its value at the largest size.`,
		Example: `  rung bench --family ladder,grid --sizes 1e3,1e4,1e5 --plot growth.svg
  rung bench --family all --sizes 1000 --json`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, f) },
	}
	flags := cmd.Flags()
	flags.Var(&f.families, "family", "families to measure, or all")
	flags.Var(&f.sizes, "sizes", "numbers of bodies, such as 100,1e6")
	f.methods.add(cmd)
	f.ordering.add(cmd)
	f.threads.add(cmd)
	flags.Float64Var(&f.maxSeconds, "max-seconds", 10, "larger sizes of a family are left out once an evaluation exceeds this, or is sure to; 0 is no limit")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the random numbers")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.StringVar(&f.csv, "csv", "", `file for the records as CSV; "-" is standard output, in place of the table`)
	flags.StringVar(&f.plot, "plot", "", "SVG file for a plot of time over bodies")
	complete(cmd, "family", append(bench.Families(), "all")...)
	return cmd
}

// benchDocument is what rung bench --json prints.
type benchDocument struct {
	Records    []record    `json:"records"`
	Fits       []fit       `json:"fits"`
	Crossovers []crossover `json:"crossovers"`
}

func runBench(cmd *cobra.Command, f *benchFlags) error {
	_, stdout, stderr := streams(cmd)
	if f.json && f.csv == stdio {
		return useErrorf("--json and --csv - both write to standard output")
	}
	if !(f.maxSeconds >= 0) {
		return useErrorf("--max-seconds is below 0")
	}
	out, err := openOutputs(f, stdout)
	if err != nil {
		return err
	}
	p := newProgress(stderr)
	defer p.end()
	show := func(*record) error { return nil }
	if !f.json && f.csv != stdio {
		show = tablePrinter(stdout)
	}
	doc, missed := measureAll(f, p, stderr, show)
	p.end()
	doc.Fits = fits(doc.Records)
	doc.Crossovers = crossovers(doc.Records)
	switch {
	case f.json:
		err = writeFile(stdio, stdout, func(w io.Writer) error { return writeBench(w, &doc) })
	case f.csv != stdio && len(doc.Records) > 0:
		err = failed("", printFits(stdout, &doc))
	}
	return errors.Join(missed, err, out.write(&doc))
}

// measureAll measures every family and size and passes each record to show. It
// returns what was measured, and an error if some of it could not be.
func measureAll(f *benchFlags, p *progress, stderr io.Writer, show func(*record) error) (benchDocument, error) {
	doc := benchDocument{Records: []record{}, Fits: []fit{}}
	p.stage("benchmark", totalBodies(f))
	missed := 0
	for _, family := range f.families {
		for _, method := range f.methods {
			n, err := measureSeries(&series{flags: f, family: family, method: method, p: p}, &doc, stderr, show)
			if err != nil {
				return doc, err
			}
			missed += n
		}
	}
	if missed > 0 {
		return doc, failed("", fmt.Errorf("%d of the sizes could not be measured", missed))
	}
	return doc, nil
}

// measureSeries measures one family by one method. It returns how many sizes
// could not be measured, and an error if a record could not be shown.
func measureSeries(runs *series, doc *benchDocument, stderr io.Writer, show func(*record) error) (missed int, err error) {
	for _, size := range runs.flags.sizes {
		rec, err := runs.next(size)
		runs.p.add(int64(size))
		switch {
		case err != nil:
			runs.p.aside(func() {
				fmt.Fprintf(stderr, "rung: %s, %s, size %d: %v\n", runs.family, runs.method, size, plain(err))
			})
			missed++
		case rec != nil:
			doc.Records = append(doc.Records, *rec)
			runs.p.aside(func() { err = show(rec) })
			if err != nil {
				return missed, failed("", err)
			}
		}
	}
	if note := runs.note(); note != "" {
		runs.p.aside(func() { fmt.Fprintf(stderr, "rung: %s\n", note) })
	}
	return missed, nil
}

func totalBodies(f *benchFlags) int64 {
	total := 0
	for _, n := range f.sizes {
		total += n
	}
	return int64(total * len(f.families) * len(f.methods))
}

// writeBench writes doc with a line for each record and fit.
func writeBench(w io.Writer, doc *benchDocument) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "{\n \"records\": [")
	if err := jsonLines(b, doc.Records); err != nil {
		return err
	}
	fmt.Fprint(b, "],\n \"fits\": [")
	if err := jsonLines(b, doc.Fits); err != nil {
		return err
	}
	if len(doc.Crossovers) > 0 { // several methods
		fmt.Fprint(b, "],\n \"crossovers\": [")
		if err := jsonLines(b, doc.Crossovers); err != nil {
			return err
		}
	}
	fmt.Fprint(b, "]\n}\n")
	return b.Flush()
}

func jsonLines[T any](w io.Writer, list []T) error {
	for i := range list {
		line, err := json.Marshal(&list[i])
		if err != nil {
			return err
		}
		sep := ",\n  "
		if i == 0 {
			sep = "\n  "
		}
		fmt.Fprintf(w, "%s%s", sep, line)
	}
	if len(list) > 0 {
		fmt.Fprint(w, "\n ")
	}
	return nil
}

// benchOutputs are the files of rung bench, opened before anything is measured
// so that a name that cannot be written costs no time.
type benchOutputs struct{ csv, plot *output }

func openOutputs(f *benchFlags, stdout io.Writer) (out benchOutputs, err error) {
	if f.csv != "" {
		if out.csv, err = create(f.csv, stdout); err != nil {
			return out, err
		}
	}
	if f.plot != "" {
		if out.plot, err = create(f.plot, stdout); err != nil {
			if out.csv != nil {
				err = errors.Join(err, out.csv.close(nil))
			}
			return out, err
		}
	}
	return out, nil
}

func (out benchOutputs) write(doc *benchDocument) error {
	var err error
	if out.csv != nil {
		err = out.csv.close(writeCSV(out.csv, doc.Records))
	}
	if out.plot != nil {
		err = errors.Join(err, out.plot.close(writePlot(out.plot, doc.Records)))
	}
	return err
}
