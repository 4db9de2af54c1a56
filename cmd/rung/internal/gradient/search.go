package gradient

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// loaded is an objective with its model.
type loaded struct {
	problem *objective.Problem
	o       *objective.Objective
	file    string // of the model
	files   read
	mark    string // SHA-256 of the objective, the model, and the files that they name
}

// load reads the objective at path and its model, and analyses it.
func load(path string, ordering order.Ordering, p *shell.Progress) (*loaded, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, shell.InputError(path, err)
	}
	l := &loaded{}
	if l.o, err = objective.Read(bytes.NewReader(text), path); err != nil {
		return nil, err
	}
	if l.file = filepath.Join(filepath.Dir(path), l.o.Model); filepath.IsAbs(l.o.Model) {
		l.file = l.o.Model
	}
	source := objective.Source{
		Name: l.file, Folder: model.Folder(filepath.Dir(l.file)), Data: model.Folder(filepath.Dir(path)), Ordering: ordering,
	}
	if source.Text, err = shell.ReadDocument(l.file, p); err != nil {
		return nil, err
	}
	p.Stage("analysing", 0)
	if l.problem, err = objective.NewProblem(l.o, path, source); err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, part := range slices.Concat([][]byte{text, source.Text}, l.data(path, source.Data), l.modelFiles(source.Folder)) {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	l.mark = hex.EncodeToString(h.Sum(nil))
	return l, nil
}

// data returns the texts of the task and of the files of data, which are in folder, and stores the paths of all files that are read.
// path is the path of the objective.
func (l *loaded) data(path string, folder fs.FS) (list [][]byte) {
	at := func(name string) string {
		text, _ := fs.ReadFile(folder, name) // no error, as NewProblem has read it
		list = append(list, text)
		return filepath.Join(filepath.Dir(path), name)
	}
	l.files = read{objective: path, model: l.file}
	if l.o.Task != "" {
		l.files.task = at(l.o.Task)
	}
	lists := [][]objective.Term{l.o.Terms}
	for i := range l.o.Runs {
		lists = append(lists, l.o.Runs[i].Terms)
	}
	for _, terms := range lists {
		for i := range terms {
			if terms[i].File != "" {
				l.files.data = append(l.files.data, at(terms[i].File))
			}
		}
	}
	return list
}

// modelFiles returns the texts of the files of terrains and curves that the model names.
func (l *loaded) modelFiles(folder fs.FS) (list [][]byte) {
	m := l.problem.Model()
	var names []string
	for i := range m.Terrains {
		names = append(names, m.Terrains[i].File)
	}
	for i := range m.Joints {
		for _, c := range [...]*model.PointCurve{m.Joints[i].Curve, m.Joints[i].SuccessorCurve} {
			if c != nil {
				names = append(names, c.File)
			}
		}
	}
	for _, name := range names {
		if name != "" {
			text, _ := fs.ReadFile(folder, name) // no error, as NewProblem has read it
			list = append(list, text)
		}
	}
	return list
}

// searchFlags are the flags of rung fit and rung optimize.
type searchFlags struct {
	output, checkpoint, plot string
	task                     string
	resume, json             bool
	iterations               int
	ordering                 shell.OrderingFlag
}

// hasTask makes add declare the flag --task.
const hasTask = true

// add declares the flags. plot is the help of --plot, and task adds the flag --task.
func (f *searchFlags) add(cmd *cobra.Command, plot string, task bool) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", `file for the model with the new numbers, ending in .json; "-" is standard output`)
	if task {
		flags.StringVar(&f.task, "task", "", "file for the task with the new numbers, at reach, ending in .json")
	}
	flags.IntVar(&f.iterations, "iterations", search.DefaultIterations, "largest number of iterations")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "file that keeps the search as it goes on, .json")
	flags.BoolVar(&f.resume, "resume", false, "go on from --checkpoint where it is there, to the same bits")
	flags.StringVar(&f.plot, "plot", "", plot)
	flags.BoolVar(&f.json, "json", false, "print one JSON document")
	f.ordering.Add(cmd)
}

