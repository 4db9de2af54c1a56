package document

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// token consumes the next token and returns its text, which is valid until the next call. After an error it returns nil, and s.err
// is set.
func (s *scanner) token() []byte {
	kind := s.peek()
	if kind == 0 {
		return nil
	}
	top := &s.levels[len(s.levels)-1]
	key := top.of == '{' && top.n&1 == 0
	if key && kind != '"' && kind != '}' {
		s.wrong(s.at, false, "object member name must be a string")
		return nil
	}
	n := 1
	switch kind {
	case '{', '[':
		if len(s.levels) > maxDepth {
			s.wrong(s.at, true, "exceeded max depth")
			return nil
		}
		top.n++
		s.push(kind)
	case '}', ']':
		if text := misplaced(kind, top); text != "" {
			s.wrong(s.at, true, text)
			return nil
		}
		s.levels = s.levels[:len(s.levels)-1]
	default:
		if n = s.scalar(kind); n < 0 {
			return nil
		}
		if key {
			top.key = append(top.key[:0], s.buf[s.at:s.at+n]...)
		}
		top.n++
	}
	text := s.buf[s.at : s.at+n]
	s.at += n
	s.last, s.kind = s.at, 0
	return text
}

// misplaced returns the message if an object or list cannot end here, and nothing if it can. kind is the closing character.
func misplaced(kind byte, top *level) string {
	switch {
	case top.of != kind-2:
		return "mismatching structural token for object or array"
	case kind == '}' && top.n&1 == 1:
		return "missing value after object name"
	}
	return ""
}

// push enters an object or list. It reuses the memory for keys of an earlier level.
func (s *scanner) push(kind byte) {
	n := len(s.levels)
	if n < cap(s.levels) {
		s.levels = s.levels[:n+1]
		s.levels[n].of, s.levels[n].n = kind, 0
		return
	}
	s.levels = append(s.levels, level{of: kind})
}

// skip consumes the next value, with all values in it.
func (s *scanner) skip() {
	depth := len(s.levels)
	for s.token() != nil && len(s.levels) > depth {
	}
}

// scalar returns the length in bytes of the string, number or word that comes next. After an error it returns −1, and s.err is set.
func (s *scanner) scalar(kind byte) int {
	for {
		b := s.buf[s.at:]
		var n int
		var text string
		switch kind {
		case '"':
			n, text = stringEnd(b)
		case '0':
			if n, text = numberEnd(b); n == len(b) && !s.ended {
				n = -1 // there may be more digits
			}
		case 't':
			n, text = wordEnd(b, "true")
		case 'f':
			n, text = wordEnd(b, "false")
		default:
			n, text = wordEnd(b, "null")
		}
		switch {
		case text != "":
			s.wrong(s.at+n, true, text)
			return -1
		case n >= 0:
			return n
		}
		if !s.more() && s.err == nil {
			if kind == '0' {
				if n, text = numberEnd(s.buf[s.at:]); n >= 0 && text == "" {
					return n
				}
			}
			s.early(true)
		}
		if s.err != nil {
			s.kind = 0
			return -1
		}
	}
}

// invalid returns the message about an invalid character at the head of b; where describes the place.
func invalid(b []byte, where string) string {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf(`invalid character '\x%02x' %s`, b[0], where)
	}
	return "invalid character " + strconv.QuoteRune(r) + " " + where
}

// wordEnd returns the length of the word at the head of b and no text. If b ends within the word, it returns −1 and no text. If b has
// another character, it returns its index and the message about it.
func wordEnd(b []byte, word string) (n int, text string) {
	for n = range len(word) {
		if n == len(b) {
			return -1, ""
		}
		if b[n] != word[n] {
			return n, invalid(b[n:], "in literal "+word+" (expecting "+strconv.QuoteRune(rune(word[n]))+")")
		}
	}
	return len(word), ""
}

