package xmltree_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
)

func TestPlaces(t *testing.T) {
	n, err := xmltree.Parse("f.xml", []byte("\xef\xbb\xbf<?xml version=\"1.0\"?>\n<a x='1'>\n  <b/> text <!-- no -->more\n  <b y=\"2\"><p:c/></b>\n</a>\n"))
	require.NoError(t, err)
	require.Equal(t, "text more", strings.Join(strings.Fields(n.Text), " "))
	require.Len(t, n.Children, 2)
	b := n.Children[1]
	require.Equal(t, source.Location{File: "f.xml", Line: 4, Column: 3, Element: "/a/b[2]"}, b.Location())
	require.Equal(t, "/a/b[2]/p:c", b.Children[0].Path())
}

// TestComments: dashes in comments, which XML forbids, are read over.
func TestComments(t *testing.T) {
	n, err := xmltree.Parse("f", []byte("<a><!-- --- wheels ---\n --><b/><!----><!-- - --><![CDATA[<!-- -- x -->]]><c/></a><!--- end --->"))
	require.NoError(t, err)
	require.Equal(t, "<!-- -- x -->", n.Text)
	require.Equal(t, 2, n.Children[0].Line)
	require.Len(t, n.Children, 2)
	_, err = xmltree.Parse("f", []byte("<a/><!-- -- "))
	require.Error(t, err)
	// The beginning of a comment within an instruction begins no comment: the text after it is not blanked.
	n, err = xmltree.Parse("f", []byte("<a><?x <!-- ?><b/><!-- - --><?y ?></a>"))
	require.NoError(t, err)
	require.Len(t, n.Children, 1)
}

func TestEncodings(t *testing.T) {
	n, err := xmltree.Parse("f", []byte("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a n=\"\xe9\"/>"))
	require.NoError(t, err)
	require.Equal(t, "é", n.Attrs[0].Value)
	_, err = xmltree.Parse("f", []byte("<?xml version=\"1.0\" encoding=\"us-ascii\"?><a/>"))
	require.NoError(t, err)
}

// TestHostile holds that what is not read ends in one line that says why and where, and soon.
func TestHostile(t *testing.T) {
	deep := strings.Repeat("<a>", xmltree.MaxDepth+1)
	var attrs strings.Builder
	for k := range xmltree.MaxAttributes + 1 {
		fmt.Fprintf(&attrs, " a%d=''", k)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {"", "f:1:1: there is no element"},
		"entities":      {`<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>`, "f:1:1: document types and entities are not read"},
		"external":      {`<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`, "document types and entities are not read"},
		"entity":        {`<a>&x;</a>`, "invalid character entity &x;"},
		"deep":          {deep, fmt.Sprintf("elements stand deeper than %d", xmltree.MaxDepth)},
		"open":          {"<a>\n <b>", `f:2:2: the element "b" does not end`},
		"crossed":       {"<a><b></a></b>", `f:1:7: the end of "a" has no beginning here`},
		"two":           {"<a/><b/>", `there is a second element outside of "a"`},
		"outside":       {"<a/>x", "text outside of the elements"},
		"twice":         {`<a x="1" x="2"/>`, `the attribute "x" stands twice`},
		"attributes":    {"<a" + attrs.String() + "/>", "more than 128 attributes"},
		"UTF-16":        {"\xff\xfe<\x00a\x00", "the encoding UTF-16 is not read"},
		"encoding":      {`<?xml version="1.0" encoding="shift_jis"?><a/>`, `the encoding "shift_jis" is not read`},
		"bytes":         {"<a x=\"\xff\"/>", "invalid UTF-8"},
		"terminal":      {"<a\x1b[2J/>", "XML syntax error"},
		"unquoted":      {"<a x=1/>", "unquoted or missing attribute value"},
		"not XML":       {"{\"format\": 1}", "text outside of the elements"},
		"long name":     {"<" + strings.Repeat("n", 1<<20) + ">", "does not end"},
		"many siblings": {"<a>" + strings.Repeat("x<b/>", 200_000), "does not end"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := xmltree.Parse("f", []byte(c.text))
			if name != "terminal" {
				require.ErrorContains(t, err, c.want)
			} else {
				require.Error(t, err)
			}
			require.NotContains(t, err.Error(), "\n")
			require.NotContains(t, err.Error(), "\x1b")
			require.Less(t, len(err.Error()), 400)
			require.Less(t, time.Since(begin), 5*time.Second)
		})
	}
}

func TestTooMany(t *testing.T) {
	if testing.Short() {
		t.Skip("reads two million elements")
	}
	_, err := xmltree.Parse("f", []byte("<a>"+strings.Repeat("<b/>", xmltree.MaxNodes)))
	require.ErrorContains(t, err, "there are more than 2097152 elements")
}

