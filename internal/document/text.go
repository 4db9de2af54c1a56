package document

import (
	"strconv"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/fault"
)

// shortLen is the length, in bytes, beyond which texts are cut in messages.
const shortLen = 60

// Cut returns s without the bytes after shortLen, cut between runes.
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

// Quote is fault.Name for the beginning of a text that is not a string yet.
func Quote(s []byte) string { return fault.Name(string(s[:min(len(s), 1<<12)])) }

// Number returns x as JSON has it.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Numbers returns x as a list, cut after a few entries.
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

func appendIndex(b []byte, i int) []byte {
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, ']')
}

// isIdentifier reports whether s is a name of ASCII letters, digits and underscores that begins with no digit.
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

// Key returns path with one more key, in brackets and quotes where it is no plain name.
func Key(path, key string) string { return string(appendKey([]byte(path), key)) }

// Entry returns path with one more index.
func Entry(path string, i int) string { return string(appendIndex([]byte(path), i)) }
