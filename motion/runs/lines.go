package runs

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"strconv"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

// lines is a file of whole lines, one a row of the trajectory or one an event, so that a run that goes on knows how many
// to keep. It is in its place, where nothing else was, or beside it until the run ends. A nil one writes nothing.
type lines struct {
	path   string
	place  *outfile.Place
	file   *os.File
	beside *outfile.File // file, or nil if that is in its place
	out    *bufio.Writer
	sum    uint64 // checksum of what is in the file
}

// newLines returns the file at path, nil if that is "".
func newLines(path string) *lines {
	if path == "" {
		return nil
	}
	return &lines{path: path}
}

// text returns the checksum as a checkpoint has it.
func (l *lines) text() string { return document.SumText(l.sum) }

// Write writes to the file what out has collected.
func (l *lines) Write(b []byte) (int, error) {
	n, err := l.file.Write(b)
	l.sum = crc64.Update(l.sum, document.SumTable, b[:n])
	return n, err
}

// lineMark is what a checkpoint knows of a file: how many lines there are behind the header, and the checksum of all, empty
// if it does not know.
type lineMark struct {
	lines int64
	sum   string
}

// open begins a file with a header, or goes on behind what a checkpoint knows of it.
func (l *lines) open(header []string, keep *lineMark) (err error) {
	if l == nil {
		return nil
	}
	if l.place, err = outfile.Hold(l.path); err != nil {
		return err
	}
	if keep != nil {
		err = l.reopen(keep)
	} else {
		err = l.create()
	}
	if err != nil {
		if isSystem(err) {
			return named(l.place, err)
		}
		return fault.Errorf("motion/runs: %s: %w", fault.Line(l.path), err)
	}
	l.out = bufio.NewWriterSize(l, 1<<16)
	if keep != nil {
		return nil
	}
	w := csv.NewWriter(l.out)
	_ = w.Write(header) // errors stay in l.out
	w.Flush()
	return l.flush()
}

// create begins the file: beside the old one where there is one, which stays until the new one is whole. Otherwise what a killed run
// has left beside it goes.
func (l *lines) create() (err error) {
	l.file, l.beside, err = begin(l.place)
	if err != nil || l.beside != nil {
		return err
	}
	if err := os.Remove(l.place.New()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// begin begins a file in its place, or, where something is there, beside it.
func begin(place *outfile.Place) (file *os.File, beside *outfile.File, err error) {
	file, err = os.OpenFile(place.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		if beside, err = place.Create(); err == nil {
			file = beside.File
		}
	}
	return file, beside, err
}

// errNotResumable says so of a device or pipe.
var errNotResumable = errors.New("no regular file, so that no run can go on with it")

// reopen goes on with the file of a checkpoint, where a killed run has left it: beside its place or there.
func (l *lines) reopen(keep *lineMark) error {
	if l.place.Direct() {
		return errNotResumable
	}
	f, err := l.place.Reopen()
	if err == nil {
		if err = l.cut(f.File, keep); err == nil {
			l.file, l.beside = f.File, f
			return nil
		}
		_ = f.Close()
	}
	there, e := os.OpenFile(l.place.Path(), os.O_RDWR, 0)
	if errors.Is(e, fs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if e != nil {
		return e
	}
	if err := l.cut(there, keep); err != nil {
		_ = there.Close()
		return err
	}
	l.file = there
	return nil
}

// cut cuts a file behind its header and the lines of a checkpoint, and goes there. A file in which they are not is not changed.
func (l *lines) cut(f *os.File, keep *lineMark) error {
	end, in := int64(0), bufio.NewReaderSize(f, 1<<16)
	l.sum = 0
	for n := int64(0); n <= keep.lines; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%d lines, the checkpoint goes on behind %d", n, keep.lines+1)
		}
		if err != nil {
			return err
		}
		end += int64(len(line))
		l.sum = crc64.Update(l.sum, document.SumTable, line)
	}
	if keep.sum != "" && keep.sum != l.text() {
		return fmt.Errorf("%w: the checksum of its first %d lines is %s, that of the lines of the run %s", sim.ErrCheckpoint, keep.lines+1, l.text(), keep.sum)
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	_, err := f.Seek(end, io.SeekStart)
	return err
}

// numbers writes a line of numbers.
func (l *lines) numbers(values []float64) error {
	b := l.out.AvailableBuffer()
	for i, x := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x, 'g', 17, 64)
	}
	_, err := l.out.Write(append(b, '\n'))
	return l.failed(err)
}

// words writes a line of texts.
func (l *lines) words(texts ...string) error {
	w := csv.NewWriter(l.out)
	_ = w.Write(texts) // errors stay in w
	w.Flush()
	return l.failed(w.Error())
}

// mark makes what has been written durable, and returns its checksum.
func (l *lines) mark() (sum string, err error) {
	if err := l.flush(); err != nil {
		return "", err
	}
	if !l.place.Direct() {
		if err := l.failed(l.file.Sync()); err != nil {
			return "", err
		}
	}
	return l.text(), nil
}

// flush writes what is in memory.
func (l *lines) flush() error {
	if l == nil || l.out == nil {
		return nil
	}
	return l.failed(l.out.Flush())
}

// failed makes an error of writing a FileError.
func (l *lines) failed(err error) error { return failedWrite(l.place, err) }

// fresh reports whether nothing was there that the file replaces.
func (l *lines) fresh() bool { return l.beside == nil || l.place.Direct() }

// close ends the file. With keep it takes its place, and so does a file that replaces nothing; else what was there
// before stays, and left says where the lines are.
func (l *lines) close(keep bool) (left string, err error) {
	if l == nil || l.file == nil {
		return "", nil
	}
	err = l.flush()
	if err == nil && l.beside != nil && (keep || l.fresh()) {
		err = l.failed(l.beside.Commit())
	} else {
		if c := l.failed(l.file.Close()); err == nil {
			err = c
		}
		if !l.fresh() {
			left = fmt.Sprintf("%s is as it was, the lines so far are in %s", l.path, l.place.New())
		}
	}
	l.file = nil
	return left, err
}

// release lets others write the file.
func (l *lines) release() {
	if l == nil || l.place == nil {
		return
	}
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	_ = l.place.Release()
}
