package timetable

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// Time is the name of the column of times, in seconds.
const Time = "time"

// byteOrder is the byte order mark that some programs write in front of a text in UTF-8.
const byteOrder = "\ufeff"

// Fault is an error in a cell.
type Fault struct {
	Line, Column int    // in the file, from 1
	Value        string // text of the cell, quoted; empty if the cell is empty
	Rule         string // the broken rule, such as "is not a finite number"
}

// Error returns the message with the place, the value and the rule.
func (f *Fault) Error() string {
	if f.Value == "" {
		return f.Where() + f.Rule
	}
	return f.Where() + f.Value + " " + f.Rule
}

// Where returns the place in words, followed by a colon and a blank.
func (f *Fault) Where() string { return fmt.Sprintf("line %d, column %d: ", f.Line, f.Column) }

// Reader reads the lines of a file.
type Reader struct {
	Names []string // names of the columns
	rows  *csv.Reader
	cells []string // cells of the present line
	last  float64  // last time returned by After
	begun bool     // After has returned a time
}

// NewReader reads the line of names.
//
// It returns errors of r, and an error for a file without such a line or with another separator than the comma.
func NewReader(r io.Reader) (*Reader, error) {
	text := bufio.NewReader(r)
	if b, _ := text.Peek(len(byteOrder)); string(b) == byteOrder {
		_, _ = text.Discard(len(b)) // cannot fail after Peek
	}
	t := &Reader{rows: csv.NewReader(text)}
	t.rows.Comment, t.rows.ReuseRecord, t.rows.TrimLeadingSpace = '#', true, true
	switch err := t.Next(); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty: it has no line of names")
	case err != nil:
		return nil, err
	}
	t.Names = slices.Clone(t.cells)
	if len(t.Names) == 1 && strings.ContainsAny(t.Names[0], ";\t") {
		return nil, t.Fault(0, "is one column: columns are parted by commas")
	}
	return t, nil
}

// Next reads the next line. It returns io.EOF after the last line.
func (t *Reader) Next() error {
	row, err := t.rows.Read()
	if err != nil {
		return fault.Plain(err)
	}
	for c := range row {
		row[c] = strings.TrimSpace(row[c])
	}
	t.cells = row
	return nil
}

// Fault returns the error that cell c of the present line breaks a rule.
func (t *Reader) Fault(c int, rule string) *Fault {
	line, column := t.rows.FieldPos(c)
	f := &Fault{Line: line, Column: column, Rule: rule}
	if t.cells[c] != "" {
		f.Value = fault.Name(t.cells[c])
	}
	return f
}

// Column returns the index of the column with this name. It returns an error unless there is exactly one.
func (t *Reader) Column(name string) (int, error) {
	c := slices.Index(t.Names, name)
	if c < 0 {
		return 0, fmt.Errorf("the file has no column %s%s", fault.Name(name), fault.Meant(name, t.Names...))
	}
	if slices.Contains(t.Names[c+1:], name) {
		return 0, fmt.Errorf("the file has two columns %s", fault.Name(name))
	}
	return c, nil
}

// Line returns the number of the present line in the file.
func (t *Reader) Line() int {
	line, _ := t.rows.FieldPos(0)
	return line
}

// Empty reports whether cell c of the present line is empty.
func (t *Reader) Empty(c int) bool { return t.cells[c] == "" }

// Number returns the number in cell c of the present line.
func (t *Reader) Number(c int) (float64, error) {
	x, err := strconv.ParseFloat(t.cells[c], 64)
	if err != nil || !algebra.Finite(x) || strings.ContainsAny(t.cells[c], "xX_") { // Go also allows hexadecimal digits and underscores
		return 0, t.Fault(c, "is not a finite number")
	}
	return x, nil
}

// After returns the time in cell c of the present line. It returns an error unless the time is later than the last time that it has
// returned.
func (t *Reader) After(c int) (float64, error) {
	x, err := t.Number(c)
	if err != nil {
		return 0, err
	}
	if t.begun && !(x > t.last) {
		return 0, t.Fault(c, "is not after the time before it, "+document.Number(t.last))
	}
	t.begun, t.last = true, x
	return x, nil
}
