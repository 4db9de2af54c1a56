package formatstest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// Elements tests a reader with the list of elements in a file. A line has the path of an element, a
// colon, and its attributes. Elements with the same attributes share a line, with a | between their
// names. Each element is alone in a document, with all its attributes. Most of these
// documents are refused, but the reader still has to give each element and attribute exactly one class.
func Elements(t *testing.T, file string, read func(doc []byte) *source.Report) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	count := 0
	for line := range strings.Lines(string(data)) {
		path, attrs, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		path = strings.ReplaceAll(path, ";", ":") // prefixes
		up, names := path[:strings.LastIndex(path, "/")+1], path[strings.LastIndex(path, "/")+1:]
		for _, name := range strings.Split(names, "|") {
			count++
			var b strings.Builder
			parents := strings.FieldsFunc(up, func(r rune) bool { return r == '/' })
			for _, p := range parents {
				b.WriteString("<" + p + ">")
			}
			b.WriteString("<" + name)
			n := 1 + len(parents)
			for _, a := range strings.Fields(attrs) {
				fmt.Fprintf(&b, " %s=\"1\"", strings.ReplaceAll(a, ";", ":"))
				n++
			}
			b.WriteString("/>")
			for k := len(parents) - 1; k >= 0; k-- {
				b.WriteString("</" + parents[k] + ">")
			}
			report := read([]byte(b.String()))
			for k := range report.Entries {
				require.NotContains(t, report.Entries[k].String(), "unknown to this reader", "%s", b.String())
			}
			c := report.Counts
			require.Equal(t, n, c.Used+c.Visual+c.Ignored+c.Dropped+c.Refused, "%s: %+v", b.String(), c)
		}
	}
	require.NotZero(t, count)
	t.Logf("%d elements", count)
}
