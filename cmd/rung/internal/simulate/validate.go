package simulate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/spf13/cobra"
)

// benchmarks returns the benchmarks whose names begin with a name in --model, all without names. A name that fits none is an
// error of use.
func (f *validateFlags) benchmarks() ([]standardBenchmark, error) {
	if len(f.models) == 0 {
		return StandardBenchmarks, nil
	}
	var list []standardBenchmark
	for _, name := range f.models {
		found := false
		for _, b := range StandardBenchmarks {
			if strings.HasPrefix(b.Model, name) {
				list, found = append(list, b), true
			}
		}
		if !found {
			return nil, shell.UseErrorf("no benchmark begins with %s%s", fault.Name(name), fault.MeantOf(name, len(StandardBenchmarks), func(i int) string { return StandardBenchmarks[i].Model }))
		}
	}
	return list, nil
}

// run runs b by its methods and appends the results. The first method is required to meet the limit.
func (v *Validation) run(folder string, b *standardBenchmark, short bool, p *shell.Progress) error {
	m, err := model.ReadFile(filepath.Join(folder, b.Model+".model.json"))
	if err != nil {
		return shell.InputError(folder, err)
	}
	ref, err := readReference(filepath.Join(folder, b.Model+".csv"), b.work)
	if err != nil {
		return err
	}
	for i, how := range b.Methods(short) {
		p.Stage(fmt.Sprintf("%s, %s, %s", b.Model, how.Integrator, how.method), progressParts)
		r, err := b.validate(m, ref, how, p)
		if err != nil {
			return fmt.Errorf("%s: %w", b.Model, fault.Plain(err))
		}
		r.Required = i == 0
		v.Runs = append(v.Runs, *r)
	}
	return nil
}

// validateFlags are the flags of rung validate.
type validateFlags struct {
	models      []string
	short, json bool
	page        string
}

// validateFolder is the folder of the benchmarks if none is given.
const validateFolder = "reference/standard"

// newValidate returns the command rung validate with its flags and their defaults.
func newValidate() *cobra.Command {
	f := &validateFlags{}
	cmd := &cobra.Command{
		Use:   "validate [FOLDER]",
		Short: "Run the standard benchmarks and compare with their references",
		Long: `Runs the standard benchmarks in FOLDER (default ` + validateFolder + `, as in the
repository) by several methods and prints a table, in Markdown: steps, time of
the processor, the largest error against the reference trajectory beside the
limit, drift of the energy relative to the largest kinetic energy, and the
largest error of a joint's row at position and velocity level, all over the
times of the reference. The error is the largest over all times and components
of position and velocity of the reference point, |y - yref|/max(|yref|, 1e-3).

A second table compares the time of a step and body between N-four-bar
mechanisms with 40 and 4000 windows.

The exit status is 1 if the default of rung simulate misses a limit: dopri5 with
projection and the sparse method. The tolerance is the default too, except for
A05, which is stiff: 1e-6. Other methods are there for comparison.`,
		Example: `  rung validate
  rung validate --model a01,a03 --short
  rung validate --write docs/validation.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return shell.UseErrorf("unexpected argument %s", fault.Name(args[1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := validateFolder
			if len(args) > 0 {
				folder = args[0]
			}
			return runValidate(cmd, folder, f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.models, "model", nil, "benchmarks to run, by the beginning of their names (default all)")
	flags.BoolVar(&f.short, "short", false, "leave out what takes more than about a second")
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	flags.StringVar(&f.page, "write", "", "Markdown page whose table between the marks is replaced too")
	return cmd
}

// The marks in a page around the tables that --write replaces.
const (
	ValidateBegin = "<!-- rung validate -->\n"
	ValidateEnd   = "<!-- end of rung validate -->\n"
)

// runValidate runs the standard benchmarks, compares them with the reference trajectories in a folder and prints the tables. It
// returns an error if the default method misses a limit.
func runValidate(cmd *cobra.Command, folder string, f *validateFlags) error {
	_, stdout, stderr := shell.Streams(cmd)
	list, err := f.benchmarks()
	if err != nil {
		return err
	}
	if _, err := f.pageWith(""); err != nil { // a page without marks shows before anything is measured
		return err
	}
	page := new(shell.Output)
	if f.page != "" {
		if page, err = shell.Create(f.page, stdout); err != nil {
			return err
		}
		defer page.Drop()
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	doc := &Validation{Format: "rung-validation/1", Runs: []ValidatedRun{}}
	for i := range list {
		if err := doc.run(folder, &list[i], f.short, p); err != nil {
			return err
		}
	}
	if len(f.models) == 0 {
		p.Stage("cost of a step", 0)
		if doc.Cost, err = MeasureStepCost(f.short); err != nil {
			return shell.Failed("", err)
		}
	}
	p.End()
	return errors.Join(f.print(stdout, page, doc), doc.missed())
}

// pageWith returns the text of the page of --write with the table between its marks; nil without --write.
func (f *validateFlags) pageWith(table string) ([]byte, error) {
	if f.page == "" {
		return nil, nil
	}
	page, err := os.ReadFile(f.page)
	if err != nil {
		return nil, shell.InputError(f.page, err)
	}
	text, err := replaceTable(page, table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.page, err)
	}
	return text, nil
}

// print writes doc to stdout, as JSON or as tables, and the tables into the page of --write.
func (f *validateFlags) print(stdout io.Writer, page *shell.Output, doc *Validation) error {
	var table strings.Builder
	doc.writeTable(&table)
	text, err := f.pageWith(table.String())
	if err != nil {
		return err
	}
	if text != nil {
		_, err := page.Write(text)
		if err := page.Close(err); err != nil {
			return err
		}
	}
	if f.json {
		return shell.WriteJSON(stdout, doc)
	}
	_, err = io.WriteString(stdout, table.String())
	return shell.Failed("", err)
}

// replaceTable returns the page with the table in place of the text between the marks. A missing mark is an error.
func replaceTable(page []byte, table string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(ValidateBegin))
	_, after, closed := bytes.Cut(rest, []byte(ValidateEnd))
	if !ok || !closed {
		return nil, fmt.Errorf("there are no lines %s and %s", fault.Name(strings.TrimSpace(ValidateBegin)), fault.Name(strings.TrimSpace(ValidateEnd)))
	}
	return slices.Concat(before, []byte(ValidateBegin), []byte("\n"+table+"\n"), []byte(ValidateEnd), after), nil
}

// missed returns an error that names the benchmarks whose limits the default method misses; nil if there are none.
func (v *Validation) missed() error {
	var names []string
	for i := range v.Runs {
		if r := &v.Runs[i]; r.Required && !r.Met {
			names = append(names, r.Model)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return shell.Failed("", fmt.Errorf("limits missed: %s", strings.Join(names, ", ")))
}