// numberEnd is wordEnd for numbers. If a number ends with b, it returns len(b), although more digits may follow.
func numberEnd(b []byte) (n int, text string) {
	if b[0] == '-' {
		n = 1
	}
	from := n
	if n < len(b) && b[n] == '0' {
		n++
	} else {
		n = digitsEnd(b, n)
	}
	if n > from && n < len(b) && b[n] == '.' {
		from = n + 1
		n = digitsEnd(b, from)
	}
	if n > from && n < len(b) && b[n]|' ' == 'e' {
		if n++; n < len(b) && (b[n] == '+' || b[n] == '-') {
			n++
		}
		from = n
		n = digitsEnd(b, n)
	}
	switch {
	case n > from:
		return n, ""
	case n == len(b):
		return -1, ""
	}
	return n, invalid(b[n:], "in number (expecting digit)")
}

// digitsEnd returns the index behind the digits of b from index n on.
func digitsEnd(b []byte, n int) int {
	for i, c := range b[n:] {
		if c-'0' > 9 {
			return n + i
		}
	}
	return len(b)
}

// stringEnd is wordEnd for strings.
func stringEnd(b []byte) (n int, text string) {
	for n = 1; n < len(b); {
		for n < len(b) && plain(b[n]) {
			n++
		}
		if n == len(b) {
			break
		}
		switch c := b[n]; {
		case c == '"':
			return n + 1, ""
		case c == '\\':
			m, text := escapeEnd(b[n:])
			if text != "" {
				return n, text
			}
			if m < 0 {
				return -1, ""
			}
			n += m
		case c < ' ':
			return n, invalid(b[n:], "in string (expecting non-control character)")
		default:
			r, m := utf8.DecodeRune(b[n:])
			if r == utf8.RuneError && m == 1 {
				if !utf8.FullRune(b[n:]) {
					return -1, ""
				}
				return n, "invalid UTF-8"
			}
			n += m
		}
	}
	return -1, ""
}

// plain reports whether c is a character of one byte that stands for itself in a string.
func plain(c byte) bool { return c != '"' && c != '\\' && c-' ' < utf8.RuneSelf-' ' }

// escapeEnd returns the length of the escape sequence at the head of b, or −1 if b ends within it. The text is the message about
// an invalid sequence, and empty otherwise.
func escapeEnd(b []byte) (n int, text string) {
	if len(b) < 2 {
		return -1, ""
	}
	if b[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), b[1]) < 0 {
			return 0, badEscape(b[:2])
		}
		return 2, ""
	}
	if len(b) < 6 {
		return -1, ""
	}
	high, ok := hex(b)
	if !ok {
		return 0, badEscape(b[:6])
	}
	if !utf16.IsSurrogate(high) {
		return 6, ""
	}
	switch {
	case len(b) > 6 && b[6] != '\\' || len(b) > 7 && b[7] != 'u':
		return 0, badPair(b)
	case len(b) < 12:
		return -1, ""
	}
	low, ok := hex(b[6:])
	if !ok || utf16.DecodeRune(high, low) == utf8.RuneError {
		return 0, badPair(b)
	}
	return 12, ""
}

// badPair returns the message about an invalid surrogate pair at the head of b.
func badPair(b []byte) string {
	return "invalid surrogate pair " + quoted(b[:min(len(b), 12)]) + " in string"
}

// quoted returns b in back quotes if it can be, and otherwise in double quotes with escapes.
func quoted(b []byte) string {
	if s := string(b); strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(string(b))
}

// badEscape returns the message about the invalid escape sequence b.
func badEscape(b []byte) string {
	return "invalid escape sequence " + quoted(b) + " in string"
}

// hex returns the number of an escape sequence such as \u00e4 at the head of b, and false if its digits are not hexadecimal.
func hex(b []byte) (rune, bool) {
	x, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(x), err == nil
}

// appendUnquoted appends the text of a JSON string to dst, without quotes and escapes. text is a token that the scanner has checked.
func appendUnquoted(dst, text []byte) []byte {
	text = text[1 : len(text)-1]
	for len(text) > 0 {
		k := bytes.IndexByte(text, '\\')
		if k < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:k]...)
		text = text[k:]
		n := 2
		switch text[1] {
		case 'u':
			r, _ := hex(text)
			if n = 6; utf16.IsSurrogate(r) {
				low, _ := hex(text[6:])
				r, n = utf16.DecodeRune(r, low), 12
			}
			dst = utf8.AppendRune(dst, r)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		default:
			dst = append(dst, text[1])
		}
		text = text[n:]
	}
	return dst
}
