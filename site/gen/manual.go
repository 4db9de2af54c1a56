package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// writeCommand writes a page for each subcommand from its manual page, as rung man writes them.
func writeCommand(s *site) error {
	dir, err := os.MkdirTemp("", "man")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := s.run(".", "man", dir); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		command := strings.TrimSuffix(filepath.Base(name), ".1")
		short, body := manual(string(text))
		m := matter{Title: strings.Replace(command, "-", " ", 2), Description: sentence(short), Weight: i + 1, Source: "cmd/rung"}
		place := "reference/command/" + strings.TrimPrefix(command, "rung-") + ".md"
		if command == "rung" {
			place, m.Title, m.LinkTitle, m.Weight = "reference/command/_index.md", "Subcommands of rung", "Subcommands", 1
			m.Description = "Every subcommand with its flags and examples, as its manual page has them."
		}
		if err := s.page(place, m, body); err != nil {
			return err
		}
	}
	return nil
}

// flagWord matches a flag in a sentence.
var flagWord = regexp.MustCompile(`(^|[ (])(--?[a-z][a-z-]*)`)

var titles = map[string]string{"DESCRIPTION": "Description", "OPTIONS": "Flags", "EXAMPLES": "Examples"}

// manual turns a manual page of rung man into its short description and Markdown. It knows only the part of roff that
// writeManualPage of cmd/rung writes.
func manual(text string) (short, body string) {
	var b strings.Builder
	section, fixed := "", false       // fixed: in lines that are kept as they are
	item, description := false, false // the next line is a flag; a description is open
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == ".SH":
			if section == "OPTIONS" {
				b.WriteString("</dd></dl>\n")
			}
			if section = rest; titles[section] != "" {
				fmt.Fprintf(&b, "\n## %s\n\n", titles[section])
			}
			if section == "OPTIONS" {
				b.WriteString("<dl class=\"flags\">\n")
			}
			item, description = false, false
		case word == ".TH" || section == "SEE ALSO":
		case word == ".PP":
			b.WriteString("\n")
		case word == ".nf" || word == ".fi":
			fixed = !fixed
			b.WriteString(map[bool]string{true: "\n```text\n", false: "```\n\n"}[fixed])
		case word == ".TP":
			if description {
				b.WriteString("</dd>\n")
			}
			item, description = true, false
		case section == "NAME":
			_, short, _ = strings.Cut(unroff(line), " - ")
		case section == "SYNOPSIS":
			fmt.Fprintf(&b, "```text\n%s\n```\n", strings.TrimSpace(unroff(line)))
		case item:
			fmt.Fprintf(&b, "<dt id=\"%s\">%s</dt>\n<dd>", flagName(line), flagTerm(line))
			item, description = false, true
		case fixed:
			b.WriteString(strings.TrimPrefix(unroff(line), "  ") + "\n")
		default:
			b.WriteString(flagWord.ReplaceAllString(escape(unroff(line)), "$1<code>$2</code>") + "\n")
		}
	}
	return short, b.String()
}

var fonts = strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "")

// unroff returns a line without the marks of roff.
func unroff(line string) string {
	return strings.NewReplacer(`\&`, "", `\-`, "-", `\e`, `\`).Replace(fonts.Replace(line))
}

// escape returns a text in which no character is markup of Markdown or HTML.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "*", "&#42;", "_", "&#95;", "`", "&#96;", "[", "&#91;", "]", "&#93;",
		"#", "&#35;", "|", "&#124;").Replace(text)
}

// flagName returns the long name of a flag, as an anchor.
func flagName(line string) string {
	line = unroff(line)
	_, name, _ := strings.Cut(line, "--")
	name, _, _ = strings.Cut(name, " ")
	return "flag-" + name
}

// flagTerm returns the names of a flag and its argument as HTML. line is troff: \fB begins bold letters, \fI italic ones, \fR ends them,
// and \- and \e are a hyphen and a backslash.
func flagTerm(line string) string {
	line = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\-`, "-", `\e`, "&#92;").Replace(line)
	open, out := "", strings.Builder{}
	for {
		before, after, ok := strings.Cut(line, `\f`)
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		out.WriteString(open)
		switch after[0] {
		case 'B':
			out.WriteString("<code>")
			open = "</code>"
		case 'I':
			out.WriteString("<var>")
			open = "</var>"
		default:
			open = ""
		}
		line = after[1:]
	}
}
