//go:build unix

package outfile_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/outfile"
)

// TestModes: a new file has what the umask leaves, a replaced one what it had.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	mode := func() fs.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	require.NoError(t, outfile.Write(path, text("one")))
	require.Equal(t, fs.FileMode(0o640), mode())
	for _, m := range []fs.FileMode{0o600, 0o666, 0o755} {
		require.NoError(t, os.Chmod(path, m))
		require.NoError(t, outfile.Write(path, text("two")))
		require.Equal(t, m, mode())
	}
}

// TestOwner: root does not take the files of others.
func TestOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	if os.Chown(path, 12345, 23456) != nil {
		t.Skip("only root gives files away")
	}
	require.NoError(t, outfile.Write(path, text("one")))
	info, err := os.Stat(path)
	require.NoError(t, err)
	s := info.Sys().(*syscall.Stat_t)
	require.Equal(t, [2]uint32{12345, 23456}, [2]uint32{s.Uid, s.Gid})
}

// TestDirect: devices, pipes and files that are open are written as they are.
//
//rung:race
func TestDirect(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(fifo, 0o666))
	got := make(chan string)
	go func() {
		data, err := os.ReadFile(fifo)
		got <- fmt.Sprint(string(data), err)
	}()
	require.NoError(t, os.Symlink("pipe", filepath.Join(dir, "link")))
	p, err := outfile.Hold(filepath.Join(dir, "link"))
	require.NoError(t, err)
	require.True(t, p.Direct())
	require.NoError(t, p.Replace(text("through")))
	require.NoError(t, p.Release())
	require.Equal(t, "through<nil>", <-got)
	require.NoError(t, outfile.Write("/dev/null", text("away")))
	alone(t, dir, "pipe", "link")
}

// TestStandardOutput: /dev/stdout is what the shell has opened, a file too, which is not replaced.
func TestStandardOutput(t *testing.T) {
	const child = "OUTFILE_TEST_STDOUT"
	if os.Getenv(child) != "" {
		if err := outfile.Write("/dev/stdout", func(w io.Writer) error { return text("from within\n")(w) }); err != nil {
			t.Fatal(err)
		}
		os.Exit(0)
	}
	run := func(stdout *os.File) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStandardOutput$")
		cmd.Env = append(os.Environ(), child+"=1")
		if stdout != nil {
			cmd.Stdout = stdout
		}
		return cmd
	}
	out, err := run(nil).Output() // a pipe
	require.NoError(t, err)
	require.Equal(t, "from within\n", string(out))
	path := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, run(f).Run())
	require.Equal(t, "from within\n", read(t, path))
	was, err := f.Stat()
	require.NoError(t, err)
	is, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(was, is))
}

// TestKilledHolder: the lock of a process ends with it.
func TestKilledHolder(t *testing.T) {
	const child = "OUTFILE_TEST_HOLDER"
	if path := os.Getenv(child); path != "" {
		p, err := outfile.Hold(path)
		require.NoError(t, err)
		_, err = p.Create()
		require.NoError(t, err)
		fmt.Println("held")
		select {}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledHolder$")
	cmd.Env = append(os.Environ(), child+"="+path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = fmt.Fscan(out, new(string))
	require.NoError(t, err)
	require.ErrorIs(t, outfile.Write(path, text("two")), outfile.ErrHeld)
	alone(t, dir, "a.json.rung-lock", "a.json.rung-new")
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.NoError(t, outfile.Write(path, text("two")))
	require.Equal(t, "two", read(t, path))
	alone(t, dir, "a.json")
}

func TestNoRoom(t *testing.T) {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		require.True(t, outfile.Full(fmt.Errorf("x: %w", &fs.PathError{Err: e})))
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		require.True(t, outfile.Full(outfile.Write("/dev/full", text("x"))))
	}
}

// TestFolderModes: the parts of a folder have the permissions of the head that they come with, or of the one before.
func TestFolderModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	dir := filepath.Join(t.TempDir(), "x")
	modes := func(want fs.FileMode) {
		for _, name := range append(parts(t, dir), "head.json") {
			info, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, want, info.Mode(), name)
		}
	}
	require.NoError(t, writeFolder(dir, "one"))
	modes(0o640)
	require.NoError(t, os.Chmod(filepath.Join(dir, "head.json"), 0o600))
	require.NoError(t, writeFolder(dir, "two"))
	modes(0o600)
}

// TestFolderOfPipes: a part or a head that is a pipe is refused, where a reader would wait for a writer. The next writer mends a part.
func TestFolderOfPipes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	require.NoError(t, writeFolder(dir, "one"))
	name := filepath.Join(dir, parts(t, dir)[1])
	require.NoError(t, os.Remove(name))
	require.NoError(t, syscall.Mkfifo(name, 0o666))
	_, err := layout.Open(dir, 1<<20)
	require.ErrorContains(t, err, name+": is no regular file")
	require.ErrorContains(t, outfile.CheckSealOf(name), name+": is no regular file")
	require.NoError(t, writeFolder(dir, "one"))
	require.Equal(t, "one", holds(t, dir))
	head := filepath.Join(dir, layout.Head)
	require.NoError(t, os.Remove(head))
	require.NoError(t, syscall.Mkfifo(head, 0o666))
	_, err = layout.Open(dir, 1<<20)
	require.ErrorContains(t, err, head+": is no regular file")
}

// TestFolderEnds: a process ends at each point at which it can, with nothing cleaned up. The folder is the old or the new
// one, or none where there was none, and the next writer leaves nothing behind.
func TestFolderEnds(t *testing.T) {
	check.Long(t)
	const child = "OUTFILE_TEST_FOLDER"
	if args := os.Getenv(child); args != "" {
		var point int
		var dir string
		_, err := fmt.Sscan(args, &point, &dir)
		require.NoError(t, err)
		f, err := layout.Hold(dir)
		require.NoError(t, err)
		end := func(at int, write func(io.Writer) error) func(io.Writer) error {
			return func(w io.Writer) error {
				if point == at {
					_ = text("half")(w)
					os.Exit(0)
				}
				return write(w)
			}
		}
		var list []outfile.Part
		for i, name := range layout.Parts {
			p, err := f.Write(name, end(i, text(partText("new", name))))
			require.NoError(t, err)
			list = append(list, p)
		}
		require.NoError(t, f.Commit(list, end(2, head(list))))
		os.Exit(0)
	}
	for point := range 4 {
		for _, before := range []string{"", "old"} {
			dir := filepath.Join(t.TempDir(), "x")
			if before != "" {
				require.NoError(t, writeFolder(dir, before))
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestFolderEnds$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", child, point, dir))
			require.NoError(t, cmd.Run())
			require.FileExists(t, filepath.Join(dir, "head.json.rung-lock"))
			switch {
			case point == 3:
				require.Equal(t, "new", holds(t, dir))
			case before == "":
				_, err := layout.Open(dir, 1<<20)
				require.ErrorIs(t, err, fs.ErrNotExist)
			default:
				require.Equal(t, before, holds(t, dir))
			}
			require.NoError(t, writeFolder(dir, "next"))
			require.Equal(t, "next", holds(t, dir))
			alone(t, dir, append(parts(t, dir), "head.json")...)
		}
	}
}
