package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// main writes the input of Hugo, or with -finish completes a site that Hugo has made.
func main() {
	rung := flag.String("rung", "", "the program of cmd/rung")
	root := flag.String("root", "..", "folder of the repository")
	out := flag.String("o", "", "folder to write, which is emptied first")
	python := flag.String("python", "python3", "Python 3.9 or later, which reads docstrings")
	finish := flag.String("finish", "", "folder of a site that Hugo has made, with its playground: write its index, and lead back from there")
	flag.Parse()
	var err error
	switch {
	case *finish != "" && flag.NArg() == 0:
		if err = leadBack(*finish); err == nil {
			err = writeIndex(*finish)
		}
	case *out != "" && *rung != "" && flag.NArg() == 0:
		err = write(&site{root: *root, out: *out, rung: *rung, python: *python, pages: map[string]string{}})
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site/gen:", err)
		os.Exit(1)
	}
}

// site is the site that is written.
type site struct {
	root, out, rung, python string            // flags of main
	pages                   map[string]string // address of the page of each file in the repository
}

// write writes all input of Hugo.
func write(s *site) error {
	for _, dir := range []string{"content", "static", "data"} {
		if err := os.RemoveAll(filepath.Join(s.out, dir)); err != nil {
			return err
		}
	}
	steps := []func(*site) error{writePages, writeHome, writeCommand, writeSchemas, writePython, writeHeader, writeGallery, writeCharts}
	for _, step := range steps {
		if err := step(s); err != nil {
			return err
		}
	}
	return s.data("pages", s.pages)
}

// matter is the front matter of a page.
type matter struct {
	Title       string `json:"title"`
	LinkTitle   string `json:"linkTitle,omitempty"`
	Description string `json:"description"`
	Weight      int    `json:"weight,omitempty"`
	Source      string `json:"source,omitempty"` // the file of the repository from which the page is made
	Group       string `json:"group,omitempty"`  // a heading in the list of its section
	Front       any    `json:"front,omitempty"`  // a front for the first page, an exhibit for the gallery
}

// page writes a page at a place below content.
func (s *site) page(place string, m matter, body string) error {
	if m.Title == "" || m.Description == "" {
		return fmt.Errorf("%s: a page needs a title and a description, has %q and %q", place, m.Title, m.Description)
	}
	front, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return s.file(path.Join("content", place), append(front, "\n\n"+body...))
}

// data writes v as JSON, which templates read as site.Data.NAME.
func (s *site) data(name string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return s.file(path.Join("data", name+".json"), text)
}

// file writes a file at a place below the output folder.
func (s *site) file(place string, text []byte) error {
	name := filepath.Join(s.out, filepath.FromSlash(place))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// read returns the text of a file of the repository.
func (s *site) read(place string) (string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(place)))
	return string(text), err
}

// run runs the command rung in a folder and returns its output.
func (s *site) run(dir string, args ...string) (string, error) {
	rung, err := filepath.Abs(s.rung)
	if err != nil {
		return "", err
	}
	c := exec.Command(rung, args...)
	c.Dir = dir
	var said strings.Builder
	c.Stderr = &said
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("rung %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return string(text), nil
}
