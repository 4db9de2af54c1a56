package curves

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// longestLine is the largest number of bytes of a line of a table; longer lines are an error.
const longestLine = 4096

// ErrTable is wrapped by errors about the text of a table.
var ErrTable = errors.New("joints/curves: not a table of points")

// ReadTable reads the points of a spline from a text, a point a line: numbers with commas, semicolons, tabs or blanks between them. Lines
// that are blank or begin with # are ignored, and so are byte order marks. The first line may name the columns: x and y, and z
// and u if they are present. Without names, lines are x y, x y z or u x y z. The parameters are nil if there is no u. The table of a
// closed spline with u ends with the first point again; only the u of that line is kept.
//
// Units: m; u as the curve defines it. Cost: O(bytes).
// It returns the errors of r, and errors that wrap ErrTable and name the line.
func ReadTable(r io.Reader, closed bool) (points []spatial.Vec3, parameters []float64, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, longestLine), longestLine)
	points = []spatial.Vec3{}
	var columns []int // of x, y, z and u; −1: none
	width := 0
	for line := 1; in.Scan(); line++ {
		wrong := func(format string, args ...any) error {
			return fmt.Errorf("%w: line %d: %s", ErrTable, line, fmt.Sprintf(format, args...))
		}
		text := strings.TrimSpace(strings.TrimPrefix(in.Text(), byteOrder))
		if text == "" || text[0] == '#' {
			continue
		}
		words, whole := wordsOf(text)
		if !whole {
			return nil, nil, wrong("has an empty field: %s", fault.Name(text))
		}
		if columns == nil {
			named := false
			if columns, named = columnsOf(words); columns == nil {
				return nil, nil, wrong("is neither 2 to 4 numbers nor the names of columns, x and y, and z and u: %s", fault.Name(text))
			}
			if width = len(words); named {
				continue
			}
		}
		if len(words) != width {
			return nil, nil, wrong("has %d numbers, the others have %d", len(words), width)
		}
		var v [4]float64
		for k, at := range columns {
			if at >= 0 {
				if v[k], err = strconv.ParseFloat(words[at], 64); err != nil || !algebra.Finite(v[k]) {
					return nil, nil, wrong("%s is no finite number", fault.Name(words[at]))
				}
			}
		}
		if len(points) > MaxPoints {
			return nil, nil, wrong("more than %d points", MaxPoints)
		}
		points = append(points, spatial.Vec3(v[:3]))
		if columns[3] >= 0 {
			parameters = append(parameters, v[3])
		}
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, nil, fmt.Errorf("%w: a line of more than %d bytes", ErrTable, longestLine)
	} else if err != nil {
		return nil, nil, err
	}
	if n := len(points) - 1; closed && parameters != nil {
		if points[n] != points[0] {
			return nil, nil, fmt.Errorf("%w: the curve is closed, and the last line is not the first point again", ErrTable)
		}
		points = points[:n]
	}
	return points, parameters, nil
}

// byteOrder is the byte order mark with which some programs begin a text.
const byteOrder = "\ufeff"

// wordsOf splits a line at blanks, commas and semicolons. whole is false, and words is nil, if a field before a comma or a semicolon
// is empty.
func wordsOf(text string) (words []string, whole bool) {
	for rest, more := text, true; more; {
		var part string
		at := strings.IndexAny(rest, ",;")
		if more = at >= 0; more {
			part, rest = rest[:at], rest[at+1:]
		} else {
			part = rest
		}
		found := strings.Fields(part)
		if more && len(found) == 0 {
			return nil, false
		}
		words = append(words, found...)
	}
	return words, true
}

// columnsOf returns the columns of x, y, z and u of a table whose first line is words; a missing column is −1. named tells whether
// the line holds names. columns is nil if the line holds neither valid names nor 2 to 4 numbers.
func columnsOf(words []string) (columns []int, named bool) {
	if len(words) == 0 {
		return nil, false
	}
	if _, err := strconv.ParseFloat(words[0], 64); err == nil {
		switch len(words) {
		case 2:
			return []int{0, 1, -1, -1}, false
		case 3:
			return []int{0, 1, 2, -1}, false
		case 4:
			return []int{1, 2, 3, 0}, false
		}
		return nil, false
	}
	for _, name := range []string{"x", "y", "z", "u"} {
		columns = append(columns, slices.Index(words, name))
	}
	known := 0
	for _, at := range columns {
		if at >= 0 {
			known++
		}
	}
	if columns[0] < 0 || columns[1] < 0 || known != len(words) {
		return nil, false
	}
	return columns, true
}
