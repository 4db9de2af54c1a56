package check

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// update is the flag -update.
var update = flag.Bool("update", false, "rewrite the golden files that differ")

// Golden compares got with the file testdata/name of the package under test,
// byte for byte but for line ends. With -update a file that differs is written.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	golden(t, name, got, textDiff)
}

// GoldenNumbers is Golden with the numbers in the text compared by tolerance,
// |got − want| ≤ tol·max(|want|, scale); the text between them and their count
// must agree exactly. Digits inside a word are text.
func GoldenNumbers(t testing.TB, name string, got []byte, tol, scale float64) {
	t.Helper()
	golden(t, name, got, func(want, got []byte) error { return numberDiff(want, got, tol, scale) })
}

// golden compares got with testdata/name by diff, which returns an error if they differ. It fails the test then or, with
// -update, writes got to the file.
func golden(t testing.TB, name string, got []byte, diff func(want, got []byte) error) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	want, err := os.ReadFile(path)
	if err == nil {
		err = diff(normal(want), normal(got))
	}
	switch {
	case err == nil:
	case *update && (!isPathError(err) || errors.Is(err, fs.ErrNotExist)):
		if err := write(path, got); err != nil {
			t.Errorf("golden file: %v", err)
		}
	default:
		t.Errorf("golden file %s: %v (-update rewrites it)", name, err)
	}
}

// isPathError reports whether err comes from the file system.
func isPathError(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}

// write writes a file, and makes its folder if there is none.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// normal returns b with line ends \r\n replaced by \n.
func normal(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

// textDiff returns nil if the texts are equal, and otherwise an error with the first line that differs.
func textDiff(want, got []byte) error {
	if bytes.Equal(want, got) {
		return nil
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Errorf("line %d is %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Errorf("%d lines, want %d", len(g), len(w))
}

// number matches a decimal number that is not part of a word. Its first
// group is the character before the number, or empty at the begin of the text; its second group is the number.
var number = regexp.MustCompile(`(^|[^\w.])([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\b`)

// numberDiff returns an error if the texts around the numbers differ, or if a number is out of
// tolerance. See GoldenNumbers.
func numberDiff(want, got []byte, tol, scale float64) error {
	wt, wn := split(want)
	gt, gn := split(got)
	if err := textDiff(wt, gt); err != nil {
		return fmt.Errorf("with # for numbers, %w", err)
	}
	for i, w := range wn {
		x, errX := strconv.ParseFloat(w, 64)
		y, errY := strconv.ParseFloat(gn[i], 64)
		if errX != nil || errY != nil || !within(y, x, tol, math.Max(math.Abs(x), scale)) {
			return fmt.Errorf("number %d is %s, want %s within %g", i+1, gn[i], w, tol)
		}
	}
	return nil
}

// split returns the text with # in place of its numbers, and the numbers.
func split(b []byte) (text []byte, numbers []string) {
	at := 0
	for _, m := range number.FindAllSubmatchIndex(b, -1) {
		text = append(append(text, b[at:m[4]]...), '#')
		numbers = append(numbers, string(b[m[4]:m[5]]))
		at = m[5]
	}
	return append(text, b[at:]...), numbers
}
