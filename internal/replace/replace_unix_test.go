//go:build unix

package replace_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/replace"
)

// TestModes: permissions are those of the file that is replaced, and of a new one what the process gives.
func TestModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	plain := path + ".plain"
	require.NoError(t, replace.Write(path, say("new")))
	require.NoError(t, os.WriteFile(plain, nil, 0o666))
	is, err := os.Stat(path)
	require.NoError(t, err)
	want, err := os.Stat(plain)
	require.NoError(t, err)
	require.Equal(t, want.Mode(), is.Mode())

	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, replace.Write(path, say("newer")))
	is, err = os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), is.Mode())
}

// TestLinks: what a link leads to is replaced, and the link stays.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "b.json"), filepath.Join(dir, "a.json")
	require.NoError(t, os.Symlink("b.json", link))
	require.NoError(t, replace.Write(link, say("there")))
	requireText(t, target, "there")
	to, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, "b.json", to)
	requireFiles(t, dir, "a.json", "b.json")
}

// TestPipes are written directly.
func TestPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	r, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, replace.Write(path, say("through")))
	b := make([]byte, 7)
	_, err = r.Read(b)
	require.NoError(t, err)
	require.Equal(t, "through", string(b))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type())
}
