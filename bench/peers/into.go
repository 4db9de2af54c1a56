package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// region is a part of a markdown file that is written anew by each measurement, between two lines with its name.
type region string

// The regions of docs/benchmarks.md that this program writes.
const (
	figuresRegion  region = "figures"
	rolloutsRegion region = "rollouts"
)

// begin returns the line before the region.
func (r region) begin() string { return "<!-- " + string(r) + " -->" }

// end returns the line after the region.
func (r region) end() string { return "<!-- end of " + string(r) + " -->" }

// around returns the text of a file before and after the region, including the two lines. It returns an error if a line is missing.
func (r region) around(file string) (before, after []byte, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	begin, end := bytes.Index(text, []byte(r.begin()+"\n")), bytes.Index(text, []byte(r.end()+"\n"))
	if begin < 0 || end < begin {
		return nil, nil, fmt.Errorf("%s has no line %s and %s after it", file, r.begin(), r.end())
	}
	return text[:begin+len(r.begin())+1], text[end:], nil
}

// write replaces the region of a file by the text that print writes.
func (r region) write(file string, print func(io.Writer) error) error {
	before, after, err := r.around(file)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.Write(before)
	text.WriteString("\n")
	if err := print(&text); err != nil {
		return err
	}
	text.Write(after)
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// printInto replaces the facts and figures in a file.
func (s *session) printInto(file string) error {
	return figuresRegion.write(file, func(w io.Writer) error {
		if err := s.printFacts(w); err != nil {
			return err
		}
		s.printFigures(w)
		return nil
	})
}
