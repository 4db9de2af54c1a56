//rung:race
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
)

// counting is a model in tables that counts the bodies that are read of it.
type counting struct {
	shell.Ranges
	bodies *int
}

func (c counting) Part(lo, hi int64) (m *model.Model, bodies, joints []int64, err error) {
	m, bodies, joints, err = c.Ranges.Part(lo, hi)
	*c.bodies += len(bodies)
	return m, bodies, joints, err
}

func (c counting) Pick(b, j []int64) (m *model.Model, bodies, joints []int64, err error) {
	m, bodies, joints, err = c.Ranges.Pick(b, j)
	*c.bodies += len(bodies)
	return m, bodies, joints, err
}

// No rank reads more of a model in tables than its share and 5 %, for the document or for the table.
func TestAccelReadsShares(t *testing.T) {
	const n, ranks = 2000, 4
	m, err := bench.Generate("ladder", n, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "m.tables")
	require.NoError(t, tables.Write(dir, m))
	for _, flag := range []string{"--json", "--all"} {
		var read [ranks]int
		f := &accelFlags{}
		f.ranks.Open = func(rank int, path string) (shell.Ranges, error) {
			file, err := tables.Open(path)
			return counting{file, &read[rank]}, err
		}
		cmd := accelCommand(f)
		cmd.SetArgs([]string{dir, "--ranks", "4", flag})
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		require.NoError(t, cmd.Execute())
		for rank, bodies := range read {
			assert.LessOrEqual(t, float64(bodies), 1.05*n/ranks, "%s, rank %d", flag, rank)
			assert.GreaterOrEqual(t, bodies, n/ranks, "%s, rank %d", flag, rank)
		}
	}
}

// TestAccelReplacedTables: ranks that find different models in a folder, which a writer replaces between them, refuse it.
func TestAccelReplacedTables(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "m.tables")
	for _, other := range []int{0, 1, 2} { // the rank that reads another one
		require.NoError(t, tables.Write(dir, m))
		replaced := *m
		replaced.Gravity = [3]float64{1, 0, 0}
		var turn sync.Mutex
		looks := [3]int{}
		f := &accelFlags{}
		f.ranks.Open = func(rank int, path string) (shell.Ranges, error) {
			turn.Lock()
			defer turn.Unlock()
			if looks[rank]++; rank == other && looks[rank] == max(1, 2-rank) { // rank 0 has looked before, whether it is there
				require.NoError(t, tables.Write(dir, &replaced))
				defer func() { require.NoError(t, tables.Write(dir, m)) }()
			}
			return tables.Open(path)
		}
		cmd := accelCommand(f)
		cmd.SetArgs([]string{dir, "--ranks", "3", "--json"})
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		err := cmd.Execute()
		require.ErrorContains(t, err, dir+": ")
		require.ErrorContains(t, err, "another model")
	}
}

// TestAccelOtherTables: ranks that see different files under one name refuse them, with the rank.
func TestAccelOtherTables(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	dirs := [2]string{filepath.Join(t.TempDir(), "m.tables"), filepath.Join(t.TempDir(), "m.tables")}
	require.NoError(t, tables.Write(dirs[0], m))
	m.Bodies[7].Mass *= 2
	require.NoError(t, tables.Write(dirs[1], m))
	f := &accelFlags{}
	f.ranks.Open = func(rank int, _ string) (shell.Ranges, error) { return tables.Open(dirs[rank/2]) }
	cmd := accelCommand(f)
	cmd.SetArgs([]string{dirs[0], "--ranks", "3", "--json"})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	require.ErrorContains(t, cmd.Execute(), dirs[0]+": rank 2 finds another model there than rank 0")
}

// TestAccelOnRanksNames: names arrive on rank 0 with all their bytes, a zero among them too.
func TestAccelOnRanksNames(t *testing.T) {
	m, err := bench.Generate("nfourbar", 2, 1)
	require.NoError(t, err)
	for i := range m.Joints {
		m.Joints[i].Name = "\x00" + m.Joints[i].Name
	}
	file := filepath.Join(t.TempDir(), "m.json")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, errors.Join(model.Write(f, m), f.Close()))
	redundant := func(args ...string) []results.Redundant {
		var out bytes.Buffer
		cmd := accelCommand(&accelFlags{})
		cmd.SetArgs(append([]string{file, "--json"}, args...))
		cmd.SetOut(&out)
		require.NoError(t, cmd.Execute())
		var r rung.Result
		require.NoError(t, json.Unmarshal(out.Bytes(), &r))
		return r.Constraints.RedundantJoints
	}
	known := make(map[string]bool)
	for i := range m.Joints {
		known[m.Joints[i].Name] = true
	}
	list := redundant("--ranks", "2")
	assert.Len(t, list, len(redundant()))
	for _, r := range list {
		assert.True(t, known[r.Name], "%q", r.Name)
	}
}
