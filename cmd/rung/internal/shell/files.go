package shell

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/model"
)

// Stdio is the file name that stands for standard input or output.
const Stdio = "-"

// ErrNotFinite says that a result is not finite, so that JSON cannot hold it.
var ErrNotFinite = errors.New("the result is not finite")

// modelEnding is the ending of the model files that are read and written.
const modelEnding = ".json"

// Ranges is a model that is read by ranges of its bodies (dist.Reader).
type Ranges interface {
	Size() (bodies, joints int64)
	Digest() string // hexadecimal digits; equal for equal models only
	Part(lo, hi int64) (m *model.Model, bodies, joints []int64, err error)
	Pick(bodies, joints []int64) (m *model.Model, bodyRows, jointRows []int64, err error) // reads the bodies and joints in some rows
	Close() error
}

// IsTables reports whether a path names a model in tables. A separator may end the path of a folder.
func IsTables(path string) bool {
	return strings.EqualFold(filepath.Ext(filepath.Clean(path)), TablesEnding)
}

// TablesEnding is the ending of the folders of models in tables (package formats/tables).
const TablesEnding = ".tables"

// ModelFile returns the name of the model at path in messages.
func ModelFile(path string) string {
	if path == Stdio {
		return "stdin"
	}
	return fault.Line(path)
}

// ReadModel reads the model at path, or from standard input if path is "-", or imports the file of a foreign format at path. It also reads
// the files of its terrains and curves, which are relative to the folder of the model or, for standard input, to the working folder.
//
// It prints a warning for each number that looks as if it were in another unit (model.Model.Remarks).
//
// It returns the errors of model.Read and of opening the file.
func ReadModel(path string, in Input, p *Progress) (*model.Model, error) {
	m, err := readModel(path, in, p)
	if err != nil {
		return nil, err
	}
	for _, r := range m.Remarks() {
		p.Say("rung: warning: " + ModelFile(path) + ": " + r.String())
	}
	return m, nil
}

// readModel reads the model at path by its ending: a document, tables, or a file to import. "-" is a document on standard input.
func readModel(path string, in Input, p *Progress) (*model.Model, error) {
	if path == Stdio {
		p.Stage("reading", 0)
		m, err := model.ReadIn(context.Background(), in.Reader, ModelFile(path), model.Folder("."))
		return m, InputError(ModelFile(path), err)
	}
	if formats.Is(path) {
		return importModel(path, p)
	}
	if IsTables(path) {
		p.Stage("reading", 0)
		return in.Tables.Read(path)
	}
	ending := filepath.Ext(filepath.Clean(path))
	if !strings.EqualFold(ending, modelEnding) {
		what := "cannot read files ending in " + fault.Name(ending)
		if ending == "" {
			what = "has no ending, which says what a file is"
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			what = "is a folder"
		}
		return nil, fmt.Errorf("%s: %s; models end in %s (rung-model/1), in tables in %s, files to import in %s",
			path, what, modelEnding, TablesEnding, strings.Join(formats.Endings, ", "))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, InputError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, InputError(path, err)
	}
	text := io.Reader(f)
	if info.Mode().IsRegular() {
		p.Stage("reading", info.Size())
		text = &countingReader{f, p, info.Size()}
	}
	m, err := model.ReadIn(context.Background(), text, path, model.Folder(filepath.Dir(path)))
	return m, InputError(path, err)
}

// IsModel reports whether a path has the ending of a model or of a foreign format.
func IsModel(path string) bool {
	return strings.EqualFold(filepath.Ext(path), modelEnding) || formats.Is(path)
}

// ReadDocument returns the rung-model/1 text at path. A file in another
// format is imported first.
//
// It returns errors of opening and of importing the file; it does not
// check the contents of a rung-model/1 document.
func ReadDocument(path string, p *Progress) ([]byte, error) {
	if !formats.Is(path) {
		text, err := os.ReadFile(path)
		return text, InputError(path, err)
	}
	m, err := importModel(path, p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = model.Write(&b, m)
	return b.Bytes(), InputError(path, err)
}

// smallFile is the size in bytes up to which a model needs so little memory that it does not matter.
const smallFile = 1 << 20

// Large reports whether it is worth some time to keep the memory for the model at path low. It is, unless path is a file of at
// most 1 MiB.
func Large(path string) bool {
	info, err := os.Stat(path)
	return path == Stdio || err != nil || !info.Mode().IsRegular() || info.Size() > smallFile
}

// maxLosses is the largest number of lines about elements that an import has dropped.
const maxLosses = 10

// importModel reads a file of a foreign format as rung import does
// without flags, and prints warnings about dropped elements.
func importModel(path string, p *Progress) (*model.Model, error) {
	p.Stage("reading", 0)
	r, report, err := formats.ReadFile(path, nil, &source.Options{})
	if err != nil {
		return nil, InputError(path, err)
	}
	lines, left := 0, report.Dropped()
	for i := range report.Entries {
		if e := &report.Entries[i]; e.Severity == source.Loss && lines < maxLosses {
			lines++
			left -= max(e.Count, 1)
			p.Say(e.String())
		}
	}
	if left > 0 {
		p.Say(fmt.Sprintf("%s: %d more elements are dropped; rung import says which", fault.Line(path), left))
	}
	return r.Model, nil
}

// countingReader counts the bytes read for the progress bar. Its Len tells the reader of
// models the length of the file.
type countingReader struct {
	r    io.Reader
	p    *Progress
	size int64
}

func (c *countingReader) Len() int { return int(c.size) }

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.p.Add(int64(n))
	return n, err
}

