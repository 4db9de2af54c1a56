package document

import (
	"strconv"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/fault"
)

// shortLen is the length, in bytes, beyond which texts are cut in messages.
const shortLen = 60

// Cut returns s if it has at most shortLen bytes. Otherwise it returns the first shortLen bytes, or fewer to end between runes,
// and an ellipsis.
func Cut(s string) string {
	if len(s) <= shortLen {
		return s
	}
	n := shortLen
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Quote returns fault.Name for the first 4096 bytes of s.
func Quote(s []byte) string { return fault.Name(string(s[:min(len(s), 1<<12)])) }

// Number returns x as a number of JSON, with the fewest digits that read back as x.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Numbers returns x as a list in brackets. After eight entries an ellipsis follows.
func Numbers(x []float64) string {
	const most = 8
	b := []byte{'['}
	for i, v := range x {
		if i > 0 {
			b = append(b, ", "...)
		}
		if i == most {
			b = append(b, "…"...)
			break
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return string(append(b, ']'))
}

// appendKey appends one step of a JSON path: .key, or ["key"] if key is not an
// identifier.
func appendKey(b []byte, key string) []byte {
	if isIdentifier(key) && len(key) <= shortLen {
		return append(append(b, '.'), key...)
	}
	b = append(b, '[')
	b = strconv.AppendQuote(b, Cut(key))
	return append(b, ']')
}

// appendIndex appends the step of a JSON path to entry i of a list.
func appendIndex(b []byte, i int) []byte {
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, ']')
}

// isIdentifier reports whether s is a nonempty name of ASCII letters, digits and underscores that does not begin with a digit.
func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// Key returns path with one more key. A key that is no identifier is in brackets and quotes.
func Key(path, key string) string { return string(appendKey([]byte(path), key)) }

// Entry returns path with one more index.
func Entry(path string, i int) string { return string(appendIndex([]byte(path), i)) }
