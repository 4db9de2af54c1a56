package sparse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
)

// ErrNotFinite is returned when a value to be written is infinite or not a
// number.
var ErrNotFinite = errors.New("sparse: value is not finite")

// WriteMatrixMarket writes m in the order of its pattern; see
// View.WriteMatrixMarket.
func (m *Matrix) WriteMatrixMarket(w io.Writer, comments ...string) error {
	return m.View(nil).WriteMatrixMarket(w, comments...)
}

// WriteMatrixMarket writes the reordered matrix in the MatrixMarket exchange
// format, "coordinate real symmetric": the lower triangle by columns, rows
// increasing, indices from 1. Entries that are exactly zero are left out.
// Values have 17 significant digits and read back exactly. Each line of the
// comments becomes a comment line of the file.
//
// Cost: O(stored values).
// It returns ErrNotFinite, wrapped with the entry, before anything is written,
// or the error of w.
func (v *View) WriteMatrixMarket(w io.Writer, comments ...string) error {
	nz := 0
	var err error
	v.Entries(nil, func(i, j int, x float64) {
		switch {
		case !algebra.Finite(x) && err == nil:
			err = fmt.Errorf("%w: entry (%d, %d) is %v", ErrNotFinite, i+1, j+1, x)
		case i >= j && x != 0:
			nz++
		}
	})
	if err != nil {
		return err
	}
	n := v.m.Pattern.Dim()
	b := bufio.NewWriter(w)
	writeBanner(b, "coordinate real symmetric", comments)
	fmt.Fprintf(b, "%d %d %d\n", n, n, nz)
	var line []byte
	v.Entries(nil, func(i, j int, x float64) {
		if i < j || x == 0 {
			return
		}
		line = strconv.AppendInt(line[:0], int64(i+1), 10)
		line = strconv.AppendInt(append(line, ' '), int64(j+1), 10)
		line = append(appendNumber(append(line, ' '), x), '\n')
		b.Write(line)
	})
	return flush(b)
}

// WriteVector writes v as a MatrixMarket "array real general" of one column,
// zeros included, 17 significant digits.
//
// It returns ErrNotFinite, wrapped with the entry, before anything is written,
// or the error of w.
func WriteVector(w io.Writer, v []float64, comments ...string) error {
	for i, x := range v {
		if !algebra.Finite(x) {
			return fmt.Errorf("%w: entry %d is %v", ErrNotFinite, i+1, x)
		}
	}
	b := bufio.NewWriter(w)
	writeBanner(b, "array real general", comments)
	fmt.Fprintf(b, "%d 1\n", len(v))
	var line []byte
	for _, x := range v {
		line = append(appendNumber(line[:0], x), '\n')
		b.Write(line)
	}
	return flush(b)
}

// writeBanner writes the type line of a MatrixMarket file and its comments.
func writeBanner(b *bufio.Writer, kind string, comments []string) {
	fmt.Fprintf(b, "%%%%MatrixMarket matrix %s\n", kind)
	for _, c := range comments {
		for line := range strings.Lines(c) {
			fmt.Fprintf(b, "%% %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
}

// flush returns the first error of the writes to b; bufio keeps it.
func flush(b *bufio.Writer) error {
	if err := b.Flush(); err != nil {
		return fmt.Errorf("sparse: %w", err)
	}
	return nil
}

// appendNumber appends x with 17 significant digits.
func appendNumber(dst []byte, x float64) []byte {
	return strconv.AppendFloat(dst, x, 'g', 17, 64)
}
