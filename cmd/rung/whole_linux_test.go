package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A command that is killed, or finds the disk full, leaves what was there or the new file, whole. This
// test mounts a small file system, in a name space of its own, and is skipped only where the system does not
// let it.

const (
	// wholeInside tells the test binary that it is in the name space, and where the file system goes.
	wholeInside = "RUNG_TEST_WHOLE"
	// wholeCommand tells it to be the command, with these arguments.
	wholeCommand = "RUNG_TEST_COMMAND"

	wholeSize  = 8 << 20 // of the file system, bytes
	wholePage  = 4096
	wholeTimes = 24 // times check.More
	wholeShort = 6
	wholeMost  = 5 // runs for each that has to be disturbed
)

// wholeJob is a command that writes. Its files are whole if they are what they were, or as they are after a
// run that nothing has disturbed; numbers differ from run to run where times are measured, or whole says otherwise.
type wholeJob struct {
	name  string
	args  []string
	files []string // that it writes
	whole func(name string, data []byte) bool
	goOn  bool // it is resumed

	old, new map[string][]byte // new by the first run
	took     time.Duration
}

// wholeJobs are all the subcommands that write files. They run in the folder of their files.
func wholeJobs(standard string) []*wholeJob {
	run := []string{"simulate", "n.json", "--until", "0.1", "--every", "0.002", "--step", "0.002"}
	with := func(more ...string) []string { return append(append([]string{}, run...), more...) }
	return []*wholeJob{
		{name: "generate", args: []string{"generate", "ladder", "300", "-o", "m.json"}, files: []string{"m.json"}},
		{name: "assemble", args: []string{"assemble", "bent.json", "-o", "bent.json"}, files: []string{"bent.json"}},
		{name: "equilibrium", args: []string{"equilibrium", "n.json", "-o", "n.json"}, files: []string{"n.json"}},
		{name: "matrix", args: []string{"matrix", "n.json", "-o", "K.mtx", "--spy", "K.svg"}, files: []string{"K.mtx", "K.rhs.mtx", "K.svg"}},
		{name: "simulate", args: with("--out", "x.csv", "--plot", "x.svg"), files: []string{"x.csv", "x.svg"}},
		{name: "simulate, checkpoint", args: with("--out", "x.csv", "--checkpoint", "c", "--plot", "x.svg"), files: []string{"x.csv", "c"}, goOn: true},
		{name: "simulate, Parquet", args: with("--out", "x.parquet", "--plot", "x.svg"), files: []string{"x.parquet", "x.svg"}},
		{name: "simulate, Parquet, checkpoint", args: with("--out", "x.parquet", "--checkpoint", "c", "--plot", "x.png"), files: []string{"x.parquet", "c"}, goOn: true},
		{name: "bench", args: []string{"bench", "--family", "ladder", "--sizes", "10", "--min-seconds", "0", "--csv", "b.csv", "--plot", "b.svg"},
			files: []string{"b.csv", "b.svg"}, whole: wholeBench},
		{name: "validate", args: []string{"validate", standard, "--model", "a01", "--short", "--write", "page.md"}, files: []string{"page.md"},
			whole: func(_ string, data []byte) bool { return bytes.HasSuffix(data, []byte(simulate.ValidateEnd)) }},
	}
}

func wholeBench(name string, data []byte) bool {
	if strings.HasSuffix(name, ".svg") {
		return bytes.HasSuffix(data, []byte("</svg>\n"))
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	return err == nil && len(rows) == 2 && bytes.HasSuffix(data, []byte("\n"))
}

// TestWhole enters a name space in which it may mount.
func TestWhole(t *testing.T) {
	check.Long(t)
	if args := os.Getenv(wholeCommand); args != "" {
		wholeRun(args)
	}
	if dir := os.Getenv(wholeInside); dir != "" {
		wholeTest(t, dir)
		return
	}
	args := []string{"-test.run=^TestWhole$", "-test.v"}
	dir := t.TempDir()
	flags := []uintptr{syscall.CLONE_NEWNS, syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER}
	for i, f := range flags {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), wholeInside+"="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: f}
		if f&syscall.CLONE_NEWUSER != 0 {
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) || bytes.Contains(out, []byte("--- SKIP")) {
			if i == len(flags)-1 {
				t.Skipf("nothing can be mounted: %v %s", err, out)
			}
			continue
		}
		t.Logf("%s", out)
		require.NoError(t, err)
		return
	}
}

// wholeRun is the command, with checkpoints as often as can be.
func wholeRun(text string) {
	var args []string
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		panic(err)
	}
	root := newRoot()
	for _, c := range root.Commands() {
		if c.Name() == "simulate" {
			root.RemoveCommand(c)
		}
	}
	root.AddCommand(simulate.Command(&simulate.Flags{Between: time.Millisecond}))
	os.Exit(shell.Execute(context.Background(), root, args, os.Stdin, os.Stdout, os.Stderr))
}

