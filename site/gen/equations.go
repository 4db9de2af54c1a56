package main

import (
	"html"
	"regexp"
	"strings"
)

// numbered matches a line of an equation with its number at the end: (A1) after one space or more, (1) after at least three, as "sin (1)"
// has no number.
var numbered = regexp.MustCompile(`^(    .*?) +(\([A-Z]\d+\)|  \(\d+\))$`)

// equations returns the body of a page with numbers of equations at the right edge of their blocks. In docs spaces align them in a
// column, for which a screen may be too narrow. A block of equations is indented by four spaces.
func equations(body string) string {
	lines := strings.Split(body, "\n")
	var out []string
	fenced := false
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "```") {
			fenced = !fenced
		}
		end := i
		for !fenced && end < len(lines) && (strings.HasPrefix(lines[end], "    ") || lines[end] == "" && end > i) {
			end++
		}
		for end > i && lines[end-1] == "" {
			end--
		}
		if block, ok := equation(lines[i:end]); ok && (i == 0 || lines[i-1] == "") {
			out = append(out, block)
			i = end - 1
			continue
		}
		out = append(out, lines[i])
	}
	return strings.Join(out, "\n")
}

// equation returns a block of lines as HTML, and reports whether one of them has a number.
func equation(lines []string) (string, bool) {
	var b strings.Builder
	found := false
	b.WriteString(`<pre class="equation" tabindex="0"><code>`)
	for _, line := range lines {
		if m := numbered.FindStringSubmatch(line); m != nil {
			found = true
			b.WriteString("<span><span>" + html.EscapeString(m[1][4:]) + "</span><b>" + strings.TrimSpace(m[2]) + "</b></span>\n")
			continue
		}
		b.WriteString(html.EscapeString(strings.TrimPrefix(line, "    ")) + "\n")
	}
	b.WriteString("</code></pre>")
	return b.String(), found
}
