package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// maxToken bounds the bytes of one token with the white space before it, and thus the memory of the scanner.
	maxToken = 16 << 20
	maxDepth = 10000   // largest depth of nested objects and lists
	firstBuf = 1 << 18 // largest size of the first buffer, in bytes
)

// errTokenTooLong is the error for a token beyond maxToken.
var errTokenTooLong = errors.New("a single value or gap is longer than 16 MiB")

// scanner splits a text of JSON (RFC 8259) into tokens. It returns keys and values, and checks the commas and colons between
// them. The kind of a token is its first character, and '0' for all numbers. After an error there are no more tokens.
type scanner struct {
	r     io.Reader
	buf   []byte // the part of the text in memory; it begins at the end of the last token or earlier
	at    int    // index in buf where the next token begins, or where the search for it has arrived
	last  int    // index in buf where the last token ends
	base  int64  // offset of buf in the text
	lines int    // line ends before the end of buf
	size  int64  // bytes of the whole text; 0 if unknown
	ended bool   // r is at its end

	kind   byte // kind of the next token; 0 if not yet known
	levels []level
	err    error
}

// level is an object or list that contains the next token. The first level is the document.
type level struct {
	of  byte   // '{', '[', or 0 for the document
	n   int    // number of keys and values before the next token
	key []byte // last key of an object, with its quotes
}

// syntaxError is the error for a text that is no JSON.
type syntaxError struct {
	text   string // the message
	path   string // JSON path of the place
	offset int64  // of the place in the text, in bytes
	early  bool   // the text ends too early
}

// Error returns the message without the place.
func (e *syntaxError) Error() string { return e.text }

// newScanner returns a scanner of r. Its buffer is no longer than the text if r tells its length.
func newScanner(r io.Reader) *scanner {
	s := &scanner{r: r, levels: make([]level, 1, 16)}
	switch in := r.(type) {
	case *os.File:
		if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
			s.size = info.Size()
		}
	case interface{ Len() int }:
		s.size = int64(in.Len())
	}
	first := int64(firstBuf)
	if s.size > 0 { // options of runs and batches are short, and are read often
		first = min(first-1, s.size) + 1
	}
	s.buf = make([]byte, 0, first)
	return s
}

// offset returns the offset of the end of the last token in the text, in bytes.
func (s *scanner) offset() int64 { return s.base + int64(s.last) }

// where returns the line and the offset of a place for messages. The place is at the end of the last token or behind.
func (s *scanner) where(offset int64) string {
	rest := s.buf[min(max(int(offset-s.base), 0), len(s.buf)):]
	return fmt.Sprintf("line %d, byte %d", 1+s.lines-bytes.Count(rest, []byte{'\n'}), offset)
}

