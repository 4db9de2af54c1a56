package mechanism_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// far are random bodies, far from the world's origin, with centres of mass outside of it.
func far(t *testing.T) (*mechanism.Mechanism, *mechanism.State, *rand.Rand) {
	m, err := bench.Generate("random", 12, 3)
	require.NoError(t, err)
	mech, rng := compiled(t, m), rand.New(rand.NewPCG(1, 2))
	st := mech.Initial()
	for i := range st.Bodies {
		st.Bodies[i].Position[0] += 100
		mech.Bodies[i].Com = spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	return mech, st, rng
}

// TestComVelocity: the velocity of the centre of mass is the velocity of a point of the body, and goes back
// to the velocity of the frame.
func TestComVelocity(t *testing.T) {
	mech, st, rng := far(t)
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	for i := range st.Bodies {
		b, arm := &st.Bodies[i], &k.Bodies[i].Com
		var v, w [6]float64
		b.ComVelocityTo(&v, arm)
		want := b.Velocity.Add(b.Omega.Cross(*arm))
		require.Equal(t, [6]float64{b.Omega[0], b.Omega[1], b.Omega[2], want[0], want[1], want[2]}, v)
		back := mechanism.BodyState{}
		back.SetComVelocity(&v, arm)
		check.CloseVec(t, back.Velocity[:], b.Velocity[:], 1e-15, 10, "velocity")
		require.Equal(t, b.Omega, back.Omega)
		for c := range w {
			w[c] = rng.NormFloat64()
		}
		back.AddComVelocity(0.5, &w, arm)
		var sum, with [6]float64
		back.ComVelocityTo(&sum, arm)
		for c := range w {
			with[c] = v[c] + 0.5*w[c]
		}
		check.CloseVec(t, sum[:], with[:], 1e-15, 10, "sum")
	}
}

// TestDisplacement takes bodies where a displacement says and reads it back, by turns from none to nearly half a turn;
// a body without displacement keeps its bits.
func TestDisplacement(t *testing.T) {
	mech, st, rng := far(t)
	for _, size := range []float64{1e-9, 1e-3, 0.5, 3} {
		x := make([]float64, 6*mech.NumBodies())
		for i := range x[6:] {
			x[6+i] = rng.NormFloat64()
		}
		for i := 6; i < len(x); i += 6 {
			w := spatial.Vec3(x[i:]).Scale(2 * size / spatial.Vec3(x[i:]).Norm())
			copy(x[i:], w[:])
		}
		to := st.Clone()
		mech.DisplaceTo(to, st, 0.5, x)
		require.Equal(t, st.Bodies[0], to.Bodies[0])
		change := mechanism.NoChange()
		for i := range st.Bodies {
			travel, turn := mech.Displacement(i, st, to)
			got := [6]float64{turn[0], turn[1], turn[2], travel[0], travel[1], travel[2]}
			for c := range got {
				require.InDelta(t, 0.5*x[6*i+c], got[c], 1e-13, "body %d", i)
			}
			change.Widen(i, travel.Norm(), turn.Norm())
		}
		require.InDelta(t, size, change.Turn, 1e-12)
		require.Positive(t, change.TravelBody)
	}
}

// TestChange: a NaN is never lost, nor the body of the largest change.
func TestChange(t *testing.T) {
	c := mechanism.NoChange()
	require.Equal(t, mechanism.Change{TravelBody: -1, TurnBody: -1}, c)
	c.Widen(3, 0, 0)
	c.Widen(4, 2, 0)
	c.Widen(5, 1, math.NaN())
	c.Widen(6, 3, 7)
	require.Equal(t, [3]int{6, 5, 3}, [3]int{c.TravelBody, c.TurnBody, int(c.Travel)})
	require.True(t, math.IsNaN(c.Turn))
}