func TestFloats(t *testing.T) {
	got, err := xmltree.Floats(" 1 -2.5e3\n+inf .5 ")
	require.NoError(t, err)
	require.Len(t, got, 4)
	require.Equal(t, -2500.0, got[1])
	for _, bad := range []string{"nan", "1_0", "0x10", "1e999", "one", "1,2", "--1"} {
		_, err := xmltree.Floats(bad)
		require.Error(t, err, bad)
	}
}

func table() *xmltree.Table {
	return xmltree.NewTable([]xmltree.Rule{
		{Element: "a", Class: source.Used, Used: "u", Ignored: "i", Dropped: "d"},
		{Element: "v", Class: source.Visual},
		{Element: "i", Class: source.Ignored, Why: "why"},
		{Element: "a/d", Class: source.Dropped, Why: "why"},
		{Element: "d", Class: source.Ignored, Why: "elsewhere"},
	})
}

func TestAccount(t *testing.T) {
	n, err := xmltree.Parse("f", []byte(`<a u="1" i="2" d="3" n="4" xmlns="x"><a u="1"/><v x="1"><y/></v><i/><i/><d p="1"/><z><q/></z></a>`))
	require.NoError(t, err)
	_, ok := n.Attr("u")
	require.True(t, ok)
	report := &source.Report{File: "f"}
	xmltree.Account(n, table(), report)
	// a@u; v, v@x, y; a@i, a@xmlns, a/a, a/a@u, i, i; a@d, a@n, d, d@p, z, q.
	require.Equal(t, source.Counts{Used: 2, Visual: 3, Ignored: 6, Dropped: 6}, report.Counts)
	var lines []string
	for k := range report.Entries {
		lines = append(lines, report.Entries[k].String())
	}
	require.Equal(t, []string{
		`f:1:1: note: /a: attributes "i" of "a" are not read: has no effect on the motion`,
		`f:1:1: dropped: /a: attribute "d" of "a": the model has no such thing; its value is "3"`,
		`f:1:1: dropped: /a: attribute "n" of "a": unknown to this reader; its value is "4"`,
		`f:1:38: note: /a/a: elements "a" have no effect on the motion: has no meaning here`,
		`f:1:65: note: /a/i[1]: elements "i" have no effect on the motion: why (and 1 more like it)`,
		`f:1:73: dropped: /a/d: element "d": why`,
		`f:1:83: dropped: /a/z: element "z": unknown to this reader`,
	}, lines)
	require.NoError(t, report.Err(false))
	require.ErrorContains(t, report.Err(true), "unknown to this reader")
}

// FuzzAccount holds that any document ends in an error of one line, or with a class for each element and attribute.
func FuzzAccount(fz *testing.F) {
	f := check.NewFuzz(fz)
	f.Add([]byte(`<a u="1" i="2" d="3" n="4" xmlns="x"><a u="1"/><v x="1"><y/></v><i/><i/><d p="1"/><z><q/></z></a>`))
	f.Add([]byte("<?xml version='1.0' encoding='latin1'?><a>\xe9&lt;<![CDATA[x]]></a>"))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := xmltree.Parse("f", data)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		n.Use()
		report := &source.Report{}
		xmltree.Account(n, table(), report)
		count := 0
		var walk func(n *xmltree.Node)
		walk = func(n *xmltree.Node) {
			require.NotEqual(t, source.Unread, n.Class())
			count += 1 + len(n.Attrs)
			for _, c := range n.Children {
				walk(c)
			}
		}
		walk(n)
		c := report.Counts
		require.Equal(t, count, c.Used+c.Visual+c.Ignored+c.Dropped+c.Refused)
		for k := range report.Entries {
			require.NotContains(t, report.Entries[k].String(), "\n")
		}
	})
}

// TestThroughput reads a large file and says how long it takes.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("10 MB")
	}
	var b bytes.Buffer
	b.WriteString("<a>")
	for b.Len() < 10<<20 {
		fmt.Fprintf(&b, "<joint name=\"joint%d\" type=\"revolute\"><origin xyz=\"0.25 0 %d\" rpy=\"0 0 1.5707963\"/></joint>\n", b.Len(), b.Len())
	}
	b.WriteString("</a>")
	begin := time.Now()
	n, err := xmltree.Parse("f", b.Bytes())
	require.NoError(t, err)
	xmltree.Account(n, table(), &source.Report{})
	t.Logf("%d bytes in %v", b.Len(), time.Since(begin))
}
