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
// they are read back to the bit. It writes whole lines, also where there is no room for more.
// But a process that is killed while the system writes may leave the last line cut.
type CSV struct {
	w       io.Writer
	columns *Columns
	buf     []byte
	done    int64  // bytes written to w, and before
	sum     uint64 // CRC-64 of them
}

// csvBlock is the number of bytes that are written at once.
const csvBlock = 1 << 16

// NewCSV writes the header to w and returns a recorder of the columns.
func NewCSV(w io.Writer, columns *Columns) (*CSV, error) {
	if w == nil || columns == nil {
		panic("sim: no writer or no columns")
	}
	c := newCSV(w, columns)
	c.buf = append(c.buf, csvHeader(columns)...)
	return c, c.flush()
}

// ResumeCSV goes on with a file that CSV has begun: it drops what was written after the
// position of a Mark. Close it afterwards. Checkpoint.ResumeCSV also compares what comes before.
//
// Cost: as reading the file.
// It returns an error if the file does not begin with the header that belongs to
// the columns, or is shorter than position. The file is not changed then.
func ResumeCSV(f *os.File, columns *Columns, position int64) (*CSV, error) {
	return resumeCSV(f, columns, position, "")
}

// ResumeCSV goes on with the file of the run that the checkpoint is of, as ResumeCSV does. It returns an
// error that wraps ErrCheckpoint if the rows up to there are not those that the run has written.
func (c *Checkpoint) ResumeCSV(f *os.File, columns *Columns) (*CSV, error) {
	return resumeCSV(f, columns, c.Recorded, c.Sum)
}

// resumeCSV is ResumeCSV. sum is the checksum of what comes before position; "" is not compared.
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

// mostHeader is how much of a foreign header is read, to tell how its columns differ.
const mostHeader = 1 << 20

// otherColumns tells how the header of a file differs from one with these names.
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

// pass takes in what has been written up to position.
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

// note takes in what has been written.
func (c *CSV) note(b []byte) {
	c.done += int64(len(b))
	c.sum = crc64.Update(c.sum, document.SumTable, b)
}

func newCSV(w io.Writer, columns *Columns) *CSV {
	n := columns.Len()
	return &CSV{w: w, columns: columns, buf: make([]byte, 0, csvBlock+n*csvNumber)}
}

// csvNumber is the room for a number: sign, 17 digits, point, e, sign and three
// digits, comma.
const csvNumber = 25

func csvHeader(columns *Columns) string {
	fields := columns.Names()
	for i := range fields {
		fields[i] = csvField(fields[i])
	}
	return strings.Join(fields, ",") + "\n"
}

// csvField quotes a name that needs it. Line breaks are escaped, to keep lines whole.
func csvField(s string) string {
	s = fault.Escape(s)
	if strings.ContainsAny(s, ",\"") || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// Record implements Recorder.
//
// Cost: no allocation, but what Reactions take.
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

// flush writes whole lines with one call. Where there is room for a part of them only, a file keeps none.
func (c *CSV) flush() error {
	n, err := c.w.Write(c.buf)
	if err != nil && n > 0 && c.cut(n) {
		n = 0
	}
	c.note(c.buf[:n])
	c.buf = c.buf[:copy(c.buf, c.buf[n:])]
	return err
}

// cut takes the last n bytes back from a file, and reports whether it could.
func (c *CSV) cut(n int) bool {
	f, ok := regular(c.w)
	if !ok {
		return false
	}
	at, err := f.Seek(int64(-n), io.SeekCurrent)
	return err == nil && f.Truncate(at) == nil
}

// regular returns w as a file, if it is one.
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

// Mark implements Recorder: the position is the number of bytes in the file. A
// file is made durable.
func (c *CSV) Mark() (int64, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	if f, ok := regular(c.w); ok {
		return c.done, f.Sync()
	}
	return c.done, nil
}
