package bring

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// writers are the writers of foreign formats, by ending.
var writers = map[string]func(io.Writer, *model.Model) (*source.Report, error){
	".sdf": sdf.Write, ".urdf": urdf.Write, ".mjcf": mjcf.Write, ".xml": mjcf.Write,
}

// natives are the formats of Rung itself, by ending. They lose nothing.
var natives = map[string]string{".json": "rung-model", shell.TablesEnding: "rung-tables"}

// NewExport returns the subcommand rung export.
func NewExport() *cobra.Command {
	var output string
	var strict, asJSON bool
	var unit unitFlags
	cmd := &cobra.Command{
		Use:   "export MODEL -o OUT",
		Short: "Write a model in another format, and list what is lost",
		Long: `Writes MODEL ("-": standard input; files of other formats too) to OUT, with its
loops, and lists what the format lacks and what has another name there. The pose
of the model is that of all coordinates zero in the file. The ending of OUT is
.sdf for SDFormat 1.9, .urdf for a robot whose loops are loop_joint elements, or
.mjcf or .xml for MuJoCo, where loops are equalities; or .tables for a folder of
Parquet tables that ranks read by ranges, or .json for a model file: these lose
nothing; or .fmu for a functional mock-up unit, which simulation tools load: it
has the model, its integrator and a library in it, for co-simulation and, where
coordinates tell the motion, for model exchange.

Joints and equations that the format lacks are an error, because without them
the mechanism would be a different one. With --strict every loss is an error.
Then nothing is written, and the exit status is 2.`,
		Example: `  rung export four-bar.json -o four-bar.sdf
  rung export delta.sdf -o delta.urdf --strict
  rung export robot.urdf -o robot.xml
  rung export ladder.json -o ladder.tables
  rung export arm.json -o arm.fmu --fmi 3`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			return export(cmd, args[0], output, strict, asJSON, &unit)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write, ending in sdf, urdf, mjcf,\nxml, tables, json or fmu (required)")
	cmd.Flags().BoolVar(&strict, "strict", false, "refuse to lose anything")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	unit.add(cmd)
	return cmd
}

// export writes the model at path in the format that the ending of output names, and prints the report on its elements.
func export(cmd *cobra.Command, path, output string, strict, asJSON bool, unit *unitFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	ending := strings.ToLower(filepath.Ext(filepath.Clean(output)))
	write, native := writers[ending], natives[ending]
	switch {
	case output == "":
		return shell.UseErrorf("missing -o OUT")
	case write == nil && native == "" && ending != unitEnding:
		return shell.UseErrorf("%s: files to export end in .sdf, .urdf, .mjcf, .xml, %s, .json or %s",
			fault.Line(output), shell.TablesEnding, unitEnding)
	}
	if err := unit.check(cmd, ending); err != nil {
		return err
	}
	if err := shell.Apart(output, "the file would replace the model", path); err != nil {
		return err
	}
	if ending == unitEnding {
		var err error
		if write, err = unit.writer(cmd, path); err != nil {
			return err
		}
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, in, p)
	if err != nil {
		return err
	}
	p.Stage("writing", 0)
	var text bytes.Buffer
	if native != "" {
		write, m = nativeWriter(native, ending), shell.Rehome(m, path, output)
	}
	report, err := write(&text, m)
	if err := judged(report, err, path, strict); err != nil {
		return err
	}
	if ending == shell.TablesEnding {
		err = in.Tables.Write(output, m)
	} else {
		err = shell.WriteFile(output, stdout, func(w io.Writer) error { _, err := text.WriteTo(w); return err })
	}
	if err != nil {
		return err
	}
	p.End()
	doc := &exported{
		Format: "rung-export/1", Name: m.Name, File: filepath.Base(report.File), Output: filepath.Base(output), Target: report.Format, Version: report.Version,
		Bodies: len(m.Bodies), Joints: len(m.Joints), Forces: len(m.Forces), Dropped: report.Dropped(), Report: entries(report), More: report.More,
	}
	if asJSON {
		return shell.WriteJSON(stdout, doc)
	}
	return shell.Print(stdout, doc.print)
}

// nativeWriter returns a writer of the format native. For tables, which are not one text, it writes nothing.
func nativeWriter(native, ending string) func(io.Writer, *model.Model) (*source.Report, error) {
	return func(w io.Writer, m *model.Model) (*source.Report, error) {
		r := &source.Report{Format: native, Version: "1"}
		if ending == shell.TablesEnding {
			return r, nil
		}
		return r, model.Write(w, m)
	}
}

// judged puts the name of the model at path into the report of a writer, and returns the writer's error err, the errors in the report or,
// with strict, its losses.
func judged(report *source.Report, err error, path string, strict bool) error {
	if report != nil {
		report.File = shell.ModelFile(path)
		for i := range report.Entries {
			report.Entries[i].File = report.File
		}
	}
	if err == nil {
		err = report.Err(strict)
	}
	if bad, ok := err.(*source.Problems); ok {
		for i := range bad.List {
			bad.List[i].File = report.File
		}
	}
	return err
}

// exported is the document that rung export --json prints.
type exported struct {
	Format  string  `json:"format"`
	Name    string  `json:"name"`
	File    string  `json:"file"`
	Output  string  `json:"output"`
	Target  string  `json:"target_format"`
	Version string  `json:"target_version"`
	Bodies  int     `json:"bodies"`
	Joints  int     `json:"joints"`
	Forces  int     `json:"forces"`
	Dropped int     `json:"dropped"`
	Report  []entry `json:"report"`
	More    int     `json:"more"`
}

// print writes the document for people, the most severe entries first.
func (d *exported) print(p *sheet.Page) {
	p.Line("%s: %s and %s written to %s", sheet.ModelTitle(d.Name), sheet.Plural(d.Bodies, "body"), sheet.Plural(d.Joints, "joint"), fault.Line(d.Output))
	for _, severity := range [...]source.Severity{source.Loss, source.Change, source.Note} {
		for i := range d.Report {
			if d.Report[i].Severity == severity.String() {
				p.Line("%s", d.Report[i].text)
			}
		}
	}
	p.More(d.More, " entries")
}
