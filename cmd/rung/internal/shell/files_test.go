package shell_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// TestIsTables: a folder of tables is one with a separator behind its name, too, which completion of a shell adds.
func TestIsTables(t *testing.T) {
	for path, want := range map[string]bool{
		"a.tables": true, "b/a.TABLES": true, "a.tables/": true, "a.tables//": true, "a.json": false, "a.tables/x.json": false, "tables": false, "": false,
	} {
		assert.Equal(t, want, shell.IsTables(path), path)
	}
}
