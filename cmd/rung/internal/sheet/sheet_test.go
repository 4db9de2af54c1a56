package sheet

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 9999: "9999", 10000: "10k", 123456: "123k", 999600: "1M", 12345678901: "12.3G", 5e15: "5e+03T"} {
		assert.Equal(t, want, Count(n))
	}
	for ns, want := range map[int64]string{0: "0 ns", 999: "999 ns", 1000: "1 µs", 999600: "1 ms", 1234567: "1.23 ms", 4e9: "4 s", 123456e9: "123456 s"} {
		assert.Equal(t, want, Duration(ns))
	}
	for x, want := range map[float64]string{0: "0", math.Copysign(0, -1): "0", -1.23456e-14: "-1.23e-14", 123456: "1.235e+05", -0.00012345: "-0.000123"} {
		assert.Equal(t, want, Narrow(x))
	}
	assert.Equal(t, "1 body", Plural(1, "body"))
	assert.Equal(t, "0 bodies", Plural(0, "body"))
	assert.Equal(t, "2 joints", Plural(2, "joint"))
}

// written returns the lines of a page of so many columns.
func written(t *testing.T, columns int, write func(p *Page)) []string {
	t.Helper()
	var b strings.Builder
	p := NewPage(&b, columns)
	write(p)
	require.NoError(t, p.Flush())
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, line := range lines {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), max(columns, Narrowest), line)
		assert.Equal(t, strings.TrimRight(line, " "), line)
	}
	return lines
}

// TestItem wraps between words, and breaks those that no line has room for.
func TestItem(t *testing.T) {
	long := strings.Repeat("x", 30)
	assert.Equal(t, []string{
		"label         some words that go on",
		"              beside it",
		"              " + long[:26],
		"              " + long[26:] + " end",
	}, written(t, 40, func(p *Page) { p.Item("label", "some words that go on beside it "+long+" end") }))
	assert.Equal(t, []string{"label         one line"}, written(t, 200, func(p *Page) { p.Item("label", "one  line") }))
	assert.Equal(t, []string{"label"}, written(t, 10, func(p *Page) { p.Item("label", "") }))
	assert.Len(t, written(t, 40, func(p *Page) { p.Line("%s", strings.Repeat("word ", 20)) }), 3)
}

// TestTable folds rows and heads between groups.
func TestTable(t *testing.T) {
	table := func(p *Page) {
		t := p.Table(
			Group{Columns: []Column{{Head: "name", Width: 12, Left: true}, {Head: "n", Width: 6}}},
			Group{Title: "force", Columns: []Column{{Head: "x\nN", Width: 12}, {Head: "y\nN", Width: 12}}},
			Group{Columns: []Column{{Width: 2}, {Head: "rest", Left: true}}},
		)
		t.Row("a", "1", "1.5", "-2", "", "b, c")
		t.Row("long", "22", "", "3", "", "")
		t.Row("nothing", "3", "", "", "", "")
	}
	assert.Equal(t, []string{
		"                                     force",
		"name             n           x           y  rest",
		"                             N           N",
		"a                1         1.5          -2  b, c",
		"long            22                       3",
		"nothing          3",
	}, written(t, 80, table))
	assert.Equal(t, []string{
		"name             n",
		"                     force",
		"             x           y  rest",
		"             N           N",
		"a                1",
		"           1.5          -2  b, c",
		"long            22",
		"                         3",
		"nothing          3",
	}, written(t, 40, table))
	assert.Empty(t, written(t, 80, func(p *Page) { p.Table(Group{Columns: []Column{{Head: "x", Width: 3}}}) })[0], "no rows, no head")
}

// TestReflow fills paragraphs and keeps lists.
func TestReflow(t *testing.T) {
	text := "A paragraph of words that\ngo on over lines.\n\n  one    what one is, with words that\n         go on\n  two    what two is\nEnd."
	assert.Equal(t, text, Reflow(text, 80))
	assert.Equal(t, []string{
		"A paragraph of words that go on over",
		"lines.",
		"",
		"  one what one is, with words that go on",
		"  two what two is",
		"End.",
	}, strings.Split(Reflow(text, 40), "\n"))
	assert.Equal(t, "words that go on and on beside a\n      name, over lines", Hanging("words that go on and on beside a name, over lines", 6, 40))
}
