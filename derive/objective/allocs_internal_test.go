package objective

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion/runs"
)

// TestStepsAllocateNothing: the way back over a run, and the way of tangents along it, allocate as much over few steps as over many.
func TestStepsAllocateNothing(t *testing.T) {
	const step = 0.002
	ctx := context.Background()
	for _, integrator := range []runs.Integrator{runs.RungeKutta4, runs.GeneralizedAlpha, runs.Rattle} {
		t.Run(integrator.String(), func(t *testing.T) {
			var back, ahead []float64
			for _, steps := range []float64{10, 40} {
				// Lists of the bodies of a four-bar are so short that they take no heap.
				g := alphaProblem(t, "stewart-6ups", runs.Options{Until: steps * step, Step: step},
					[]string{"platform.vz"}, "bodies[platform].com[1]", "gravity[1]")
				g.o.Run.Integrator = integrator
				n := len(g.parameters)
				c, err := g.run(ctx)
				require.NoError(t, err)
				require.Len(t, c.pieces, 1)
				list, err := g.newFields(c.fieldsBack(g.projects()), n)
				require.NoError(t, err)
				way, err := g.wayBack(c, list)
				require.NoError(t, err)
				samples, err := g.samples(c, list[0])
				require.NoError(t, err)
				run := func() {
					_, err := g.back(ctx, c, way, samples)
					require.NoError(t, err)
				}
				run() // allocates memory for later calls
				back = append(back, testing.AllocsPerRun(3, run))

				along, err := g.wayAhead(c, list, n)
				require.NoError(t, err)
				start, err := g.startTangents(list[0], c.states[0], n)
				require.NoError(t, err)
				dx := make([][]float64, n)
				run = func() {
					for k := range dx {
						dx[k] = append(dx[k][:0], start[k]...)
					}
					require.NoError(t, along.Run(ctx, c.pieces[0], dx, nil, nil, nil))
				}
				run()
				ahead = append(ahead, testing.AllocsPerRun(3, run))
			}
			assert.Equal(t, back[0], back[1], "back")
			assert.Equal(t, ahead[0], ahead[1], "ahead")
		})
	}
}
