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

// lines is a file with one line for each row of the trajectory, or for each event, so that a run that continues knows how many
// lines to keep. If there is an old file, the new one is beside it, with another name, until the run ends. nil writes nothing.
type lines struct {
	path   string
	place  *outfile.Place
	file   *os.File
	beside *outfile.File // the new file beside an old one; nil if there is no old one
	out    *bufio.Writer
	sum    uint64 // checksum of the bytes in the file
}

// newLines returns a lines for the file at path, nil if path is "". It touches no file.
func newLines(path string) *lines {
	if path == "" {
		return nil
	}
	return &lines{path: path}
}

// text returns the checksum as text, as in a checkpoint.
func (l *lines) text() string { return document.SumText(l.sum) }

// Write writes b to the file, and adds it to the checksum. The buffer out calls it.
func (l *lines) Write(b []byte) (int, error) {
	n, err := l.file.Write(b)
	l.sum = crc64.Update(l.sum, document.SumTable, b[:n])
	return n, err
}

// lineMark is the content of a file at the time of a checkpoint.
type lineMark struct {
	lines int64  // number of lines after the header
	sum   string // checksum of the header and these lines; "" if the checkpoint does not have it
}

// open creates the file with a header, or, if keep is not nil, opens it to continue after the content that keep describes. It returns
// errors of the operating system with the name of the file, and wraps sim.ErrCheckpoint for another content.
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

// create creates the file, beside an old one if there is one. Otherwise it removes a file that a killed run may have left
// beside it.
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

// begin creates a file at its place, or beside an old one if there is one. It returns the file, and in that case also as beside.
func begin(place *outfile.Place) (file *os.File, beside *outfile.File, err error) {
	file, err = os.OpenFile(place.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		if beside, err = place.Create(); err == nil {
			file = beside.File
		}
	}
	return file, beside, err
}

// errNotResumable says that no run can continue with a device or pipe.
var errNotResumable = errors.New("no regular file, so that no run can go on with it")

// reopen opens the file with the content that keep describes, as a killed run has left it: beside an old file, or else at its place. It
// cuts off all after that content.
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

// cut truncates a file after the header and the lines that keep describes, and moves to its end. If the file does not have that content, it
// is not changed, and cut returns an error, which wraps sim.ErrCheckpoint for another checksum.
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

// numbers writes a line of numbers, separated by commas.
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

// words writes a line of texts, separated by commas.
func (l *lines) words(texts ...string) error {
	w := csv.NewWriter(l.out)
	_ = w.Write(texts) // errors stay in w
	w.Flush()
	return l.failed(w.Error())
}

// mark writes all lines so far to disk, and returns the checksum.
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

// flush writes the buffered lines to the file.
func (l *lines) flush() error {
	if l == nil || l.out == nil {
		return nil
	}
	return l.failed(l.out.Flush())
}

// failed returns an error of writing as a FileError; nil for nil.
func (l *lines) failed(err error) error { return failedWrite(l.place, err) }

// fresh reports whether the file replaces no old file.
func (l *lines) fresh() bool { return l.beside == nil || l.place.Direct() }

// close closes the file. If keep is true it replaces the old file, if there is one. Else the old file stays, and left is a text
// with the names of both.
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

// release closes the file and gives it free for other writers.
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
