package asmt

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// maxDepth is how deep lines may be indented.
const maxDepth = 64

// headers are the first lines of files.
var headers = []string{"freeCAD: 3D CAD with Motion Simulation  by  askoh.com", "OndselSolver"}

// series is the line after which the results stand.
const series = "TimeSeries"

// values are the elements whose lines are values, and not elements.
var values = map[string]bool{}

func init() {
	for _, r := range rules {
		if r.value {
			values[r.Element] = true
		}
	}
}

// parse reads the lines into a tree: a line is an element, those that are indented by one more tab stand in it. The
// lines in an element of values are its text.
//
// Cost: O(bytes). It returns an error with the place of a line that is not where it can be.
func parse(file string, data []byte) (*xmltree.Node, error) {
	fail := func(line int, format string, args ...any) error {
		return &source.SyntaxError{Location: source.Location{File: file, Line: line, Column: 1}, Rule: fmt.Sprintf(format, args...)}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var stack []*xmltree.Node
	var root *xmltree.Node
	started := false
	var owner *xmltree.Node // of the value that is read
	var value []byte
	flush := func() {
		if owner != nil {
			owner.Text, owner, value = string(value), nil, value[:0]
		}
	}
	for number := 1; len(data) > 0; number++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		line = bytes.TrimRight(line, " \t\r")
		if len(line) == 0 {
			continue
		}
		text := bytes.TrimLeft(line, "\t")
		depth := len(line) - len(text)
		switch {
		case !utf8.Valid(text):
			return nil, fail(number, "the line is not UTF-8")
		case !started:
			if !isHeader(string(line)) {
				return nil, fail(number, "no ASMT file: it begins with %s", fault.Name(string(line)))
			}
			started = true
			continue
		case depth > maxDepth:
			return nil, fail(number, "lines are indented more than %d times", maxDepth)
		case root == nil && (depth > 0 || string(text) != "Assembly"):
			return nil, fail(number, "%s in place of Assembly", fault.Name(string(text)))
		case root != nil && depth == 0 && string(text) == series:
			root.Children = append(root.Children, &xmltree.Node{Name: series, Parent: root, File: file, Line: number, Column: 1})
			data = nil
			continue
		case root != nil && depth == 0:
			return nil, fail(number, "a second element, %s", fault.Name(string(text)))
		case depth > len(stack):
			return nil, fail(number, "the line is indented by more than one tab more than the line before it")
		}
		stack = stack[:depth]
		if depth > 0 && values[stack[depth-1].Name] {
			if up := stack[depth-1]; up != owner {
				flush()
				owner = up
			} else {
				value = append(value, '\n')
			}
			value = append(value, bytes.TrimSpace(text)...)
			continue
		}
		n := &xmltree.Node{Name: string(text), File: file, Line: number, Column: depth + 1}
		if depth > 0 {
			n.Parent = stack[depth-1]
			n.Parent.Children = append(n.Parent.Children, n)
		} else {
			root = n
		}
		stack = append(stack, n)
	}
	flush()
	if root == nil {
		return nil, fail(1, "there is no Assembly")
	}
	return root, nil
}

// isHeader reports whether a file may begin with a line.
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
