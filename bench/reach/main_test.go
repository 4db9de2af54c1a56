package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
)

// TestRead reads what write writes, and refuses numbers of poses that cannot be.
func TestRead(t *testing.T) {
	const joints = 6
	m, err := bench.Arm(joints)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "poses")
	for poses, want := range map[int]string{-3: ": -3 poses", 0: ": 0 poses", 5: ""} {
		f, err := os.Create(file)
		require.NoError(t, err)
		require.NoError(t, write(f, m, mech, poses))
		require.NoError(t, f.Close())
		list, err := read(file, joints)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Len(t, list, poses)
		for _, p := range list {
			q := p.orientation
			require.InDelta(t, 1, math.Hypot(math.Hypot(q[0], q[1]), math.Hypot(q[2], q[3])), 1e-12)
		}
	}
}
