package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// tumbling is a free body with a drag, and counts its evaluations.
type tumbling struct{ n int }

func (d *tumbling) Accelerations(a []float64, st *mechanism.State) error {
	d.n++
	b := &st.Bodies[0]
	w, v := b.Omega, b.Velocity.Scale(-b.Position[0])
	copy(a, []float64{w[1] * w[2], -w[2] * w[0], 0.3 * w[0] * w[1], v[0], v[1], v[2] - 9.81})
	return nil
}

// TestTaped: the slopes of the stages make the step, and a method without the stage that has no weight ends at the same bits.
func TestTaped(t *testing.T) {
	const h, rounding = 0.1, 1e-15
	mech, err := mechanism.New(&model.Model{Bodies: []model.Body{{Name: "stone", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 2, ZZ: 2.5}}}})
	require.NoError(t, err)
	st := mech.Initial()
	st.Bodies[0].Omega, st.Bodies[0].Velocity, st.Bodies[0].Position[0] = spatial.Vec3{1, 2, 0.5}, spatial.Vec3{0.3, 0.1, 1}, 0.7
	for _, tab := range []*sim.Tableau{sim.Euler(), sim.RungeKutta4(), sim.DormandPrince()} {
		ends := [2]*mechanism.State{mech.Initial(), mech.Initial()}
		for k, method := range [2]*sim.Tableau{tab, tab.Weighted()} {
			d := new(tumbling)
			var r sim.Taped = sim.NewRungeKutta(mech, d, method, sim.Tolerance{})
			require.PanicsWithValue(t, "sim: no step", func() { r.Rates(0) })
			_, err := r.Try(st, h)
			require.NoError(t, err)
			require.Equal(t, len(method.B), d.n)
			r.AtTo(ends[k], 1)
			for c := range 3 {
				at, v := st.Bodies[0].Position[c], st.Bodies[0].Velocity[c]
				for i, b := range method.B {
					chart, velocity := r.Rates(i)
					require.Len(t, velocity, 6)
					at, v = at+h*b*chart[3+c], v+h*b*velocity[3+c]
				}
				require.InDelta(t, ends[k].Bodies[0].Position[c], at, rounding)
				require.InDelta(t, ends[k].Bodies[0].Velocity[c], v, rounding)
			}
		}
		require.Equal(t, ends[0].Bodies, ends[1].Bodies, tab.Name)
	}
	require.Len(t, sim.DormandPrince().Weighted().B, 6)
}
