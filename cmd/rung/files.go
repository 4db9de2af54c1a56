package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/model"
)

// stdio is the file name that stands for standard input or output.
const stdio = "-"

// modelEnding is the ending of the model files that are read and written.
const modelEnding = ".json"

// modelFile returns what messages call the model at path.
func modelFile(path string) string {
	if path == stdio {
		return "stdin"
	}
	return fault.Line(path)
}

// readModel reads the model at path, or from stdin if path is "-".
//
// It returns the errors of model.Read and of opening the file.
func readModel(path string, stdin io.Reader, p *progress) (*model.Model, error) {
	if path == stdio {
		p.stage("reading", 0)
		m, err := model.Read(stdin, modelFile(path))
		return m, inputError(modelFile(path), err)
	}
	if ending := filepath.Ext(path); !strings.EqualFold(ending, modelEnding) {
		return nil, fmt.Errorf("%s: cannot read files ending in %s; models end in %s (rung-model/1)", path, fault.Name(ending), modelEnding)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, inputError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, inputError(path, err)
	}
	in := io.Reader(f)
	if info.Mode().IsRegular() {
		p.stage("reading", info.Size())
		in = &countingReader{f, p, info.Size()}
	}
	m, err := model.Read(in, path)
	return m, inputError(path, err)
}

// inputError makes errors of the system one line; problems of the document and
// nil pass.
func inputError(path string, err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return fmt.Errorf("%s: %w", fault.Line(path), p.Err)
	}
	if l := new(os.LinkError); errors.As(err, &l) {
		return fmt.Errorf("%s: %w", path, l.Err)
	}
	return err
}

// countingReader counts the bytes read for the progress bar. Len makes the
// length of the file known to the model reader, as the file itself would.
type countingReader struct {
	r    io.Reader
	p    *progress
	size int64
}

func (c *countingReader) Len() int { return int(c.size) }

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.p.add(int64(n))
	return n, err
}

// checkPicture returns the error of bad use for a picture whose name has none of the endings;
// standard output and "" pass.
func checkPicture(path string, endings ...string) error {
	if path == "" || path == stdio || slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	return useErrorf("%s: pictures end in %s here", path, strings.Join(endings, " or "))
}

// apart returns the error of bad use for an output in the place of another file of the same command, whatever their names; ""
// is no file, and standard input and output are none.
func apart(output, text string, others ...string) error {
	for _, other := range others {
		if output != "" && output != stdio && other != "" && other != stdio && outfile.Same(output, other) {
			return useErrorf("%s: %s", output, text)
		}
	}
	return nil
}

// output is a file being written, or standard output. What is there stays until close.
type output struct {
	*bufio.Writer
	path  string
	place *outfile.Place // nil for standard output, and at the end
	file  *outfile.File
}

// create begins a file that will take the place of the one at path, or takes stdout if path is "-". Nobody else can
// write the file until close or drop.
//
// It returns an error of bad use if that is not possible.
func create(path string, stdout io.Writer) (*output, error) {
	if path == stdio {
		return &output{Writer: bufio.NewWriterSize(stdout, 1<<16), path: "stdout"}, nil
	}
	place, err := outfile.Hold(path)
	if err != nil {
		return nil, inputError(path, err)
	}
	f, err := place.Create()
	if err != nil {
		_ = place.Release() // the first error counts
		return nil, inputError(path, err)
	}
	return &output{bufio.NewWriterSize(f, 1<<16), path, place, f}, nil
}

// close ends the output after err, the error of what was written to it. A file that is complete takes its place,
// another is removed.
//
// It returns err or the error of writing, as a failure.
func (o *output) close(err error) error {
	if e := o.Flush(); err == nil {
		err = e
	}
	if o.place != nil {
		if err == nil {
			err = o.file.Commit()
		}
		if e := o.drop(); err == nil {
			err = e
		}
	}
	return failed("", inputError(o.path, err))
}

// drop gives up what has not been closed.
func (o *output) drop() error {
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

// writeFile creates path, or takes stdout, and fills it with write.
func writeFile(path string, stdout io.Writer, write func(w io.Writer) error) error {
	o, err := create(path, stdout)
	if err != nil {
		return err
	}
	return o.close(write(o))
}

// fileOf is a file and what fills it; the path may be empty.
type fileOf struct {
	path  string
	write func(w io.Writer) error
}

// writeFiles writes all files, and puts them in their places when all of them are whole.
func writeFiles(stdout io.Writer, list []fileOf) error {
	var outs []*output
	defer func() {
		for _, o := range outs {
			_ = o.drop() // of what has failed; the first error counts
		}
	}()
	for _, f := range list {
		if f.path == "" {
			continue
		}
		o, err := create(f.path, stdout)
		if err != nil {
			return err
		}
		outs = append(outs, o)
		if err = f.write(o); err == nil {
			err = o.Flush()
		}
		if err != nil {
			return o.close(err)
		}
	}
	for _, o := range outs {
		if err := o.close(nil); err != nil {
			return err
		}
	}
	return nil
}
