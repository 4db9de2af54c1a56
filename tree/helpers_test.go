package tree_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// What tests share with those of other packages.
var (
	golden   = plantest.Golden
	generate = plantest.Generate
)

// treeTypes are the types that can be tree joints.
var treeTypes = []model.JointType{
	model.Fixed, model.Revolute, model.Prismatic, model.Helical, model.Cylindrical,
	model.Universal, model.Planar, model.Spherical, model.SphereInCylinder,
}

// rig is a plan with a workspace, and joint variables that are the state in use.
type rig struct {
	m     *model.Model
	mech  *mechanism.Mechanism
	plan  *tree.Plan
	w     *tree.Workspace
	q, qd []float64
}

func newRig(t testing.TB, m *model.Model, o tree.Options) *rig {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := tree.NewPlan(mech, o)
	require.NoError(t, err)
	return &rig{
		m: m, mech: mech, plan: p, w: p.NewWorkspace(),
		q: make([]float64, p.NumQ()), qd: make([]float64, p.NumDof()),
	}
}

// atInitial makes the model's state the state in use.
func (r *rig) atInitial(t testing.TB) *rig {
	t.Helper()
	s := r.mech.Initial()
	require.NoError(t, r.w.SetState(s))
	r.plan.CoordinatesTo(r.q, r.qd, r.w.Kinematics(), s)
	return r
}

// atRandom makes a random state with moderate rates the state in use.
func (r *rig) atRandom(t testing.TB, rng *rand.Rand) *rig {
	t.Helper()
	for i := range r.q {
		r.q[i] = 2*rng.Float64() - 1
	}
	for i := range r.qd {
		r.qd[i] = 2*rng.Float64() - 1
	}
	for i := range r.plan.Links {
		if l := &r.plan.Links[i]; l.NumQ != l.NumDof {
			q := spatial.Quat(r.q[l.Q : l.Q+4]).Normalize()
			copy(r.q[l.Q:], q[:])
		}
	}
	require.NoError(t, r.w.Set(r.q, r.qd, 0))
	return r
}

// zeros returns a vector of the length of q̇.
func (r *rig) zeros() []float64 { return make([]float64, r.plan.NumDof()) }

// random returns a random vector of the length of q̇.
func (r *rig) random(rng *rand.Rand) []float64 {
	x := r.zeros()
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	return x
}

// withoutLoops drops the joints that are not in the default tree, and all
// prescribed motions.
func withoutLoops(t testing.TB, m *model.Model) *model.Model {
	t.Helper()
	r := newRig(t, m, tree.Options{})
	var keep []model.Joint
	out := map[int]bool{}
	for _, l := range r.plan.Loops {
		out[int(l.Joint)] = true
	}
	for j := range m.Joints {
		if !out[j] {
			jt := m.Joints[j]
			jt.Motion = nil
			keep = append(keep, jt)
		}
	}
	m.Joints = keep
	return m
}

// randomTree is a tree of n bodies with joints of the given types in random
// order and direction, random frames, some drives, springs and wrenches. Bodies
// hang from one of the reach bodies before them; some parts float.
func randomTree(n, reach int, types []model.JointType, rng *rand.Rand) *model.Model {
	m := model.New("random-tree")
	u := func(s float64) float64 { return s * (2*rng.Float64() - 1) }
	vec := func(s float64) [3]float64 { return [3]float64{u(s), u(s), u(s)} }
	pose := func(s float64) model.Pose {
		q := spatial.Quat{u(1), u(1), u(1), u(1)}.Normalize()
		return model.Pose{Position: vec(s), Orientation: q}
	}
	for i := range n {
		a, b, c := 0.2+u(0.1), 0.2+u(0.1), 0.2+u(0.1)
		m.Bodies = append(m.Bodies, model.Body{
			Name: fmt.Sprintf("b%d", i), Mass: 1 + u(0.5), Com: vec(0.2),
			Inertia: model.Inertia{XX: 0.2 * (b + c), YY: 0.2 * (a + c), ZZ: 0.2 * (a + b), XY: u(0.005), XZ: u(0.005), YZ: u(0.005)},
		})
		up := model.World
		if i > 0 && rng.IntN(20) > 0 {
			up = fmt.Sprintf("b%d", max(0, i-1-rng.IntN(reach)))
		} else if rng.IntN(2) == 0 {
			continue // a floating part
		}
		j := model.Joint{
			Name: fmt.Sprintf("j%d", i), Type: types[rng.IntN(len(types))],
			Predecessor: up, Successor: m.Bodies[i].Name, PredecessorFrame: pose(0.3), SuccessorFrame: pose(0.2),
		}
		if rng.IntN(2) == 0 {
			j.Predecessor, j.Successor = j.Successor, j.Predecessor
		}
		if j.Type == model.Helical {
			j.Pitch = 0.1 + u(0.05)
		}
		drive(&j, rng)
		m.Joints = append(m.Joints, j)
	}
	rng.Shuffle(len(m.Joints), func(i, j int) { m.Joints[i], m.Joints[j] = m.Joints[j], m.Joints[i] })
	for k := range n / 4 {
		a, b := m.Bodies[rng.IntN(n)].Name, m.Bodies[rng.IntN(n)].Name
		m.Forces = append(m.Forces, model.ForceElement{
			Name: fmt.Sprintf("w%d", k), Type: model.Wrench, A: model.Attachment{Body: a, Point: vec(0.3)}, Force: vec(3), Torque: vec(1),
		}, model.ForceElement{
			Name: fmt.Sprintf("s%d", k), Type: model.SpringDamper, A: model.Attachment{Body: a, Point: vec(0.3)},
			B: model.Attachment{Body: b, Point: vec(0.3)}, Stiffness: 5, Damping: 0.5, RestLength: 0.4,
		})
	}
	return m
}

// drive gives half of the joints forces, springs and dampers.
func drive(j *model.Joint, rng *rand.Rand) {
	kind := joints.Kind(j.Type)
	n := kind.Freedoms()
	if n == 0 || rng.IntN(2) == 0 {
		return
	}
	j.Force, j.Stiffness, j.Damping, j.Rest = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		j.Force[k], j.Damping[k] = 2*rng.Float64()-1, 0.2*rng.Float64()
		if kind.Scalar(k) {
			j.Stiffness[k], j.Rest[k] = 2*rng.Float64(), 0.3
		}
	}
}
