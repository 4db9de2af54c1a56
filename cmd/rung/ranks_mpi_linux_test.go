package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
)

// underMPI returns a command of the rung that was built with MPI, on processes. Make test-mpi says where both are. Each mpirun has a folder of
// its own for its session: one that ends removes the folder of all while another makes its own in it.
func underMPI(t *testing.T, processes int, args ...string) *exec.Cmd {
	t.Helper()
	command := os.Getenv("RUNG_COMMAND")
	if command == "" {
		t.Skip("make test-mpi runs this")
	}
	words := append(strings.Fields(os.Getenv("RUNG_MPI")), "-n", strconv.Itoa(processes), command)
	words = append(words, args...)
	cmd := exec.Command(words[0], words[1:]...)
	session, err := os.MkdirTemp("", "mpi") // its name is short, as sockets' names are limited
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(session) })
	cmd.Env = append(os.Environ(), "TMPDIR="+session)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

// said returns what cmd has written to standard error, without the lines of mpirun.
func said(cmd *exec.Cmd) (own string) {
	for line := range strings.Lines(fmt.Sprint(cmd.Stderr)) {
		if strings.HasPrefix(line, "rung: ") {
			own += line
		}
	}
	return own
}

// mpiRanks returns the numbers of processes that make test-mpi has been told. A run before a merge takes 3 alone, the workflow others, too.
func mpiRanks(t *testing.T) (list []int) {
	t.Helper()
	underMPI(t, 1) // skips without them
	for _, word := range strings.Fields(os.Getenv("RUNG_RANKS")) {
		n, err := strconv.Atoi(word)
		require.NoError(t, err)
		if n <= 4 { // package dist/mpi has more, on smaller systems
			list = append(list, n)
		}
	}
	require.NotEmpty(t, list)
	return list
}

// Processes write the trajectory of one process, with both roots.
func TestMPISimulate(t *testing.T) {
	counts := mpiRanks(t)
	dir := t.TempDir()
	one := filepath.Join(dir, "one.csv")
	for family, n := range map[string]string{"ladder": "40", "nfourbar": "6", "grid": "4", "rover": "2"} {
		model := generated(t, family, n)
		args := []string{"simulate", model, "--until", "0.1", "--every", "0.01"}
		ok(t, append(args, "-o", one)...)
		for _, ranks := range counts {
			for _, root := range []string{"go", "mumps"} {
				many := filepath.Join(dir, "many.csv")
				cmd := underMPI(t, ranks, append(args, "-o", many, "--ranks", "mpi", "--root", root)...)
				require.NoError(t, cmd.Run(), "%s", cmd.Stderr)
				assert.Equal(t, 1, strings.Count(fmt.Sprint(cmd.Stderr), "simulated "), "rank 0 alone tells")
				sameRuns(t, one, many, 1e-7)
			}
		}
	}
}

// Processes print the accelerations of one process, once.
func TestMPIAccel(t *testing.T) {
	model := generated(t, "grid", "5")
	for _, root := range []string{"go", "mumps"} {
		cmd := underMPI(t, 4, "accel", model, "--json", "--ranks", "mpi", "--root", root)
		text, err := cmd.Output()
		require.NoError(t, err, "%s", cmd.Stderr)
		sameDocuments(t, ok(t, "accel", model, "--json"), string(text), onRanksTol)
	}
	cmd := underMPI(t, 3, "bench", "--json", "--ranks", "mpi", "ladder", "3000", "--min-seconds", "0.01")
	text, err := cmd.Output()
	require.NoError(t, err, "%s", cmd.Stderr)
	clitest.MustFit(t, "bench", string(text))
}

// fails runs a command, which has to say want once, in ten seconds.
func fails(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	begun := time.Now()
	require.Error(t, cmd.Run())
	assert.Equal(t, shell.ExitUse, cmd.ProcessState.ExitCode())
	assert.Equal(t, 1, strings.Count(said(cmd), "\n"), "%s", cmd.Stderr)
	assert.Contains(t, said(cmd), want)
	assert.Less(t, time.Since(begun), 10*time.Second)
}

// Errors are told once and end all processes with their status.
//
//rung:norace the goroutines wait for processes
func TestMPIErrors(t *testing.T) {
	model := generated(t, "ladder", "20")
	for want, args := range map[string][]string{
		`no body "nix"`:    {"simulate", model, "--until", "1", "--ranks", "mpi", "--bodies", "nix"},
		"no such file":     {"simulate", "nix.json", "--until", "1", "--ranks", "mpi"},
		"missing --until":  {"simulate", model, "--ranks", "mpi"},
		"unknown flag":     {"simulate", model, "--ranks", "mpi", "--nix"},
		"has to be a file": {"simulate", "-", "--until", "1", "--ranks", "mpi"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel() // mpirun waits for a second until it ends what has not ended
			fails(t, underMPI(t, 3, args...), want)
		})
	}
}