// check refuses values of flags that are out of range or exclude each other, and outputs that would replace each other or the objective
// at path.
func (f *searchFlags) check(path string) error {
	switch {
	case f.iterations < 1:
		return shell.UseErrorf("--iterations %d is not above 0", f.iterations)
	case f.resume && f.checkpoint == "":
		return shell.UseErrorf("--resume needs --checkpoint FILE")
	case f.checkpoint != "" && !strings.EqualFold(filepath.Ext(f.checkpoint), ".json"):
		return shell.UseErrorf("--checkpoint %s: the file ends in .json", f.checkpoint)
	}
	if f.output != "" {
		if err := shell.CheckNewModel(f.output, f.json); err != nil {
			return err
		}
	}
	if f.task != "" && !strings.EqualFold(filepath.Ext(f.task), ".json") {
		return shell.UseErrorf("--task %s: the file ends in .json", f.task)
	}
	if err := checkPlot(f.plot); err != nil {
		return err
	}
	return f.apart(read{objective: path})
}

// read are the files that a search reads.
type read struct {
	objective, model, task string
	data                   []string
}

// apart returns an error of bad use for outputs that would replace each other or a file that is read. A new model may replace the model,
// and a new task the task.
func (f *searchFlags) apart(r read) error {
	rest := append([]string{r.objective}, r.data...)
	for _, x := range [4]struct {
		path, what string
		others     []string
	}{
		{f.output, "model", []string{r.task, f.checkpoint, f.plot, f.task}},
		{f.task, "task", []string{r.model, f.checkpoint, f.plot}},
		{f.checkpoint, "checkpoint", []string{r.model, r.task, f.plot}},
		{f.plot, "picture", []string{r.model, r.task}},
	} {
		if err := shell.Apart(x.path, "the "+x.what+" would replace this file", slices.Concat(rest, x.others)...); err != nil {
			return err
		}
	}
	return nil
}

// checkPlot returns an error of bad use for a picture that cannot be drawn, by its ending or in this build.
func checkPlot(path string) error {
	if path != "" && !picture.Drawn {
		return shell.UseErrorf("%s", picture.Missing)
	}
	return shell.CheckPicture(path, picture.Endings...)
}

// pictureFormat returns the format of a picture, the ending of its path.
func pictureFormat(path string) string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
}

// checkpointFormat is the format of a checkpoint of a search.
const checkpointFormat = "rung-search/1"

// found is the result of a search.
type found struct {
	document any                     // for --json
	values   []float64               // of the parameters
	draw     func(w io.Writer) error // draws the picture; its errors have their exit status
	print    func(p *sheet.Page)     // writes the result for people
}

// run reads the objective at path, moves its parameters by the search do, and writes the outputs that the flags name. command is the name
// of the subcommand, and stage the text of the progress bar during the search.
func (f *searchFlags) run(cmd *cobra.Command, path, command, stage string,
	do func(ctx context.Context, f *searchFlags, l *loaded, c *checkpoint, p *shell.Progress) (*found, error),
) error {
	if err := f.check(path); err != nil {
		return err
	}
	_, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	l, err := load(path, f.ordering.Ordering, p)
	if err != nil {
		return err
	}
	if err := f.apart(l.files); err != nil {
		return err
	}
	if f.task != "" && l.o.Task == "" {
		return shell.UseErrorf("--task %s: the objective has no task: at is %v", f.task, l.o.At)
	}
	c, err := f.newCheckpoint(command, l)
	if err != nil {
		return err
	}
	outs, err := f.begin(stdout) // before the search, so that a file that cannot be written costs no time
	defer outs.drop()
	if err != nil {
		return err
	}
	if f.checkpoint != "" {
		defer shell.Keep(cmd.Context())()
	}
	p.Stage(stage, int64(f.iterations))
	x, err := do(cmd.Context(), f, l, c, p)
	if err != nil {
		return f.ended(cmd, l, c, err)
	}
	if err := c.write(); err != nil {
		return err
	}
	if err := f.writeAll(cmd.Context(), l, x, outs, p); err != nil {
		return err
	}
	p.End()
	if f.output == shell.Stdio {
		stdout = stderr
	}
	if f.json {
		return shell.WriteJSON(stdout, x.document)
	}
	return shell.Print(stdout, x.print)
}

// outputs are the files that a search writes, without its checkpoint. A file without its flag is an empty Output.
type outputs struct{ model, task, plot *shell.Output }

// drop gives up the files that have not been closed.
func (o *outputs) drop() {
	for _, x := range [...]*shell.Output{o.model, o.task, o.plot} {
		x.Drop()
	}
}

// begin opens the files of the model, the task and the picture that the flags name. With an error it also returns the files that it has
// opened, for drop.
func (f *searchFlags) begin(stdout io.Writer) (*outputs, error) {
	o := &outputs{new(shell.Output), new(shell.Output), new(shell.Output)}
	for _, x := range [...]struct {
		path string
		to   **shell.Output
	}{{f.output, &o.model}, {f.task, &o.task}, {f.plot, &o.plot}} {
		if x.path == "" {
			continue
		}
		out, err := shell.Create(x.path, stdout)
		if err != nil {
			return o, err
		}
		*x.to = out
	}
	return o, nil
}

