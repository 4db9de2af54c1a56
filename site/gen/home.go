package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// front is the part of the first page that is not a section of README.md.
type front struct {
	Lead    string `json:"lead"`    // Markdown
	Limits  string `json:"limits"`  // Markdown
	Picture string `json:"picture"` // path
	Alt     string `json:"alt"`     // alternative text of the picture
}

var picture = regexp.MustCompile(`(?m)^!\[([^\]]+)\]\(([^)]+)\)$`)

// homeSections are the sections of README.md on the first page, in its order. The others have pages of their own.
var homeSections = []string{"Beside others", "What it does", "First commands", "How it works", "Install", "In Go",
	"Status, questions, citing"}

// writeHome writes the first page from README.md: its picture, its first paragraphs and some of its sections.
func writeHome(s *site) error {
	text, err := s.read("README.md")
	if err != nil {
		return err
	}
	f, err := readFront(text)
	if err != nil {
		return fmt.Errorf("README.md: %w", err)
	}
	var b strings.Builder
	for _, name := range homeSections {
		section, ok := cut(text, name)
		if !ok {
			return fmt.Errorf("README.md: no section %q, which the first page has", name)
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n", name, section)
	}
	m := matter{Title: "Rung", Source: "README.md", Front: f, Description: "Dynamics of mechanisms with many closed loops: " +
		"linkages, parallel robots, folding structures. A command and libraries for Go, Python and C."}
	return s.page("_index.md", m, b.String())
}

// leadBack changes the link in the head of the playground, in the site in dir, to the first page. In a playground without the site it leads
// to the repository.
func leadBack(dir string) error {
	name := filepath.Join(dir, "playground", "index.html")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	const away, back = `<a id="home" href="https://github.com/rung-mbd/rung">`, `<a id="home" href="../index.html">`
	if n := strings.Count(string(text), away) + strings.Count(string(text), back); n != 1 {
		return fmt.Errorf("%s: %d links %s", name, n, away)
	}
	return os.WriteFile(name, []byte(strings.Replace(string(text), away, back, 1)), 0o666)
}

// readFront reads the picture and the paragraphs above the first section of README.md.
func readFront(text string) (front, error) {
	head, _, _ := strings.Cut(text, "\n## ")
	m := picture.FindStringSubmatch(head)
	if m == nil {
		return front{}, fmt.Errorf("no picture above the first section")
	}
	f := front{Alt: m[1], Picture: m[2]}
	for _, p := range strings.Split(head, "\n\n") {
		p = strings.TrimSpace(p)
		if strings.HasPrefix(p, "**Rung") {
			f.Lead = p
		}
		if strings.HasPrefix(p, "Its limits") {
			f.Limits = p
		}
	}
	if f.Lead == "" || f.Limits == "" {
		return front{}, fmt.Errorf("no paragraph that begins with %q, or none with %q", "**Rung", "Its limits")
	}
	return f, nil
}

// cut returns the section of a page with a name, without its heading. ok is false if there is none.
func cut(text, name string) (section string, ok bool) {
	_, rest, ok := strings.Cut(text, "\n## "+name+"\n")
	if i := strings.Index(rest, "\n## "); i >= 0 {
		rest = rest[:i]
	}
	return strings.Trim(rest, "\n"), ok
}
