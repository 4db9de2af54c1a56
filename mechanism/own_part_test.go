package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// some is a force that slows some of its bodies down.
type some struct {
	on   []int
	seen []mechanism.BodyMotion
}

func (f *some) ActsOn(float64) []int { return f.on }

func (f *some) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	f.seen = at
	for _, i := range f.on {
		w[i] = spatial.NewForce(at[i].Omega.Scale(-2), at[i].Velocity.Scale(-3))
	}
	return nil
}

// TestForceOnSome: a force that says on which of its bodies it acts gives these their wrenches, and the others none. Their motions are
// not computed.
func TestForceOnSome(t *testing.T) {
	m := cubes(4)
	for i := range m.Bodies {
		m.Bodies[i].Velocity.Linear, m.Bodies[i].Velocity.Angular = [3]float64{1, 2, float64(i)}, [3]float64{float64(i), 3, 1}
	}
	mech := compiled(t, m)
	in := mech.NewInputs()
	force := &some{}
	number, err := in.AddForce("some", force, 3, 1, 0)
	require.NoError(t, err)
	require.Zero(t, number)
	mech = in.Mechanism()
	st := mech.Initial()
	k := kinematics(t, mech, st)
	for _, on := range [][]int{{0, 2}, {1}, {}, {0, 1, 2}} { // each forgets what was there before
		force.on = on
		f, want := make([]spatial.Force, 4), make([]spatial.Force, 4)
		require.NoError(t, mech.AddAppliedTo(f, k, st))
		for _, i := range on {
			body := []int{3, 1, 0}[i]
			b := &st.Bodies[body]
			want[body] = spatial.NewForce(b.Omega.Scale(-2), b.Velocity.Scale(-3))
		}
		require.Equal(t, want, f)
		w, err := mech.OwnWrenches(0, k, st)
		require.NoError(t, err)
		for i, body := range []int{3, 1, 0} {
			require.Equal(t, want[body], w[i])
		}
		if len(on) == 2 {
			require.Zero(t, force.seen[1])
		}
		require.Zero(t, testing.AllocsPerRun(5, func() { _ = mech.AddAppliedTo(f, k, st) }))
	}
}
