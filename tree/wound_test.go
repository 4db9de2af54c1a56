package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
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

// TestWoundLoop: where a joint that closes a loop has a torsion spring, joint variables do not tell its turns, and angles are read as the model
// has them, whatever state was in use before.
func TestWoundLoop(t *testing.T) {
	m := model.New("drum on two hinges")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{{Name: "drum", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{
		{Name: "one", Type: model.Revolute, Predecessor: model.World, Successor: "drum"},
		{Name: "other", Type: model.Universal, Predecessor: model.World, Successor: "drum", Stiffness: []float64{0, 0.5}},
	}
	m.Bodies[0].Pose.Orientation = spatial.Quat{math.Cos(1.5), 0, 0, math.Sin(1.5)} // half a turn from 3 rad is elsewhere than from 0
	half := math.Sqrt(0.5)
	toX := spatial.Quat{half, -half, 0, 0} // y of the universal joint is z of the hinge
	m.Joints[1].PredecessorFrame.Orientation, m.Joints[1].SuccessorFrame.Orientation = toX, toX
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := tree.NewPlan(mech, tree.Options{})
	require.NoError(t, err)
	require.Equal(t, 0, int(p.Links[0].Joint))
	w := p.NewWorkspace()
	qdd := make([]float64, 1)
	for _, turned := range []float64{3, 3.5, -20} {
		require.NoError(t, w.Set([]float64{turned}, []float64{0}, 0))
		require.NoError(t, w.ForwardTo(qdd, []float64{0}))
		require.InDelta(t, 0.5*math.Abs(math.Remainder(turned, 2*math.Pi)), math.Abs(qdd[0]), 1e-9, "at %v rad", turned)
	}
}