// CheckPicture returns an error of bad use unless the path of a picture has one of the endings, which decide its format. An empty path is
// allowed, and so is standard output if there is only one ending.
func CheckPicture(path string, endings ...string) error {
	if path == Stdio && len(endings) > 1 {
		return UseErrorf("pictures go to files that end in %s: standard output has no name that says which", strings.Join(endings, " or "))
	}
	if path == "" || path == Stdio || slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	return UseErrorf("%s: pictures end in %s here", path, strings.Join(endings, " or "))
}

// Apart returns an error of bad use, with text, for an output that is the same file as one of others, even by another name. Empty paths,
// standard input and standard output are no files.
func Apart(output, text string, others ...string) error {
	for _, other := range others {
		if output != "" && output != Stdio && other != "" && other != Stdio && outfile.Same(output, other) {
			return UseErrorf("%s: %s", output, text)
		}
	}
	return nil
}

// Output is a file that is being written, or standard output. An existing file stays until Close.
type Output struct {
	*bufio.Writer
	Path  string
	place *outfile.Place // nil for standard output, and after Close or Drop
	file  *outfile.File
}

// Create begins a file that will replace the one at path, or takes stdout if path is "-".
// Nobody else can write the file until Close or Drop.
//
// It returns an error of bad input if the file cannot be written.
func Create(path string, stdout io.Writer) (*Output, error) {
	if path == Stdio {
		return &Output{Writer: bufio.NewWriterSize(stdout, 1<<16), Path: "stdout"}, nil
	}
	place, err := outfile.Hold(path)
	if err != nil {
		return nil, InputError(path, err)
	}
	f, err := place.Create()
	if err != nil {
		_ = place.Release() // the first error counts
		return nil, InputError(path, err)
	}
	return &Output{bufio.NewWriterSize(f, 1<<16), path, place, f}, nil
}

// Close ends the output. err is the error of the writer that has filled it, nil if it is complete. A complete file
// replaces the one before; an incomplete file is removed.
//
// It returns err or the error of writing, as a failure.
func (o *Output) Close(err error) error {
	if e := o.Flush(); err == nil {
		err = e
	}
	if o.place != nil {
		if err == nil {
			err = o.file.Commit()
		}
		if e := o.Drop(); err == nil {
			err = e
		}
	}
	return Failed("", InputError(o.Path, err))
}

// Drop removes a file that has not been closed; the file before it stays. After Close it does nothing.
func (o *Output) Drop() error {
	if o.place == nil {
		return nil
	}
	err := o.file.Discard()
	if e := o.place.Release(); err == nil {
		err = e
	}
	o.place = nil
	return err
}

// WriteFile writes the file at path, or stdout if path is "-", by write.
func WriteFile(path string, stdout io.Writer, write func(w io.Writer) error) error {
	o, err := Create(path, stdout)
	if err != nil {
		return err
	}
	return o.Close(write(o))
}

// FileOf is the path of a file, "" for none, and the function that writes it.
type FileOf struct {
	Path  string
	Write func(w io.Writer) error
}

// WriteFiles writes all files. They replace existing ones only once all of them are complete.
func WriteFiles(stdout io.Writer, list []FileOf) error {
	var outs []*Output
	defer func() {
		for _, o := range outs {
			_ = o.Drop() // after an error, which is more important
		}
	}()
	for _, f := range list {
		if f.Path == "" {
			continue
		}
		o, err := Create(f.Path, stdout)
		if err != nil {
			return err
		}
		outs = append(outs, o)
		if err = f.Write(o); err == nil {
			err = o.Flush()
		}
		if err != nil {
			return o.Close(err)
		}
	}
	for _, o := range outs {
		if err := o.Close(nil); err != nil {
			return err
		}
	}
	return nil
}

// CheckModelOutput refuses paths for new models that other commands would not read as models.
func CheckModelOutput(path string) error {
	if path == Stdio || strings.EqualFold(filepath.Ext(path), modelEnding) {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a device or a pipe
	}
	return UseErrorf("%s: a model file has to end in %s", path, modelEnding)
}

// CheckNewModel is CheckModelOutput for a path that may be empty. It also refuses a model and a document of --json both on standard output.
func CheckNewModel(path string, json bool) error {
	switch {
	case path == "":
		return nil
	case path == Stdio && json:
		return UseErrorf("--json and the model in one output: give -o a file")
	}
	return CheckModelOutput(path)
}

// CountLines returns a writer to w that counts lines for the progress bar.
func CountLines(w io.Writer, p *Progress) io.Writer { return &lineCounter{w, p} }

type lineCounter struct {
	w io.Writer
	p *Progress
}

func (c *lineCounter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.p.Add(int64(bytes.Count(b[:n], []byte{'\n'})))
	return n, err
}

// Print writes a page to stdout.
func Print(stdout io.Writer, print func(p *sheet.Page)) error {
	return WriteFile(Stdio, stdout, func(w io.Writer) error {
		p := sheet.NewPage(w, Columns(stdout))
		print(p)
		return p.Flush()
	})
}

// WriteJSON writes v to stdout as one document. It returns ErrNotFinite, wrapped, if a number is not finite.
func WriteJSON(stdout io.Writer, v any) error {
	return WriteFile(Stdio, stdout, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		err := e.Encode(v)
		if bad := new(json.UnsupportedValueError); errors.As(err, &bad) {
			return fmt.Errorf("%w (value %s)", ErrNotFinite, bad.Str)
		}
		return err
	})
}
