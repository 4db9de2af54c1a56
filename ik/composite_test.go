package ik

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// TestCompositeArms: arms of composite joints reach poses that they can, within limits on each freedom, by all engines;
// the coordinates of the answer make it.
func TestCompositeArms(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		rng := check.Rand(seed)
		m := modeltest.Composites(seed, 3, 0)
		plan := testPlan(t, m)
		mech, st := plan.Mechanism(), plan.Initial()
		at, err := tree.NewPlan(mech, tree.Options{})
		require.NoError(t, err)
		q, qd := make([]float64, at.NumQ()), make([]float64, at.NumDof())
		at.CoordinatesTo(q, qd, kinematicsAt(t, mech, st), st)
		to, task := append([]float64{}, q...), Task{}
		for i := range at.Links {
			l := &at.Links[i]
			for k := range int(l.NumDof) {
				x := &to[int(l.Q)+k]
				*x += 0.3 * (2*rng.Float64() - 1)
				task.Limits = append(task.Limits, Limit{Freedom: fmt.Sprintf("%s.%d", mech.JointName(int(l.Joint)), k), Lower: *x - 0.5, Upper: *x + 0.5})
			}
		}
		wanted := st.Clone()
		at.StateTo(wanted, to, qd)
		b := &wanted.Bodies[2]
		task.Targets = []Target{{Type: PoseTarget, Body: "b2", Position: b.Position, Orientation: b.Rotation}}
		for _, o := range []Options{{Engine: TreeEngine, Restarts: 30}, {Engine: DrivenEngine}, {Method: Sparse}} {
			s := testSolver(t, testProblem(t, plan, &task), o)
			got := plan.Initial()
			r, err := s.Reach(got)
			require.NoError(t, err, "seed %d, %+v", seed, o)
			require.Equal(t, Reached, r.Status, "seed %d, %+v", seed, o)
			// A model with these coordinates is there, and holds its joints.
			k := kinematicsAt(t, mech, got)
			found := make([]float64, at.NumQ())
			at.CoordinatesTo(found, qd, k, got)
			for i, d := range r.Driven {
				require.InDelta(t, coordinateOf(t, mech, got, d.Joint, d.Freedom), d.Value, 1e-9, "seed %d, %+v: %d", seed, o, i)
				require.GreaterOrEqual(t, d.Value, task.limitOf(t, d).Lower-1e-9)
				require.LessOrEqual(t, d.Value, task.limitOf(t, d).Upper+1e-9)
			}
			for j := range mech.Joints {
				off, _ := mech.Residuals(j, k, got)
				require.LessOrEqual(t, off, 1e-11)
			}
			travel, turn := mech.Displacement(2, wanted, got)
			require.Less(t, travel.Norm()+turn.Norm(), 1e-6, "seed %d, %+v", seed, o)
		}
	}
}

func (t *Task) limitOf(tb testing.TB, d DrivenResult) *Limit {
	for i := range t.Limits {
		if t.Limits[i].Freedom == fmt.Sprintf("%s.%d", d.Joint, d.Freedom) {
			return &t.Limits[i]
		}
	}
	tb.Fatalf("no limit of %+v", d)
	return nil
}

func kinematicsAt(t testing.TB, m *mechanism.Mechanism, st *mechanism.State) *mechanism.Kinematics {
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	return k
}

func coordinateOf(t testing.TB, m *mechanism.Mechanism, st *mechanism.State, joint string, freedom int) float64 {
	j, err := m.JointIndex(joint)
	require.NoError(t, err)
	return coordinate(m, mechanism.Freedom{Joint: j, Freedom: freedom}, kinematicsAt(t, m, st), st)
}
