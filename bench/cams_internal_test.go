package bench

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/model"
)

// camAcceleration is the angular acceleration of the shaft of a camTrain at the state written in it, rad/s², as shaftAcceleration.
func camAcceleration(m *model.Model) float64 {
	q, rate := m.Bodies[0].Pose.Orientation, m.Bodies[0].Velocity.Angular[2]
	x := 2 * math.Atan2(q[3], q[0])
	I, M := 0.0, m.Joints[0].Force[0]
	for k := range len(m.Bodies) / 3 {
		I += camInertia
		for e, roller := range [2]bool{false, true} {
			s, slope, bend := discMotion(x+valvePhase(k, e), roller)
			I += valveMass * slope * slope
			M -= slope * (valveMass*(bend*rate*rate+Gravity) + valveSpring*(s-discRest))
		}
	}
	return M / I
}

// TestCamTrain compares the shaft of cam trains with its closed form, at several states, and counts their rows.
func TestCamTrain(t *testing.T) {
	sizes := []int{1, 2, 3, 10, 1000}
	if !testing.Short() {
		sizes = append(sizes, 10_000)
	}
	for _, n := range sizes {
		seeds := uint64(5)
		if n > 1000 {
			seeds = 1
		}
		for seed := range seeds {
			m, err := Generate("cam-train", n, seed)
			require.NoError(t, err)
			p, err := rung.NewPlan(m, rung.Options{})
			require.NoError(t, err)
			require.NoError(t, p.Mechanism().Holds(p.Initial()))
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			want := camAcceleration(m)
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

// TestDiscMotion compares slopes and second derivatives with differences.
func TestDiscMotion(t *testing.T) {
	const h, tol = 1e-5, 1e-10
	for _, roller := range []bool{false, true} {
		for x := 0.1; x < 6.3; x += 0.37 {
			_, slope, bend := discMotion(x, roller)
			before, d0, _ := discMotion(x-h, roller)
			after, d1, _ := discMotion(x+h, roller)
			require.InDelta(t, (after-before)/(2*h), slope, tol)
			require.InDelta(t, (d1-d0)/(2*h), bend, tol)
		}
	}
}
