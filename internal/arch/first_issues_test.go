package arch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFirstIssuesHavePlaces: what docs/good-first-issues.md names stands in the file that it names behind.
func TestFirstIssuesHavePlaces(t *testing.T) {
	compared := 0
	for _, cells := range tableRows(t, "\n# \n"+page(t, "docs/good-first-issues.md"), "# ") {
		var names []string
		for _, s := range spans(cells[1]) {
			if !strings.Contains(s, "/") {
				names = append(names, s)
				continue
			}
			for _, n := range names {
				assert.Contains(t, page(t, s), n, "%s: %s", cells[0], s)
				compared++
			}
			names = nil
		}
		assert.Empty(t, names, "%s: in no file", cells[0])
	}
	assert.GreaterOrEqual(t, compared, 5)
}
