package outfile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/outfile"
)

var layout = outfile.Layout{Head: "head.json", Parts: []string{"a.txt", "b.txt"}}

// writeFolder writes a folder whose parts begin with a text.
func writeFolder(path, content string) error {
	f, err := layout.Hold(path)
	if err != nil {
		return err
	}
	parts, err := writeParts(f, content)
	if err == nil {
		err = f.Commit(parts, head(parts))
	}
	return errors.Join(err, f.Release())
}

func writeParts(f *outfile.Folder, content string) (parts []outfile.Part, err error) {
	for _, name := range layout.Parts {
		p, err := f.Write(name, text(partText(content, name)))
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// partText is that of a part: more than two blocks.
func partText(content, name string) string { return strings.Repeat(content+" "+name+"\n", 300_000) }

func head(parts []outfile.Part) func(io.Writer) error {
	return func(w io.Writer) error {
		list, err := json.Marshal(parts)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, `{"parts": %s, "seal": %q}`, list, outfile.Unsealed())
		return err
	}
}

// holds returns the content of a folder, all of whose parts have the same.
func holds(t testing.TB, path string) string {
	t.Helper()
	o, err := layout.Open(path, 1<<20)
	require.NoError(t, err)
	defer func() { require.NoError(t, o.Close()) }()
	return content(t, o)
}

func content(t testing.TB, o *outfile.Opened) string {
	t.Helper()
	var all string
	for i, p := range o.Parts {
		data, err := io.ReadAll(io.NewSectionReader(p, 0, p.Size()))
		require.NoError(t, err)
		first, _, _ := strings.Cut(string(data), " ")
		require.True(t, string(data) == partText(first, layout.Parts[i]))
		if i > 0 {
			require.Equal(t, all, first)
		}
		all = first
	}
	return all
}

func parts(t testing.TB, path string) (names []string) {
	t.Helper()
	o, err := layout.Open(path, 1<<20)
	require.NoError(t, err)
	for _, p := range o.Parts {
		names = append(names, filepath.Base(p.Name()))
	}
	require.NoError(t, o.Close())
	return names
}

// TestFolder: a folder is the old one until the new one is whole, for those who have it open too, and other files stay.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "x")
	require.NoError(t, writeFolder(dir, "one"))
	require.Equal(t, "one", holds(t, dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666))
	old, err := layout.Open(dir, 1<<20)
	require.NoError(t, err)
	f, err := layout.Hold(dir)
	require.NoError(t, err)
	if locks {
		_, err = layout.Hold(dir)
		require.ErrorIs(t, err, outfile.ErrHeld)
		require.Contains(t, err.Error(), dir+": another run")
	}
	list, err := writeParts(f, "two")
	require.NoError(t, err)
	require.Equal(t, "one", holds(t, dir))
	require.NoError(t, f.Commit(list, head(list)))
	require.Equal(t, "two", holds(t, dir))
	require.NoError(t, f.Release())
	require.Equal(t, "one", content(t, old), "open files stay what they are")
	require.NoError(t, old.Close())
	if runtime.GOOS != "windows" { // where it was open
		alone(t, dir, append(parts(t, dir), "head.json", "notes.txt")...)
	}
	require.NoError(t, writeFolder(dir, "two"))
	alone(t, dir, append(parts(t, dir), "head.json", "notes.txt")...)
	require.Equal(t, "two", holds(t, dir))
	_, err = layout.Open(dir, 100)
	require.ErrorContains(t, err, "head.json: has more than 100 bytes")
}

// TestFolderFails: an error leaves what was there, and nothing else.
func TestFolderFails(t *testing.T) {
	dir, bad := filepath.Join(t.TempDir(), "x"), errors.New("bad")
	half := func(w io.Writer) error { return errors.Join(text("half")(w), bad) }
	fails := func(at int) {
		f, err := layout.Hold(dir)
		require.NoError(t, err)
		switch at {
		case 0:
			_, err = f.Write("a.txt", half)
		case 1:
			_, err = f.Write("a.txt", text("whole"))
			require.NoError(t, err)
			_, err = f.Write("b.txt", half)
		default:
			var list []outfile.Part
			list, err = writeParts(f, "new")
			require.NoError(t, err)
			err = f.Commit(list, half)
		}
		require.ErrorIs(t, err, bad)
		var path *fs.PathError
		require.ErrorAs(t, err, &path)
		require.Equal(t, filepath.Join(dir, []string{"a.txt", "b.txt", "head.json"}[at]), path.Path)
		require.NoError(t, f.Release())
	}
	for at := range 3 {
		fails(at)
		require.NoDirExists(t, dir)
	}
	require.NoError(t, writeFolder(dir, "one"))
	for at := range 3 {
		fails(at)
		require.Equal(t, "one", holds(t, dir))
		alone(t, dir, append(parts(t, dir), "head.json")...)
	}
}

// TestFolderLacksPart: a part that is not there is named, and the next writer mends the folder.
func TestFolderLacksPart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	require.NoError(t, writeFolder(dir, "one"))
	name := filepath.Join(dir, parts(t, dir)[1])
	require.NoError(t, os.Remove(name))
	_, err := layout.Open(dir, 1<<20)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, name)
	require.NoError(t, writeFolder(dir, "one"))
	require.Equal(t, "one", holds(t, dir))
}

