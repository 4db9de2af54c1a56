package door_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/door"
)

// TestBatchesOfAllModels: batches have the accelerations of a solver for all golden models, those among them whose springs and stops read
// angles that states do not carry.
func TestBatchesOfAllModels(t *testing.T) {
	paths, err := filepath.Glob("../reference/golden/*.model.json")
	require.NoError(t, err)
	require.Greater(t, len(paths), 20)
	taken := 0
	for _, path := range append(paths, "../cmd/librung/fmi/check/stops.model.json") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := door.Open(context.Background(), path, nil)
			require.NoError(t, err)
			b, err := m.NewBatch(nil)
			if err != nil {
				require.Equal(t, door.Input, door.StatusOf(err))
				return
			}
			taken++
			const n = 3
			width, accs := m.Sizes().State, 6*m.Sizes().Bodies
			x, got, want, failed := make([]float64, n*width), make([]float64, n*accs), make([]float64, accs), make([]byte, n)
			for i := range n {
				require.NoError(t, m.InitialTo(x[i*width:][:width]))
			}
			require.NoError(t, m.NewSolver().AccelerationsTo(want, x[:width]))
			scale := 1e-9
			for _, a := range want {
				scale = max(scale, math.Abs(a))
			}
			for range 2 {
				require.NoError(t, b.AccelerationsTo(context.Background(), got, n, x, nil, failed))
				require.Equal(t, make([]byte, n), failed)
				for i := range got {
					require.InDelta(t, want[i%accs], got[i], 1e-8*scale)
				}
			}
			was := append([]float64(nil), x...)
			require.NoError(t, b.Rollout(context.Background(), n, x, nil, nil, failed, []byte(`{"step": 1e-4, "steps": 2, "as_it_is": true}`)))
			require.NotEqual(t, was, x)
			require.Equal(t, x[:width], x[width:2*width])
		})
	}
	require.Greater(t, taken, 15)
}
