package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// TestWound: joint variables tell how far torsion springs are wound, over turns, also at the second freedom of a universal joint.
func TestWound(t *testing.T) {
	m := model.New("drum")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{
		{Name: "drum", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}, {Name: "cross", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}},
	}
	m.Joints = []model.Joint{
		{Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "drum", Stiffness: []float64{0.5}},
		{Name: "cross", Type: model.Universal, Predecessor: model.World, Successor: "cross", Stiffness: []float64{0, 0.25}},
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	w := p.NewWorkspace()
	q, qd, qdd := make([]float64, p.NumQ()), make([]float64, p.NumDof()), make([]float64, p.NumDof())
	for _, turned := range []float64{7, -20, 1} {
		for i := range p.Links {
			l := &p.Links[i]
			q[l.Q+l.NumQ-1] = turned
		}
		require.NoError(t, w.Set(q, qd, 0))
		require.NoError(t, w.ForwardTo(qdd, make([]float64, len(qdd))))
		for i := range p.Links {
			l := &p.Links[i]
			k := []float64{0.5, 0.25}[l.Joint]
			require.InDelta(t, -k*turned, qdd[l.Dof+l.NumDof-1], 1e-9*math.Abs(turned), "link %d at %v rad", i, turned)
		}
	}
}
