package bench

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// shaftAcceleration is the angular acceleration of the shaft of a valveTrain at the state written in it, rad/s²: with s, s′ and
// s″ of each valve at the angle of the shaft, ω its rate, I its inertia and M the torque,
//
//	(I + Σ m s′²) ω̇ = M − Σ s′ (m s″ ω² + k s + preload + m g).
func shaftAcceleration(m *model.Model) float64 {
	q, rate := m.Bodies[0].Pose.Orientation, m.Bodies[0].Velocity.Angular[2]
	x := 2 * math.Atan2(q[3], q[0])
	I, M := 0.0, m.Joints[0].Force[0]
	for k := range len(m.Bodies) / 3 {
		I += camInertia
		for e := range 2 {
			s, slope, bend := valveMotion(x - valvePhase(k, e))
			I += valveMass * slope * slope
			M -= slope * (valveMass*(bend*rate*rate+Gravity) + valveSpring*s + valvePreload)
		}
	}
	return M / I
}

// TestValveTrain compares the shaft of valve trains with its closed form, at several states, and counts their rows.
func TestValveTrain(t *testing.T) { trains(t, "valve-train", shaftAcceleration) }

// trains compares the shaft of the trains of a family with a closed form, and counts their rows.
func trains(t *testing.T, family string, shaft func(m *model.Model) float64) {
	for _, n := range check.Few([]int{1, 2, 3, 10, 1000, 10_000}, []int{1, 3, 10}) {
		seeds := check.Few(uint64(5), 2)
		if n > 1000 {
			seeds = 1
		}
		for seed := range seeds {
			m, err := Generate(family, n, seed)
			require.NoError(t, err)
			p, err := rung.NewPlan(m, rung.Options{})
			require.NoError(t, err)
			require.NoError(t, p.Mechanism().Holds(p.Initial()))
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			want := shaft(m)
			require.InDelta(t, want, s.AngularAcceleration(0)[2], 1e-10*max(100, math.Abs(want)), "%d cylinders, seed %d", n, seed)
			if n > 10 {
				continue
			}
			r, err := s.Report()
			require.NoError(t, err)
			require.Equal(t, 1, r.Mobility, n)
			require.Zero(t, r.Redundant, n)
		}
	}
}
