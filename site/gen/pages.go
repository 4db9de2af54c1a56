package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// entry is a row of the index of docs: the section, the title, the file and the purpose of a page.
type entry struct{ section, title, file, purpose string }

var linked = regexp.MustCompile(`^\[([^\]]+)\]\(([^)]+)\)$`)

// readIndex reads the tables of docs/README.md that list pages.
func readIndex(text string) (list []entry) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.ToLower(h)
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 2 || section == "packages" {
			continue
		}
		if m := linked.FindStringSubmatch(strings.TrimSpace(cells[0])); m != nil && strings.HasSuffix(m[2], ".md") {
			list = append(list, entry{section, m[1], path.Join("docs", m[2]), plain(strings.TrimSpace(cells[1]))})
		}
	}
	return list
}

// moved has the places, below content, of pages that are not in the section of the index.
var moved = map[string]string{
	"docs/gallery.md":    "gallery/_index.md",
	"docs/benchmarks.md": "benchmarks/_index.md",
	"docs/fmi.md":        "reference/fmi.md",
	"docs/formats.md":    "reference/formats.md",
	"docs/site.md":       "project/site.md",
	"README.md":          "_index.md",
}

// sections are the sections of the site.
var sections = []struct{ name, title, purpose string }{
	{"start", "Start", "First programs and models: in Go, Python, C and on the command line."},
	{"guides", "Guides", "One task a page: statics, derivatives, inverse kinematics, springs, ground, batches and sweeps."},
	{"reference", "Reference", "The command, formats, schemas, Python, C, FMI, theory and conventions."},
	{"project", "Project", "Changes, how to contribute, security."},
}

// place returns the place of a page below content.
func (e entry) place() string {
	if p := moved[e.file]; p != "" {
		return p
	}
	section := e.section
	if section == "contracts" {
		section = "reference"
	}
	if path.Dir(e.file) == "." {
		section = "project"
	}
	return path.Join(section, strings.ToLower(path.Base(e.file)))
}

// address returns the address of the page at a place below content.
func address(place string) string {
	if place == "_index.md" {
		return "/index.html"
	}
	return "/" + strings.TrimSuffix(strings.TrimSuffix(place, ".md"), "/_index") + ".html"
}

// group returns the heading of a page in the list of its section, "" for none.
func (e entry) group() string {
	switch e.file {
	case "docs/cli.md", "docs/model-format.md", "docs/fmi.md", "docs/formats.md":
		return "Formats and contracts"
	case "docs/theory.md", "docs/conventions.md", "docs/architecture.md", "docs/orderings.md", "docs/validation.md", "docs/references.md":
		return "Theory and method"
	}
	return ""
}

// weight returns the weight by which Hugo sorts pages, for entry i of the index: contracts come first, then the order of the index. Weights
// below ten are for pages with other sources.
func (e entry) weight(i int) int {
	if e.section == "contracts" {
		return 10 + i
	}
	return 100 + i
}

// writePages writes the pages that the index of docs lists, and the pages of the sections, and copies the pictures of docs.
func writePages(s *site) error {
	text, err := s.read("docs/README.md")
	if err != nil {
		return err
	}
	list := append(readIndex(text), entry{"project", "All pages", "docs/README.md", "an index of all pages and packages"})
	for i, e := range list {
		place := e.place()
		if e.file == "docs/README.md" {
			place = "project/documentation.md"
		}
		if s.pages[e.file] = address(place); e.file == "README.md" {
			continue // writeHome writes it
		}
		text, err := s.read(e.file)
		if err != nil {
			return fmt.Errorf("a page of docs/README.md: %w", err)
		}
		title, body, err := heading(text)
		if err != nil {
			return fmt.Errorf("%s: %w", e.file, err)
		}
		m := matter{Title: title, LinkTitle: e.title, Description: sentence(e.purpose), Weight: e.weight(i), Source: e.file, Group: e.group()}
		if err := s.page(place, m, equations(body)); err != nil {
			return err
		}
	}
	for i, sec := range sections {
		if err := s.page(sec.name+"/_index.md", matter{Title: sec.title, Description: sec.purpose, Weight: i + 1}, ""); err != nil {
			return err
		}
	}
	return s.pictures()
}

// pictureEndings are the endings of files of docs that are pictures.
var pictureEndings = []string{".svg", ".png", ".gif"}

// pictures copies the pictures of docs.
func (s *site) pictures() error {
	return filepath.WalkDir(filepath.Join(s.root, "docs"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(pictureEndings, path.Ext(d.Name())) {
			return err
		}
		rel, err := filepath.Rel(s.root, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return s.file(path.Join("static", filepath.ToSlash(rel)), text)
	})
}

// heading divides a page into its title and its body.
func heading(text string) (title, body string, err error) {
	line, body, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return "", "", fmt.Errorf("the first line is %q and no heading", line)
	}
	return plain(title), body, nil
}

var marks = strings.NewReplacer("`", "", "**", "", "[", "", "]", "")

// plain returns a line of Markdown without markup.
func plain(line string) string {
	return marks.Replace(regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(line, "]"))
}

// sentence returns a phrase as a sentence, with a capital and a full stop. The name rung and words with a hyphen, which are names of
// documents, keep a small letter.
func sentence(phrase string) string {
	if phrase == "" {
		return ""
	}
	r := []rune(phrase)
	if words := strings.Fields(phrase); words[0] != "rung" && !strings.Contains(words[0], "-") {
		r[0] = []rune(strings.ToUpper(string(r[:1])))[0]
	}
	return strings.TrimSuffix(string(r), ".") + "."
}
