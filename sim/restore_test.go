package sim_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// TestRefusedCheckpointLeavesNothing restores a checkpoint that does not fit, for its rows, which are looked at after what the stepper
// has kept. A run that begins then is the one of a new simulation, to the bit.
func TestRefusedCheckpointLeavesNothing(t *testing.T) {
	_, c, fresh := marked(t)
	require.NotEmpty(t, c.Kept)
	c.Rows += 2
	s, want := fresh(), fresh()
	require.ErrorContains(t, s.Restore(c), "its rows")
	require.NoError(t, s.Run(0.5))
	require.NoError(t, want.Run(0.5))
	require.Equal(t, want.State(), s.State())
}

// TestCheckpointOfNoNumbers: what a controller remembers has to be finite, as the text of a checkpoint has no other numbers.
func TestCheckpointOfNoNumbers(t *testing.T) {
	r := golden(t, "four-bar")
	c := sim.Controller{Name: "c", Period: 1, Memory: []float64{0, math.NaN()}, Sample: func(*mechanism.State) error { return nil }}
	s := r.simulate(sim.DormandPrince(), 1e-6, sim.Options{Projector: r.proj, Controllers: []sim.Controller{c}})
	require.NoError(t, s.Run(0.1))
	mark, err := s.Checkpoint()
	require.NoError(t, err)
	var out bytes.Buffer
	err = mark.Write(&out)
	require.ErrorIs(t, err, sim.ErrCheckpoint)
	require.ErrorContains(t, err, "its controllers[0].memory[1] is NaN")
	require.Empty(t, out.Bytes())
}

// TestClosedTellsNothingBesideAnError: a state that cannot be measured does not satisfy the joints.
func TestClosedTellsNothingBesideAnError(t *testing.T) {
	m := golden(t, "four-bar").mech
	st := m.Initial()
	st.Bodies[0].Position[0] = math.NaN()
	closed, err := sim.Closed(m, st)
	require.ErrorIs(t, err, mechanism.ErrNotFinite)
	require.False(t, closed)
}
