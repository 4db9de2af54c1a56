package motion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// cabledChain is a chain with a cable along all of its bodies, and a bushing between neighbours.
func cabledChain(t testing.TB, n int) *model.Model {
	t.Helper()
	m, err := bench.Generate("chain", n, 1)
	require.NoError(t, err)
	points := []model.Attachment{{Body: model.World, Point: [3]float64{-1, 0, 0}}}
	for i := range m.Bodies {
		points = append(points, model.Attachment{Body: m.Bodies[i].Name, Point: [3]float64{0.1, 0.1, 0}})
		if i > 0 {
			m.Forces = append(m.Forces, model.ForceElement{
				Name: m.Bodies[i].Name + "-bushing", Type: model.BushingForce, A: model.Attachment{Body: m.Bodies[i-1].Name}, B: model.Attachment{Body: m.Bodies[i].Name},
				Bushing: &model.Bushing{Stiffness: model.Diagonal([6]float64{1, 1, 1, 1, 1, 1})},
			})
		}
	}
	m.Forces = append(m.Forces, model.ForceElement{Name: "cable", Type: model.CableForce, Stiffness: 100, Cable: &model.Cable{Points: points}})
	return m
}

// TestCableAlongChain: a cable over all bodies of a chain fills a row and no square.
func TestCableAlongChain(t *testing.T) {
	var flops, nonzeros []float64
	for _, n := range []int{100, 400, 1600} {
		p, err := newPlan(cabledChain(t, n), kkt.Options{})
		require.NoError(t, err)
		list, stresses := strains(p.Mechanism())
		require.Equal(t, 6*(n-1)+1, stresses)
		q := withSlacks(p.Layout().Pattern, []slackRows{&strainRows{list: list}})
		s, _, _ := factor.Choose(q, order.Auto, 1)
		c := s.Counts
		flops, nonzeros = append(flops, float64(c.Flops)), append(nonzeros, float64(c.NonZeros))
	}
	for i := range 2 {
		require.Less(t, flops[i+1]/flops[i], 4.5)
		require.Less(t, nonzeros[i+1]/nonzeros[i], 4.5)
	}
}
