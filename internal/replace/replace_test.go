package replace_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/replace"
)

// say returns what writes a text.
func say(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// requireFiles requires the names of a folder.
func requireFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.Equal(t, names, got)
}

func requireText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	require.NoError(t, replace.Write(path, say("one")))
	requireText(t, path, "one")
	require.NoError(t, replace.Write(path, say("two")))
	requireText(t, path, "two")
	requireFiles(t, dir, "a.json")
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	require.NoError(t, replace.Write(path, say("old")))
	wrong := errors.New("wrong")
	err := replace.Write(path, func(w io.Writer) error { return errors.Join(say("new")(w), wrong) })
	require.ErrorIs(t, err, wrong)
	require.EqualError(t, err, "write "+path+": wrong")
	requireText(t, path, "old")
	requireFiles(t, dir, "a.json")

	none := filepath.Join(dir, "none", "a.json")
	err = replace.Write(none, say(""))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.True(t, strings.HasPrefix(err.Error(), "write "+none+": "), err)
	require.ErrorIs(t, replace.Write(dir, say("")), replace.ErrFolder)
}

// TestWriters: of many writers at a time each leaves a whole file, and nothing beside it.
//
//rung:race
func TestWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	var all sync.WaitGroup
	for i := range 8 {
		text := strings.Repeat(string(rune('a'+i)), 1<<16)
		all.Go(func() {
			for range 10 {
				assert.NoError(t, replace.Write(path, func(w io.Writer) error {
					for k := range 16 {
						if err := say(text[k<<12:][:1<<12])(w); err != nil {
							return err
						}
					}
					return nil
				}))
			}
		})
	}
	all.Wait()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(string(got[0]), 1<<16), string(got))
	requireFiles(t, dir, "a.json")
}

// TestLongNames: the new file has a name where that of the file has hardly any room beside it.
func TestLongNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
	require.NoError(t, replace.Write(path, say("long")))
	requireText(t, path, "long")
}
