package families_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/families"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// full is an output without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestBenchLeavesNothing: files of a bench whose table cannot be written are given up.
func TestBenchLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	command := clitest.Of(families.Commands)
	status := command.RunTo(full{}, io.Discard, "", "bench", "--family", "ladder", "--sizes", "2", "--min-seconds", "0",
		"--csv", filepath.Join(dir, "a.csv"), "--plot", filepath.Join(dir, "a.svg"))
	assert.Equal(t, shell.ExitFailed, status)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}
