package main

import (
	"html"
	"regexp"
	"strings"
)

// numbered is a line of an equation with its number behind it; one without a letter stands apart, as "sin (1)" is none.
var numbered = regexp.MustCompile(`^(    .*?) +(\([A-Z]\d+\)|  \(\d+\))$`)

// equations sets the numbers of equations at the right edge of their blocks. On GitHub spaces put them in a column that
// screens of the site need not have. A block is lines that are set in by four, as everywhere in docs.
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

// equation returns a block with numbers as HTML, and whether it has some.
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
