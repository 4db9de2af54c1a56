package arch_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryPageIsListed: README.md and the index of docs lead to every page.
func TestEveryPageIsListed(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	for _, p := range pages {
		name := filepath.Base(p)
		assert.True(t, strings.Contains(page(t, "README.md"), "](docs/"+name+")"), "README.md does not link docs/%s", name)
		assert.True(t, name == "README.md" || strings.Contains(page(t, "docs/README.md"), "]("+name+")"), "docs/README.md does not link %s", name)
	}
}