// Processes that are started with other models, flags or subcommands refuse to compute, told once.
//
//rung:norace the goroutines wait for processes
func TestMPIDiffer(t *testing.T) {
	dir := t.TempDir()
	for rank, seed := range []string{"1", "1", "2"} {
		ok(t, "generate", "ladder", "10", "--seed", seed, "-o", filepath.Join(dir, fmt.Sprint("seed", rank, ".json")))
		ok(t, "export", filepath.Join(dir, fmt.Sprint("seed", rank, ".json")), "-o", filepath.Join(dir, fmt.Sprint("seed", rank, ".tables")))
	}
	const each = "OMPI_COMM_WORLD_RANK"
	for _, c := range []struct{ script, want string }{
		{"accel " + dir + "/seed$" + each + ".json --ranks mpi", "rank 2 computes something else than rank 0: the fingerprint of bodies, joints and forces is"},
		{"simulate " + dir + "/seed$" + each + ".json --until 0.1 --quiet -o " + dir + "/models.csv --ranks mpi", "rank 2 computes something else than rank 0"},
		{"accel " + dir + "/seed$" + each + ".tables --ranks mpi", "rank 2 finds another model there than rank 0"},
		{"simulate " + dir + "/seed0.json --until 0.1 --quiet -o " + dir + "/steps.csv --ranks mpi --step 1e-$((3+" + each + "/2))", "--step is 0.0001, not 0.001"},
		{"bench --json --ranks mpi --seed $((1+" + each + "/2)) ladder 3000", "--seed is 2, not 1"},
		{"bench --json --ranks mpi ladder $((3000+100*(" + each + "/2)))", "the problem is ladder 3100, not ladder 3000"},
	} {
		name := filepath.Join(t.TempDir(), "each.sh")
		require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\nexec "+underMPI(t, 3).Args[len(underMPI(t, 3).Args)-1]+" "+c.script+"\n"), 0o700))
		cmd := underMPI(t, 3)
		cmd.Args[len(cmd.Args)-1] = name
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			fails(t, cmd, c.want)
		})
	}
}

// gone reports whether a process has ended; nobody may have asked for its status yet.
func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

// A process that is killed ends all others within ten seconds. The run that goes on ends with the bytes of one that
// nobody has killed.
//
//rung:norace the goroutine waits for a process
func TestMPIKilled(t *testing.T) {
	const processes, victim = 3, 2
	model, dir := generated(t, "ladder", "2000"), t.TempDir()
	parts, whole, base := filepath.Join(dir, "parts.csv"), filepath.Join(dir, "whole.csv"), filepath.Join(dir, "c")
	args := func(out string, more ...string) []string {
		return append([]string{"simulate", model, "--until", "1.2", "--every", "0.02", "--bodies", "L1,R700", "--ranks", "mpi", "-o", out}, more...)
	}
	killed := underMPI(t, processes, args(parts, "--checkpoint", base)...)
	require.NoError(t, killed.Start())
	ended := make(chan error, 1)
	go func() { ended <- killed.Wait() }()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // until a checkpoint on the way is there
		if _, err := os.Stat(base + ".rank2.1"); err == nil {
			break
		}
		require.True(t, time.Now().Before(deadline), "%s", killed.Stderr)
	}
	time.Sleep(time.Second)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", killed.Process.Pid, killed.Process.Pid))
	require.NoError(t, err)
	pids := strings.Fields(string(children))
	require.Len(t, pids, processes)
	pid, err := strconv.Atoi(pids[victim])
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	begun := time.Now()
	select {
	case err := <-ended:
		require.Error(t, err)
	case <-time.After(10 * time.Second):
		_ = killed.Process.Kill()
		t.Fatal("processes go on after one was killed")
	}
	for _, p := range pids {
		require.Eventually(t, func() bool { return gone(p) }, 10*time.Second-time.Since(begun), 10*time.Millisecond, "process %s goes on", p)
	}
	t.Logf("all have ended after %v; mpirun: %s", time.Since(begun).Round(time.Millisecond), killed.Stderr)
	assert.Contains(t, fmt.Sprint(killed.Stderr), "signal 9")
	for _, run := range [][]string{args(parts, "--checkpoint", base, "--resume"), args(whole)} {
		cmd := underMPI(t, processes, run...)
		require.NoError(t, cmd.Run(), "%s", cmd.Stderr)
	}
	x, err := os.ReadFile(whole)
	require.NoError(t, err)
	y, err := os.ReadFile(parts)
	require.NoError(t, err)
	require.Equal(t, string(x), string(y))
}
