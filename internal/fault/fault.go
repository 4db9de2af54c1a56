package fault

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longest is the largest number of characters of a name that is not cut in messages.
const longest = 60

// Name returns a name in the form for messages: in quotes, on one line, and cut if it is long.
// Control characters and others that cannot be printed are written as escapes. A long name keeps its beginning
// and its end, where numbers often are.
//
// Cost: O(length of the result); allocates.
func Name(s string) string { return strconv.Quote(cut(s, longest)) }

// Text returns a name in the form for tables, cut to the given number of columns. It is in quotes only
// if it has a character that cannot be printed, or blanks at an end.
func Text(s string, columns int) string {
	s = cut(s, max(columns, 1))
	if !printable(s) || strings.TrimSpace(s) != s {
		s = cut(strconv.Quote(s), columns)
	}
	return s
}

// List returns names in the form for messages, separated by commas. After the first twelve it gives only the number of the others.
func List(names []string) string {
	const most = 12
	var b strings.Builder
	for i, name := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Text(name, longest))
	}
	return b.String()
}

// Entry returns the name of entry i of a field with n entries: FIELD[i], or FIELD if n is 1.
func Entry(field string, i, n int) string {
	if n == 1 {
		return field
	}
	return fmt.Sprintf("%s[%d]", field, i)
}

// Enum returns names[x]. If x has no name, it returns the name of the type, of, with the number x in brackets.
func Enum[T ~uint8](names []string, x T, of string) string {
	if int(x) >= len(names) {
		return fmt.Sprintf("%s(%d)", of, x)
	}
	return names[x]
}

// Line returns s with every character that cannot be printed, such as a line end, written as an
// escape.
func Line(s string) string {
	if printable(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || !strconv.IsPrint(r) {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Escape returns a name in the form for files with a name per line: Line with backslashes doubled, so different names
// stay different.
func Escape(s string) string { return Line(strings.ReplaceAll(s, `\`, `\\`)) }

// printable reports whether s is valid UTF-8 and all its characters can be printed.
func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// cut returns s if it has at most n characters. Otherwise it returns its beginning and its end with an ellipsis between them, n
// characters in all.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s[:min(len(s), utf8.UTFMax*n+1)]) <= n && len(s) <= utf8.UTFMax*n {
		return s
	}
	tail := n / 2
	lo, hi := 0, len(s)
	for range n - tail - 1 {
		_, w := utf8.DecodeRuneInString(s[lo:])
		lo += w
	}
	for range tail {
		_, w := utf8.DecodeLastRuneInString(s[:hi])
		hi -= w
	}
	return s[:lo] + "…" + s[hi:]
}

// prefixes are the names of packages with which their errors begin.
var prefixes = [...]string{
	"rung", "assemble", "assembly", "batch", "bench/growth", "bench", "bodies", "build", "closing", "dist", "dist/mpi", "dist/mumps", "eigen", "factor", "formats", "formats/asmt",
	"formats/mesh", "formats/sdf", "formats/source", "formats/tables",
	"derive", "derive/adjoint", "derive/directions", "derive/follow", "derive/internal/chain", "derive/learn", "derive/objective", "derive/search", "door", "door/answers", "door/fmu", "numbers", "formats/mjcf", "formats/usd", "formats/urdf", "xmltree", "ground", "ground/contact", "ik", "ik/fik", "ik/taskfile", "joints", "joints/curves", "kkt", "linear", "mechanism", "mobility", "model", "motion", "motion/runs", "order", "results",
	"live", "sim", "sim/parquet", "sparse", "spatial", "springs", "study", "study/sweep", "study/table", "tree",
}

// Errorf is fmt.Errorf, but errors among args lose the prefix of their package, so that a chain of
// errors has only one prefix. If the format begins with %w, the first argument keeps its prefix.
func Errorf(format string, args ...any) error {
	head := strings.HasPrefix(format, "%w")
	for i, a := range args {
		if err, ok := a.(error); ok && !(head && i == 0) {
			args[i] = Plain(err)
		}
	}
	return fmt.Errorf(format, args...)
}

// Plain returns an error that wraps err and whose text does not begin with the name of its package. If err is or wraps joined errors,
// no line of the text does. It returns err if nothing has to be removed.
func Plain(err error) error {
	text := err.Error()
	lines := []string{text}
	if list := (interface{ Unwrap() []error })(nil); errors.As(err, &list) {
		lines = strings.Split(text, "\n")
	}
	for i, line := range lines {
		if p, rest, ok := strings.Cut(line, ": "); ok && slices.Contains(prefixes[:], p) {
			lines[i] = rest
		}
	}
	if rest := strings.Join(lines, "\n"); rest != text {
		return &plain{rest, err}
	}
	return err
}

// plain wraps an error and has another text.
type plain struct {
	text string
	err  error
}

func (e *plain) Error() string { return e.text }
func (e *plain) Unwrap() error { return e.err }
