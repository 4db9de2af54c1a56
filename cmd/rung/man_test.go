package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMan: every subcommand has a page with all its flags, and no line of a text is taken for a request.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	ok(t, "man", dir)
	root := newRoot()
	for _, c := range append(root.Commands(), root) {
		path := filepath.Join(dir, pageName(c)+".1")
		if c.Hidden {
			assert.NoFileExists(t, path)
			continue
		}
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				assert.Contains(t, string(page), `\fB`+roff("--"+f.Name)+`\fR`, c.Name())
			}
		})
		for line := range strings.Lines(string(page)) {
			if strings.HasPrefix(line, ".") {
				assert.Regexp(t, `^\.(TH|SH|PP|TP|nf|fi)\b`, line)
			}
		}
	}
	index, err := os.ReadFile(filepath.Join(dir, "rung.1"))
	require.NoError(t, err)
	assert.Contains(t, string(index), `\fBrung\-simulate\fR(1)`)
	assert.NotContains(t, ok(t, "--help"), "manual pages")
	r := rungRun("man", filepath.Join(golden("four-bar"), "x"))
	assert.Equal(t, shell.ExitUse, r.Status)
}
