package closing_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// nearnessTol is how far the nearness over the distance may change
	// from 0.1 to 1e-3 rad: it is a line up to its square.
	nearnessTol = 0.02
	// exactRow is the rounding of a row of links of some metres, m or rad.
	exactRow = 1e-15
	// exactTurn is what that makes of rotations at the distance of TestCloserExactly, 1e-3 rad.
	exactTurn = exactRow / 1e-3
)

// parallelogramAt returns the parallelogram of reference/hard with its cranks at an angle from its flat pose, turning
// with 1 rad/s, and its plan.
func parallelogramAt(t *testing.T, angle float64) (*kkt.Plan, *mechanism.State) {
	t.Helper()
	m, err := rung.Open(check.Reference(t, "hard", "sim-parallelogram.json"))
	require.NoError(t, err)
	c, s := math.Cos(angle), math.Sin(angle)
	a, b, d := &m.Bodies[0], &m.Bodies[1], &m.Bodies[2]
	a.Pose.Orientation = [4]float64{math.Cos(angle / 2), 0, 0, math.Sin(angle / 2)}
	d.Pose.Orientation = [4]float64{-math.Sin(angle / 2), 0, 0, math.Cos(angle / 2)}
	b.Pose.Position, d.Pose.Position = [3]float64{c, s, 0}, [3]float64{2 + c, s, 0}
	a.Velocity.Angular, d.Velocity.Angular = [3]float64{2: 1}, [3]float64{2: 1}
	b.Velocity.Linear, d.Velocity.Linear = [3]float64{-s, c, 0}, [3]float64{-s, c, 0}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p, p.Initial()
}

// TestNearness falls like the distance to the flat pose, where the rank falls.
func TestNearness(t *testing.T) {
	at := func(angle float64) (near float64, redundant int) {
		p, st := parallelogramAt(t, angle)
		s := p.NewSolver()
		require.PanicsWithValue(t, "kkt: no solution", func() { s.Nearness() })
		require.NoError(t, s.Solve(st))
		return s.Nearness()
	}
	far, three := at(0.1)
	require.Equal(t, 3, three)
	for _, angle := range []float64{1e-2, 1e-3} {
		near, redundant := at(angle)
		require.Equal(t, 3, redundant)
		require.InEpsilon(t, far/0.1, near/angle, nearnessTol)
	}
	_, redundant := at(0)
	require.Equal(t, 4, redundant)
}

// TestCloserExactly closes next to the flat pose until no step reduces the errors.
func TestCloserExactly(t *testing.T) {
	p, want := parallelogramAt(t, 1e-3)
	for _, exact := range []bool{false, true} {
		st := want.Clone()
		const w = 3e-12 // along the other branch: rows are off by some 1e-3·w
		b, d := &st.Bodies[1], &st.Bodies[2]
		b.Rotation = spatial.FromAxisAngle(spatial.Vec3{2: 1}, w).Mul(b.Rotation)
		d.Rotation = spatial.FromAxisAngle(spatial.Vec3{2: 1}, 2*w).Mul(d.Rotation)
		d.Position = d.Position.Add(spatial.Vec3{-2 * w * 1e-3, 2 * w, 0})
		c := closing.NewCloser(p, closing.Options{})
		c.Exactly(exact)
		require.NoError(t, c.ClosePositions(st))
		turned := st.Bodies[1].Rotation.Mul(want.Bodies[1].Rotation.Conj()).Log().Norm()
		require.Equal(t, exact, turned < exactTurn, "turned by %v", turned)
		if exact {
			require.Less(t, c.Closing().After, exactRow)
			st.Bodies[1].Omega[2] += 1e-13
			require.NoError(t, c.ProjectVelocities(st))
			require.Less(t, c.Closing().After, exactRow)
		}
	}
}

// TestAllowMotion projects velocities on the motion that the joints allow: the swing of all bodies together.
func TestAllowMotion(t *testing.T) {
	p, st := parallelogramAt(t, 0.5)
	c := closing.NewCloser(p, closing.Options{})
	v := make([]float64, 6*3)
	v[8] = 1 // the coupler turns
	require.NoError(t, c.AllowMotion(v, st))
	require.InDelta(t, 0, v[8], 1e-14)
	require.InDelta(t, v[2], v[14], 1e-14)
	require.PanicsWithValue(t, "closing: length mismatch", func() { _ = c.AllowMotion(v[1:], st) })
}
