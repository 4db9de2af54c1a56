package xmltree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// MaxDepth is the largest depth of nested elements.
	MaxDepth = 10_000
	// MaxNodes is the largest number of elements of a file.
	MaxNodes = 1 << 21
	// MaxAttributes is the largest number of attributes of an element.
	MaxAttributes = 1 << 7
)

// Node is an element.
type Node struct {
	Name     string // with the prefix of its name space, as in drake:joint
	Attrs    []Attr
	Children []*Node
	Text     string // all pieces joined, without blanks at both ends
	Parent   *Node
	File     string
	Line     int
	Column   int

	class source.Class
	why   string
	// numbers has for each child its number, from 1, among the children with its name; last has the largest number for each name.
	// Both are nil until needed.
	numbers map[*Node]int
	last    map[string]int
}

// Attr is an attribute.
type Attr struct {
	Name, Value string
	class       source.Class
	why         *string // nil: none
}

// Count returns the number of elements with a name in the tree n, including n.
func (n *Node) Count(name string) (count int) {
	if n.Name == name {
		count++
	}
	for _, c := range n.Children {
		count += c.Count(name)
	}
	return count
}

// Location returns the position of n in its file, with its path.
func (n *Node) Location() source.Location {
	return source.Location{File: n.File, Line: n.Line, Column: n.Column, Element: n.Path()}
}

// Path returns the names of the elements from the root down to n, such as /robot/joint[3]/mimic. An element that has siblings with
// its name has its number among them, from 1. In the path of a deep element the middle is left out.
func (n *Node) Path() string {
	const ends = 8 // elements at each end
	var up []*Node
	for a := n; a != nil; a = a.Parent {
		up = append(up, a)
	}
	var b strings.Builder
	for k := len(up) - 1; k >= 0; k-- {
		if len(up) > 2*ends && k == len(up)-1-ends {
			b.WriteString("/…")
			k = ends - 1
		}
		b.WriteByte('/')
		b.WriteString(cut(up[k].Name))
		if i, many := up[k].number(); many {
			b.WriteString("[" + strconv.Itoa(i) + "]")
		}
	}
	return b.String()
}

// cut shortens a name for a path.
func cut(name string) string {
	const most = 40
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// number returns the number of n, from 1, among the siblings with its name, and whether there are several.
//
// Cost: O(siblings) the first time for a parent.
func (n *Node) number() (i int, many bool) {
	if n.Parent == nil {
		return 1, false
	}
	if n.Parent.numbers == nil {
		n.Parent.numbers = make(map[*Node]int, len(n.Parent.Children))
		last := map[string]int{}
		for _, s := range n.Parent.Children {
			last[s.Name]++
			n.Parent.numbers[s] = last[s.Name]
		}
		n.Parent.last = last
	}
	return n.Parent.numbers[n], n.Parent.last[n.Name] > 1
}

// Parse reads a document.
//
// Cost: O(bytes) time and memory. It returns a *source.SyntaxError.
func Parse(file string, data []byte) (*Node, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := parser{file: file, d: xml.NewDecoder(bytes.NewReader(blank(data)))}
	if len(data) > 1 && (data[0] == 0xfe && data[1] == 0xff || data[0] == 0xff && data[1] == 0xfe) {
		return nil, p.fail("the encoding UTF-16 is not read")
	}
	p.d.CharsetReader = charset
	for {
		p.line, p.column = p.d.InputPos()
		token, err := p.d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, p.syntax(err)
		}
		if err := p.token(token); err != nil {
			return nil, err
		}
	}
	switch {
	case p.at != nil:
		p.line, p.column = p.at.Line, p.at.Column
		return nil, p.fail("the element " + fault.Name(p.at.Name) + " does not end")
	case p.root == nil:
		return nil, p.fail("there is no element")
	}
	return p.root, nil
}

// blank returns data in which the texts of comments with two dashes are replaced by blanks: XML forbids such comments, but
// people write them. Line and column numbers do not change. data itself is not modified.
func blank(data []byte) []byte {
	copied := false
	for at := 0; ; {
		open, end := markup(data[at:])
		if end == "" {
			return data
		}
		at += open
		k := bytes.Index(data[at:], []byte(end))
		if k < 0 {
			return data
		}
		if text := data[at : at+k]; end == commentEnd && (bytes.Contains(text, []byte("--")) || bytes.HasSuffix(text, []byte("-"))) {
			if !copied {
				data, copied = bytes.Clone(data), true
			}
			for i := at; i < at+k; i++ {
				if data[i] != '\n' {
					data[i] = ' '
				}
			}
		}
		at += k + len(end)
	}
}

const commentEnd = "-->"

// markup returns where the text of the first comment, CDATA section or instruction of data begins, and what ends it; "" if there is none.
func markup(data []byte) (begin int, end string) {
	for at := 0; ; at++ {
		k := bytes.IndexByte(data[at:], '<')
		if k < 0 {
			return 0, ""
		}
		at += k
		for _, m := range [...]struct{ begin, end string }{{"<!--", commentEnd}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
			if bytes.HasPrefix(data[at:], []byte(m.begin)) {
				return at + len(m.begin), m.end
			}
		}
	}
}