// TestFolderDamaged: the part and the block that are not as they were written are named when they are read, and writing
// the same anew mends them. A damaged head is no reason to remove anything before there is another.
func TestFolderDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	require.NoError(t, writeFolder(dir, "one"))
	names := parts(t, dir)
	name := filepath.Join(dir, names[1])
	flip(t, name, 1<<20+7)
	o, err := layout.Open(dir, 1<<20)
	require.NoError(t, err)
	_, err = o.Parts[1].ReadAt(make([]byte, 10), 100)
	require.NoError(t, err)
	for range 2 {
		_, err = o.Parts[1].ReadAt(make([]byte, 10), 1<<20-5)
		require.ErrorIs(t, err, outfile.ErrDamaged)
		require.ErrorContains(t, err, fmt.Sprintf("%s: %v: bytes 1048576 to 2097151", name, outfile.ErrDamaged))
	}
	require.NoError(t, o.Close())
	require.NoError(t, writeFolder(dir, "one"))
	require.Equal(t, "one", holds(t, dir))

	flip(t, filepath.Join(dir, "head.json"), 20)
	_, err = layout.Open(dir, 1<<20)
	require.ErrorIs(t, err, outfile.ErrDamaged)
	f, err := layout.Hold(dir)
	require.NoError(t, err)
	require.NoError(t, f.Release())
	for _, name := range names {
		require.FileExists(t, filepath.Join(dir, name))
	}
	require.NoError(t, writeFolder(dir, "two"))
	alone(t, dir, append(parts(t, dir), "head.json")...)
}

// flip changes one bit of a file.
func flip(t testing.TB, path string, at int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[at] ^= 4
	require.NoError(t, os.WriteFile(path, data, 0o666))
}

// TestFolderLinks: the folder that a link leads to is written; a head that is a link belongs to another folder.
func TestFolderLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, writeFolder(at("x"), "one"))
	if err := os.Symlink("x", at("link")); err != nil {
		t.Skip("no links here: ", err)
	}
	require.NoError(t, writeFolder(at("link"), "two"))
	require.Equal(t, "two", holds(t, at("x")))
	require.NoError(t, os.Mkdir(at("y"), 0o777))
	require.NoError(t, os.Symlink("../x/head.json", at("y/head.json")))
	require.ErrorContains(t, writeFolder(at("y"), "three"), filepath.Join("y", "head.json")+": is no regular file")
	require.Equal(t, "two", holds(t, at("x")))
	require.NoError(t, os.Symlink("new", at("to-nothing")))
	require.NoError(t, writeFolder(at("to-nothing"), "four"))
	require.Equal(t, "four", holds(t, at("new")))
	require.NoError(t, os.Symlink("none", at("held")))
	f, err := layout.Hold(at("held"))
	require.NoError(t, err)
	require.NoError(t, f.Release())
	require.NoDirExists(t, at("none"))
	_, err = os.Readlink(at("held"))
	require.NoError(t, err, "the link stays")
	require.NoError(t, os.WriteFile(at("z"), nil, 0o666))
	require.ErrorContains(t, writeFolder(at("z"), "three"), at("z"))
}

// TestSeals: a sealed file has the seal of its bytes, and no byte of it can be another one, its seal included.
func TestSeals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, after := range []int{0, 1, 100, 1 << 16, 1<<16 + 30, 200_000} {
		content := "rung-seal:cut " + strings.Repeat("x", 70_000) + outfile.Unsealed() + strings.Repeat("y", after)
		require.NoError(t, outfile.Write(path, outfile.Sealed(text(content))))
		require.NoError(t, outfile.CheckSealOf(path))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, data, len(content))
		for _, k := range []int{0, 3, 12, 40_000, 70_013, 70_014, 70_020, 70_024, 70_050, 70_087, len(data) - 1} {
			bad := slices.Clone(data)
			bad[k] ^= 1
			require.NoError(t, os.WriteFile(path, bad, 0o666))
			err := outfile.CheckSealOf(path)
			require.ErrorIs(t, err, outfile.ErrDamaged, k)
			require.ErrorContains(t, err, path)
		}
		require.NoError(t, os.WriteFile(path, data[:len(data)-1], 0o666))
		require.ErrorIs(t, outfile.CheckSealOf(path), outfile.ErrDamaged)
	}
	require.ErrorIs(t, outfile.CheckSealOf(path+"2"), fs.ErrNotExist)
}

// TestFolderReplacedWhileOpening: who has read the old head when its parts go reads the new one.
func TestFolderReplacedWhileOpening(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	var heads []string
	for _, content := range []string{"one", "two"} {
		require.NoError(t, writeFolder(dir, content))
		heads = append(heads, read(t, filepath.Join(dir, layout.Head)))
	}
	o, err := layout.OpenBy(dir, func(string) ([]byte, error) {
		text := heads[0]
		heads = heads[1:]
		return []byte(text), nil
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, o.Close()) }()
	require.Empty(t, heads)
	require.Equal(t, "two", content(t, o))
}
