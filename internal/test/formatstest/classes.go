package formatstest

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
)

// Classes compares a reader with the list in a file. The list has the class of each element and attribute of a format, such as read
// or dropped. A line has the path of an element, its class, and each attribute followed by = and its class.
//
// Each element is tested in a document of its own, and each attribute alone on its element. base returns the document for a
// path. The element is added inside the first elements with the names of its path; missing elements of the path are
// added too. Files that the document includes are below the folder part. values has the texts of elements, by name, and of
// attributes, by @ and name, or by element, @ and name if the text depends on the element. All other texts are 1.
//
// Each element and attribute of each document has to get exactly one class, also in documents with errors.
func Classes(t *testing.T, file string, base func(of string) string, values map[string]string, read func(doc []byte, o *source.Options) *source.Report) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var now strings.Builder
	count := map[string]int{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(line, "#") {
			now.WriteString(line)
			continue
		}
		fmt.Fprintf(&now, "%s %s", f[0], classOf(t, f[0], "", base, values, count, read))
		for _, a := range f[2:] {
			name, _, _ := strings.Cut(a, "=")
			fmt.Fprintf(&now, " %s=%s", name, classOf(t, f[0], name, base, values, count, read))
		}
		now.WriteByte('\n')
	}
	t.Logf("%v", count)
	check.Golden(t, strings.TrimPrefix(file, "testdata/"), []byte(now.String()))
}

// classOf returns the class of an element, or of one of its attributes.
func classOf(t *testing.T, element, attribute string, base func(of string) string, values map[string]string, count map[string]int, read func(doc []byte, o *source.Options) *source.Report) source.Class {
	t.Helper()
	root := parse(t, base(element))
	n := root.reach(strings.Split(element, "/")[1:], values)
	if attribute != "" {
		value, ok := values[n.name+"@"+attribute]
		if !ok {
			value = valueOf(values, "@"+attribute)
		}
		n.set(attribute, value)
	}
	var doc bytes.Buffer
	root.write(&doc)
	got, settled := source.Unread, 0
	report := read(doc.Bytes(), &source.Options{Settled: func(at source.Location, name string, class source.Class) {
		if path.Base(at.File) == "part" || strings.HasPrefix(at.File, "part/") {
			return // what the document includes
		}
		settled++
		if plain(at.Element) == "/"+element && name == attribute && got == source.Unread {
			got = class
		}
	}})
	require.Equal(t, root.count(), settled, "%s", doc.String())
	c := report.Counts
	require.GreaterOrEqual(t, c.Used+c.Visual+c.Ignored+c.Dropped+c.Refused, settled, "%s", doc.String())
	require.NotEqual(t, source.Unread, got, "%s@%s: %s", element, attribute, doc.String())
	for k := range report.Entries {
		require.NotContains(t, report.Entries[k].Why, "unknown to this reader", "%s", doc.String())
	}
	count[got.String()]++
	return got
}

// valueOf returns values[name], or 1 if there is none.
func valueOf(values map[string]string, name string) string {
	if v, ok := values[name]; ok {
		return v
	}
	return "1"
}

// plain returns a path without the index [1] of a first element.
func plain(element string) string { return strings.ReplaceAll(element, "[1]", "") }

// node is an element of an XML document.
type node struct {
	name  string
	attrs [][2]string
	kids  []*node
	text  string
}

// parse returns the root of an XML document.
func parse(t *testing.T, doc string) *node {
	d := xml.NewDecoder(strings.NewReader(doc))
	up := []*node{{}}
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			return up[0].kids[0]
		}
		require.NoError(t, err)
		n := up[len(up)-1]
		switch token := token.(type) {
		case xml.StartElement:
			kid := &node{name: named(token.Name)}
			for _, a := range token.Attr {
				kid.set(named(a.Name), a.Value)
			}
			n.kids = append(n.kids, kid)
			up = append(up, kid)
		case xml.EndElement:
			up = up[:len(up)-1]
		case xml.CharData:
			n.text += strings.TrimSpace(string(token))
		}
	}
}

// named returns a name with its prefix.
func named(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

// reach returns the element at the path way below n. It adds missing elements.
func (n *node) reach(way []string, values map[string]string) *node {
	for k, name := range way {
		var next *node
		for _, kid := range n.kids {
			if kid.name == name {
				next = kid
				break
			}
		}
		if next == nil {
			next = &node{name: name}
			if k == len(way)-1 {
				next.text = valueOf(values, name)
			}
			n.kids = append(n.kids, next)
		}
		n = next
	}
	return n
}

// set adds an attribute, unless there is one with this name.
func (n *node) set(name, value string) {
	for k := range n.attrs {
		if n.attrs[k][0] == name {
			return
		}
	}
	n.attrs = append(n.attrs, [2]string{name, value})
}

// write writes the element with its content as XML.
func (n *node) write(to *bytes.Buffer) {
	to.WriteString("<" + n.name)
	for _, a := range n.attrs {
		fmt.Fprintf(to, " %s=%q", a[0], a[1])
	}
	to.WriteString(">" + n.text)
	for _, kid := range n.kids {
		kid.write(to)
	}
	to.WriteString("</" + n.name + ">")
}

// count returns the number of elements and attributes in n, with n itself.
func (n *node) count() int {
	sum := 1 + len(n.attrs)
	for _, kid := range n.kids {
		sum += kid.count()
	}
	return sum
}
