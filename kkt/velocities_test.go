package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// roughRate is the error of velocities in files with six digits, in m/s and rad/s.
const roughRate = 1e-6

// TestRankOfRoughVelocities: velocities that violate redundant joints by the rounding of a file make rows contradict each other. Which
// rows are redundant, and how near a singular pose is, are as with velocities that do not.
func TestRankOfRoughVelocities(t *testing.T) {
	for family, n := range map[string]int{"nfourbar": 1, "biped": 1, "scissor": 4} {
		t.Run(family, func(t *testing.T) {
			p := newPlan(t, generate(t, family, n, 1), order.Auto)
			rng := check.Rand(5)
			moved := func(st *mechanism.State, by float64) {
				for i := range st.Bodies {
					for _, v := range [...]*spatial.Vec3{&st.Bodies[i].Velocity, &st.Bodies[i].Omega} {
						*v = v.Add(spatial.Vec3{rng.Float64() - 0.5, rng.Float64() - 0.5, rng.Float64() - 0.5}.Scale(by))
					}
				}
			}
			st := p.Initial()
			moved(st, 2)
			require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
			s := p.NewSolver()
			require.NoError(t, s.Solve(st))
			want := report(t, s)
			require.Positive(t, want.Redundant)
			require.False(t, want.NearSingular)

			moved(st, roughRate)
			require.NoError(t, s.Solve(st))
			require.Greater(t, s.Inconsistency(), 1e-11, "rows contradict each other")
			got := report(t, s)
			require.Equal(t, want.Rank, got.Rank)
			require.Equal(t, want.RedundantRows, got.RedundantRows)
			require.Equal(t, want.Undetermined, got.Undetermined)
			require.Equal(t, want.Distance, got.Distance)
			require.False(t, got.NearSingular)
		})
	}
}
