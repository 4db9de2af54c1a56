package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/spf13/cobra"
)

// kinematicsFlags are the flags of rung kinematics.
type kinematicsFlags struct {
	Flags
	drive []string // JOINT=RATE
}

// newKinematics returns the command rung kinematics with its flags and their defaults.
func newKinematics() *cobra.Command {
	f := &kinematicsFlags{}
	cmd := &cobra.Command{
		Use:   "kinematics MODEL --until T",
		Short: "Follow a motion that is prescribed, and what drives it",
		Long: `Follows the motion of MODEL ("-": standard input), whose freedoms are all
prescribed by motions of its joints, from its time to the time T, and writes
coordinates, rates and second rates of joints, the forces of the motions, points
of the model's frames, pose and velocity of the bodies, and energies, or what
--columns asks for. Positions come from the joints at each time, so that nothing
drifts; a state that does not fit is closed first.

--plot draws changes of energy, drift and the columns in --plot-columns over
time. Without --plot-columns it draws the changing coordinates of the body that
moves farthest, or, with --columns, the six columns that change most.

--drive JOINT=RATE turns or slides a joint with one freedom at a constant rate,
rad/s or m/s, from where the model has it, in place of a motion in the model.

Between the rows the motion is followed in steps. Each step must take the bodies
where their velocities say, so the motion stays on its branch. It ends, with
status 1 and the time, where the joints no longer close (a dead position), where
velocities are not determined, and where it would jump to another branch.`,
		Example: `  rung generate jansen 1 -o jansen.json
  rung kinematics jansen.json --drive shaft=3 --until 2 --out jansen.csv
  rung kinematics press.json --until 1 --columns 'joint.*.q,drive.*' --json`,
		Args:              shell.Arguments("MODEL"),
		ValidArgsFunction: shell.CompleteModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.note(cmd)
			return runKinematics(cmd, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.until, "until", 0, "model time to end at, s (required)")
	flags.Float64Var(&f.every, "every", 0, "output interval, s (default a hundredth of the time)")
	flags.StringSliceVar(&f.drive, "drive", nil, "JOINT=RATE: joints that turn or slide at a constant rate")
	flags.StringSliceVar(&f.chosen, "columns", nil, columnsUsage)
	flags.StringVar(&f.plot, "plot", "", "picture of the motion, ending in .svg or .png")
	flags.StringSliceVar(&f.plotColumns, "plot-columns", nil, "columns of the trajectory in the picture (default what moves)")
	flags.BoolVar(&f.list, "list-columns", false, "print the columns that MODEL has, with their units, and end")
	flags.StringVarP(&f.output, "out", "o", shell.Stdio, `file to write, ending in .csv or .parquet; "-" is standard output, CSV`)
	flags.BoolVar(&f.json, "json", false, "print one JSON document: with the rows unless --out has a file")
	flags.BoolVar(&f.quiet, "quiet", false, "no summary and no progress")
	f.ordering.Add(cmd)
	f.threads.Add(cmd)
	shell.CompleteNames(cmd, "columns", ColumnNames)
	shell.CompleteNames(cmd, "plot-columns", ColumnNames)
	shell.CompleteNames(cmd, "drive", shell.JointNames)
	return cmd
}

// checkKinematics returns the first mistake in the flags that shows without reading the model at path.
func (f *kinematicsFlags) checkKinematics(path string) error {
	switch {
	case !f.untilSet:
		return shell.UseErrorf("missing --until T")
	case !algebra.Finite(f.until):
		return shell.UseErrorf("--until is not finite")
	case f.everySet && !(f.every > 0 && !math.IsInf(f.every, 1)):
		return shell.UseErrorf("--every %v is not above 0 and finite", f.every)
	case slices.Contains(f.chosen, ""):
		return shell.UseErrorf("--columns has an empty name")
	}
	if err := f.checkEnding(); err != nil {
		return err
	}
	if err := shell.Apart(f.output, "the trajectory would replace the model", path); err != nil {
		return err
	}
	return f.checkPlot(path)
}

// runKinematics follows the prescribed motion of the model at path and writes the trajectory, the pictures and the summary, as
// the flags say.
func runKinematics(cmd *cobra.Command, path string, f *kinematicsFlags) error {
	in, stdout, stderr := shell.Streams(cmd)
	bar := stderr
	if f.quiet || f.json {
		bar = io.Discard
	}
	p := shell.NewProgress(bar)
	defer p.End()
	if f.list {
		return ListColumns(path, in, stdout, p)
	}
	if err := f.checkKinematics(path); err != nil {
		return err
	}
	k := &kinematics{f: f, name: shell.ModelFile(path), p: p}
	if err := k.prepare(path, in, stdout); err != nil {
		return err
	}
	defer k.pictures.drop()
	if err := k.pictures.open(stdout); err != nil {
		return err
	}
	defer shell.Keep(cmd.Context())()
	ctx := cmd.Context()
	if err := k.run.Start(ctx); err != nil {
		return k.failed(err)
	}
	p.Stage("following", progressParts)
	err := k.do(ctx)
	p.End()
	if e := k.pictures.write(); err == nil && e != nil {
		err = shell.Failed("", e)
	}
	return k.tell(err, stdout, stderr)
}

// prepare reads and analyses the model at path, and sets the run and the pictures, whose files are not open yet.
func (k *kinematics) prepare(path string, in shell.Input, stdout io.Writer) error {
	f := k.f
	m, err := shell.ReadModel(path, in, k.p)
	if err != nil {
		return err
	}
	if err := addDrives(m, f.drive); err != nil {
		return err
	}
	k.p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering, Threads: int(f.threads)})
	if err != nil {
		return err
	}
	k.start = plan.Initial().Time
	if err := checkUntil(f.until, k.start); err != nil {
		return err
	}
	if k.run, err = runs.NewKinematics(plan, k.options(m, stdout)); err != nil {
		return inFlags(err)
	}
	if k.inDocument() {
		if err := priceDocument(f.until-k.start, k.run.Every(), len(k.run.Columns().Names())); err != nil {
			return err
		}
	}
	k.pictures = &pictures{columns: k.run.Columns(), mech: plan.Mechanism()}
	return k.pictures.drawCurves(&f.Flags)
}

