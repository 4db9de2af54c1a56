package sim

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Row is what a Recorder gets at one time. It is the simulation's own and changes
// with the next row.
type Row struct {
	State  *mechanism.State
	Energy mechanism.Energy
	Drift  Drift // of State
}

// Recorder keeps a trajectory.
type Recorder interface {
	// Record adds a row. It may be kept in memory until Mark.
	Record(r *Row) error
	// Mark puts everything recorded so far where it outlasts the process, and
	// returns the position from which recording can be resumed.
	Mark() (position int64, err error)
}

// CSV is a Recorder of comma-separated values (docs/cli.md). Numbers have 17
// digits, so that they are read back to the bit. What is written consists of whole
// lines, whenever the process ends.
type CSV struct {
	w       io.Writer
	columns *Columns
	buf     []byte
	done    int64 // bytes written to w, and before
}

// csvBlock is the number of bytes that are written at once.
const csvBlock = 1 << 16

// NewCSV writes the header to w and returns a recorder of the columns.
func NewCSV(w io.Writer, columns *Columns) (*CSV, error) {
	c := newCSV(w, columns)
	c.buf = append(c.buf, csvHeader(columns)...)
	return c, c.flush()
}

// ResumeCSV goes on with a file that CSV has begun: it drops what was written after the
// position of a Mark. Close it afterwards.
//
// It returns an error if the file does not begin with the header that belongs to
// the columns, or is shorter than position.
func ResumeCSV(f *os.File, columns *Columns, position int64) (*CSV, error) {
	c := newCSV(f, columns)
	header := csvHeader(columns)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	got, err := bufio.NewReader(f).ReadString('\n')
	if err != nil || got != header {
		return nil, fmt.Errorf("sim: %s is not a trajectory of these bodies and joints", f.Name())
	}
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.Size() < position || position < int64(len(header)) {
		return nil, fmt.Errorf("sim: %s has %d bytes, the checkpoint goes on at %d", f.Name(), info.Size(), position)
	}
	if err := f.Truncate(position); err != nil {
		return nil, err
	}
	c.done, err = f.Seek(position, io.SeekStart)
	return c, err
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
// Cost: no allocation, but what Wrenches takes.
func (c *CSV) Record(r *Row) error {
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
	if len(c.buf) < csvBlock {
		return nil
	}
	return c.flush()
}

// Flush writes what is in memory. Call it at the end.
func (c *CSV) Flush() error { return c.flush() }

// flush writes whole lines with one call.
func (c *CSV) flush() error {
	n, err := c.w.Write(c.buf)
	c.done += int64(n)
	c.buf = c.buf[:copy(c.buf, c.buf[n:])]
	return err
}

// Mark implements Recorder: the position is the number of bytes in the file. A
// file is made durable.
func (c *CSV) Mark() (int64, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	if f, ok := c.w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return c.done, f.Sync()
		}
	}
	return c.done, nil
}
