package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// In the help of rung schema, quoted matches the name of a document in a sentence, and row a row of the table: the name of a
// document and the subcommand that prints it.
var (
	quoted = regexp.MustCompile(`"([a-z-]+)"`)
	row    = regexp.MustCompile(`([a-z][a-z-]*)\s+rung [a-z]+`)
)

// documents reads the names of the documents from the help of rung schema.
func documents(help string) (list []string) {
	help, _, _ = strings.Cut(help, "\nUsage:")
	for _, r := range []*regexp.Regexp{quoted, row} {
		for line := range strings.Lines(help) {
			if table := strings.HasPrefix(line, "  "); table != (r == row) {
				continue
			}
			for _, m := range r.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(list, m[1]) {
					list = append(list, m[1])
				}
			}
		}
	}
	return list
}

// writeSchemas writes a page for each schema that the help of rung schema names, and the schema itself as a file. It returns an error
// if the help names fewer than 15, as then its text has changed and is not understood.
func writeSchemas(s *site) error {
	help, err := s.run(".", "schema", "--help")
	if err != nil {
		return err
	}
	list := documents(help)
	if len(list) < 15 {
		return fmt.Errorf("the help of rung schema names %d documents only: %q", len(list), list)
	}
	for i, name := range list {
		text, err := s.run(".", "schema", name)
		if err != nil {
			return err
		}
		o, err := parse(text)
		if err != nil {
			return fmt.Errorf("schema %s: %w", name, err)
		}
		file := strings.ReplaceAll(o.text("title"), "/", "-") + ".schema.json"
		if err := s.file("static/schemas/"+file, []byte(text)); err != nil {
			return err
		}
		body := fmt.Sprintf("`rung schema %s` prints it: [%s](/schemas/%s), JSON Schema, draft 2020-12.\n\n%s", name, file, file, schemaPage(o))
		about := sentence(firstSentence(o.text("description")))
		m := matter{Title: o.text("title"), Description: about, Weight: i + 1, Source: "cmd/rung/internal/schema"}
		if err := s.page("reference/schemas/"+name+".md", m, body); err != nil {
			return err
		}
	}
	return s.page("reference/schemas/_index.md", matter{Title: "Schemas", Weight: 2,
		Description: "JSON Schemas of the documents that the command reads and prints."}, "")
}

// firstSentence returns a text up to its first full stop, without it.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return first
}

// schemaPage returns a schema as Markdown: the members of the document, and below them the definitions.
func schemaPage(o *object) string {
	var b strings.Builder
	if d := o.text("description"); d != "" {
		fmt.Fprintf(&b, "%s\n\n", escape(d))
	}
	b.WriteString("## Members\n\n")
	members(&b, o)
	defs := o.object("$defs")
	if defs == nil {
		return b.String()
	}
	b.WriteString("## Definitions\n\n")
	for _, name := range defs.keys {
		d := defs.object(name)
		fmt.Fprintf(&b, "### %s {#%s}\n\n", strings.ReplaceAll(name, "_", "\\_"), anchor(name))
		if d.object("properties") == nil {
			fmt.Fprintf(&b, "%s\n\n", strings.Trim(kind(d)+". "+escape(d.text("description")), " "))
			continue
		}
		if t := d.text("description"); t != "" {
			fmt.Fprintf(&b, "%s\n\n", escape(t))
		}
		members(&b, d)
	}
	return b.String()
}

// anchor returns the anchor of a definition on the page.
func anchor(definition string) string { return "def-" + strings.ReplaceAll(definition, "_", "-") }

// members writes the table of the members of an object. Members of objects within it have paths.
func members(b *strings.Builder, o *object) {
	b.WriteString("| Member | Type | Meaning |\n|---|---|---|\n")
	memberRows(b, o, "")
	b.WriteString("\n")
}

// memberRows writes a row of the table for each member of an object, and for members of members. prefix is the path of the object.
func memberRows(b *strings.Builder, o *object, prefix string) {
	properties := o.object("properties")
	if properties == nil {
		return
	}
	for _, key := range properties.keys {
		p := properties.object(key)
		must := ""
		if slices.Contains(o.list("required"), any(key)) {
			must = ", required"
		}
		fmt.Fprintf(b, "| `%s%s` | %s%s | %s |\n", prefix, key, kind(p), must, meaning(p))
		memberRows(b, p, prefix+key+".")
		memberRows(b, p.object("items"), prefix+key+"[].")
	}
}

// kind returns, in Markdown, the type or the values that a schema admits.
func kind(p *object) string {
	if p == nil {
		return "any"
	}
	if ref, ok := strings.CutPrefix(p.text("$ref"), "#/$defs/"); ok {
		return fmt.Sprintf("[%s](#%s)", strings.ReplaceAll(ref, "_", " "), anchor(ref))
	}
	if c, ok := p.values["const"]; ok {
		return "`" + show(c) + "`"
	}
	if list := p.list("enum"); list != nil {
		return joined(list, func(v any) string { return "`" + strings.Trim(show(v), `"`) + "`" })
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		if list := p.list(word); list != nil && p.text("type") != "object" {
			return joined(list, func(v any) string { o, _ := v.(*object); return kind(o) })
		}
	}
	t := p.text("type")
	if list := p.list("type"); list != nil {
		t = joined(list, func(v any) string { return fmt.Sprint(v) })
	}
	if items := p.object("items"); items != nil {
		return "array of " + kind(items)
	}
	if t == "" {
		return "any"
	}
	return t
}

// joined returns the texts of the entries of a list, each once, with "or" between them.
func joined(list []any, f func(any) string) string {
	var parts []string
	for _, v := range list {
		if t := f(v); !slices.Contains(parts, t) {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, " or ")
}

// meaning returns the description of a member with its bounds and its default.
func meaning(p *object) string {
	var parts []string
	if d := p.text("description"); d != "" {
		parts = append(parts, escape(strings.TrimSuffix(d, ".")))
	}
	for _, bound := range [][2]string{{"minimum", "≥ "}, {"exclusiveMinimum", "&gt; "}, {"maximum", "≤ "}, {"exclusiveMaximum", "&lt; "}} {
		if v, ok := p.values[bound[0]]; ok {
			parts = append(parts, bound[1]+show(v))
		}
	}
	if v, ok := p.values["default"]; ok {
		parts = append(parts, "default `"+show(v)+"`")
	}
	return strings.Join(parts, "; ")
}
