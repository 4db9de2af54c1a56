package outfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/outfile"
)

// locks says whether the system locks files.
const locks = runtime.GOARCH != "wasm"

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// alone requires that a folder has these files and no others.
func alone(t testing.TB, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	assert.ElementsMatch(t, names, got)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	require.NoError(t, outfile.Write(path, text("one")))
	require.Equal(t, "one", read(t, path))
	require.NoError(t, outfile.Write(path, func(w io.Writer) error {
		assert.Equal(t, "one", read(t, path), "before all of the new one is there")
		return text("two")(w)
	}))
	require.Equal(t, "two", read(t, path))
	alone(t, dir, "a.json")
}

// TestWriteFails: what was there stays, and nothing else does.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path, bad := filepath.Join(dir, "a.json"), errors.New("bad")
	fail := func(w io.Writer) error { return errors.Join(text("half")(w), bad) }
	require.ErrorIs(t, outfile.Write(path, fail), bad)
	alone(t, dir)
	require.NoError(t, outfile.Write(path, text("one")))
	err := outfile.Write(path, fail)
	require.ErrorIs(t, err, bad)
	require.Contains(t, err.Error(), path)
	require.Equal(t, "one", read(t, path))
	alone(t, dir, "a.json")

	// A file of which it is made keeps its name.
	_, missing := os.Open(filepath.Join(dir, "part"))
	for _, err := range []error{
		outfile.Write(path, func(io.Writer) error { return missing }),
		outfile.ReplaceBy(path+".new", path, func(io.Writer) error { return missing }),
	} {
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "write "+path+": open "+filepath.Join(dir, "part"))
	}
}

func TestHoldRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, dir + string(filepath.Separator), filepath.Join(dir, "missing", "a"), ""} {
		_, err := outfile.Hold(path)
		require.ErrorAs(t, err, new(*fs.PathError), path)
	}
	if os.Getuid() > 0 {
		path := filepath.Join(dir, "read-only")
		require.NoError(t, os.WriteFile(path, nil, 0o444))
		_, err := outfile.Hold(path)
		require.ErrorIs(t, err, fs.ErrPermission)
		require.NoError(t, os.Remove(path))
	}
	alone(t, dir)
}

// TestOneWriter: the second one is refused, by any name of the file, until the first is done.
func TestOneWriter(t *testing.T) {
	if !locks {
		t.Skip("no locks")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.json"), filepath.Join(dir, "link")
	p, err := outfile.Hold(path)
	require.NoError(t, err)
	names := []string{path, filepath.Join(dir, ".", "a.json")}
	if os.Symlink("a.json", link) == nil {
		names = append(names, link)
	}
	for _, name := range names {
		_, err = outfile.Hold(name)
		require.ErrorIs(t, err, outfile.ErrHeld)
		require.ErrorIs(t, outfile.Write(name, text("other")), outfile.ErrHeld)
	}
	require.NoError(t, p.Replace(text("one")))
	_, err = outfile.Hold(path)
	require.ErrorIs(t, err, outfile.ErrHeld, "a place is held over many files")
	require.NoError(t, p.Release())
	require.NoError(t, p.Release(), "once more")
	require.NoError(t, outfile.Write(path, text("two")))
	require.Equal(t, "two", read(t, path))
}

// TestLeftovers: what a killed run leaves stops nobody and is gone afterwards.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	if locks {
		require.NoError(t, os.WriteFile(path+".rung-lock", nil, 0o444))
	}
	require.NoError(t, os.WriteFile(path+".rung-new", []byte("half of something long"), 0o444))
	require.NoError(t, outfile.Write(path, text("one")))
	require.Equal(t, "one", read(t, path))
	alone(t, dir, "a.json")
}