func wholeTest(t *testing.T, dir string) {
	standard, err := filepath.Abs(standardFolder)
	require.NoError(t, err)
	binary, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", wholeSize)); err != nil {
		t.Skip(err)
	}
	w := &wholeDisk{t: t, dir: dir, binary: binary, rng: rand.New(rand.NewPCG(1, 4))}
	before := wholeInputs(t)
	jobs, times := wholeJobs(standard), check.Random(wholeTimes, wholeShort)
	if testing.Short() {
		jobs = []*wholeJob{jobs[5], jobs[7]} // that go on
	}
	for _, j := range jobs {
		w.first(j, before)
	}
	for i := 0; w.killed+w.full < times || !w.all(); i++ {
		require.Less(t, i, wholeMost*max(times, 20), "too few runs are disturbed")
		j := jobs[i%len(jobs)]
		fresh := i/len(jobs)%3 == 2
		w.prepare(j, before, !fresh)
		killed := w.disturb(j, i/len(jobs)%2 == 0)
		w.look(j, fresh, killed, fmt.Sprintf("%d, %s", i, j.name))
		w.again(j)
	}
	t.Logf("%d runs disturbed: %d killed, %d on a full disk, besides %d that ended before; left behind were %d old and %d new files, none, %d times; %d runs resumed",
		w.killed+w.full, w.killed, w.full, w.ended, w.olds, w.news, w.none, w.resumed)
}

// all reports whether each way to end has been there, and each thing that may be left behind.
func (w *wholeDisk) all() bool {
	return w.killed > 0 && w.full > 0 && w.olds > 0 && w.news > 0 && w.resumed > 0
}

// wholeInputs are the files that are there before.
func wholeInputs(t *testing.T) map[string][]byte {
	dir := t.TempDir()
	files := map[string][]byte{}
	for name, args := range map[string][]string{"m.json": {"ladder", "40"}, "n.json": {"nfourbar", "30"}} {
		ok(t, append(append([]string{"generate"}, args...), "-o", filepath.Join(dir, name))...)
		files[name] = []byte(readText(t, filepath.Join(dir, name)))
	}
	m, err := model.Read(bytes.NewReader(files["n.json"]), "n.json")
	require.NoError(t, err)
	for i := range m.Bodies {
		m.Bodies[i].Pose.Position[0] += 1e-3 * float64(i%7)
	}
	var bent bytes.Buffer
	require.NoError(t, model.Write(&bent, m))
	files["bent.json"] = bent.Bytes()
	files["page.md"] = []byte("# Page\n" + simulate.ValidateBegin + "old\n" + simulate.ValidateEnd)
	for _, name := range []string{"K.mtx", "K.rhs.mtx", "K.svg", "x.csv", "x.svg", "x.png", "x.parquet", "c", "b.csv", "b.svg"} {
		files[name] = []byte("what was in " + name + "\n")
	}
	return files
}

// wholeDisk is the small file system.
type wholeDisk struct {
	t           *testing.T
	dir, binary string
	rng         *rand.Rand

	killed, full, ended, olds, news, none, resumed int
}

func (w *wholeDisk) at(name string) string { return filepath.Join(w.dir, name) }

// command returns a process that runs rung in the folder.
func (w *wholeDisk) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	text, err := json.Marshal(args)
	require.NoError(w.t, err)
	cmd := exec.Command(w.binary, "-test.run=^TestWhole$")
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), wholeCommand+"="+string(text))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

// first learns what a run makes that nothing disturbs.
func (w *wholeDisk) first(j *wholeJob, before map[string][]byte) {
	w.prepare(j, before, true)
	cmd, stderr := w.command(j.args...)
	begun := time.Now()
	require.NoError(w.t, cmd.Run(), "%s: %s", j.name, stderr)
	j.took = time.Since(begun)
	j.old, j.new = before, map[string][]byte{}
	for _, name := range j.files {
		data, err := os.ReadFile(w.at(name))
		require.NoError(w.t, err)
		require.NotEqual(w.t, string(before[name]), string(data), "%s has to make something new of %s", j.name, name)
		j.new[name] = data
	}
}

// prepare makes the folder what it was, with old outputs or without. Models that are read and written are always there.
func (w *wholeDisk) prepare(j *wholeJob, before map[string][]byte, outputs bool) {
	entries, err := os.ReadDir(w.dir)
	require.NoError(w.t, err)
	for _, e := range entries {
		require.NoError(w.t, os.RemoveAll(w.at(e.Name())))
	}
	for name, data := range before {
		if outputs || strings.HasSuffix(name, ".json") || name == "page.md" {
			require.NoError(w.t, os.WriteFile(w.at(name), data, 0o600))
		}
	}
}

