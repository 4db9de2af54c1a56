package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/results"
)

// hardTol is the relative error that counts as right in reference/hard, and hardUlps the factor on what one unit in the
// last place of the data moves.
const hardTol, hardUlps = 1e-6, 100

// TestAccelHardByTree: the tree methods are right, refuse, or say what they have lost, where masses, lengths or inertias
// are in extreme ratios or a pose is a hair from singular.
func TestAccelHardByTree(t *testing.T) {
	check.Long(t)
	files, err := filepath.Glob(filepath.Join(check.Reference(t, "hard"), "*.expected.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		var want struct {
			Rank   int
			Ulp    [2]float64 `json:"one_ulp_of_the_data_moves"`
			Bodies []results.Body
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &want))
		for _, method := range []string{"tree-direct", "tree-lambda", "tree-projection"} {
			out := rungWith("", "accel", strings.Replace(file, "expected", "model", 1), "--method", method, "--json")
			if out.Status != shell.ExitDone {
				assert.NotEmpty(t, out.Err)
				continue
			}
			var got rung.Result
			require.NoError(t, json.Unmarshal([]byte(out.Out), &got))
			right := got.Constraints.Rank == want.Rank
			for k, part := range [2]func(b *results.Body) [3]float64{
				func(b *results.Body) [3]float64 { return b.ComAcceleration },
				func(b *results.Body) [3]float64 { return b.AngularAcceleration },
			} {
				off, size := 0.0, 0.0
				for i := range want.Bodies {
					a, b := part(&got.Bodies[i]), part(&want.Bodies[i])
					for c := range a {
						off, size = math.Max(off, math.Abs(a[c]-b[c])), math.Max(size, math.Abs(b[c]))
					}
				}
				right = right && off <= math.Max(hardTol, hardUlps*want.Ulp[k])*size
			}
			assert.True(t, right || got.Constraints.NearSingular || got.IllScaled != nil, "%s by %s is wrong in silence", filepath.Base(file), method)
		}
	}
}
