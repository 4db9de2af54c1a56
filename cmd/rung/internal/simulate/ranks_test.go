package simulate

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/tables"
	"github.com/rung-mbd/rung/model"
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

// No rank reads more of a model in tables than its share and 5 %, where the trajectory is of a few bodies or joints.
func TestSimulateReadsShares(t *testing.T) {
	const n, ranks = 2000, 4
	m, err := bench.Generate("ladder", n, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "m.tables")
	require.NoError(t, tables.Write(dir, m))
	for _, what := range [][]string{{"--bodies", "L3,R40,L900"}, {"--columns", "joint." + m.Joints[1500].Name + ".qd?,L900.p?,energy.*"}} {
		var read [ranks]int
		f := &Flags{}
		f.ranks.Open = func(rank int, path string) (shell.Ranges, error) {
			file, err := tables.Open(path)
			return counting{file, &read[rank]}, err
		}
		cmd := Command(f)
		cmd.SetArgs(append([]string{dir, "--ranks", "4", "--until", "1e-3", "-o", filepath.Join(t.TempDir(), "out.csv")}, what...))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		require.NoError(t, cmd.Execute())
		for rank, bodies := range read {
			assert.LessOrEqual(t, float64(bodies), 1.05*n/ranks, "%s, rank %d", what, rank)
			assert.GreaterOrEqual(t, bodies, n/ranks, "%s, rank %d", what, rank)
		}
	}
}
