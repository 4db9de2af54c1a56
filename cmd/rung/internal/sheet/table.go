package sheet

import (
	"strings"
	"unicode/utf8"
)

// Column is a column of a table.
type Column struct {
	Head  string // may have several lines
	Width int    // with the blanks beside it; 0: the rest of the line
	Left  bool   // cells are aligned to the left, not to the right
}

// Group is a group of columns that are beside each other on every page, with a title above them if they have one.
type Group struct {
	Title   string
	Columns []Column
}

// Table is a table. Rows that are wider than the page are folded between groups.
type Table struct {
	page  *Page
	lines [][]Group // the groups in each line of a row
	begun bool      // the head has been written
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

// indent returns the blanks before line i of a row: two before all lines except the first, if the line then still fits the page.
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

// Rest returns the width of the last column, if its Width is 0.
func (t *Table) Rest() int {
	n := t.page.columns - len(t.indent(len(t.lines)-1))
	for _, g := range t.lines[len(t.lines)-1] {
		for _, c := range g.Columns {
			n -= c.Width
		}
	}
	return n
}

// Row writes a row, with a cell for each column.
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

// writeFurther writes line i of a row or head. Lines after the first are left out if they are blank.
func (t *Table) writeFurther(i int, text string) {
	if i == 0 || strings.TrimSpace(text) != "" {
		t.page.write(text)
	}
}

// head writes the titles of groups and the heads of columns, folded as the rows are. Blank lines are left out.
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

// pad appends a cell with the blanks that fill its column.
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