// more reads more of the text into the buffer, and reports whether there is more. It first moves the text from the end of the last token
// on to the head of the buffer.
func (s *scanner) more() bool {
	if s.ended || s.err != nil {
		return false
	}
	if len(s.buf)-s.last > maxToken {
		s.err = errTokenTooLong
		return false
	}
	if s.last > 0 {
		n := copy(s.buf, s.buf[s.last:])
		s.buf, s.at, s.base, s.last = s.buf[:n], s.at-s.last, s.base+int64(s.last), 0
	}
	if len(s.buf) == cap(s.buf) {
		s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
	}
	for range 100 {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.lines += bytes.Count(s.buf[len(s.buf):len(s.buf)+n], []byte{'\n'})
		s.buf = s.buf[:len(s.buf)+n]
		if err == io.EOF {
			s.ended = true
		} else if err != nil {
			s.err = err
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// wrong ends the scanning with a syntax error at index i of the buffer. For next see path.
func (s *scanner) wrong(i int, next bool, text string) {
	s.kind = 0
	if s.err == nil {
		s.err = &syntaxError{text: text, path: s.path(next), offset: s.base + int64(i)}
	}
}

// early ends the scanning with a syntax error because the text ends. For next see path.
func (s *scanner) early(next bool) {
	s.kind = 0
	if s.err == nil {
		s.err = &syntaxError{text: io.ErrUnexpectedEOF.Error(), path: s.path(next), offset: s.base + int64(len(s.buf)), early: true}
	}
}

// path returns the JSON path of the next value if next is set, and otherwise the path of the object or list that contains it. A long
// path is cut.
func (s *scanner) path(next bool) string {
	b := []byte{'$'}
	for i := range s.levels {
		v := &s.levels[i]
		if i == len(s.levels)-1 && !(next && (v.of == '[' || v.of == '{' && v.n%2 == 1)) {
			break
		}
		if len(b) > 2*shortLen {
			return string(b) + "…"
		}
		switch v.of {
		case '[':
			n := v.n
			if i < len(s.levels)-1 {
				n-- // the value has been begun
			}
			b = appendIndex(b, n)
		case '{':
			b = appendKey(b, string(appendUnquoted(nil, v.key)))
		}
	}
	return string(b)
}

// gap skips white space and returns the next character. It returns false at the end of the text.
func (s *scanner) gap() (byte, bool) {
	for {
		for i, c := range s.buf[s.at:] {
			if c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				s.at += i
				return c, true
			}
		}
		s.at = len(s.buf)
		if !s.more() {
			return 0, false
		}
	}
}

// kinds are the kinds of tokens by their first characters.
var kinds = [256]byte{
	'{': '{', '[': '[', '}': '}', ']': ']', '"': '"', 't': 't', 'f': 'f', 'n': 'n',
	'-': '0', '0': '0', '1': '0', '2': '0', '3': '0', '4': '0', '5': '0', '6': '0', '7': '0', '8': '0', '9': '0',
}

// peek returns the kind of the next token, and 0 if there is none.
func (s *scanner) peek() byte {
	if s.kind == 0 && s.err == nil {
		s.next()
	}
	return s.kind
}

// next goes to the next token and stores its kind.
func (s *scanner) next() {
	c, ok := s.gap()
	top := &s.levels[len(s.levels)-1]
	if top.n > 0 && ok {
		if c, ok = s.between(c, top); s.err != nil {
			return
		}
	}
	if !ok {
		s.atEnd(top)
		return
	}
	if s.kind = kinds[c]; s.kind == 0 {
		s.wrong(s.at, true, invalid(s.buf[s.at:], "at start of value"))
	}
}

// between skips the comma or the colon before the next token. c is the character at s.at: the separator, or the first character of a
// token that needs none. It returns the first character of the token, and false at the end of the text. A missing or wrong separator
// sets s.err.
func (s *scanner) between(c byte, top *level) (byte, bool) {
	colon := top.of == '{' && top.n&1 == 1
	switch {
	case c == ',' && !colon && top.of != 0:
		comma := s.base + int64(s.at)
		s.at++
		c, ok := s.gap()
		if ok && (c == '}' || c == ']') { // no object or list ends after a comma
			i := int(comma - s.base)
			s.wrong(i, false, invalid(s.buf[i:], "at start of value"))
		}
		return c, ok
	case c == ':' && colon:
		s.at++
		return s.gap()
	case top.of == 0:
		s.wrong(s.at, false, invalid(s.buf[s.at:], "after top-level value"))
	case colon:
		s.wrong(s.at, true, invalid(s.buf[s.at:], "after object name (expecting ':')"))
	case c == top.of+2: // the end of the object or list
	case top.of == '{':
		s.wrong(s.at, false, invalid(s.buf[s.at:], "after object value (expecting ',' or '}')"))
	default:
		s.wrong(s.at, false, invalid(s.buf[s.at:], "after array element (expecting ',' or ']')"))
	}
	return c, true
}

// atEnd sets s.err at the end of the text: io.EOF behind the document, and a syntax error within it.
func (s *scanner) atEnd(top *level) {
	if s.err != nil {
		return
	}
	if top.of == 0 {
		s.err = io.EOF
		return
	}
	s.early(top.of == '{' && top.n%2 == 1)
}