// disturb runs j, and kills it or leaves it too little room. It reports whether it has been killed.
func (w *wholeDisk) disturb(j *wholeJob, kill bool) (killed bool) {
	cmd, stderr := w.command(j.args...)
	if !kill {
		w.fill(w.rng.IntN(w.pages(j)))
	}
	require.NoError(w.t, cmd.Start())
	if kill {
		time.Sleep(time.Duration(w.rng.Float64() * float64(j.took)))
		require.NoError(w.t, cmd.Process.Kill())
	}
	err := cmd.Wait()
	require.NoError(w.t, os.RemoveAll(w.at("filler")))
	switch status := cmd.ProcessState.ExitCode(); {
	case err == nil:
		w.ended++
	case status == -1 && kill:
		w.killed++
		return true
	default:
		w.full++
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		assert.Equal(w.t, shell.ExitFailed, status, "%s: %s", j.name, stderr)
		assert.Contains(w.t, lines[len(lines)-1], syscall.ENOSPC.Error(), j.name)
		assert.Equal(w.t, 1, strings.Count(stderr.String(), "rung: "), "%s: %s", j.name, stderr)
	}
	return false
}

// pages is somewhat more than what j writes.
func (w *wholeDisk) pages(j *wholeJob) int {
	n := 4
	for _, data := range j.new {
		n += 2 + len(data)/wholePage
	}
	return n
}

// fill leaves room for a number of pages.
func (w *wholeDisk) fill(pages int) {
	f, err := os.Create(w.at("filler"))
	require.NoError(w.t, err)
	defer f.Close()
	size, block := int64(0), make([]byte, wholePage)
	for {
		n, err := f.Write(block)
		size += int64(n)
		if err != nil {
			require.ErrorIs(w.t, err, syscall.ENOSPC)
			break
		}
	}
	require.NoError(w.t, f.Truncate(max(0, size-int64(pages)*wholePage)))
}

// look requires every file to be the old or the new one. fresh: the folder had inputs alone.
func (w *wholeDisk) look(j *wholeJob, fresh, killed bool, what string) {
	for name, old := range j.old {
		input := strings.HasSuffix(name, ".json") || name == "page.md"
		data, err := os.ReadFile(w.at(name))
		fine := j.whole != nil && j.whole(name, data) || w.part(j, fresh, killed, name)
		if want, ok := j.new[name]; ok {
			fine = fine || bytes.Equal(want, data)
		}
		switch {
		case errors.Is(err, os.ErrNotExist) && fresh && !input:
			w.none++
		case err == nil && bytes.Equal(old, data) && (input || !fresh):
			w.olds++
		case err == nil && fine:
			w.news++
		default:
			assert.Fail(w.t, "neither old nor new", "%s: %s, %d bytes, %v", what, name, len(data), err)
		}
	}
}

// part reports whether a file is what rung simulate may leave of a run: a
// checkpoint to go on from, a picture of the rows so far, and, where no trajectory
// was, its first rows, of which a kill may cut the last, or an empty Parquet file.
func (w *wholeDisk) part(j *wholeJob, fresh, killed bool, name string) bool {
	data, err := os.ReadFile(w.at(name))
	switch {
	case err != nil || !strings.HasPrefix(j.name, "simulate"):
		return false
	case name == "x.csv":
		return fresh && bytes.HasPrefix(j.new[name], data) && (killed || bytes.HasSuffix(data, []byte("\n")))
	case name == "x.parquet":
		return fresh && bytes.HasPrefix(data, []byte("PAR1")) && bytes.HasSuffix(data, []byte("PAR1"))
	case name == "x.svg":
		return bytes.HasSuffix(data, []byte("</svg>\n"))
	case name == "x.png":
		_, err := png.Decode(bytes.NewReader(data))
		return err == nil
	case name == "c":
		_, err := sim.ReadCheckpoint(w.at(name))
		return err == nil
	}
	return false
}

// again runs j with room, where it can by going on, and requires the new files and nothing else.
func (w *wholeDisk) again(j *wholeJob) {
	done := false
	if j.goOn {
		cmd, stderr := w.command(append(append([]string{}, j.args...), "--resume")...)
		done = cmd.Run() == nil
		if !done {
			require.Equal(w.t, shell.ExitUse, cmd.ProcessState.ExitCode(), "%s: %s", j.name, stderr) // there was no checkpoint yet
		} else {
			w.resumed++
		}
	}
	if !done {
		cmd, stderr := w.command(j.args...)
		require.NoError(w.t, cmd.Run(), "%s: %s", j.name, stderr)
	}
	for _, name := range j.files {
		data, err := os.ReadFile(w.at(name))
		require.NoError(w.t, err)
		if j.whole == nil {
			assert.True(w.t, bytes.Equal(j.new[name], data), "%s: %s", j.name, name)
		} else {
			assert.True(w.t, j.whole(name, data), "%s: %s", j.name, name)
		}
	}
	entries, err := os.ReadDir(w.dir)
	require.NoError(w.t, err)
	for _, e := range entries {
		assert.NotContains(w.t, e.Name(), ".rung-", j.name)
		assert.NotContains(w.t, e.Name(), ".parts", j.name)
	}
}
