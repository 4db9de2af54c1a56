package sheet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of the number of columns of a page.
const (
	Widest    = 80 // also the width without a terminal
	Narrowest = 40
)

// labelWidth is the number of columns of a label.
const labelWidth = 14

// Page is a text for people with lines of a bounded number of columns. Flush ends it.
type Page struct {
	b       *bufio.Writer
	columns int
}

// NewPage begins a page on w with so many columns, but at least Narrowest and at most Widest.
func NewPage(w io.Writer, columns int) *Page {
	return &Page{bufio.NewWriter(w), min(max(columns, Narrowest), Widest)}
}

// Flush writes the rest, and returns the first error of writing.
func (p *Page) Flush() error { return p.b.Flush() }

// Blank ends a paragraph.
func (p *Page) Blank() { p.write("") }

// Line writes a text, wrapped between words. Lines after the first are indented.
func (p *Page) Line(format string, args ...any) {
	p.wrap("", "  ", fmt.Sprintf(format, args...))
}

// Item writes a label and a text beside it, wrapped between words.
func (p *Page) Item(label, text string) {
	p.wrap(fmt.Sprintf("%-*s", labelWidth, label), strings.Repeat(" ", labelWidth), text)
}

// More writes that n more rows of a table are left out, if n is above 0. tail is the text after the number.
func (p *Page) More(n int, tail string) {
	if n > 0 {
		p.Line("… and %d more%s", n, tail)
	}
}

// wrap writes the lines of wrapped.
func (p *Page) wrap(first, indent, text string) {
	for _, line := range wrapped(p.columns, first, indent, text) {
		p.write(line)
	}
}

// wrapped returns text in lines of at most so many columns. The first line begins with first, the others with indent. Words that are longer
// than a line are broken.
func wrapped(columns int, first, indent, text string) (lines []string) {
	line, width := first, utf8.RuneCountInString(first)
	begun := width // of the line without words
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

// Reflow returns a text, which is written for Widest columns, in lines of fewer columns. Paragraphs are filled again. An indented line is a
// paragraph of its own, with the following lines that are indented more.
func Reflow(text string, columns int) string {
	if columns >= Widest {
		return text
	}
	columns = max(columns, Narrowest)
	var lines, words []string
	indent := -1 // of the present paragraph; −1: there is none
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

// Hanging returns a text wrapped for a column that begins behind so many blanks: its lines after the first begin with these blanks.
func Hanging(text string, blanks, columns int) string {
	indent := strings.Repeat(" ", blanks)
	return strings.TrimPrefix(strings.Join(wrapped(max(columns, Narrowest), indent, indent, text), "\n"), indent)
}

// write writes a line. Flush returns the first error.
func (p *Page) write(line string) { fmt.Fprintln(p.b, strings.TrimRight(line, " ")) }
