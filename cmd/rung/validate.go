package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/internal/fault"
)

// validateFlags are the flags of rung validate.
type validateFlags struct {
	models      []string
	short, json bool
	page        string
}

// validateFolder is where the benchmarks are if no folder is given.
const validateFolder = "reference/standard"

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

Behind it the time of a step and body is compared between the N-four-bar
mechanisms with 40 and 4000 windows.

Exit status 1 if dopri5 with projection and the sparse method, the default of
rung simulate, misses a limit; its tolerance is the default too, but for A05,
which is stiff: 1e-6. Other methods are there for comparison.`,
		Example: `  rung validate
  rung validate --model a01,a03 --short
  rung validate --write docs/validation.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return useErrorf("unexpected argument %s", fault.Name(args[1]))
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

// validation is what rung validate --json prints.
type validation struct {
	Format string         `json:"format"`
	Runs   []validatedRun `json:"runs"`
	Cost   *stepCost      `json:"cost,omitempty"`
}

// The marks in a page around what --write replaces.
const (
	validateBegin = "<!-- rung validate -->\n"
	validateEnd   = "<!-- end of rung validate -->\n"
)

func runValidate(cmd *cobra.Command, folder string, f *validateFlags) error {
	_, stdout, stderr := streams(cmd)
	list, err := f.benchmarks()
	if err != nil {
		return err
	}
	if _, err := f.pageWith(""); err != nil { // before anything is measured
		return err
	}
	page := new(output)
	if f.page != "" {
		if page, err = create(f.page, stdout); err != nil {
			return err
		}
		defer page.drop()
	}
	p := newProgress(stderr)
	defer p.end()
	doc := &validation{Format: "rung-validation/1", Runs: []validatedRun{}}
	for i := range list {
		if err := doc.run(folder, &list[i], f.short, p); err != nil {
			return err
		}
	}
	if len(f.models) == 0 {
		p.stage("cost of a step", 0)
		if doc.Cost, err = measureStepCost(f.short); err != nil {
			return failed("", err)
		}
	}
	p.end()
	return errors.Join(f.print(stdout, page, doc), doc.missed())
}

// pageWith returns the page of --write with the table; nothing if there is none.
func (f *validateFlags) pageWith(table string) ([]byte, error) {
	if f.page == "" {
		return nil, nil
	}
	page, err := os.ReadFile(f.page)
	if err != nil {
		return nil, inputError(f.page, err)
	}
	text, err := replaceTable(page, table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.page, err)
	}
	return text, nil
}

// print writes doc, also into the page of --write.
func (f *validateFlags) print(stdout io.Writer, page *output, doc *validation) error {
	var table strings.Builder
	doc.writeTable(&table)
	text, err := f.pageWith(table.String())
	if err != nil {
		return err
	}
	if text != nil {
		_, err := page.Write(text)
		if err := page.close(err); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(stdout, doc)
	}
	_, err = io.WriteString(stdout, table.String())
	return failed("", err)
}

// replaceTable returns the page with the table between the marks.
func replaceTable(page []byte, table string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(validateBegin))
	_, after, closed := bytes.Cut(rest, []byte(validateEnd))
	if !ok || !closed {
		return nil, fmt.Errorf("there are no lines %s and %s", fault.Name(strings.TrimSpace(validateBegin)), fault.Name(strings.TrimSpace(validateEnd)))
	}
	return slices.Concat(before, []byte(validateBegin), []byte("\n"+table+"\n"), []byte(validateEnd), after), nil
}

// missed is the error of the limits that the default method misses.
func (v *validation) missed() error {
	var names []string
	for i := range v.Runs {
		if r := &v.Runs[i]; r.Required && !r.Met {
			names = append(names, r.Model)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return failed("", fmt.Errorf("limits missed: %s", strings.Join(names, ", ")))
}
