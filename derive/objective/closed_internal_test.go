package objective

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion/runs"
)

// TestClosedStages: runs of mechanisms that only geometry makes movable have closed stages. Their gradients are those of such steps, as the
// differences of whole runs and what goes forwards are. With open stages they were wrong by a factor of twenty, without a word.
func TestClosedStages(t *testing.T) {
	const (
		same  = 1e-12 // as what goes forwards: rounding
		apart = 1e-6  // from differences
	)
	file := filepath.Join("..", "..", "reference", "derivatives", "bricard-6r.model.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for how, o := range map[string]runs.Options{
		"fixed":  {Until: 0.05, Step: 0.001, Integrator: runs.RungeKutta4},
		"longer": {Until: 0.048, Step: 0.004, Integrator: runs.RungeKutta4},
		"chosen": {Until: 0.05, Tolerance: 1e-9},
	} {
		t.Run(how, func(t *testing.T) {
			p := &Objective{At: AtRun, Run: o, Terms: []Term{
				{Name: "end", Column: "link3.px", Weight: 1, Power: 1}, {Name: "along", Column: "link3.vz", Take: Integral, Weight: 1, Power: 2},
			}}
			for _, path := range []string{"joints[0].force[0]", "bodies[4].inertia.zz", "bodies[1].mass", "gravity[2]"} {
				p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
			}
			g, err := NewProblem(p, "o.json", Source{Text: text, Name: file})
			require.NoError(t, err)
			ctx := context.Background()
			r, err := g.Gradient(ctx)
			require.NoError(t, err)
			assert.Less(t, r.Run.Projection, 1e-12)
			a, err := g.ahead(ctx, true)
			require.NoError(t, err)
			_, slopes := a.sums(g)
			for i := range slopes {
				for k, x := range slopes[i] {
					assert.InDelta(t, x, r.Parameters[k].Terms[i], same*max(1, math.Abs(x)), "%s by %s", r.Terms[i].Name, r.Parameters[k].Name)
				}
			}
			require.NoError(t, g.Check(ctx, r))
			for _, x := range r.Parameters {
				require.NotNil(t, x.Differences, x.Unchecked)
				assert.InDelta(t, *x.Differences, x.Gradient, apart*math.Abs(x.Gradient)+1e-9, x.Name)
			}
		})
	}
}
