package sheet

import (
	"strings"
	"unicode/utf8"
)

// Column is a column of a table.
type Column struct {
	Head  string // its lines are parted by line breaks
	Width int    // with the blanks beside it; 0: what is left of the line
	Left  bool   // cells begin at its left end
}

// Group is columns that stand beside each other on every page, under a title if there is one.
type Group struct {
	Title   string
	Columns []Column
}

// Table is a table whose rows are folded on a page that they are wider than: between groups.
type Table struct {
	page  *Page
	lines [][]Group // of a row, from the top
	begun bool
}

// Table begins a table with these groups of columns. Its head is written before the first row.
func (p *Page) Table(groups ...Group) *Table {
	t := &Table{page: p}
	width := 0
	for _, g := range groups {
		n := g.width()
		if width == 0 || width+n > p.columns {
			t.lines = append(t.lines, nil)
			width = 0
		}
		last := len(t.lines) - 1
		t.lines[last] = append(t.lines[last], g)
		width += n
	}
	return t
}

// width returns the number of characters that the columns of a group need. A column that takes the rest of a line counts as a short name.
func (g *Group) width() (n int) {
	for _, c := range g.Columns {
		if n += c.Width; c.Width == 0 {
			n += len("name")
		}
	}
	return n
}

// indent returns the blanks before line i of a row: two before all lines but the first, if the line then still fits the page.
func (t *Table) indent(i int) string {
	n := 2
	for k := range t.lines[i] {
		n += t.lines[i][k].width()
	}
	if i == 0 || n > t.page.columns {
		return ""
	}
	return "  "
}

// Rest returns the number of characters that are left for the last column, whose Width is 0.
func (t *Table) Rest() int {
	n := t.page.columns - len(t.indent(len(t.lines)-1))
	for _, g := range t.lines[len(t.lines)-1] {
		for _, c := range g.Columns {
			n -= c.Width
		}
	}
	return n
}

// Row writes a row, a cell a column.
func (t *Table) Row(cells ...string) {
	if !t.begun {
		t.begun = true
		t.head()
	}
	for i, line := range t.lines {
		var b strings.Builder
		b.WriteString(t.indent(i))
		for _, g := range line {
			for k := range g.Columns {
				g.Columns[k].pad(&b, cells[0])
				cells = cells[1:]
			}
		}
		t.writeFurther(i, b.String())
	}
}

// writeFurther writes line i of a row or head; further ones only if there is something in them.
func (t *Table) writeFurther(i int, text string) {
	if i == 0 || strings.TrimSpace(text) != "" {
		t.page.write(text)
	}
}

// head writes the titles of groups and the heads of columns, line by line as the rows are folded. A line without any is
// left out.
func (t *Table) head() {
	for i, line := range t.lines {
		var titles strings.Builder
		titles.WriteString(t.indent(i))
		lines := 0
		for _, g := range line {
			c := Column{Width: g.width(), Left: g.Columns[0].Left}
			c.pad(&titles, g.Title)
			for _, c := range g.Columns {
				lines = max(lines, 1+strings.Count(c.Head, "\n"))
			}
		}
		t.writeFurther(1, titles.String())
		for k := range lines {
			var b strings.Builder
			b.WriteString(t.indent(i))
			for _, g := range line {
				for _, c := range g.Columns {
					head := append(strings.Split(c.Head, "\n"), make([]string, lines)...)
					c.pad(&b, head[k])
				}
			}
			t.writeFurther(1, b.String())
		}
	}
}

// pad appends a cell at its end of the column.
func (c *Column) pad(b *strings.Builder, cell string) {
	blanks := strings.Repeat(" ", max(0, c.Width-utf8.RuneCountInString(cell)))
	if !c.Left {
		b.WriteString(blanks)
	}
	b.WriteString(cell)
	if c.Left {
		b.WriteString(blanks)
	}
}