// charset returns a decoder for the supported encodings with one byte per character, or an encodingError.
func charset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "us-ascii", "ascii":
		return in, nil // ASCII is valid UTF-8; other bytes are refused unless they are valid UTF-8, too
	case "iso-8859-1", "latin1", "latin-1":
		return &latin1{in: in}, nil
	}
	return nil, encodingError(name)
}

type encodingError string

func (e encodingError) Error() string {
	return "the encoding " + fault.Name(string(e)) + " is not read"
}

// latin1 decodes ISO-8859-1 into UTF-8.
type latin1 struct {
	in   io.Reader
	buf  [1024]byte
	rest []byte
}

// Read implements io.Reader: bytes of Latin-1 as UTF-8.
func (l *latin1) Read(out []byte) (int, error) {
	if len(l.rest) == 0 {
		n, err := l.in.Read(l.buf[:])
		if n == 0 {
			return 0, err
		}
		l.rest = l.rest[:0]
		for _, c := range l.buf[:n] {
			l.rest = append(l.rest, string(rune(c))...)
		}
	}
	n := copy(out, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

type parser struct {
	file         string
	d            *xml.Decoder
	root, at     *Node
	line, column int
	depth, nodes int
	text         [][]byte // texts so far of the open elements, by depth
}

func (p *parser) fail(rule string) error {
	const most = 300 // bytes of the message, as the decoder quotes the file
	if len(rule) > most {
		rule = strings.ToValidUTF8(rule[:most], "") + "…"
	}
	return &source.SyntaxError{Location: source.Location{File: p.file, Line: p.line, Column: p.column}, Rule: rule}
}

// syntax returns an error of the decoder as a *source.SyntaxError.
func (p *parser) syntax(err error) error {
	var s *xml.SyntaxError
	var e encodingError
	p.line, p.column = p.d.InputPos()
	if errors.As(err, &e) {
		return p.fail(e.Error())
	}
	if errors.As(err, &s) {
		if s.Msg == "unexpected EOF" {
			return p.fail("the file ends within an element")
		}
		return p.fail(s.Msg)
	}
	// The decoder wraps the error of a CharsetReader only as a text.
	text := err.Error()
	if _, after, ok := strings.Cut(text, "xml: opening charset "); ok {
		if k := strings.LastIndex(after, ": "); k >= 0 {
			return p.fail(after[k+2:])
		}
	}
	return p.fail(strings.TrimPrefix(text, "xml: "))
}

// token adds the next token to the tree.
func (p *parser) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(&t)
	case xml.EndElement:
		name := join(t.Name)
		if p.at == nil || p.at.Name != name {
			return p.fail("the end of " + fault.Name(name) + " has no beginning here")
		}
		p.at.Text = string(bytes.TrimSpace(p.text[p.depth-1]))
		p.at, p.depth = p.at.Parent, p.depth-1
	case xml.CharData:
		if p.at == nil {
			if len(bytes.TrimSpace(t)) > 0 {
				return p.fail("text outside of the elements")
			}
			return nil
		}
		if len(bytes.TrimSpace(t)) > 0 || len(p.text[p.depth-1]) > 0 {
			p.text[p.depth-1] = append(p.text[p.depth-1], t...)
		}
	case xml.Directive:
		return p.fail("document types and entities are not read")
	}
	return nil
}

// start opens an element. It returns an error for two attributes with the same name, and beyond the limits above.
func (p *parser) start(t *xml.StartElement) error {
	n := &Node{Name: join(t.Name), Parent: p.at, File: p.file, Line: p.line, Column: p.column}
	if p.depth++; p.depth > MaxDepth {
		return p.fail(fmt.Sprintf("elements stand deeper than %d in each other", MaxDepth))
	}
	if p.nodes++; p.nodes > MaxNodes {
		return p.fail(fmt.Sprintf("there are more than %d elements", MaxNodes))
	}
	if len(t.Attr) > MaxAttributes {
		return p.fail(fmt.Sprintf("the element %s has more than %d attributes", fault.Name(n.Name), MaxAttributes))
	}
	if len(t.Attr) > 0 {
		n.Attrs = make([]Attr, len(t.Attr))
	}
	for k, a := range t.Attr {
		name := join(a.Name)
		for _, b := range n.Attrs[:k] {
			if b.Name == name {
				return p.fail("the attribute " + fault.Name(name) + " stands twice")
			}
		}
		n.Attrs[k] = Attr{Name: name, Value: a.Value}
	}
	switch {
	case p.at != nil:
		p.at.Children = append(p.at.Children, n)
	case p.root != nil:
		return p.fail("there is a second element outside of " + fault.Name(p.root.Name))
	default:
		p.root = n
	}
	p.at = n
	if len(p.text) < p.depth {
		p.text = append(p.text, nil)
	}
	p.text[p.depth-1] = p.text[p.depth-1][:0]
	return nil
}

// join returns a name as in the file, with its prefix.
func join(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
