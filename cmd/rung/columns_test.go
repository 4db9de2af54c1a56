package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestColumns: what is for people fits terminals of 40 columns and more.
func TestColumns(t *testing.T) {
	check.Long(t)
	dir := t.TempDir()
	out := func(name string) string { return filepath.Join(dir, name) }
	limits := out("limits.json")
	require.NoError(t, os.WriteFile(limits, []byte(`{"format": "rung-ik/1", "limits": {"j1": [0.1, 0.2], "j2": [-0.2, -0.1]},
		"targets": [{"name": "tip", "type": "point", "body": "link3", "position": [-9, 0, 0]}]}`), 0o600))
	sizes := "10,20"
	for _, columns := range []string{"80", "57", "40"} {
		t.Setenv("COLUMNS", columns)
		width := shell.Columns(nil)
		for _, args := range [][]string{
			{"accel", golden("four-bar")},
			{"accel", golden("n-four-bar-40"), "--all", "--method", "tree-direct"},
			{"analyze", golden("four-bar")},
			{"analyze", golden("n-four-bar-40")},
			{"assemble", golden("four-bar"), "-o", out("a.json"), "--hold", "crank"},
			{"equilibrium", golden("four-bar"), "-o", out("e.json")},
			{"inverse", golden("four-bar"), "--actuated", "p1"},
			{"modes", golden("four-bar"), "--moving"},
			{"ik", ikFile("stewart.model.json"), ikFile("stewart.task.json")},
			{"ik", ikFile("ik-6r-all.model.json"), "--reach", "link6 = 0.4,0.2,0.5", "--orient", "link6 = 1,0,0,0", "--all"},
			{"ik", ikFile("fik-3r-reach.model.json"), "--reach", "link3 = 9,0,0", "--nearest"},
			{"ik", ikFile("fik-3r-reach.model.json"), limits, "--nearest"},
			{"simulate", golden("four-bar"), "--until", "0.1", "--out", out("x.csv")},
			{"bench", "--sizes", sizes, "--min-seconds", "0", "--method", "all"},
			{"--help"}, {"accel", "--help"}, {"analyze", "--help"}, {"generate", "--help"}, {"validate", "--help"},
			{"draw", "--help"}, {"view", "--help"}, {"kinematics", "--help"}, {"simulate", "--help"}, {"export", "--help"}, {"play", "--help"},
			{"bench", golden("four-bar"), "--min-seconds", "0", "--method", "all"},
		} {
			if long := args[0] == "bench" || args[0] == "simulate" || args[0] == "ik"; testing.Short() && long && columns != "40" {
				continue
			}
			r := rungRun(args...)
			require.Equal(t, shell.ExitDone, r.Status, "%q: %s", args, r.Err)
			if args[0] == "simulate" {
				r.Out = r.Err // the summary
			}
			for line := range strings.Lines(r.Out) {
				line = strings.TrimRight(line, "\n")
				if strings.HasPrefix(line, "  rung ") {
					continue // an example, to be copied
				}
				assert.LessOrEqual(t, utf8.RuneCountInString(line), width, "%s columns, %q: %s", columns, args, line)
			}
		}
	}
}
