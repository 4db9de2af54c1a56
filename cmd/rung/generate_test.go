package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/families"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/state"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGenerateEveryFamily(t *testing.T) {
	check.Long(t)
	help := ok(t, "generate", "--help")
	for _, family := range bench.Families() {
		t.Run(family, func(t *testing.T) {
			assert.NotEmpty(t, families.FamilyHelp[family])
			assert.Contains(t, help, "  "+family+" ")
			path := generated(t, family, "2", "--seed", "7")
			nb, err := bench.Bodies(family, 2)
			require.NoError(t, err)
			r := accelJSON(t, path)
			assert.Len(t, r.Bodies, nb)
			for _, j := range r.Joints {
				assert.Less(t, j.PositionResidual, state.Closed)
				assert.Less(t, j.VelocityResidual, state.Closed)
			}
		})
	}
	assert.Len(t, families.FamilyHelp, len(bench.Families()))
}

func TestGenerateOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	r := rungRun("generate", "grid", "1e1", "-o", path)
	assert.Equal(t, result{Status: shell.ExitDone, Err: path + ": 100 bodies, 190 joints\n"}, r)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	again := rungRun("generate", "grid", "10", "-o", "-")
	assert.Equal(t, result{Status: shell.ExitDone, Out: string(b)}, again)
	assert.NotEqual(t, again.Out, ok(t, "generate", "grid", "10", "--seed", "2", "-o", "-"))
	assert.Equal(t, shell.ExitDone, rungRun("generate", "grid", "2", "-o", os.DevNull).Status)
}

func TestGenerateTheta(t *testing.T) {
	m, err := model.ReadFile(generated(t, "nfourbar", "2", "--theta", "0"))
	require.NoError(t, err)
	// Upright rods end above their feet.
	assert.InDelta(t, 1, m.Bodies[1].Pose.Position[1], 1e-15)
	assert.InDelta(t, 0, m.Bodies[1].Pose.Position[0], 1e-15)
	assert.Equal(t, ok(t, "generate", "nfourbar", "2", "-o", "-"), ok(t, "generate", "nfourbar", "2", "--theta", "0.4", "-o", "-"))
}
