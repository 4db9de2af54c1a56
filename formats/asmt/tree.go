package asmt

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// maxDepth is the largest number of tabs before a line.
const maxDepth = 64

// headers are the first lines of files.
var headers = []string{"freeCAD: 3D CAD with Motion Simulation  by  askoh.com", "OndselSolver"}

// series is the line after which the results of the solver follow, to the end of the file.
const series = "TimeSeries"

// values has the elements whose lines are values, not elements.
var values = map[string]bool{}

func init() {
	for _, r := range rules {
		if r.value {
			values[r.Element] = true
		}
	}
}

// parse reads the lines into a tree: each line is an element, and the following lines with one more tab are its children. The
// lines within an element in values are its text. Everything after the line series is skipped.
//
// Cost: O(bytes). It returns a *source.SyntaxError with the position of the first invalid line.
func parse(file string, data []byte) (*xmltree.Node, error) {
	t := tree{file: file}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		t.line++
		line = bytes.TrimRight(line, " \t\r")
		if len(line) == 0 {
			continue
		}
		text := bytes.TrimLeft(line, "\t")
		depth := len(line) - len(text)
		switch {
		case !utf8.Valid(text):
			return nil, t.fail("the line is not UTF-8")
		case !t.started:
			if !isHeader(string(line)) {
				return nil, t.fail("no ASMT file: it begins with %s", fault.Name(string(line)))
			}
			t.started = true
			continue
		case t.root != nil && depth == 0 && string(text) == series:
			t.root.Children = append(t.root.Children, &xmltree.Node{Name: series, Parent: t.root, File: file, Line: t.line, Column: 1})
			data = nil
			continue
		}
		if err := t.fits(depth, text); err != nil {
			return nil, err
		}
		if t.add(depth, text); t.elements > xmltree.MaxNodes {
			return nil, t.fail("there are more than %d elements", xmltree.MaxNodes)
		}
	}
	t.flush()
	if t.root == nil {
		t.line = 1
		return nil, t.fail("there is no Assembly")
	}
	return t.root, nil
}

// tree is the state of parse.
type tree struct {
	file     string
	line     int  // number of the current line, from 1
	started  bool // the header has been read
	elements int
	root     *xmltree.Node
	stack    []*xmltree.Node // the ancestors of the next line: the last element at each depth
	owner    *xmltree.Node   // the element of values whose text is read, or nil
	value    []byte          // its text
}

// fail returns an error at the current line.
func (t *tree) fail(format string, args ...any) error {
	return &source.SyntaxError{Location: source.Location{File: t.file, Line: t.line, Column: 1}, Rule: fmt.Sprintf(format, args...)}
}

// fits returns an error unless a line of the given depth is allowed here. The first element is the Assembly, which contains all others.
func (t *tree) fits(depth int, text []byte) error {
	switch {
	case depth > maxDepth:
		return t.fail("lines are indented more than %d times", maxDepth)
	case t.root == nil && (depth > 0 || string(text) != "Assembly"):
		return t.fail("%s in place of Assembly", fault.Name(string(text)))
	case t.root != nil && depth == 0:
		return t.fail("a second element, %s", fault.Name(string(text)))
	case depth > len(t.stack):
		return t.fail("the line is indented by more than one tab more than the line before it")
	}
	return nil
}

// add adds a line to the text of its parent if the parent is in values, else makes it a child of the parent.
func (t *tree) add(depth int, text []byte) {
	t.stack = t.stack[:depth]
	if depth > 0 && values[t.stack[depth-1].Name] {
		if up := t.stack[depth-1]; up != t.owner {
			t.flush()
			t.owner = up
		} else {
			t.value = append(t.value, '\n')
		}
		t.value = append(t.value, bytes.TrimSpace(text)...)
		return
	}
	t.elements++
	n := &xmltree.Node{Name: string(text), File: t.file, Line: t.line, Column: depth + 1}
	if depth > 0 {
		n.Parent = t.stack[depth-1]
		n.Parent.Children = append(n.Parent.Children, n)
	} else {
		t.root = n
	}
	t.stack = append(t.stack, n)
}

// flush stores the text that has been read in its element.
func (t *tree) flush() {
	if t.owner != nil {
		t.owner.Text, t.owner, t.value = string(t.value), nil, t.value[:0]
	}
}

// isHeader reports whether line is the first line of an ASMT file.
func isHeader(line string) bool {
	for _, h := range headers {
		if line == h {
			return true
		}
	}
	return false
}

// Sniff reports whether data begins as an ASMT file does.
func Sniff(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(data[:min(len(data), 100)], []byte("\xef\xbb\xbf")), []byte{'\n'})
	return isHeader(string(bytes.TrimRight(line, " \t\r")))
}
