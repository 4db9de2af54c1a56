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

// output is a file being written, or standard output.
type output struct {
	*bufio.Writer
	path string
	f    *os.File // nil for standard output
}

// create opens path for writing, or stdout if path is "-".
//
// It returns an error of bad use if that is not possible.
func create(path string, stdout io.Writer) (*output, error) {
	if path == stdio {
		return &output{Writer: bufio.NewWriterSize(stdout, 1<<16), path: "stdout"}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, inputError(path, err)
	}
	return &output{Writer: bufio.NewWriterSize(f, 1<<16), path: path, f: f}, nil
}

// writable returns the error of bad use that create will return, if it shows without changing the file at
// path. An empty path can be written.
func writable(path string) error {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return replaceable(path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		err = f.Close()
	}
	return inputError(path, err)
}

// replaceable returns the error of bad use that replacing path by a file beside it will meet, if it shows
// before. An empty path can be replaced.
func replaceable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return inputError(path, err)
}

// close ends the output after err, the error of what was written to it. A file
// that is not complete is removed.
//
// It returns err or the error of writing, as a failure.
func (o *output) close(err error) error {
	if e := o.Flush(); err == nil {
		err = e
	}
	if o.f != nil {
		if e := o.f.Close(); err == nil {
			err = e
		}
	}
	if err == nil {
		return nil
	}
	if o.f != nil {
		if info, e := os.Lstat(o.path); e == nil && info.Mode().IsRegular() {
			err = errors.Join(err, os.Remove(o.path))
		}
	}
	return failed("", inputError(o.path, err))
}

// writeFile creates path, or takes stdout, and fills it with write.
func writeFile(path string, stdout io.Writer, write func(w io.Writer) error) error {
	o, err := create(path, stdout)
	if err != nil {
		return err
	}
	return o.close(write(o))
}
