//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// pagesRunBy are the pages whose lines other tests run, with what the lines print.
var pagesRunBy = map[string]string{
	"docs/gallery.md":         "TestGallery",
	"docs/tutorial-ik.md":     "TestTutorial",
	"docs/tutorial-ground.md": "TestTutorialGround",
	"docs/tutorial-cams.md":   "TestTutorialCams",
}

// notRun are command lines that TestPages does not run, by their beginnings, with the reason. TestPagesParse holds their flags.
var notRun = []struct{ page, line, why string }{
	{"docs/cluster.md", "mpirun ", "takes processes of MPI, and make test-mpi has its own"},
	{"docs/sweeps.md", "parallel ", "takes GNU parallel"},
	{"docs/sweeps.md", "rung sweep docs/study.json -o runs-$SLURM_ARRAY_TASK_ID.parquet", "takes a job array of Slurm"},
	{"docs/sweeps.md", "command: [", "takes a Kubernetes cluster"},
	{"docs/validation.md", "rung generate ladder 100000", "is for the next line"},
	{"docs/validation.md", "rung simulate ladder.json", "takes half an hour"},
	{"docs/validation.md", "rung validate ", "takes minutes, and TestValidate has the short ones"},
	{"bench/peers/README.md", "rung generate grid 300", "takes minutes and gigabytes"},
}

// clone makes a folder with what command lines find in a clone of the repository, and what a shell needs to run them.
func clone(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	root := filepath.Join("..", "..")
	for _, folder := range []string{"examples", "reference/golden", "reference/standard", "reference/import"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(root, folder))))
	}
	models, err := filepath.Glob(filepath.Join(root, "docs", "*.json"))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "docs"), 0o700))
	for _, path := range models {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "docs", filepath.Base(path)), []byte(readText(t, path)), 0o600))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	programs := t.TempDir()
	for name, text := range map[string]string{
		"rung":     "IFS='\n'\n" + asCommand + "=\"$*\" exec '" + self + "'\n",
		"go":       "[ \"$1 $2\" = 'run ./cmd/rung' ] || exit 97\nshift 2\nexec rung \"$@\"\n",
		"xdg-open": "exit 0\n", // a browser that reads nothing
		"open":     "exit 0\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+text), 0o700))
	}
	return dir, append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "HOME="+t.TempDir())
}

// TestPages runs the command lines of the pages as they are typed, each page from its beginning in a folder of its own that has
// the models of a clone.
//
//rung:norace the goroutines run processes that are built without the detector
func TestPages(t *testing.T) {
	check.Long(t)
	met := map[int]bool{}
	for _, page := range pages(t) {
		var lines []string
		for _, c := range pageCommands(readText(t, filepath.Join("..", "..", page))) {
			if c.span || pagesRunBy[page] != "" {
				continue
			}
			why := ""
			for i, n := range notRun {
				if n.page == page && strings.HasPrefix(c.text, n.line) {
					why, met[i] = n.why, true
				}
			}
			if why == "" {
				lines = append(lines, c.text)
			}
		}
		if len(lines) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			dir, env := clone(t)
			for _, line := range lines {
				runLine(t, dir, env, line)
			}
		})
	}
	for i, n := range notRun {
		assert.True(t, met[i], "%s has no line %q", n.page, n.line)
	}
}

// serves is a command line that goes on until it is interrupted.
var serves = regexp.MustCompile(`\brung (play|view) `)

// runLine runs a command line by a shell. One that serves a page has to answer with it, and to end when it is interrupted.
func runLine(t *testing.T, dir string, env []string, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = dir, env
	var out, said bytes.Buffer
	cmd.Stderr = &said
	if !serves.MatchString(line) {
		cmd.Stdout = &out
		require.NoError(t, cmd.Run(), "%s\n%s", line, &said)
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // one Ctrl-C for all of a pipe
	from, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	late := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer late.Stop()
	address, err := bufio.NewReader(from).ReadString('\n')
	if assert.NoError(t, err, line) {
		r, err := http.Get(strings.TrimSpace(address))
		if assert.NoError(t, err, line) {
			assert.Equal(t, http.StatusOK, r.StatusCode, line)
			assert.NoError(t, r.Body.Close())
		}
	}
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
	_ = cmd.Wait()
	require.Contains(t, said.String(), "interrupted", line)
	require.True(t, late.Stop(), fmt.Sprintf("%s did not end", line))
}
