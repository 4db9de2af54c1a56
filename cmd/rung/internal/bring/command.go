package bring

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// New returns the subcommand rung import.
func New() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "import FILE [-o OUT]",
		Short: "Read a robot or assembly of another format, and say what became of it",
		Long: `Reads FILE, writes it as a model of rung-model/1 to OUT, and says what became of
every element of the file: what is used, kept for viewers, without effect on the
motion, changed, or dropped. With an error, or with --strict if anything would
be dropped, nothing is written and the exit status is 2.

  .urdf           robots, with all dialects that close loops
  .sdf .world     SDFormat 1.4 to 1.12, models and worlds
  .mjcf           robots for MuJoCo
  .asmt           assemblies of FreeCAD and Ondsel
  .usda .usd      USD in text, bodies and joints of UsdPhysics
  .xml            one of these, by its first element

All other subcommands read such files too, as this one does without flags. Files
that FILE names, such as included models, are read only from its folder and
below, and from the folders of --package-dir.`,
		Example: `  rung import robot.urdf -o robot.json
  rung import world.sdf --package-dir arm=models/arm --close -o world.json
  rung import delta.urdf --pose hip=0.3,knee=-0.6 --strict --json -o delta.json`,
		Args: shell.Arguments("FILE"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return shell.Endings(false), cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, args[0], f) },
	}
	f.add(cmd)
	return cmd
}

// run imports the file at path, and prints the report. It opens the output before it reads anything.
func run(cmd *cobra.Command, path string, f *flags) error {
	_, stdout, stderr := shell.Streams(cmd)
	o, err := f.options()
	if err != nil {
		return err
	}
	folders, err := f.folders()
	if err != nil {
		return err
	}
	if !formats.Is(path) {
		return shell.UseErrorf("%s: files to import end in %s", fault.Line(path), strings.Join(formats.Endings, ", "))
	}
	if err := shell.CheckNewModel(f.output, f.json); err != nil {
		return err
	}
	out := new(shell.Output)
	if f.output != "" { // before anything is computed
		if err := shell.Apart(f.output, "the model would replace the file that is imported", path); err != nil {
			return err
		}
		if out, err = shell.Create(f.output, stdout); err != nil {
			return err
		}
		defer out.Drop()
	}
	p := shell.NewProgress(stderr)
	defer p.End()
	p.Stage("reading", 0)
	result, report, err := formats.ReadFile(path, folders, o)
	if err != nil {
		return shell.InputError(path, err)
	}
	doc := newDocument(result, report, path)
	if f.close {
		p.Stage("closing", 0)
		if result, doc, err = closed(result, doc, path, folders, o); err != nil {
			return err
		}
	}
	if f.output != "" {
		p.Stage("writing", 0)
		placeMeshes(result.Model, path, folders, f.output)
		if err := out.Close(model.Write(out, result.Model)); err != nil {
			return err
		}
	}
	p.End()
	if f.output == shell.Stdio {
		stdout = stderr
	}
	if f.json {
		return shell.WriteJSON(stdout, doc)
	}
	return shell.Print(stdout, doc.print)
}

// document is the document that rung import --json prints.
type document struct {
	Format   string        `json:"format"`
	Name     string        `json:"name"`
	File     string        `json:"file"`
	Source   string        `json:"source_format"`
	Version  string        `json:"source_version"`
	SHA256   string        `json:"sha256"`
	Bodies   int           `json:"bodies"`
	Joints   int           `json:"joints"`
	Forces   int           `json:"forces"`
	Frames   int           `json:"frames"`
	Visuals  int           `json:"visuals"`
	Links    []link        `json:"links"`
	Elements source.Counts `json:"elements"`
	Open     residual      `json:"open"`
	Closed   *bool         `json:"closed,omitempty"`
	Report   []entry       `json:"report"`
	More     int           `json:"more"`
}

