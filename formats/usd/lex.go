package usd

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// token is the kind of a token.
type token uint8

const (
	end    token = iota // of the file
	word                // a name, with the colons of its namespaces
	text                // a string
	number              // digits with their sign, not converted
	asset               // @…@
	path                // <…>
	punct               // one character
)

// lexer splits a file into tokens. It has the current token.
type lexer struct {
	file string
	data string
	at   int // index of the next character
	line int // line of the next character, from 1
	head int // index of the first character of the line

	kind         token
	s            string // text of the token, without quotes
	tLine, tByte int    // line and column of the beginning of the token
}

// fail stops the parser with an error at the token; parse recovers it.
func (l *lexer) fail(format string, args ...any) {
	panic(&source.SyntaxError{Location: source.Location{File: l.file, Line: l.tLine, Column: l.tByte}, Rule: fmt.Sprintf(format, args...)})
}

// shown returns the token for messages.
func (l *lexer) shown() string {
	if l.kind == end {
		return "the end of the file"
	}
	return fault.Name(l.s)
}

// newline counts a line, whose successor begins at character i.
func (l *lexer) newline(i int) { l.line, l.head = l.line+1, i }

// space skips blanks, line ends and comments.
func (l *lexer) space() {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case c == '\n':
			l.newline(l.at + 1)
			l.at++
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
		case c == '#' || strings.HasPrefix(l.data[l.at:], "//"):
			n := strings.IndexByte(l.data[l.at:], '\n')
			if n < 0 {
				n = len(l.data) - l.at
			}
			l.at += n
		case strings.HasPrefix(l.data[l.at:], "/*"):
			l.begin()
			n := strings.Index(l.data[l.at+2:], "*/")
			if n < 0 {
				l.fail("a remark does not end")
			}
			l.through(l.at + n + 4)
		default:
			return
		}
	}
}

// through moves to character i, and counts the lines on the way.
func (l *lexer) through(i int) {
	for ; l.at < i; l.at++ {
		if l.data[l.at] == '\n' {
			l.newline(l.at + 1)
		}
	}
}

// begin stores the position of the next token.
func (l *lexer) begin() { l.tLine, l.tByte = l.line, l.at-l.head+1 }

// next reads the next token.
func (l *lexer) next() {
	l.space()
	l.begin()
	if l.at == len(l.data) {
		l.kind, l.s = end, ""
		return
	}
	c := l.data[l.at]
	switch {
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '@':
		l.asset()
	case c == '<':
		n := strings.IndexAny(l.data[l.at:], ">\n")
		if n < 0 || l.data[l.at+n] == '\n' {
			l.fail("a path does not end")
		}
		l.kind, l.s = path, l.data[l.at+1:l.at+n]
		l.at += n + 1
	case c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.':
		l.number()
	default:
		l.word()
	}
}

// number reads a number, or inf with a sign.
func (l *lexer) number() {
	i := l.at
	if strings.HasPrefix(l.data[i:], "-inf") || strings.HasPrefix(l.data[i:], "+inf") {
		l.kind, l.s, l.at = number, l.data[i:i+4], i+4
		return
	}
	for i < len(l.data) {
		c := l.data[i]
		sign := (c == '-' || c == '+') && (i == l.at || l.data[i-1] == 'e' || l.data[i-1] == 'E')
		if !(c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || sign) {
			break
		}
		i++
	}
	l.kind, l.s, l.at = number, l.data[l.at:i], i
	if l.s == "." { // a separator within a path or property
		l.kind = punct
	}
}

// word reads a name or one character.
func (l *lexer) word() {
	i := l.at
	for i < len(l.data) {
		r, n := utf8.DecodeRuneInString(l.data[i:])
		if !(r == '_' || r == ':' && i > l.at || unicode.IsLetter(r) || i > l.at && unicode.IsDigit(r)) {
			break
		}
		i += n
	}
	l.kind = word
	if i == l.at {
		_, n := utf8.DecodeRuneInString(l.data[i:])
		l.kind, i = punct, i+n
	}
	l.s, l.at = l.data[l.at:i], i
}

// asset reads the name of a file, in @…@ or @@@…@@@.
func (l *lexer) asset() {
	quote := "@"
	if strings.HasPrefix(l.data[l.at:], "@@@") {
		quote = "@@@"
	}
	from := l.at + len(quote)
	n := strings.Index(l.data[from:], quote)
	if n < 0 || strings.Contains(l.data[from:from+n], "\n") {
		l.fail("the name of a file does not end")
	}
	l.kind, l.s, l.at = asset, l.data[from:from+n], from+n+len(quote)
}

// quoted reads a string on one line, or on several lines within triple quotes; c is the quote.
func (l *lexer) quoted(c byte) {
	quote := string(c)
	if strings.HasPrefix(l.data[l.at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	from := l.at + len(quote)
	for i := from; i < len(l.data); i++ {
		switch {
		case l.data[i] == '\\':
			i++
		case l.data[i] == '\n' && len(quote) == 1:
			l.fail("a string does not end on its line")
		case strings.HasPrefix(l.data[i:], quote):
			l.kind, l.s = text, unescape(l.data[from:i])
			l.through(i + len(quote))
			return
		}
	}
	l.fail("a string does not end")
}

// unescape replaces escape sequences.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`, `\'`, `'`).Replace(s)
}

// is reports whether the token is the character or the name s.
func (l *lexer) is(s string) bool { return (l.kind == punct || l.kind == word) && l.s == s }

// take reads the next token if the current one is s, and returns whether it is.
func (l *lexer) take(s string) bool {
	if !l.is(s) {
		return false
	}
	l.next()
	return true
}

// want is take, but fails if the token is not s.
func (l *lexer) want(s string) {
	if !l.take(s) {
		l.fail("%s in place of %s", l.shown(), fault.Name(s))
	}
}

// expect returns the text of the token and reads the next one. It fails if the token is not of a kind; what describes it for the message.
func (l *lexer) expect(kind token, what string) string {
	if l.kind != kind {
		l.fail("%s in place of %s", l.shown(), what)
	}
	s := l.s
	l.next()
	return s
}
