package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// TestSimulateFromGo: a Go program and the command write equal bytes for equal options: rows, contacts and checkpoints.
func TestSimulateFromGo(t *testing.T) {
	check.Long(t)
	for name, x := range map[string]struct {
		model string
		o     rung.SimulationOptions
		flags []string
	}{
		"default":        {generated(t, "nfourbar", "2"), rung.SimulationOptions{}, nil},
		"every, columns": {generated(t, "nfourbar", "2"), rung.SimulationOptions{Every: 0.007, Columns: []string{"joint.*.q*", "energy.*"}}, []string{"--every", "0.007", "--columns", "joint.*.q*,energy.*"}},
		"rk4, baumgarte": {generated(t, "nfourbar", "2"), rung.SimulationOptions{Integrator: runs.RungeKutta4, Step: 1e-3, Stabilization: runs.Baumgarte}, []string{"--integrator", "rk4", "--step", "1e-3", "--stabilize", "baumgarte"}},
		"tree":           {generated(t, "nfourbar", "2"), rung.SimulationOptions{Method: motion.TreeLambda, Tolerance: 1e-6}, []string{"--method", "tree-lambda", "--tol", "1e-6"}},
		"implicit":       {generated(t, "nfourbar", "2"), rung.SimulationOptions{Integrator: runs.GeneralizedAlpha, Annihilate: true}, []string{"--integrator", "generalized-alpha", "--rho", "0"}},
		"rattle":         {generated(t, "nfourbar", "2"), rung.SimulationOptions{Integrator: runs.Rattle, Step: 1e-3}, []string{"--integrator", "rattle", "--step", "1e-3"}},
		"wheels":         {generated(t, "rover", "1"), rung.SimulationOptions{Integrator: runs.ForceBalance, Step: 0.02, Start: sim.Close}, []string{"--integrator", "force-balance", "--step", "0.02"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			m, err := rung.Open(x.model)
			require.NoError(t, err)
			plan, err := rung.NewPlan(m, rung.Options{})
			require.NoError(t, err)
			o := x.o
			o.Model, o.Until, o.Files = m, 0.3, rung.SimulationFiles{Trajectory: at("go.csv"), Checkpoint: at("go.ckpt")}
			s, err := rung.NewSimulation(plan, o)
			require.NoError(t, err)
			require.NoError(t, s.Run(0.3))
			require.NoError(t, s.Close())
			ok(t, append([]string{"simulate", x.model, "--until", "0.3", "-o", at("rung.csv"), "--checkpoint", at("rung.ckpt")}, x.flags...)...)
			var document strings.Builder
			require.NoError(t, o.Write(&document))
			require.NoError(t, os.WriteFile(at("run.json"), []byte(document.String()), 0o644))
			ok(t, "simulate", x.model, "--options", at("run.json"), "-o", at("document.csv"))
			assert.Equal(t, text(t, at("go.csv")), text(t, at("document.csv")), "by a document")
			for _, ending := range []string{".csv", ".ckpt"} {
				assert.Equal(t, text(t, at("rung"+ending)), text(t, at("go"+ending)), ending)
			}
		})
	}
}

// TestSimulateOptions: flags win over the document, those that exclude each other as one; what is wrong in it has its place.
func TestSimulateOptions(t *testing.T) {
	dir, m := t.TempDir(), generated(t, "nfourbar", "2")
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(text string) { require.NoError(t, os.WriteFile(at("run.json"), []byte(text), 0o644)) }
	write(`{"format": "rung-run/1", "until": 0.3, "integrator": "rk4", "step": 0.001, "columns": ["joint.*.q"]}`)
	for _, x := range []struct{ document, flags []string }{
		{[]string{"--until", "0.2"}, []string{"--until", "0.2", "--integrator", "rk4", "--step", "1e-3", "--columns", "joint.*.q"}},
		{[]string{"--integrator", "dopri5", "--tol", "1e-6"}, []string{"--until", "0.3", "--tol", "1e-6", "--columns", "joint.*.q"}},
		{[]string{"--bodies", "bar0"}, []string{"--until", "0.3", "--integrator", "rk4", "--step", "1e-3", "--bodies", "bar0"}},
	} {
		by := func(name string, flags ...string) string {
			ok(t, append([]string{"simulate", m, "-o", at(name)}, flags...)...)
			return text(t, at(name))
		}
		assert.Equal(t, by("flags.csv", x.flags...), by("document.csv", append(x.document, "--options", at("run.json"))...), x.document)
	}
	write(`{"format": "rung-run/1", "until": 0.3, "step": "1 ms"}`)
	r := rungRun("simulate", m, "--options", at("run.json"))
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "run.json: $.step")
	r = rungRun("simulate", m, "--options", at("none.json"))
	assert.Equal(t, shell.ExitUse, r.Status)
	assert.Contains(t, r.Err, "none.json: no such file")
}

// text returns the content of a file.
func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// TestExampleResume: the program of examples/resume, which is interrupted and goes on, leaves the files of the command.
func TestExampleResume(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	folder := filepath.Join("..", "..", "examples", "resume")
	bin := at("resume")
	out, err := exec.Command("go", "build", "-ldflags=-w", "-o", bin, "../../examples/resume").CombinedOutput()
	require.NoError(t, err, "%s", out)
	program := exec.Command(bin, dir)
	program.Dir = folder
	out, err = program.CombinedOutput()
	require.NoError(t, err, "%s", out)
	names := []string{"run.csv", "events.csv", "run.ckpt"}
	var got []string
	for _, name := range names {
		got = append(got, text(t, at(name)))
		require.NoError(t, os.Remove(at(name)))
	}
	ok(t, "simulate", filepath.Join(folder, "knocker.json"), "--until", "2", "--every", "0.01", "-o", at("run.csv"), "--events", at("events.csv"), "--checkpoint", at("run.ckpt"))
	for i, name := range names {
		assert.Equal(t, text(t, at(name)), got[i], name)
	}
}
