package sheet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Columns of a page.
const (
	Widest    = 80 // also where there is no terminal
	Narrowest = 40
)

// labelWidth is the number of columns of a label.
const labelWidth = 14

// Page is a text for people with lines of a bounded number of columns. Flush ends it.
type Page struct {
	b       *bufio.Writer
	columns int
}

// NewPage begins a page with so many columns on w, from Narrowest to Widest.
func NewPage(w io.Writer, columns int) *Page {
	return &Page{bufio.NewWriter(w), min(max(columns, Narrowest), Widest)}
}

// Flush writes what is left, and returns the first error of writing.
func (p *Page) Flush() error { return p.b.Flush() }

// Blank ends a paragraph.
func (p *Page) Blank() { p.write("") }

// Line writes a text, wrapped between words; what follows the first line is set in.
func (p *Page) Line(format string, args ...any) {
	p.wrap("", "  ", fmt.Sprintf(format, args...))
}

// Item writes a label and a text beside it, wrapped between words.
func (p *Page) Item(label, text string) {
	p.wrap(fmt.Sprintf("%-*s", labelWidth, label), strings.Repeat(" ", labelWidth), text)
}

// More says how many rows of a table are left out, if any.
func (p *Page) More(n int, what string) {
	if n > 0 {
		p.Line("… and %d more%s", n, what)
	}
}

// wrap writes text behind first, and its further lines behind indent.
func (p *Page) wrap(first, indent, text string) {
	for _, line := range wrapped(p.columns, first, indent, text) {
		p.write(line)
	}
}

// wrapped returns the lines of text behind first, further ones behind indent. Words that no line has room for are broken.
func wrapped(columns int, first, indent, text string) (lines []string) {
	line, width := first, utf8.RuneCountInString(first)
	begun := width
	next := func() {
		lines = append(lines, line)
		line, width, begun = indent, len(indent), len(indent)
	}
	for _, word := range strings.Fields(text) {
		if n := utf8.RuneCountInString(word); width > begun && width+1+n > columns {
			next()
		} else if width > begun {
			line, width = line+" ", width+1
		}
		for _, r := range word {
			if width == columns {
				next()
			}
			line, width = line+string(r), width+1
		}
	}
	return append(lines, line)
}

// Reflow returns a text written for Widest columns with lines of fewer: paragraphs are filled, and lines that are set
// in, with those that are set in more behind them, are paragraphs of their own.
func Reflow(text string, columns int) string {
	if columns >= Widest {
		return text
	}
	columns = max(columns, Narrowest)
	var lines, words []string
	indent := -1 // of the paragraph in work
	flush := func() {
		if indent >= 0 {
			first := strings.Repeat(" ", indent)
			lines = append(lines, wrapped(columns, first, first+strings.Repeat(" ", min(2, indent)), strings.Join(words, " "))...)
		}
		indent, words = -1, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		n := len(line) - len(strings.TrimLeft(line, " "))
		if line == "" || indent >= 0 && (n > 0 || indent > 0) && n <= indent || indent == 0 && n > 0 {
			flush()
		}
		if line == "" {
			lines = append(lines, "")
			continue
		}
		if indent < 0 {
			indent = n
		}
		words = append(words, line)
	}
	flush()
	return strings.Join(lines, "\n")
}

// Hanging returns a text with its further lines behind so many blanks, for a column that begins there.
func Hanging(text string, blanks, columns int) string {
	indent := strings.Repeat(" ", blanks)
	return strings.TrimPrefix(strings.Join(wrapped(max(columns, Narrowest), indent, indent, text), "\n"), indent)
}

// write writes a line. The first error is that of Flush.
func (p *Page) write(line string) { fmt.Fprintln(p.b, strings.TrimRight(line, " ")) }
