package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// farTol is the relative change of accelerations that a move by 1e6 m may make:
// positions are then known to 1e-10 m.
const farTol = 1e-9

// written returns r's model with the state in use as its state.
func written(r *rig) *model.Model {
	m := *r.m
	m.Bodies = append([]model.Body(nil), m.Bodies...)
	s := r.w.State()
	for i := range m.Bodies {
		b := &s.Bodies[i]
		m.Bodies[i].Pose = model.Pose{Position: b.Position, Orientation: b.Rotation}
		m.Bodies[i].Velocity = model.Velocity{Linear: b.Velocity, Angular: b.Omega}
	}
	return &m
}

// TestAgreementOfAllTypes compares with the sparse method on trees with joints of
// all types in both directions, with drives and force elements.
func TestAgreementOfAllTypes(t *testing.T) {
	forEachTree(t, []int{1, 2, 20, 100}, func(t *testing.T, r *rig, _ uint64) {
		requireAgreement(t, written(r))
	})
}

// TestFarFromOrigin moves a mechanism by 1e6 m: bodies, and frames and points
// that are fixed in the world.
func TestFarFromOrigin(t *testing.T) {
	offset := [3]float64{1e6, -1e6, 1e6}
	move := func(x [3]float64) [3]float64 {
		return [3]float64{x[0] + offset[0], x[1] + offset[1], x[2] + offset[2]}
	}
	forEachTree(t, []int{1, 2, 20, 100}, func(t *testing.T, r *rig, _ uint64) {
		a, angular, linear := accelerations(t, r)
		m := written(r)
		m.Joints = append([]model.Joint(nil), m.Joints...)
		for i := range m.Bodies {
			m.Bodies[i].Pose.Position = move(m.Bodies[i].Pose.Position)
		}
		for i := range m.Joints {
			if j := &m.Joints[i]; j.Predecessor == model.World {
				j.PredecessorFrame.Position = move(j.PredecessorFrame.Position)
			} else if j.Successor == model.World {
				j.SuccessorFrame.Position = move(j.SuccessorFrame.Position)
			}
		}
		far := newRig(t, m, tree.Options{}).atInitial(t)
		near := func() {
			b, _, _ := accelerations(t, far)
			for i := 0; i < len(a); i += 6 {
				check.CloseVec(t, b[i:i+3], a[i:i+3], farTol, math.Max(1, angular), "body %d, angular", i/6)
				check.CloseVec(t, b[i+3:i+6], a[i+3:i+6], farTol, math.Max(1, linear), "body %d, linear", i/6)
			}
		}
		near()
		// The same from joint variables; floating bases have their position in q.
		require.NoError(t, far.w.Set(far.q, far.qd, 0))
		near()
	})
}

// TestReversedJoints exchanges predecessor and successor of all joints of types
// that are symmetric: the motion is the same, and q̇ has the other sign.
func TestReversedJoints(t *testing.T) {
	types := []model.JointType{model.Fixed, model.Revolute, model.Prismatic, model.Helical, model.Cylindrical}
	for seed := range uint64(5) {
		rng := check.Rand(100 + seed)
		r := newRig(t, randomTree(30, 4, types, rng), tree.Options{}).atRandom(t, rng)
		a, angular, linear := accelerations(t, r)
		m := written(r)
		m.Joints = append([]model.Joint(nil), m.Joints...)
		for i := range m.Joints {
			j := &m.Joints[i]
			j.Predecessor, j.Successor = j.Successor, j.Predecessor
			j.PredecessorFrame, j.SuccessorFrame = j.SuccessorFrame, j.PredecessorFrame
			// The coordinate changes sign, and with it force and rest.
			j.Force, j.Rest = negated(j.Force), negated(j.Rest)
		}
		other := newRig(t, m, tree.Options{}).atInitial(t)
		b, _, _ := accelerations(t, other)
		for i := 0; i < len(a); i += 6 {
			check.CloseVec(t, b[i:i+3], a[i:i+3], agreeTol, angular, "body %d, angular", i/6)
			check.CloseVec(t, b[i+3:i+6], a[i+3:i+6], agreeTol, linear, "body %d, linear", i/6)
		}
		for i := range r.plan.Links {
			l, k := &r.plan.Links[i], &other.plan.Links[i]
			require.Equal(t, l.Body, k.Body)
			if l.Joint >= 0 {
				require.NotEqual(t, l.Reversed, k.Reversed)
				check.CloseVec(t, other.qd[k.Dof:k.Dof+k.NumDof], negated(r.qd[l.Dof:l.Dof+l.NumDof]), roundTol, 10, "q̇")
			}
		}
	}
}

func negated(x []float64) []float64 {
	var y []float64
	for _, v := range x {
		y = append(y, -v)
	}
	return y
}

// TestOtherBases moves the floating base of a part from body to body: the motion
// is the same.
func TestOtherBases(t *testing.T) {
	rng := check.Rand(9)
	m := randomTree(12, 2, []model.JointType{model.Revolute, model.Universal, model.Spherical, model.Planar}, rng)
	for i := range m.Joints {
		if j := &m.Joints[i]; j.Predecessor == model.World || j.Successor == model.World {
			j.Type = model.Free
			j.Force, j.Stiffness, j.Damping, j.Rest = nil, nil, nil, nil
		}
	}
	first := newRig(t, m, tree.Options{}).atRandom(t, rng)
	m = written(first)
	a, angular, linear := accelerations(t, first)
	for base := range m.Bodies {
		r := newRig(t, m, tree.Options{Floating: []int{base}}).atInitial(t)
		b, _, _ := accelerations(t, r)
		for i := 0; i < len(a); i += 6 {
			check.CloseVec(t, b[i:i+3], a[i:i+3], agreeTol, angular, "base %d, body %d, angular", base, i/6)
			check.CloseVec(t, b[i+3:i+6], a[i+3:i+6], agreeTol, linear, "base %d, body %d, linear", base, i/6)
		}
	}
}