// options returns the options of the run as the flags say: rows go to the file of --out, else to stdout as CSV, or, with --json,
// only to k.add.
func (k *kinematics) options(m *model.Model, stdout io.Writer) runs.Options {
	f := k.f
	o := runs.Options{Model: m, Until: f.until, Every: f.every, Columns: f.chosen, OnRow: k.add, Files: runs.Files{Formats: []runs.Format{parquetFormat}}}
	switch {
	case f.output != shell.Stdio:
		o.Files.Trajectory = f.output
	case !f.json:
		o.Files.CSV = shell.NamedStdout{Writer: stdout}
	}
	return o
}

// addDrives gives joints of m motions at constant rates: each text is JOINT=RATE. The last = separates, as names of joints may
// have some.
func addDrives(m *model.Model, texts []string) error {
	var drives []runs.Drive
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		if at < 0 {
			return shell.UseErrorf("--drive %s is not JOINT=RATE", fault.Name(text))
		}
		name := text[:at]
		rate, err := strconv.ParseFloat(text[at+1:], 64)
		if err != nil || !algebra.Finite(rate) {
			return shell.UseErrorf("--drive: the rate %s of joint %s is no finite number", fault.Name(text[at+1:]), fault.Name(name))
		}
		drives = append(drives, runs.Drive{Joint: name, Rate: rate})
	}
	err := runs.AddDrives(m, drives)
	if err == nil || !errors.As(err, new(*runs.OptionError)) {
		return err
	}
	for _, d := range drives {
		if slices.ContainsFunc(m.Joints, func(j model.Joint) bool { return j.Name == d.Joint }) {
			continue
		}
		if mech, e := mechanism.New(m); e == nil {
			return shell.NoJoint("--drive", d.Joint, mech)
		}
	}
	return inFlags(err)
}

// kinematics is one run of the command.
type kinematics struct {
	f        *kinematicsFlags
	name     string
	p        *shell.Progress
	run      *runs.Kinematics
	kept     [][]jsonNumber // rows for the JSON document
	pictures *pictures
	start    float64 // s
	parts    int64   // shown by the progress bar, of progressParts
}

// failed turns an error of the run into a failure with the model, an interruption with its time.
func (k *kinematics) failed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrInterrupted) {
		err = &shell.Interruption{Text: fmt.Sprintf(" at t = %s s", sheet.Short(k.run.State().Time))}
	}
	return shell.Failed(k.name, fault.Plain(err))
}

