package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed docstrings.py
var docstrings string

// pyEntry is a class, a function or a member of a class.
type pyEntry struct {
	Kind, Name, Signature, Doc string
	Bases                      []string
	Members                    []pyEntry
}

// writePython writes the page of Python's package from its docstrings.
func writePython(s *site) error {
	folder := filepath.Join(s.root, "python", "rung")
	c := exec.Command(s.python, "-c", docstrings, folder)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("docstrings of %s by %s: %w\n%s", folder, s.python, err, said.String())
	}
	var all struct {
		Doc     string
		Entries []pyEntry
	}
	if err := json.Unmarshal(out, &all); err != nil {
		return err
	}
	return s.page("reference/python-api.md", matter{Title: "Python package rung", LinkTitle: "Python: rung", Weight: 3, Source: "python/rung",
		Description: "Every class and function of the Python package, from its docstrings."}, pythonPage(all.Doc, all.Entries))
}

// pythonPage returns the reference as Markdown. doc is the docstring of the package.
func pythonPage(doc string, entries []pyEntry) string {
	var b strings.Builder
	b.WriteString(docstring(doc))
	for _, e := range entries {
		fmt.Fprintf(&b, "## %s {#%s}\n\n```python\n%s\n```\n\n", e.Name, e.Name, e.declaration())
		b.WriteString(docstring(e.Doc))
		for _, m := range e.Members {
			fmt.Fprintf(&b, "### %s.%s {#%s.%s}\n\n```python\n%s\n```\n\n", e.Name, m.Name, e.Name, m.Name, m.Signature)
			b.WriteString(docstring(m.Doc))
		}
	}
	return b.String()
}

// declaration returns the declaration of an entry in Python.
func (e *pyEntry) declaration() string {
	switch {
	case e.Kind == "class" && len(e.Bases) > 0:
		return fmt.Sprintf("class %s(%s)", e.Name, strings.Join(e.Bases, ", "))
	case e.Kind == "class":
		return "class " + e.Signature
	}
	return e.Signature
}

// docstring returns a docstring as Markdown: examples in fences, and sections in NumPy's style as lists. Other text stays, as it is
// Markdown already.
func docstring(text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	example, section := false, ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if !example && i+1 < len(lines) && line != "" && lines[i+1] == strings.Repeat("-", len(line)) {
			section = line
			fmt.Fprintf(&b, "**%s**\n\n", section)
			i++
			continue
		}
		begins := strings.HasPrefix(line, ">>>")
		if begins && !example {
			b.WriteString("\n```python\n")
			example = true
		}
		if example && strings.TrimSpace(line) == "" {
			b.WriteString("```\n")
			example = false
		}
		if !example && listed[section] && line != "" && !strings.HasPrefix(line, " ") {
			line = item(line)
		}
		b.WriteString(line + "\n")
	}
	if example {
		b.WriteString("```\n")
	}
	b.WriteString("\n")
	return b.String()
}

// listed are the sections whose lines without indentation are names or types.
var listed = map[string]bool{"Parameters": true, "Attributes": true, "Returns": true, "Raises": true}

// item returns a line such as "x, y : float" as an item of a list.
func item(line string) string {
	name, of, typed := strings.Cut(line, " : ")
	if !typed {
		return "- `" + line + "`"
	}
	return "- `" + name + "`: " + of
}
