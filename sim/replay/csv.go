package replay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
)

// Source is a table of numbers with a row for each time. It is safe for concurrent use.
type Source interface {
	// Names returns the names of the columns. The list must not be changed.
	Names() []string
	// Rows returns the number of rows.
	Rows() int
	// RowTo stores row i in dst, which has an entry for each column.
	//
	// Cost: as reading a few rows. It returns errors of reading,
	// and an error that names place and value if a field is no number.
	RowTo(dst []float64, i int) error
	// ColumnTo stores column k of all rows in dst, which has an entry for each row.
	//
	// Cost: at most as reading all rows once. It returns errors as RowTo does.
	ColumnTo(dst []float64, k int) error
}

const (
	// every is the number of rows from one row whose position is kept to the next.
	every = 16
	// maxLine is the largest length of a line, bytes.
	maxLine = 256 << 20
)

// CSV is the Source of a CSV file: a line of names, then lines of numbers. It keeps the position of every sixteenth line.
type CSV struct {
	r      io.ReaderAt
	size   int64
	name   string
	names  []string
	places []int64 // positions of rows 0, every, 2·every, … in bytes
	rows   int
}

// NewCSV returns the table in the first size bytes of r; name is its name in messages. A last line without an end of line, such as
// a killed run leaves, does not count.
//
// Cost: as reading the file once. It returns errors of reading, the cause of ctx, and an error if the first line is
// no list of different names. It panics if ctx is nil.
func NewCSV(ctx context.Context, r io.ReaderAt, size int64, name string) (*CSV, error) {
	if ctx == nil {
		panic("rung: nil context")
	}
	c := &CSV{r: r, size: size, name: name}
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<20)
	names, n, err := readNames(in, name)
	if err != nil {
		return nil, err
	}
	c.names = names
	return c, c.index(ctx, in, int64(n))
}

// index counts the lines that in has from position at on, and keeps the positions of every sixteenth.
func (c *CSV) index(ctx context.Context, in *bufio.Reader, at int64) error {
	begin := at
	for looks := 0; ; looks++ {
		if looks&63 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		piece, err := in.ReadSlice('\n')
		at += int64(len(piece))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if c.rows%every == 0 {
			c.places = append(c.places, begin)
		}
		c.rows++
		begin = at
	}
}

// Names implements Source.
func (c *CSV) Names() []string { return c.names }

// Rows implements Source.
func (c *CSV) Rows() int { return c.rows }

// RowTo implements Source. It panics if i is out of range or dst has another length.
func (c *CSV) RowTo(dst []float64, i int) error {
	if i < 0 || i >= c.rows {
		panic("replay: row out of range")
	}
	if len(dst) != len(c.names) {
		panic("replay: length mismatch")
	}
	from := c.places[i/every]
	in := bufio.NewReaderSize(io.NewSectionReader(c.r, from, c.size-from), 64<<10)
	for range i % every {
		if err := skipLine(in); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	line, err := readLine(in, nil)
	if err != nil {
		return fmt.Errorf("%s: line %d: %w", c.name, i+2, err)
	}
	return rowTo(dst, line, c.names, c.name, i+2)
}

// ColumnTo implements Source. It panics if k is out of range or dst has another length.
func (c *CSV) ColumnTo(dst []float64, k int) error {
	if k < 0 || k >= len(c.names) {
		panic("replay: column out of range")
	}
	if len(dst) != c.rows {
		panic("replay: length mismatch")
	}
	if c.rows == 0 {
		return nil
	}
	from := c.places[0]
	in := bufio.NewReaderSize(io.NewSectionReader(c.r, from, c.size-from), 1<<20)
	for i := range dst {
		field, last, err := fieldOf(in, k)
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", c.name, i+2, err)
		}
		if dst[i], err = strconv.ParseFloat(string(field), 64); err != nil {
			return fmt.Errorf("%s: line %d, column %s: %s is no number", c.name, i+2, fault.Name(c.names[k]), fault.Name(string(field)))
		}
		if !last {
			if err := skipLine(in); err != nil {
				return fmt.Errorf("%s: line %d: %w", c.name, i+2, err)
			}
		}
	}
	return nil
}

// fieldOf reads a line up to the end of field k and returns that field. last tells that it was the last field, so that in is at the next
// line.
func fieldOf(in *bufio.Reader, k int) (field []byte, last bool, err error) {
	for n := 0; ; {
		b, err := in.ReadByte()
		switch {
		case err != nil:
			return nil, false, err
		case b == '\n' && n < k:
			return nil, true, fmt.Errorf("%d fields, fewer than names of columns", n+1)
		case b == '\n':
			return bytes.TrimSuffix(field, []byte{'\r'}), true, nil
		case b == ',' && n == k:
			return field, false, nil
		case b == ',':
			n++
		case n == k:
			if field = append(field, b); len(field) > 64 {
				return nil, false, fmt.Errorf("a field is no number")
			}
		}
	}
}

// skipLine reads to the end of a line.
func skipLine(in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
