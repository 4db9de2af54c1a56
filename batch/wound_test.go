package batch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestWound: a torsion spring that is wound over several turns is so in all ways into a batch and out of it. A state without angles has the
// turns of the model.
func TestWound(t *testing.T) {
	m := model.New("wound")
	m.Gravity = [3]float64{}
	m.Bodies = append(m.Bodies, model.Body{Name: "drum", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	m.Joints = append(m.Joints, model.Joint{
		Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "drum", Turns: []int64{3}, Stiffness: []float64{0.5},
	})
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	const turned = 2 * math.Pi * 3
	bare := p.Initial()
	require.Equal(t, []float64{turned}, bare.Angles)
	bare.Angles = nil
	for _, all := range []bool{false, true} {
		b, err := batch.New(p, batch.Options{Angles: all})
		require.NoError(t, err)
		s, r := b.NewStates(4), b.NewResults(4)
		s.Set(1, bare)
		row := make([]float64, s.FlatLen())
		p.Initial().FlatTo(row)
		s.SetFlat(2, row)
		b.Solve(s, r)
		for i := range s.Len() {
			require.NoError(t, r.Error(i))
			require.InEpsilon(t, -0.5*turned, r.AngularAcceleration(i, 0)[2], 1e-12)
		}
		further, out := p.Initial(), p.Initial()
		further.Angles[0] += 4 * math.Pi
		s.Set(3, further)
		out.Angles = nil
		s.To(out, 3)
		q, _ := p.Mechanism().Coordinate(mechanism.Freedom{}, out)
		require.InDelta(t, turned+4*math.Pi, q, 1e-12)
		require.Panics(t, func() { s.SetFlat(0, row[:len(row)-1]) })
	}
}
