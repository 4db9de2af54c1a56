package arch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pinned is what a workflow uses: an action at a commit, with the version that people know in a comment.
var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// used returns what a workflow uses, line by line as written behind "uses:".
func used(text string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		if what, ok := strings.CutPrefix(line, "uses:"); ok {
			list = append(list, strings.TrimSpace(what))
		}
	}
	return list
}

// TestActionsArePinned: workflows use actions by commit, as whoever owns a tag can move it, and the same one everywhere.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), ".github", "workflows", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	commit := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, what := range used(string(text)) {
			require.Regexp(t, pinned, what, filepath.Base(file))
			name, at, _ := strings.Cut(what, "@")
			if commit[name] == "" {
				commit[name] = at
			}
			require.Equal(t, commit[name], at, "%s: %s at two commits", filepath.Base(file), name)
		}
	}
	require.NotEmpty(t, commit)
	for _, loose := range []string{"actions/checkout@v4", "actions/checkout@11bd719", "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "actions/checkout@main # v4.2.2"} {
		require.NotRegexp(t, pinned, loose)
	}
}
