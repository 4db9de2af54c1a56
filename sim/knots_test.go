package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// swung is a rod on a hinge whose angle goes through sin(3t) at times d apart, until 4 s.
func swung(t *testing.T, d float64) *rig {
	t.Helper()
	n := int(math.Round(4/d)) + 1
	motion := &model.Motion{Kind: joints.Spline, Times: make([]float64, n), Values: make([]float64, n)}
	for i := range n {
		motion.Times[i] = 4 * float64(i) / float64(n-1)
		motion.Values[i] = math.Sin(3 * motion.Times[i])
	}
	_, rate, _ := motion.Prepared().At(0)
	m := model.New("swung")
	m.Bodies = []model.Body{{Name: "rod", Mass: 2, Inertia: model.Inertia{XX: 0.01, YY: 0.05, ZZ: 0.05}}}
	m.Bodies[0].Velocity.Angular[2] = rate
	m.Joints = []model.Joint{{Name: "hinge", Type: joints.Revolute, Predecessor: model.World, Successor: "rod", Motion: []*model.Motion{motion}}}
	return newRig(t, m)
}

// TestStepsEndAtKnots: where a motion has few knots, next to all steps end at them and few are rejected; where it has
// very many, a step goes across several. Either way the rod goes along the motion.
func TestStepsEndAtKnots(t *testing.T) {
	for _, c := range []struct {
		apart              float64
		rejected, leftOpen int64 // at most: rejected steps, knots at which no step ends
	}{{0.5, 8, 1}, {0.1, 12, 5}, {0.001, 200, 4000}} {
		r := swung(t, c.apart)
		motion := r.mech.Joints[0].Motion[0]
		knot, open := motion.NextKnot(0), int64(0)
		s := r.simulate(sim.DormandPrince(), 1e-9, sim.Options{Projector: r.proj, OnStep: func(s *sim.Simulation) error {
			now := s.State().Time
			for ; knot <= now; knot = motion.NextKnot(knot) {
				if knot < now {
					open++
				}
			}
			b := &s.State().Bodies[0]
			angle, rate, _ := motion.At(now)
			require.InDelta(t, angle, 2*math.Atan2(b.Rotation[3], b.Rotation[0]), 1e-8)
			require.InDelta(t, rate, b.Omega[2], 1e-7)
			return nil
		}})
		require.NoError(t, s.Run(4))
		n := s.Stats()
		t.Logf("knots %v s apart: %d steps, %d rejected, %d knots inside", c.apart, n.Steps, n.Rejected, open)
		require.LessOrEqual(t, n.Rejected, c.rejected)
		require.LessOrEqual(t, open, c.leftOpen)
		require.Less(t, n.Steps, int64(400))
	}
}

// TestKnotsInCheckpoints: a run that continues from a checkpoint among steps that end at knots has the same bits.
func TestKnotsInCheckpoints(t *testing.T) {
	r := swung(t, 0.1)
	o := sim.Options{Projector: r.proj}
	whole := r.simulate(sim.DormandPrince(), 1e-9, o)
	var marks []*sim.Checkpoint
	o.OnStep = func(s *sim.Simulation) error {
		c, err := s.Checkpoint()
		marks = append(marks, c)
		return err
	}
	require.NoError(t, whole.Run(4))
	marked := r.simulate(sim.DormandPrince(), 1e-9, o)
	require.NoError(t, marked.Run(4))
	require.Equal(t, whole.State(), marked.State())
	o.OnStep = nil
	held := 0
	for _, c := range marks {
		if c.Knots[0] == 0 {
			continue
		}
		held++
		s := r.simulate(sim.DormandPrince(), 1e-9, o)
		require.NoError(t, s.Restore(c))
		require.NoError(t, s.Run(4))
		require.Equal(t, whole.State(), s.State())
		require.Equal(t, whole.Stats(), s.Stats())
	}
	require.Greater(t, held, 5)
}
