package arch_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans returns the code spans of a text.
func spans(text string) []string {
	var out []string
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// tableRows returns the cells of the tables in the section of a page that
// starts with the given heading, without header rows and rules.
func tableRows(t *testing.T, text, heading string) [][]string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n"+heading+"\n")
	require.True(t, ok, "no heading %q", heading)
	if end := strings.Index(rest, "\n## "); end >= 0 {
		rest = rest[:end]
	}
	var rows [][]string
	body := false // after the rule of a table
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			body = false
		case strings.HasPrefix(line, "|---"):
			body = true
		case body:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	require.NotEmpty(t, rows, "no table under %q", heading)
	return rows
}

// withoutCode returns a text without its fenced and indented code.
func withoutCode(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case !fenced && !strings.HasPrefix(line, "    "):
			b.WriteString(line)
		}
	}
	return b.String()
}
