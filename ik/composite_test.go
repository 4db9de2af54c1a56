package ik

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
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

// TestCoordinateInGimbalLock: on a tree, a coordinate of a composite joint is a target in a pose whose axes depend on
// each other. The engine for loops refuses the pose, and that for large mechanisms a start in it.
func TestCoordinateInGimbalLock(t *testing.T) {
	plan := testPlan(t, gimbal())
	for freedom := range 3 {
		task := Task{Targets: []Target{{Type: Coordinate, Freedom: fmt.Sprint("j.", freedom), Value: 0.5}}}
		p := testProblem(t, plan, &task)
		st := plan.Initial()
		r, err := testSolver(t, p, Options{Engine: TreeEngine}).Reach(st)
		require.NoError(t, err)
		require.Equal(t, Reached, r.Status, freedom)
		require.InDelta(t, 0.5, coordinateOf(t, plan.Mechanism(), st, "j", freedom), 1e-9)
		_, err = p.NewSolver(Options{Engine: DrivenEngine})
		require.ErrorIs(t, err, joints.ErrSingular)
		for restarts := range 2 {
			st = plan.Initial()
			_, err = testSolver(t, p, Options{Engine: SparseEngine, Restarts: restarts}).Reach(st)
			require.ErrorIs(t, err, joints.ErrSingular)
			require.ErrorContains(t, err, `"j"`)
			require.Equal(t, plan.Initial(), st)
		}
	}
}

// TestWayIntoGimbalLock: where the way to a target ends in a gimbal lock, the sparse method gives the pose to which it has
// come, and says how far it is off. Restarts reach the target, and what they have found stays where the posture that
// follows begins in the lock.
func TestWayIntoGimbalLock(t *testing.T) {
	plan := testPlan(t, gimbal())
	out := Task{Targets: []Target{{Type: Coordinate, Freedom: "j.1", Value: 0.7}, {Type: Coordinate, Freedom: "j.0", Value: 0.2}}}
	start := plan.Initial()
	_, err := testSolver(t, testProblem(t, plan, &out), Options{Engine: TreeEngine}).Reach(start)
	require.NoError(t, err)
	task := Task{Targets: []Target{{Type: Orientation, Body: "b", Orientation: spatial.Exp(spatial.Vec3{0, 0, 0.4})}}}
	for posture := range 2 {
		if posture == 1 {
			task.Posture = &Posture{Gain: 1, Values: []Coordinated{{Freedom: "j.0", Value: 0}}}
		}
		p := testProblem(t, plan, &task)
		for _, restarts := range [2]int{NoRestarts, 3} {
			for _, nearest := range []bool{false, true} {
				st := start.Clone()
				r, err := testSolver(t, p, Options{Engine: SparseEngine, Restarts: restarts, Nearest: nearest}).Reach(st)
				if nearest || r != nil && r.Status == Reached {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, ErrUnreached)
					if r.Targets[0].Reached {
						require.ErrorContains(t, err, "(steps), though each is within its tolerance")
					}
				}
				require.Less(t, r.Targets[0].Angular, 1e-6)
				require.Equal(t, restarts > 0, r.Targets[0].Reached)
			}
		}
	}
}

// TestCoordinateOfComposite: the error of a rotational freedom is an angle, and the error of a translational one a length.
func TestCoordinateOfComposite(t *testing.T) {
	m := gimbal()
	m.Joints[0].Axes[2] = model.Axis{Kind: model.Prismatic, Axis: spatial.Vec3{0, 0, 1}}
	plan := testPlan(t, m)
	for freedom, off := range [][2]float64{{0, 0.5}, {0, 0.5}, {0.5, 0}} {
		name := fmt.Sprint("j.", freedom)
		task := Task{Targets: []Target{{Type: Coordinate, Freedom: name, Value: 1}}, Limits: []Limit{{Freedom: name, Lower: -0.5, Upper: 0.5}}}
		r, err := testSolver(t, testProblem(t, plan, &task), Options{}).Reach(plan.Initial())
		require.ErrorIs(t, err, ErrUnreached)
		require.InDeltaSlice(t, off[:], []float64{r.Targets[0].Linear, r.Targets[0].Angular}, 1e-9, name)
	}
}

// gimbal is a body on a joint that turns about z, x and z again.
func gimbal() *model.Model {
	m := model.New("gimbal")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	z, x := spatial.Vec3{0, 0, 1}, spatial.Vec3{1, 0, 0}
	m.Joints = []model.Joint{{Name: "j", Type: model.Composite, Predecessor: model.World, Successor: "b",
		Axes: []model.Axis{{Kind: model.Revolute, Axis: z}, {Kind: model.Revolute, Axis: x}, {Kind: model.Revolute, Axis: z}}}}
	return m
}
