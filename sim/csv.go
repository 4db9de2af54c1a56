package sim

import (
	"encoding/csv"
	"fmt"
	"hash/crc64"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// CSV is a Recorder of comma-separated values (docs/cli.md). Numbers have 17 digits, so that
// reading them back gives the same bits. A file ends with a whole line even if the disk becomes full.
// Only a process that is killed during a write may leave a partial last line.
type CSV struct {
	w       io.Writer
	columns *Columns
	buf     []byte
	done    int64  // number of bytes of the file so far
	sum     uint64 // CRC-64 of these bytes
}

// csvBlock is the number of bytes that are written at once.
const csvBlock = 1 << 16

// NewCSV writes the header to w and returns a recorder of the columns. It returns errors of w, and panics if an argument is nil.
func NewCSV(w io.Writer, columns *Columns) (*CSV, error) {
	if w == nil || columns == nil {
		panic("sim: no writer or no columns")
	}
	c := newCSV(w, columns)
	c.buf = append(c.buf, csvHeader(columns)...)
	return c, c.flush()
}

// ResumeCSV continues a file that a CSV has begun: it removes all that was written after the
// position of a Mark. The caller closes the file. Checkpoint.ResumeCSV also compares the part before.
//
// Cost: as reading the file.
// It returns an error, and does not change the file, if that does not begin with the header of
// the columns, or is shorter than position. It also returns errors of the file.
func ResumeCSV(f *os.File, columns *Columns, position int64) (*CSV, error) {
	return resumeCSV(f, columns, position, "")
}

// ResumeCSV continues the file of the run of the checkpoint, as the function ResumeCSV does. It also returns an
// error that wraps ErrCheckpoint if the rows before the checkpoint are not the rows that the run has written.
func (c *Checkpoint) ResumeCSV(f *os.File, columns *Columns) (*CSV, error) {
	return resumeCSV(f, columns, c.Recorded, c.Sum)
}

// resumeCSV is ResumeCSV. sum is the checksum of the bytes before position, or "" if it is not to be compared.
func resumeCSV(f *os.File, columns *Columns, position int64, sum string) (*CSV, error) {
	c := newCSV(f, columns)
	header := csvHeader(columns)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	got := make([]byte, len(header))
	if _, err := io.ReadFull(f, got); err != nil || string(got) != header {
		return nil, fmt.Errorf("sim: %s is not a trajectory of these bodies and joints: %s", f.Name(), otherColumns(f, columns.Names()))
	}
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() < position || position < int64(len(header)) {
		return nil, fmt.Errorf("sim: %s has %d bytes, the checkpoint goes on at %d", f.Name(), info.Size(), position)
	}
	c.note(got)
	if err := c.pass(f, position); err != nil {
		return nil, fmt.Errorf("sim: %s: %w", f.Name(), err)
	}
	if sum != "" && c.Sum() != sum {
		return nil, fault.Errorf("sim: %s: %w: the checksum of its first %d bytes is %s, that of the rows of the run %s",
			f.Name(), ErrCheckpoint, position, c.Sum(), sum)
	}
	if err := f.Truncate(position); err != nil {
		return nil, err
	}
	_, err := f.Seek(position, io.SeekStart)
	return c, err
}

// mostHeader is the largest number of bytes that are read of a header with other columns.
const mostHeader = 1 << 20

// otherColumns returns a text that tells how the header of a file differs from the given names.
func otherColumns(f *os.File, names []string) string {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err.Error()
	}
	for i := range names {
		names[i] = fault.Escape(names[i])
	}
	r := csv.NewReader(io.LimitReader(f, mostHeader))
	got, err := r.Read()
	switch {
	case err == io.EOF:
		return "it is empty"
	case err != nil:
		return "it does not begin with the names of columns"
	}
	return fault.OtherNames("columns", got, names)
}

// pass reads f up to position and updates done and sum.
func (c *CSV) pass(f io.Reader, position int64) error {
	block := make([]byte, csvBlock)
	for c.done < position {
		b := block[:min(int64(len(block)), position-c.done)]
		if _, err := io.ReadFull(f, b); err != nil {
			return err
		}
		c.note(b)
	}
	return nil
}

// note updates done and sum for the next bytes of the file.
func (c *CSV) note(b []byte) {
	c.done += int64(len(b))
	c.sum = crc64.Update(c.sum, document.SumTable, b)
}

func newCSV(w io.Writer, columns *Columns) *CSV {
	n := columns.Len()
	return &CSV{w: w, columns: columns, buf: make([]byte, 0, csvBlock+n*csvNumber)}
}

// csvNumber is the largest number of bytes of a number: sign, 17 digits, point, e, sign and three
// digits, comma.
const csvNumber = 25

func csvHeader(columns *Columns) string {
	fields := columns.Names()
	for i := range fields {
		fields[i] = csvField(fields[i])
	}
	return strings.Join(fields, ",") + "\n"
}

// csvField returns a name as a field, quoted if necessary. Line breaks are escaped, so that a row is one line.
func csvField(s string) string {
	s = fault.Escape(s)
	if strings.ContainsAny(s, ",\"") || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// Record implements Recorder.
//
// Cost: no allocation, plus the cost of Reactions. It returns errors of writing and of Columns.Fill.
func (c *CSV) Record(r *Row) error {
	if len(c.buf) >= csvBlock {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if err := c.columns.Fill(r); err != nil {
		return err
	}
	for i, x := range c.columns.Values {
		if i > 0 {
			c.buf = append(c.buf, ',')
		}
		c.buf = strconv.AppendFloat(c.buf, x, 'g', 17, 64)
	}
	c.buf = append(c.buf, '\n')
	return nil
}

// Flush writes the rows that are still in memory. Call it at the end.
func (c *CSV) Flush() error { return c.flush() }

// flush writes the buffered lines with one call. If a file takes a part of them only, flush removes that part again.
func (c *CSV) flush() error {
	n, err := c.w.Write(c.buf)
	if err != nil && n > 0 && c.cut(n) {
		n = 0
	}
	c.note(c.buf[:n])
	c.buf = c.buf[:copy(c.buf, c.buf[n:])]
	return err
}

// cut removes the last n bytes of a file, and reports whether it could.
func (c *CSV) cut(n int) bool {
	f, ok := regular(c.w)
	if !ok {
		return false
	}
	at, err := f.Seek(int64(-n), io.SeekCurrent)
	return err == nil && f.Truncate(at) == nil
}

// regular returns w as a file, and whether it is a regular file.
func regular(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return nil, false
	}
	info, err := f.Stat()
	return f, err == nil && info.Mode().IsRegular()
}

// Sum implements Summed.
func (c *CSV) Sum() string { return document.SumText(c.sum) }

// Mark implements Recorder: the position is the number of bytes in the file. It
// syncs a regular file to disk.
func (c *CSV) Mark() (int64, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	if f, ok := regular(c.w); ok {
		return c.done, f.Sync()
	}
	return c.done, nil
}