// inDocument reports whether the rows go to the JSON document.
func (k *kinematics) inDocument() bool { return k.f.json && k.f.output == shell.Stdio }

// do runs to --until and writes the rows. If the motion ends early, the rows up to there stay in the trajectory.
func (k *kinematics) do(ctx context.Context) error {
	defer k.run.Release()
	if err := k.run.Open(); err != nil {
		return runError("", err)
	}
	ended := k.run.RunContext(ctx, k.f.until)
	if file := fileFailure(ended); file != nil {
		ended = file
	} else if ended != nil {
		ended = k.failed(ended)
	}
	if err := fileFailure(k.run.Close()); err != nil && ended == nil {
		ended = err
	}
	for _, where := range k.run.Left() {
		ended = shell.Failed("", fmt.Errorf("%w; %s", ended, where))
	}
	return ended
}

// add takes a row that has been written, for the JSON document, the pictures and the progress bar.
func (k *kinematics) add(row *sim.Row, columns []float64) error {
	if k.inDocument() {
		values := make([]jsonNumber, len(columns))
		for i, x := range columns {
			values[i] = jsonNumber(x)
		}
		k.kept = append(k.kept, values)
	}
	k.pictures.add(row, columns)
	parts := int64(progressParts * (row.State.Time - k.start) / (k.f.until - k.start))
	k.p.Add(parts - k.parts)
	k.parts = parts
	return nil
}

// jsonNumber is null in JSON where it is not finite.
type jsonNumber float64

// MarshalJSON implements json.Marshaler.
func (x jsonNumber) MarshalJSON() ([]byte, error) {
	if v := float64(x); algebra.Finite(v) {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

// Kinematics is the document of rung kinematics --json.
type Kinematics struct {
	Format   string             `json:"format"`
	Name     string             `json:"name"`
	Start    float64            `json:"start"`
	End      float64            `json:"end"` // s, up to which the motion is known
	Until    float64            `json:"until"`
	Finished bool               `json:"finished"`
	Steps    int                `json:"steps"`
	Halved   int                `json:"halved"` // steps that were too long and were halved
	Drift    simulationDrift    `json:"drift"`
	Columns  []kinematicsColumn `json:"columns"`
	Count    int64              `json:"row_count"`
	Rows     [][]jsonNumber     `json:"rows,omitempty"` // one number for each column; null where it is not finite
}

type kinematicsColumn struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
}

// tell prints the summary of the run that has ended with err: the document on stdout with --json, else lines on stderr. It
// returns err, or else the error of writing the document.
func (k *kinematics) tell(err error, stdout, stderr io.Writer) error {
	steps, halved := k.run.Steps()
	told, columns := k.run.Told(), k.run.Columns()
	end := k.run.State().Time
	if k.f.json {
		doc := &Kinematics{
			Format: "rung-kinematics/1", Name: k.pictures.mech.Name, Start: k.start, End: end, Until: k.f.until, Finished: err == nil,
			Steps: steps, Halved: halved, Drift: newSimulationDrift(told.Drift), Count: told.Rows, Rows: k.kept,
		}
		units := columns.Units()
		for i, n := range columns.Names() {
			doc.Columns = append(doc.Columns, kinematicsColumn{n, units[i]})
		}
		if e := shell.WriteJSON(stdout, doc); err == nil {
			err = e
		}
		return err
	}
	if !k.f.quiet && (err == nil || told.Rows > 0) { // a run that failed before its first row has no summary
		page := sheet.NewPage(stderr, shell.Columns(stderr))
		page.Item("followed", fmt.Sprintf("%s from %s to %s s; %s", sheet.ModelTitle(k.pictures.mech.Name), sheet.Short(k.start), sheet.Short(end), sheet.Plural(int(told.Rows), "row")))
		page.Item("steps", fmt.Sprintf("%d, and %d that were too long", steps, halved))
		page.Item("drift", fmt.Sprintf("at most %s m or rad, %s m/s or rad/s in the rows", sheet.Digits2(told.Drift.Position), sheet.Digits2(told.Drift.Velocity)))
		_ = page.Flush() // errors of messages on stderr are ignored
	}
	return err
}