// writeAll writes the files, and puts them in their places.
func (f *searchFlags) writeAll(ctx context.Context, l *loaded, x *found, o *outputs, p *shell.Progress) error {
	if f.output != "" {
		if err := f.writeModel(ctx, l, x.values, o.model, p); err != nil {
			return err
		}
	}
	if f.task != "" {
		_, text, err := l.problem.TextWith(x.values)
		if err != nil {
			return fault.Plain(err)
		}
		var b bytes.Buffer
		if err = json.Indent(&b, text, "", " "); err == nil {
			_, err = o.task.Write(append(b.Bytes(), '\n'))
		}
		if err := o.task.Close(err); err != nil {
			return err
		}
	}
	if f.plot == "" {
		return nil
	}
	if err := x.draw(o.plot); err != nil {
		return err
	}
	return o.plot.Close(nil)
}

// checkpoint is the document from which a search that was stopped can go on.
type checkpoint struct {
	Format      string              `json:"format"`
	Of          string              `json:"of"` // identifies the search: the subcommand and the SHA-256 in loaded.mark
	Iterations  []search.Iteration  `json:"iterations,omitempty"`
	Evaluations []search.Evaluation `json:"evaluations,omitempty"`

	path string
	next time.Time // before which keep does not write
}

// between is the time between two writings of a checkpoint.
const between = time.Second

// newCheckpoint returns the checkpoint from which a search goes on: the one in the file with --resume, else an empty one. It refuses a
// checkpoint of another search.
func (f *searchFlags) newCheckpoint(command string, l *loaded) (*checkpoint, error) {
	c := &checkpoint{Format: checkpointFormat, Of: command + " " + l.mark, path: f.checkpoint}
	if !f.resume {
		return c, nil
	}
	text, err := os.ReadFile(f.checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, shell.InputError(f.checkpoint, err)
	}
	was := checkpoint{path: f.checkpoint}
	if err := json.Unmarshal(text, &was); err != nil || was.Format != checkpointFormat {
		return nil, shell.UseErrorf("%s: is no checkpoint of a search", f.checkpoint)
	}
	if was.Of != c.Of {
		return nil, shell.UseErrorf("%s: is of another search: the objective, its model or its data have changed", f.checkpoint)
	}
	return &was, nil
}

// keep writes the checkpoint, but at most once in the time between.
func (c *checkpoint) keep() error {
	if time.Now().Before(c.next) {
		return nil
	}
	c.next = time.Now().Add(between)
	return c.write()
}

// write writes the checkpoint to its file, if it has one.
func (c *checkpoint) write() error {
	if c.path == "" {
		return nil
	}
	return shell.WriteFile(c.path, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(c) })
}

// writeModel writes the model with values of the parameters, at the state at which the terms are evaluated, and closes the output.
func (f *searchFlags) writeModel(ctx context.Context, l *loaded, values []float64, out *shell.Output, p *shell.Progress) error {
	g, err := l.problem.With(values)
	if err != nil {
		return fault.Plain(err)
	}
	st, err := g.State(ctx)
	if err != nil {
		return shell.Failed(g.Model().Name, err)
	}
	m := *g.Model()
	m.Bodies, m.Joints = slices.Clone(m.Bodies), slices.Clone(m.Joints) // SetState changes both
	mech, err := mechanism.New(&m)
	if err != nil {
		return fault.Plain(err)
	}
	rung.SetState(&m, mech, st)
	return out.Close(model.Write(shell.CountLines(out, p), shell.Rehome(&m, l.file, f.output)))
}

// ended writes the checkpoint of a search that has ended with err, and returns the error with its exit status.
func (f *searchFlags) ended(cmd *cobra.Command, l *loaded, c *checkpoint, err error) error {
	if e := c.write(); e != nil {
		return e
	}
	if end := shell.Interrupted(cmd.Context()); end != nil {
		if f.checkpoint != "" {
			return &shell.Interruption{Text: "; --resume goes on from " + f.checkpoint}
		}
		return end
	}
	if bad := new(search.ProblemError); errors.As(err, &bad) {
		return shell.UseErrorf("%s", strings.TrimPrefix(bad.Error(), "derive/search: "))
	}
	return shell.Failed(l.problem.Model().Name, err)
}
