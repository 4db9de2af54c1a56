package derive

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// openMatrixTol is the difference between two ways to compute the matrices of a short open mechanism, relative to the largest number:
// rounding over a dozen joints.
const openMatrixTol = 1e-11

// behind returns the pose of a body whose frame b coincides with frame a of a body with the pose p.
func behind(p, a, b model.Pose) model.Pose {
	q := spatial.Quat(p.Orientation)
	at := spatial.Vec3(p.Position).Add(q.Rotate(spatial.Vec3(a.Position)))
	turned := q.Mul(spatial.Quat(a.Orientation)).Mul(spatial.Quat(b.Orientation).Conj())
	return model.Pose{Position: at.Sub(turned.Rotate(spatial.Vec3(b.Position))), Orientation: turned.Normalize()}
}

// openModel is a moving tree of bodies on joints of several types, with bodies as predecessors and as successors.
func openModel(seed uint64) *model.Model {
	rng := rand.New(rand.NewPCG(seed, 44))
	frame := func() model.Pose {
		q := spatial.Quat{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
		return model.Pose{Position: [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, Orientation: q}
	}
	m := model.New(fmt.Sprint("open-", seed))
	m.Gravity = [3]float64{1, 2, -9}
	types := []model.JointType{model.Revolute, model.Prismatic, model.Cylindrical}
	for i := range 8 {
		body := model.Body{
			Name: fmt.Sprint("b", i), Mass: 1 + rng.Float64(), Com: [3]float64{rng.NormFloat64(), 0.3, 0.1},
			Inertia:  model.Inertia{XX: 1, YY: 1.2, ZZ: 1.5, XY: 0.1},
			Velocity: model.Velocity{Angular: [3]float64{rng.NormFloat64(), 1, 0}, Linear: [3]float64{rng.NormFloat64(), 0, 1}},
		}
		joint := model.Joint{
			Name: fmt.Sprint("j", i), Type: types[rng.IntN(3)], Predecessor: model.World, Successor: body.Name,
			PredecessorFrame: frame(), SuccessorFrame: frame(),
		}
		inner := model.Pose{Orientation: [4]float64{1, 0, 0, 0}}
		if i > 0 && rng.IntN(4) > 0 {
			p := &m.Bodies[rng.IntN(i)]
			joint.Predecessor, inner = p.Name, p.Pose
		}
		body.Pose = behind(inner, joint.PredecessorFrame, joint.SuccessorFrame)
		if rng.IntN(2) == 0 {
			joint.Predecessor, joint.Successor = joint.Successor, joint.Predecessor
			joint.PredecessorFrame, joint.SuccessorFrame = joint.SuccessorFrame, joint.PredecessorFrame
		}
		if joint.Type != model.Cylindrical {
			joint.Stiffness, joint.Damping = []float64{3}, []float64{0.4}
		}
		m.Bodies, m.Joints = append(m.Bodies, body), append(m.Joints, joint)
	}
	return m
}

// TestOpen: the motions of an open mechanism that walk finds from joint to joint give the same matrices as solutions of its system.
func TestOpen(t *testing.T) {
	for seed := range uint64(6) {
		m := openModel(seed)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		st := plan.Initial()
		require.NoError(t, closing.NewCloser(plan, closing.Options{}).ProjectVelocities(st))
		d := New(plan, m)
		require.NoError(t, d.At(st))
		require.NoError(t, d.setCarried())
		y := d.openCoordinates(nil)
		require.NotNil(t, y)
		o := StateSpaceOptions{Inputs: y.freedoms}
		got, err := d.columns(o, y)
		require.NoError(t, err)
		require.NoError(t, d.project())
		y, err = d.independent(y.freedoms)
		require.NoError(t, err)
		want, err := d.columns(o, y)
		require.NoError(t, err)
		for _, x := range [][2][][]float64{{want.A, got.A}, {want.B, got.B}} {
			size := 0.0
			for _, row := range x[0] {
				size = max(size, algebra.MaxAbs(row))
			}
			for i := range x[0] {
				require.InDeltaSlice(t, x[0][i], x[1][i], openMatrixTol*size, "seed %d, row %d", seed, i)
			}
		}
	}
}

// TestNotOpen: walk is used for open mechanisms only, and only if the coordinates are all of their freedoms.
func TestNotOpen(t *testing.T) {
	at := func(m *model.Model) *Derivatives {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{})
		d := New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		require.NoError(t, d.setCarried())
		return d
	}
	m := openModel(1)
	d := at(m)
	all := d.candidates()
	require.NotNil(t, d.openCoordinates(all))
	require.Nil(t, d.openCoordinates(all[1:]))
	all[0] = all[1]
	require.Nil(t, d.openCoordinates(all), "one of them twice")
	m.Joints[0].Type, m.Joints[0].Stiffness, m.Joints[0].Damping = model.Spherical, nil, nil
	require.Nil(t, at(m).openCoordinates(nil), "a ball has no coordinates")
	m = openModel(1)
	m.Joints[0].Predecessor, m.Joints[0].Successor = m.Joints[7].Predecessor, m.Joints[7].Successor
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	require.Nil(t, at(m).openCoordinates(nil), "a body on no joint, and a loop")
	loop, err := model.ReadFile("../reference/derivatives/springs.model.json")
	require.NoError(t, err)
	require.Nil(t, at(loop).openCoordinates(nil))
}
