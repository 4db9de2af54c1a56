package beside

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/replace"
)

// Around returns the text of a page before its tables, up to the line begin, and after them, from the line end on. It returns an
// error if a line is missing.
func Around(page, begin, end string) (before, after string, err error) {
	b, err := os.ReadFile(page)
	if err != nil {
		return "", "", err
	}
	before, rest, ok := strings.Cut(string(b), begin+"\n")
	_, after, closed := strings.Cut(rest, end+"\n")
	if !ok || !closed {
		return "", "", fmt.Errorf("%s: there are no lines %s and %s", page, begin, end)
	}
	return before + begin + "\n", end + "\n" + after, nil
}

// Put replaces the file at path by text; the file is never half written.
func Put(path, text string) error {
	return replace.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// WriteRecord replaces the file at path by the record r as JSON; the file is never half written.
func WriteRecord(path string, r any) error {
	return replace.Write(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	})
}

// ReadRecord reads the record at path with decode, and adds the path to its error.
func ReadRecord[R any](path string, decode func(in io.Reader) (*R, error)) (*R, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// DecodeRecord reads a record as JSON into r. A member that r does not have is an error.
func DecodeRecord(r any, in io.Reader) error {
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	return d.Decode(r)
}

// IsFormat returns an error unless the format of a record, got, is the one wanted.
func IsFormat(got, want string) error {
	if got != want {
		return fmt.Errorf("format: %q is not %q", got, want)
	}
	return nil
}

// Number returns x with the fewest digits that read back to the same value.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Short returns x with three significant digits.
func Short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// Power returns x with one digit and a power of ten, such as "3e-12".
func Power(x float64) string {
	if x == 0 {
		return "0"
	}
	digit, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 0, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return digit + "e" + strconv.Itoa(n)
}

// Plain returns x, which must be positive, with three significant digits or more, and without a power of ten.
func Plain(x float64) string {
	digits := max(0, 2-int(math.Floor(math.Log10(x))))
	return strconv.FormatFloat(x, 'f', digits, 64)
}
