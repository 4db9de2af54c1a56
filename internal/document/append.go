package document

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendNumber appends the finite number x with the fewest digits that read back as x. The form is as in JavaScript: magnitudes
// below 1e-6 and from 1e21 on have an exponent.
func AppendNumber(b []byte, x float64) []byte {
	if size := math.Abs(x); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(b, x, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, x, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-07
		b = append(b[:n-2], b[n-1])
	}
	return b
}

// AppendText appends s as a string of JSON. A byte that is not valid UTF-8 becomes U+FFFD.
func AppendText(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ':
			b = utf8.AppendRune(b, r)
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, digits[r>>4], digits[r&15])
		}
	}
	return append(b, '"')
}
