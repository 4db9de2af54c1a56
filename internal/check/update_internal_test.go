package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUpdateWritesOnlyWhatDiffers(t *testing.T) {
	t.Chdir(t.TempDir())
	old := *update
	*update = true
	defer func() { *update = old }()
	path := filepath.Join("testdata", "sub", "a.txt")

	Golden(t, "sub/a.txt", []byte("x 1\n"))
	assert.Equal(t, "x 1\n", read(t, path), "a missing file is made")
	GoldenNumbers(t, "sub/a.txt", []byte("x 1.0001\n"), 1e-3, 1)
	assert.Equal(t, "x 1\n", read(t, path), "a file within the tolerance stays")
	GoldenNumbers(t, "sub/a.txt", []byte("x 2\n"), 1e-3, 1)
	assert.Equal(t, "x 2\n", read(t, path), "a file that differs is rewritten")
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestReadExpectedRefuses(t *testing.T) {
	const head = `{"format": "rung-expected/1", `
	for name, c := range map[string]struct{ text, want string }{
		"unknown field":   {head + `"nam": "a"}`, "unknown field"},
		"format":          {`{"format": "rung-expected/2"}`, "format is"},
		"data after":      {head + `"name": "a"} {}`, "data after"},
		"two components":  {head + `"bodies": [{"com_position": [1, 2]}]}`, "2 components"},
		"null in vector":  {head + `"bodies": [{"com_position": [1, 2, null]}]}`, "null in a vector"},
		"four components": {head + `"joints": [{"total_wrench": {"force": [1, 2, null, 3]}}]}`, "4 components"},
		"text":            {head + `"joints": [{"rates": ["1"]}]}`, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.json")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
			_, err := readExpected(path)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := readExpected("none.json")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRootNeedsAModule(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := root()
	require.Error(t, err)
}
