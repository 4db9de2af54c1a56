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

// wrap writes text behind first, and its further lines behind indent. Words that no line has room for are broken.
func (p *Page) wrap(first, indent, text string) {
	line, width := first, utf8.RuneCountInString(first)
	begun := width
	for _, word := range strings.Fields(text) {
		if n := utf8.RuneCountInString(word); width > begun && width+1+n > p.columns {
			p.write(line)
			line, width = indent, len(indent)
			begun = width
		} else if width > begun {
			line, width = line+" ", width+1
		}
		for _, r := range word {
			if width == p.columns {
				p.write(line)
				line, width = indent, len(indent)
				begun = width
			}
			line, width = line+string(r), width+1
		}
	}
	p.write(line)
}

// write writes a line. The first error is that of Flush.
func (p *Page) write(line string) { fmt.Fprintln(p.b, strings.TrimRight(line, " ")) }