// TestReopen goes on with what a run has left.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	p, err := outfile.Hold(path)
	require.NoError(t, err)
	_, err = p.Reopen()
	require.ErrorIs(t, err, fs.ErrNotExist)
	f, err := p.Create()
	require.NoError(t, err)
	require.NoError(t, text("one")(f))
	require.NoError(t, f.Close())
	require.NoError(t, p.Release())
	alone(t, dir, filepath.Base(p.New()))

	p, err = outfile.Hold(path)
	require.NoError(t, err)
	f, err = p.Reopen()
	require.NoError(t, err)
	_, err = f.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	require.NoError(t, text(", two")(f))
	require.NoError(t, f.Commit())
	require.NoError(t, p.Release())
	require.Equal(t, "one, two", read(t, path))
	alone(t, dir, "a.csv")
}

// TestLinks: the file that a link leads to is replaced, or made, and the link stays.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	require.NoError(t, os.MkdirAll(at("deep/er"), 0o777))
	if err := os.Symlink("deep/er", at("short")); err != nil {
		t.Skip("no links here: ", err)
	}
	require.NoError(t, os.Symlink("../../file", at("deep/er/up"))) // from where the folder is, not its link
	require.NoError(t, os.Symlink(at("short/up"), at("far")))
	for i, name := range []string{"far", "short/up", "short/../../file"} {
		want := fmt.Sprint(i)
		require.NoError(t, outfile.Write(dir+"/"+name, text(want))) // not cleaned
		require.Equal(t, want, read(t, at("file")), name)
		info, err := os.Lstat(at("far"))
		require.NoError(t, err)
		require.Equal(t, fs.ModeSymlink, info.Mode().Type())
	}
	alone(t, dir, "deep", "short", "far", "file")
	require.NoError(t, os.Symlink("round", at("round")))
	require.Error(t, outfile.Write(at("round"), text("x")))
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("a"), nil, 0o666))
	require.NoError(t, os.WriteFile(at("b"), nil, 0o666))
	require.NoError(t, os.Mkdir(at("d"), 0o777))
	require.NoError(t, os.Link(at("a"), at("hard")))
	pairs := []struct {
		a, b string
		same bool
	}{
		{"a", "a", true}, {"a", "b", false}, {"a", "new", false}, {"new", "new", true}, {"new", "other", false},
		{"a", "hard", true}, {"d/../a", "a", true}, {"d/../new", "new", true}, {"d/new", "new", false}, {"no/new", "no/new", true},
	}
	if os.Symlink("a", at("soft")) == nil {
		require.NoError(t, os.Symlink("new", at("dangling")))
		require.NoError(t, os.Symlink("d", at("folder")))
		pairs = append(pairs, []struct {
			a, b string
			same bool
		}{{"soft", "hard", true}, {"soft", "b", false}, {"dangling", "new", true}, {"dangling", "other", false}, {"folder/new", "d/new", true}}...)
	}
	for _, p := range pairs {
		assert.Equal(t, p.same, outfile.Same(dir+"/"+p.a, dir+"/"+p.b), "%s, %s", p.a, p.b)
		assert.Equal(t, p.same, outfile.Same(dir+"/"+p.b, dir+"/"+p.a), "%s, %s", p.b, p.a)
	}
	t.Chdir(dir)
	assert.True(t, outfile.Same("a", at("a")))
	assert.True(t, outfile.Same("new", at("new")))
}

// TestLongNames: names that fill what a file system allows have files beside them too.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	a, b := strings.Repeat("ä", 120)+"1.json", strings.Repeat("ä", 120)+"2.json"
	p, err := outfile.Hold(filepath.Join(dir, a))
	require.NoError(t, err)
	require.NoError(t, outfile.Write(filepath.Join(dir, b), text("b")), "another place")
	require.NoError(t, p.Replace(text("a")))
	require.NoError(t, p.Release())
	alone(t, dir, a, b)
}

func TestFull(t *testing.T) {
	require.False(t, outfile.Full(nil))
	require.False(t, outfile.Full(fs.ErrPermission))
}
