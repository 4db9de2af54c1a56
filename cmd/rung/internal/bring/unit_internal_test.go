package bring

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInstalled: the libraries of an archive are below the command, and those of a system in the folder above that of commands.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	below, above := filepath.Join(bin, "lib", "rung"), filepath.Join(dir, "lib", "rung")
	require.Equal(t, below, installed(bin), "where none is, that of archives is named")
	require.NoError(t, os.MkdirAll(above, 0o777))
	require.Equal(t, above, installed(bin))
	require.NoError(t, os.MkdirAll(below, 0o777))
	require.Equal(t, below, installed(bin))
}
