package ground

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
)

// longest is the number of bytes from which on a word is no number.
const longest = 512

// table reads the numbers of a text, line by line.
type table struct {
	in        *bufio.Reader
	problems  *Problems
	at        int  // number of the line that was read last, from 1
	column    int  // column of the byte that was read last, from 1
	separator byte // the comma or semicolon between numbers; 0 before the first one
	mixed     bool // both marks have been found, and the problem has been added
	token     []byte
}

func newTable(r io.Reader, p *Problems) *table {
	return &table{in: bufio.NewReaderSize(r, 1<<16), problems: p, token: make([]byte, 0, longest)}
}

// line appends to v the numbers of the next line that is neither blank nor a comment. A word that is no number is added to
// the problems, and counts as 0.
//
// It returns io.EOF if there is no such line, and errors of reading.
func (t *table) line(v []float64) ([]float64, error) {
	for {
		n := len(v)
		t.at++
		t.column = 0
		w, end, err := t.numbers(v)
		if err != nil {
			return w, err
		}
		if v = w; len(v) > n {
			return v, nil
		}
		if end {
			return v, io.EOF
		}
	}
}

// numbers appends to v the numbers of the next line. end tells whether the file ends with the line.
func (t *table) numbers(v []float64) (_ []float64, end bool, err error) {
	wanted := false // whether a number has to follow the last mark
	for {
		b, end, err := t.skip()
		if err != nil {
			return v, end, err
		}
		switch {
		case end || b == '\n':
			if wanted {
				t.problems.add(t.at, t.column, "the line ends where a number should stand")
				v = append(v, 0)
			}
			return v, end, nil
		case b == ',' || b == ';':
			t.same(b)
			t.problems.add(t.at, t.column, "no number before the mark (value %q)", b)
			v, wanted = append(v, 0), true
		case b == '#' && t.column == 1:
			return v, false, t.drop()
		default:
			var x float64
			if x, wanted, err = t.number(b); err != nil {
				return v, false, err
			}
			v = append(v, x)
		}
	}
}

// skip returns the next byte that is no blank. end tells that there is none in the file.
func (t *table) skip() (b byte, end bool, err error) {
	for {
		b, err := t.in.ReadByte()
		t.column++
		if err == io.EOF {
			return 0, true, nil
		}
		if err != nil || !blank(b) {
			return b, false, err
		}
	}
}

// drop reads the rest of a line.
func (t *table) drop() error {
	for {
		_, err := t.in.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			if err == io.EOF {
				err = nil // reading the next line returns it again
			}
			return err
		}
	}
}

// number reads a number that begins with b, and the mark behind it. mark tells whether there is one.
func (t *table) number(b byte) (x float64, mark bool, err error) {
	column := t.column
	t.token = append(t.token[:0], b)
	for {
		b, err = t.in.ReadByte()
		if err != nil || blank(b) || b == '\n' || b == ',' || b == ';' {
			break
		}
		t.column++
		if len(t.token) < longest {
			t.token = append(t.token, b)
		}
	}
	if err == nil {
		err = t.in.UnreadByte()
	} else if err == io.EOF {
		err = nil
	}
	if err != nil {
		return 0, false, err
	}
	if t.at == 1 && column == 1 {
		t.token = bytes.TrimPrefix(t.token, []byte("\ufeff"))
	}
	x, bad := strconv.ParseFloat(string(t.token), 64)
	// Numbers are decimal: ParseFloat also takes 0x1p4 and 1_000.
	if bad != nil || x*0 != 0 || len(t.token) == longest || bytes.ContainsAny(t.token, "_xX") {
		t.problems.add(t.at, column, "not a finite number (value %s)", fault.Name(string(t.token)))
		x = 0
	}
	mark, err = t.mark()
	return x, mark, err
}

// mark skips blanks, and reads a comma or semicolon if that comes next. It reports whether it has read one.
func (t *table) mark() (bool, error) {
	b, end, err := t.skip()
	if err != nil || end {
		return false, err
	}
	if b == ',' || b == ';' {
		t.same(b)
		return true, nil
	}
	t.column--
	return false, t.in.UnreadByte()
}

// same adds a problem if mark is not the mark between the numbers so far: 0,5;0,2 may be two numbers or four.
func (t *table) same(mark byte) {
	if t.separator == 0 {
		t.separator = mark
	}
	if mark != t.separator && !t.mixed {
		t.mixed = true
		t.problems.add(t.at, t.column, "both commas and semicolons; numbers have a point, and one of the two between them")
	}
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }
