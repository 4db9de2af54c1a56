//go:build linux || darwin

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

const (
	exportArgs  = "RUNG_EXPORT_ARGS"  // of rung in a process of limited
	exportLimit = "RUNG_EXPORT_LIMIT" // bytes of its files at most
)

// exports are processes that write two models, which differ in every body and every joint but not in their numbers, to one
// folder.
type exports struct {
	t      *testing.T
	rng    *rand.Rand
	dir    string
	folder string
	files  [2]string
	texts  [2]string
	took   time.Duration // of one export
}

func newExports(t *testing.T, size int) *exports {
	e := &exports{t: t, rng: check.Rand(1), dir: t.TempDir()}
	e.folder = filepath.Join(e.dir, "x.tables")
	for i := range e.files {
		m, err := bench.Generate("ladder", size, 1)
		require.NoError(t, err)
		for k := range m.Bodies {
			m.Bodies[k].Mass *= float64(1 + i)
		}
		for k := range m.Joints {
			m.Joints[k].PredecessorFrame.Position[2] += 0.25 * float64(i)
			m.Joints[k].SuccessorFrame.Position[2] += 0.25 * float64(i)
		}
		m.Gravity[0] = float64(i)
		m.Canonicalize()
		e.texts[i] = textOf(t, m)
		e.files[i] = filepath.Join(e.dir, string(rune('a'+i))+".json")
		require.NoError(t, os.WriteFile(e.files[i], []byte(e.texts[i]), 0o666))
	}
	begun := time.Now()
	require.NoError(t, e.start(0, 0).Wait())
	e.took = time.Since(begun)
	e.reads(0)
	return e
}

func textOf(t *testing.T, m *model.Model) string {
	var b strings.Builder
	require.NoError(t, model.Write(&b, m))
	return b.String()
}

// start starts a process that exports model i, with files of at most so many bytes if limit is not 0.
func (e *exports) start(i int, limit int64) *exec.Cmd {
	cmd := limited(limit, "export", e.files[i], "-o", e.folder)
	require.NoError(e.t, cmd.Start())
	return cmd
}

// limited returns a process that runs rung with the arguments, and writes files of at most so many bytes if limit is not 0.
func limited(limit int64, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestExportsAreWhole$")
	cmd.Env = append(os.Environ(), exportArgs+"="+strings.Join(args, "\n"), exportLimit+"="+strconv.FormatInt(limit, 10))
	cmd.Stderr = new(strings.Builder)
	return cmd
}

// export is rung in the process of limited.
func export() {
	if limit, _ := strconv.ParseUint(os.Getenv(exportLimit), 10, 64); limit > 0 {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
	os.Exit(command.RunTo(io.Discard, os.Stderr, "", strings.Split(os.Getenv(exportArgs), "\n")...))
}

// which returns the model that the folder holds, or the error of reading it.
func (e *exports) which() (int, error) {
	m, err := tables.Read(e.folder)
	if err != nil {
		return 0, err
	}
	text := textOf(e.t, m)
	for i := range e.texts {
		if text == e.texts[i] {
			return i, nil
		}
	}
	return 0, errors.New("the folder holds neither model")
}

// reads requires that the folder holds a model, one of those that are given if there are any, and returns it.
func (e *exports) reads(one ...int) int {
	e.t.Helper()
	i, err := e.which()
	require.NoError(e.t, err)
	if len(one) > 0 {
		require.Contains(e.t, one, i)
	}
	return i
}

// killed kills an export at a random moment. What was there is there, or the new model is; where nothing was, nothing may
// be. The next export leaves nothing of the one that was killed.
func (e *exports) killed(i int, fresh bool) {
	before := i
	if fresh {
		require.NoError(e.t, os.RemoveAll(e.folder))
	} else {
		before = e.reads()
	}
	cmd := e.start(i, 0)
	timer := time.AfterFunc(time.Duration(e.rng.Float64()*1.1*float64(e.took)), func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	timer.Stop()
	if _, err := os.Stat(filepath.Join(e.folder, "head.json")); fresh && errors.Is(err, fs.ErrNotExist) {
		_, err := e.which()
		require.ErrorIs(e.t, err, fs.ErrNotExist, "refused")
	} else {
		e.reads(before, i)
	}
	next := e.rng.IntN(2)
	cmd = e.start(next, 0)
	require.NoError(e.t, cmd.Wait(), cmd.Stderr)
	e.reads(next)
	e.alone()
}

// alone requires that nothing but the model is in the folder.
func (e *exports) alone() {
	entries, err := os.ReadDir(e.folder)
	require.NoError(e.t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	require.Len(e.t, names, 3, names)
}

// crossed starts both exports at once, while somebody reads. One of them, at least, has done its work.
func (e *exports) crossed() {
	e.reads()
	done := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			_, err := e.which()
			assert.NoError(e.t, err)
			select {
			case <-done:
				return
			default:
			}
		}
	})
	both := [2]*exec.Cmd{e.start(0, 0), e.start(1, 0)}
	var ended []int
	for i, cmd := range both {
		if err := cmd.Wait(); err == nil {
			ended = append(ended, i)
		} else {
			assert.Equal(e.t, shell.ExitUse, cmd.ProcessState.ExitCode())
			assert.Equal(e.t, "rung: "+e.folder+": another run is writing this file\n", cmd.Stderr.(*strings.Builder).String())
		}
	}
	close(done)
	reader.Wait()
	e.reads(ended...)
	e.alone()
}

// full exports where files have no room, which is no error only if there is room for all: status 1 with the name of the
// file, and what was there.
func (e *exports) full(i int, fresh bool) {
	before := -1
	if fresh {
		require.NoError(e.t, os.RemoveAll(e.folder))
	} else {
		before = e.reads()
	}
	cmd := e.start(i, 1+e.rng.Int64N(e.largest()))
	err := cmd.Wait()
	if err == nil {
		e.reads(i)
		return
	}
	require.Equal(e.t, shell.ExitFailed, cmd.ProcessState.ExitCode(), cmd.Stderr)
	require.Regexp(e.t, `^rung: \S*/x\.tables/(bodies\.parquet|joints\.parquet|head\.json): `+syscall.EFBIG.Error()+"\n$", cmd.Stderr.(*strings.Builder).String())
	if fresh {
		require.NoDirExists(e.t, e.folder)
		require.NoError(e.t, e.start(i, 0).Wait())
	} else {
		e.reads(before)
	}
	e.alone()
}

// largest is a little more than the size of the largest file of an export.
func (e *exports) largest() int64 {
	other := filepath.Join(e.dir, "size.tables")
	if _, err := os.Stat(other); err != nil {
		ok(e.t, "export", e.files[0], "-o", other)
	}
	entries, err := os.ReadDir(other)
	require.NoError(e.t, err)
	var most int64
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(e.t, err)
		most = max(most, info.Size())
	}
	return most * 21 / 20
}

// TestExportsAreWhole: exports are killed, cross each other, and have no room: the folder reads as the old or the new
// model, never as a mixture, and never as nothing where a model was.
func TestExportsAreWhole(t *testing.T) {
	if os.Getenv(exportArgs) != "" {
		export()
	}
	check.Long(t)
	n := check.Random(12, 0)
	e := newExports(t, 3000)
	for k := range n {
		switch i := e.rng.IntN(2); k % 6 {
		case 0, 3:
			e.killed(i, false)
		case 1:
			e.crossed()
		case 2:
			e.full(i, false)
		case 4:
			e.killed(i, true)
		default:
			e.full(i, true)
		}
	}
}

// TestFullAtEnd: a complete run whose last lines of contacts find no room says so, on ranks as in one process, and leaves what
// was there.
func TestFullAtEnd(t *testing.T) {
	dir := t.TempDir()
	file, contacts := filepath.Join(dir, "rover.json"), filepath.Join(dir, "contacts.csv")
	m, err := bench.Generate("rover", 4, 1)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(textOf(t, m)), 0o600))
	for _, more := range [][]string{nil, {"--ranks", "2"}} {
		require.NoError(t, os.WriteFile(contacts, []byte("old\n"), 0o600))
		cmd := limited(3072, append([]string{"simulate", file, "--until", "0.02", "--every", "0.005", "--step", "0.001", "--quiet", "--contacts", contacts}, more...)...)
		require.Error(t, cmd.Run())
		text := fmt.Sprint(cmd.Stderr)
		assert.Equal(t, shell.ExitFailed, cmd.ProcessState.ExitCode(), text)
		assert.Contains(t, text, "rung: "+contacts+": file too large; "+contacts+" is as it was, the lines so far are in ", more)
		assert.Equal(t, "old\n", readText(t, contacts))
	}
}
