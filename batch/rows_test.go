package batch_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/rung-mbd/rung/batch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRows: states as numbers in a row are those of mechanism.State, both ways and to the bit, with angles and without;
// what friction remembers stays as it is.
func TestRows(t *testing.T) {
	plans := references(t)
	seen := map[[3]int]bool{} // what the rows of mechanisms have besides positions and velocities
	for _, name := range slices.Sorted(maps.Keys(plans)) {
		p := plans[name]
		carried := p.Initial()
		p.Mechanism().FollowAngles(p.Mechanism().NewKinematics(), carried)
		p.Mechanism().CarryAngles(carried)
		of := [3]int{len(carried.Internal), len(carried.Bearings), min(1, carried.FlatLen()-p.Initial().FlatLen())}
		if testing.Short() && seen[of] {
			continue
		}
		for _, angles := range []bool{false, true} {
			b, err := batch.New(p, batch.Options{Angles: angles})
			if err != nil {
				continue // beyond lanes
			}
			seen[of] = true
			const n = 11
			one, other := b.NewStates(n), b.NewStates(n)
			for i, st := range someStates(t, p, n, 7, 0.1) {
				if p.Mechanism().FollowAngles(p.Mechanism().NewKinematics(), st); angles {
					p.Mechanism().CarryAngles(st)
				}
				st.Time = float64(i)
				for k := range st.Internal {
					st.Internal[k] = float64(k + i)
				}
				for k := range st.Bearings {
					st.Bearings[k] = -1
				}
				require.Equal(t, st.FlatLen(), one.FlatLen(), name)
				row := make([]float64, one.FlatLen())
				st.FlatTo(row)
				one.Set(i, st)
				other.SetFlat(i, row)
				back := make([]float64, len(row))
				for k := range back {
					back[k] = -1
				}
				one.FlatTo(back, i)
				assert.Equal(t, row, back, "%s: state %d", name, i)
				clear(back[:len(back)-len(st.Bearings)])
				other.FlatTo(back, i)
				assert.Equal(t, row, back, "%s: state %d by its row", name, i)
			}
			require.Panics(t, func() { one.SetFlat(n, make([]float64, one.FlatLen())) })
			require.Panics(t, func() { one.SetFlat(0, make([]float64, one.FlatLen()+1)) })
			require.Panics(t, func() { one.FlatTo(make([]float64, one.FlatLen()+1), 0) })
		}
	}
}
