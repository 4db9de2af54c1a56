package main

import (
	"fmt"
	"strings"
)

// writeHeader writes the page of the C interface from rung.h: each block of functions below its comment.
func writeHeader(s *site) error {
	text, err := s.read("cmd/librung/rung.h")
	if err != nil {
		return err
	}
	body, n := header(text)
	if n < 30 {
		return fmt.Errorf("rung.h: found %d functions only", n)
	}
	return s.page("reference/c-api.md", matter{Title: "C interface: rung.h", LinkTitle: "C: rung.h", Weight: 4, Source: "cmd/librung/rung.h",
		Description: "Every function, status and size of the shared library's C interface."}, body)
}

// header turns rung.h into Markdown, and counts its functions. A block goes to the next empty line. If it begins with a
// comment, the topic of the comment is its heading.
func header(text string) (string, int) {
	var b strings.Builder
	functions := 0
	for _, block := range strings.Split(text, "\n\n") {
		block = strings.TrimSpace(block)
		comment, code := "", block
		if rest, ok := strings.CutPrefix(block, "/*"); ok {
			comment, code, _ = strings.Cut(rest, "*/")
		}
		code = strings.TrimSpace(code)
		if strings.HasPrefix(comment, " rung.h:") {
			for _, p := range strings.Split(comment, "\n *\n") {
				fmt.Fprintf(&b, "%s\n\n", prose(p))
			}
			continue
		}
		if code == "" || strings.HasPrefix(code, "#if") || strings.HasPrefix(code, "#endif") {
			continue
		}
		functions += strings.Count(code, "RUNG_API ")
		if comment = prose(comment); comment != "" {
			name, rest := topic(comment)
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", name, rest)
		}
		fmt.Fprintf(&b, "```c\n%s\n```\n\n", remarks(strings.ReplaceAll(code, "RUNG_API ", "")))
	}
	return b.String(), functions
}

// topic returns the topic of a comment as a heading, such as "Plan" for "A plan: a model …", and the comment, or "" if the
// heading is all of it.
func topic(comment string) (name, rest string) {
	name, rest = comment, comment
	for _, end := range []string{":", "(", ".", ","} {
		name, _, _ = strings.Cut(name, end)
	}
	if words := strings.Fields(name); len(words) > 8 {
		name = strings.Join(words[:8], " ")
	}
	if strings.TrimSuffix(comment, ".") == strings.TrimSpace(name) {
		rest = ""
	}
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "A "), "An ")
	return strings.ToUpper(name[:1]) + name[1:], rest
}

// mostCode is the number of columns of a line of code on the page.
const mostCode = 84

// remarks moves comments at the end of long declarations to a line above them.
func remarks(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		declaration, remark, ok := strings.Cut(strings.TrimRight(line, "\n"), " /*")
		if ok && len(line) > mostCode && strings.HasSuffix(remark, "*/") && !strings.HasPrefix(line, " ") {
			line = "/*" + remark + "\n" + strings.TrimSpace(declaration) + "\n"
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n")
}

// prose returns the text of a comment in one line, escaped.
func prose(comment string) string {
	var words []string
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(line)
		words = append(words, strings.Fields(strings.TrimPrefix(strings.TrimPrefix(line, "/*"), "*"))...)
	}
	return escape(strings.Join(words, " "))
}
