//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
)

// heard is how long after a signal a command may go on.
const heard = time.Second

// interrupted starts the command, sends it a signal after some time, and returns what it says, its status and how long it
// took to end.
func interrupted(t *testing.T, signal os.Signal, after time.Duration, args ...string) (said string, status int, took time.Duration) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCommand+"="+strings.Join(args, "\n"))
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, cmd.Start())
	time.Sleep(after)
	require.NoError(t, cmd.Process.Signal(signal))
	begun := time.Now()
	killed := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer killed.Stop()
	_ = cmd.Wait()
	return stderr.String(), cmd.ProcessState.ExitCode(), time.Since(begun)
}

// TestInterrupted: each command that can take long ends within a second after Ctrl-C or the request to end, by turns, with status 1
// and a last line that says so.
//
//rung:norace the commands are processes of their own
func TestInterrupted(t *testing.T) {
	check.Long(t)
	ladder, small, dir := generated(t, "ladder", "3000"), generated(t, "chain", "10"), t.TempDir()
	wide := generated(t, "ladder", "600")
	rover := generated(t, "rover", "2")
	at := func(name string) string { return filepath.Join(dir, name) }
	for i, args := range [][]string{
		{"accel", ladder, "--method", "tree-direct"},
		{"accel", ladder, "--method", "tree-lambda"},
		{"accel", ladder, "--method", "tree-projection"},
		{"simulate", ladder, "--until", "10", "--method", "tree-direct", "--quiet", "--out", at("direct.csv"), "--checkpoint", at("direct.check")},
		{"simulate", ladder, "--until", "10", "--method", "tree-projection", "--quiet", "--out", at("projection.csv")},
		{"simulate", ladder, "--until", "10", "--ranks", "2", "--quiet", "--out", at("ranks.csv")},
		{"simulate", rover, "--until", "1000", "--quiet", "--out", at("rover.csv")},
		{"modes", wide, "--method", "dense"},

		{"ik", small, "--reach", "b9=1,1,1", "--all", "--restarts", "10000000", "--method", "dls"},
		{"terrain", "function", "sin(x)", "--size", "16000x16000", "-o", at("f.csv")},
		{"generate", "ladder", "5e6", "-o", at("large.json")},
		{"bench", "--sizes", "1000000"},
		{"view", small, "--no-browser"},
		{"play", small, "--no-browser"},
		{"accel", "-"}, // waits for its input
	} {
		name := strings.ReplaceAll(strings.Join(args, " "), dir, "")
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			signal := []os.Signal{os.Interrupt, syscall.SIGTERM}[i%2]
			said, status, took := interrupted(t, signal, time.Second, args...)
			for range 4 { // the machine may be busy
				if took < heard {
					break
				}
				said, status, took = interrupted(t, signal, time.Second, args...)
			}
			require.Equal(t, shell.ExitFailed, status, "%s: %s", name, said)
			lines := strings.Split(strings.TrimSpace(said), "\n")
			require.Regexp(t, "^rung: (.*: )?interrupted", lines[len(lines)-1], name)
			require.NotContains(t, said, "goroutine", name)
			require.Less(t, took, heard, name)
		})
	}
}
