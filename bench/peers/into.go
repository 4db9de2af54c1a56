package main

import (
	"bytes"
	"fmt"
	"os"
)

// Lines of a markdown file that the table of the figures stands between.
const figuresBegin, figuresEnd = "<!-- figures -->", "<!-- end of figures -->"

// aroundFigures returns what stands before and after the figures of a file, the two lines included.
func aroundFigures(file string) (before, after []byte, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	begin, end := bytes.Index(text, []byte(figuresBegin+"\n")), bytes.Index(text, []byte(figuresEnd+"\n"))
	if begin < 0 || end < begin {
		return nil, nil, fmt.Errorf("%s has no line %s and %s after it", file, figuresBegin, figuresEnd)
	}
	return text[:begin+len(figuresBegin)+1], text[end:], nil
}

// printInto puts facts and figures in the place of those of a file.
func (s *session) printInto(file string) error {
	before, after, err := aroundFigures(file)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	text.Write(before)
	text.WriteString("\n")
	if err := s.printFacts(&text); err != nil {
		return err
	}
	s.printFigures(&text)
	text.Write(after)
	return os.WriteFile(file, text.Bytes(), 0o644)
}
