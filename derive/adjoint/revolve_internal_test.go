package adjoint

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// recorded runs a chain on a tape with so much memory in bytes, and returns the states on the way back.
func recorded(t *testing.T, o runs.Options, memory int64) (tape *Tape, met [][]float64, err error) {
	t.Helper()
	m, err := bench.Generate("chain", 2, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{})
	tape = NewTape(mech)
	tape.Memory = memory
	run := func(ctx context.Context, o runs.Options, onStep func(s Stand) error) error {
		o.OnStep = func(s *runs.Simulation) error { return onStep(s) }
		s, err := runs.New(plan, o)
		if err != nil {
			return err
		}
		if err := onStep(s); err != nil {
			return err
		}
		return s.RunContext(ctx, o.Until)
	}
	tape.Repeat = func(ctx context.Context, from *sim.Checkpoint, onStep func(s Stand) error) error {
		o := o
		o.Resume = from
		return run(ctx, o, onStep)
	}
	if err := run(t.Context(), o, tape.AddStep); err != nil {
		return tape, nil, err
	}
	steps, repeated := tape.Steps(), tape.repeated
	var along [][]float64
	require.NoError(t, tape.forward(t.Context(), func(at, end []float64) error {
		along = append(along, append(append([]float64{}, at...), end...))
		return nil
	}))
	require.Len(t, along, steps)
	tape.repeated = repeated
	err = tape.walk(t.Context(), func(at, end []float64) error {
		require.Equal(t, along[steps-1-len(met)], append(append([]float64{}, at...), end...))
		met = append(met, append(append([]float64{}, at...), end...))
		return nil
	})
	return tape, met, err
}

// TestRevolve: with few checkpoints the way back has the same states in the same order, to the bit, and repeats no leaf more often than
// (V15) allows.
func TestRevolve(t *testing.T) {
	for name, o := range map[string]runs.Options{
		"rk4":    {Integrator: runs.RungeKutta4, Step: 1e-3, Until: 0.6},
		"dopri5": {Tolerance: 1e-9, Until: 12},
	} {
		t.Run(name, func(t *testing.T) {
			all, want, err := recorded(t, o, 0)
			require.NoError(t, err)
			require.Greater(t, all.Steps(), 500)
			require.Len(t, want, all.Steps())
			require.Zero(t, all.repeated)
			state := 8 * int64(len(all.first))
			for _, most := range []int64{3, 5, 10, 20, 50} {
				tape, got, err := recorded(t, o, 2*most*(2100+13*8*2+100))
				require.NoError(t, err)
				require.Equal(t, want, got)
				require.GreaterOrEqual(t, tape.most, 2)
				require.LessOrEqual(t, int64(len(tape.states))*state, tape.Memory/2)
				leaves := (tape.Steps() + tape.leaf - 1) / tape.leaf
				r := 0
				for reach(tape.most, r) < leaves {
					r++
				}
				// The checkpoints of the first run lie at equal distances, which may cost one more repetition.
				assert.LessOrEqual(t, tape.repeated, int64(r+1)*int64(tape.Steps()))
				t.Logf("%d steps, leaves of %d, %d checkpoints: %d steps repeated", tape.Steps(), tape.leaf, tape.most, tape.repeated)
			}
		})
	}
}

// TestSplit: the schedule repeats each leaf at most as often as C(s+r, s) ≥ n allows, and all leaves together as often as the best
// schedule.
func TestSplit(t *testing.T) {
	for s := 1; s <= 6; s++ {
		best := []int{0, 0} // repeated leaves of the best schedule
		for n := 2; n <= 60; n++ {
			least := n * (n - 1) / 2
			for m := 1; m < n && s > 1; m++ {
				least = min(least, m+bestOf(s-1, n-m)+best[m])
			}
			best = append(best, least)
			require.Equal(t, least, cost(s, n), "%d leaves, %d checkpoints", n, s)
		}
	}
	require.Equal(t, 5151, reach(100, 2))
}

// cost returns the number of repeated leaves of schedule for n leaves and s checkpoints.
func cost(s, n int) int {
	if n <= 1 {
		return 0
	}
	if s == 1 {
		return n * (n - 1) / 2
	}
	m := split(n, s)
	return m + cost(s-1, n-m) + cost(s, m)
}

// bestOf is cost for the best schedule: the least over all positions of the first checkpoint.
func bestOf(s, n int) int {
	key := [2]int{s, n}
	if x, ok := bestKnown[key]; ok {
		return x
	}
	least := n * (n - 1) / 2
	for m := 1; m < n && s > 1; m++ {
		least = min(least, m+bestOf(s-1, n-m)+bestOf(s, m))
	}
	bestKnown[key] = least
	return least
}

var bestKnown = map[[2]int]int{}

// TestRevolveRefuses: a run that goes elsewhere, a run that ends early, and too little memory are errors.
func TestRevolveRefuses(t *testing.T) {
	o := runs.Options{Integrator: runs.RungeKutta4, Step: 1e-3, Until: 0.1}
	const little = 20000
	_, _, err := recorded(t, o, 500)
	require.ErrorAs(t, err, new(*MemoryError))

	tape, _, err := recorded(t, o, little)
	require.NoError(t, err)
	require.PanicsWithValue(t, "derive/adjoint: a tape that has been gone back over", func() {
		_ = NewSweep(tape.mech, sim.Euler(), make([]Field[bent], len(sim.Euler().B))).Run(t.Context(), tape, nil, nil)
	})
	for name, change := range map[string]func(s Stand){
		"elsewhere": func(s Stand) { s.State().Bodies[0].Omega[0] += 1e-9 },
		"ends":      nil,
	} {
		t.Run(name, func(t *testing.T) {
			tape, _, err := recorded(t, o, little)
			require.NoError(t, err)
			// A run of its own that is not the one on the tape.
			tape.steps, tape.spent = tape.Steps(), false
			tape.marks = []mark{{0, new(sim.Checkpoint)}}
			n := 0
			tape.Repeat = func(_ context.Context, _ *sim.Checkpoint, onStep func(s Stand) error) error {
				for change != nil || n < 3 {
					n++
					s := stood{tape.First()}
					if change != nil {
						change(s)
					}
					if err := onStep(s); err != nil {
						return fmt.Errorf("the run: %w", err)
					}
				}
				return nil
			}
			none := func([]float64, []float64) error { return nil }
			require.ErrorIs(t, tape.forward(t.Context(), none), ErrNotRepeatable)
			n = 0
			require.ErrorIs(t, tape.walk(t.Context(), none), ErrNotRepeatable)
		})
	}
	stop, end := context.WithCancelCause(t.Context())
	end(errors.New("no more"))
	require.EqualError(t, tape.walk(stop, nil), "no more")
}

// stood is a run at rest.
type stood struct{ st *mechanism.State }

func (s stood) State() *mechanism.State { return s.st }

func (s stood) Checkpoint() (*sim.Checkpoint, error) { return new(sim.Checkpoint), nil }
