package sheet

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteMarkdown writes rows as a Markdown table. The first row is its head. Columns from right on are
// aligned to the right, the others to the left. Errors of w are ignored.
func WriteMarkdown(w io.Writer, rows [][]string, right int) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for k, row := range rows {
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i >= right {
				cell = pad + cell
			} else {
				cell += pad
			}
			fmt.Fprintf(w, "| %s ", cell)
		}
		io.WriteString(w, "|\n")
		if k > 0 {
			continue
		}
		for i := range width {
			if i >= right {
				fmt.Fprintf(w, "|%s:", strings.Repeat("-", width[i]+1))
			} else {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", width[i]+2))
			}
		}
		io.WriteString(w, "|\n")
	}
}