// link is the place of a link of the file in the model: a pose in a body.
type link struct {
	Name        string     `json:"name"`
	Body        string     `json:"body"` // "" if it was folded away
	Position    [3]float64 `json:"position"`
	Orientation [4]float64 `json:"orientation"`
}

// residual is the largest gap of the loops in the pose of the file.
type residual struct {
	Linear  float64 `json:"linear"`  // m
	Angular float64 `json:"angular"` // rad
	Joint   string  `json:"joint"`
}

// entry is one line of the report.
type entry struct {
	Severity    string `json:"severity"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Column      int    `json:"column"`
	Element     string `json:"element"`
	What        string `json:"what"`
	Why         string `json:"why"`
	Consequence string `json:"consequence"`
	Count       int    `json:"count"`
	text        string
}

// newDocument returns the document about a model that was imported from the file at path, and the report on it.
func newDocument(r *source.Result, report *source.Report, path string) *document {
	m := r.Model
	d := &document{
		Format: "rung-import/1", Name: m.Name, File: filepath.Base(path), Source: report.Format, Version: report.Version, SHA256: m.Source.SHA256,
		Bodies: len(m.Bodies), Joints: len(m.Joints), Forces: len(m.Forces), Frames: len(m.Frames), Visuals: len(m.Visuals),
		Links: []link{}, Elements: report.Counts, Open: residual{r.Linear, r.Angular, r.Worst}, More: report.More,
	}
	for _, w := range r.Links {
		l := link{Name: w.Link, Body: w.Body, Orientation: [4]float64{1}}
		if w.Body != "" {
			l.Position, l.Orientation = w.Pose.Position, w.Pose.Orientation
		}
		d.Links = append(d.Links, l)
	}
	d.Report = entries(report)
	return d
}

// entries returns the lines of a report.
func entries(report *source.Report) []entry {
	list := []entry{}
	for i := range report.Entries {
		list = append(list, entryOf(&report.Entries[i]))
	}
	return list
}

// entryOf returns the line of an entry of a report.
func entryOf(e *source.Entry) entry {
	return entry{e.Severity.String(), e.File, e.Line, e.Column, e.Element, e.What, e.Why, e.Consequence, max(e.Count, 1), e.String()}
}

// print writes the document for people: a line for each entry of the report, the most severe first.
func (d *document) print(p *sheet.Page) {
	title := d.Source
	if d.Version != "" {
		title += " " + d.Version
	}
	p.Line("%s: %s, %s, %s, from %s (%s)", sheet.ModelTitle(d.Name), sheet.Plural(d.Bodies, "body"), sheet.Plural(d.Joints, "joint"),
		sheet.Plural(d.Forces, "force"), fault.Line(d.File), fault.Line(title))
	p.Blank()
	p.Item("elements", strings.Join([]string{
		sheet.Count(int64(d.Elements.Used)) + " used", sheet.Count(int64(d.Elements.Visual)) + " for viewers",
		sheet.Count(int64(d.Elements.Ignored)) + " without effect", sheet.Count(int64(d.Elements.Dropped)) + " dropped",
	}, ", "))
	switch {
	case d.Closed != nil:
		p.Item("loops", "have been closed")
	case max(d.Open.Linear, d.Open.Angular) <= source.Closed:
		p.Item("loops", "none, or closed in this pose")
	default:
		p.Item("loops", "open by "+sheet.Short(d.Open.Linear)+" m and "+sheet.Short(d.Open.Angular)+" rad, the most at joint "+fault.Text(d.Open.Joint, sheet.NameWidth))
	}
	for _, severity := range [...]source.Severity{source.Error, source.Loss, source.Change, source.Note} {
		first := true
		for i := range d.Report {
			if d.Report[i].Severity != severity.String() {
				continue
			}
			if first {
				p.Blank()
			}
			first = false
			p.Line("%s", d.Report[i].text)
		}
	}
	p.More(d.More, " entries")
}
