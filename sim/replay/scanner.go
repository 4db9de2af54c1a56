package replay

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
)

// Scanner reads the rows of a CSV trajectory one after the other from any reader, such as a pipe from a running simulation.
// CSV reads rows in any order.
type Scanner struct {
	in    *bufio.Reader
	name  string
	names []string
	line  []byte
	row   []float64
	count int
	err   error
}

// NewScanner reads the names of the columns; name is the name of the trajectory in messages.
//
// It returns errors of reading, and an error for a first line that is no list of different names.
func NewScanner(r io.Reader, name string) (*Scanner, error) {
	s := &Scanner{in: bufio.NewReaderSize(r, 1<<16), name: name}
	var err error
	if s.names, _, err = readNames(s.in, name); err != nil {
		return nil, err
	}
	s.row = make([]float64, len(s.names))
	return s, nil
}

// Names returns the names of the columns. The list must not be changed.
func (s *Scanner) Names() []string { return s.names }

// Scan reads the next row, and reports whether there is one. A last line without an end of line, such as a killed run
// leaves, does not count.
//
// Cost: O(columns), no allocation.
func (s *Scanner) Scan() bool {
	if s.err != nil {
		return false
	}
	if s.line, s.err = readLine(s.in, s.line[:0]); s.err == nil {
		s.err = rowTo(s.row, s.line, s.names, s.name, s.count+2)
		s.count++
	} else if !errors.Is(s.err, io.EOF) {
		s.err = fmt.Errorf("%s: line %d: %w", s.name, s.count+2, s.err)
	}
	return s.err == nil
}

// Row returns the numbers of the last row, one for each column. The next Scan overwrites them.
func (s *Scanner) Row() []float64 { return s.row }

// Err returns the error that ended the rows: an error of reading, or an error that names line and column of a field that is no number.
// It is nil at the end of the trajectory.
func (s *Scanner) Err() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// readLine appends to line the rest of the current line, with its end. It returns io.EOF for a line without an end, and an error for one
// of more than maxLine bytes.
func readLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		case len(line) >= maxLine:
			return line, fmt.Errorf("more than %d bytes", maxLine)
		}
	}
}

// readNames reads the names of the columns from the first line, which has n bytes. It returns an error if names repeat.
func readNames(in *bufio.Reader, name string) (names []string, n int, err error) {
	line, err := readLine(in, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: no line of column names", name)
	}
	if names, err = csv.NewReader(bytes.NewReader(line)).Read(); err != nil {
		return nil, 0, fmt.Errorf("%s: line 1: no names of columns: %w", name, err)
	}
	seen := make(map[string]bool, len(names))
	for i, n := range names {
		if seen[n] {
			return nil, 0, fmt.Errorf("%s: line 1: column %d repeats the name %s", name, i+1, fault.Name(n))
		}
		seen[n] = true
	}
	return names, len(line), nil
}

// rowTo stores in dst the numbers of a line. names, name and number (of the line) are for messages.
func rowTo(dst []float64, line []byte, names []string, name string, number int) error {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
	for k := range dst {
		field, rest, more := bytes.Cut(line, []byte{','})
		if more != (k < len(dst)-1) {
			return fmt.Errorf("%s: line %d: not %d fields", name, number, len(dst))
		}
		x, err := strconv.ParseFloat(string(field), 64)
		if err != nil {
			return fmt.Errorf("%s: line %d, column %s: %s is no number", name, number, fault.Name(names[k]), fault.Name(string(field)))
		}
		dst[k], line = x, rest
	}
	return nil
}
