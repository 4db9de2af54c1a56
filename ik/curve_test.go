package ik_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestPointOnCurve: the tip of an arm runs on a figure eight, through its crossing, to a place on it, by every method; a place beside it is reached as nearly as
// the curve allows.
func TestPointOnCurve(t *testing.T) {
	y := spatial.Vec3{0, 1, 0}
	wire := &curves.Curve{Kind: curves.Function, X: "0.4*sin(u)", Y: "0.25*sin(2*u)", Range: [2]float64{0, 6.283185307179586}, Closed: true}
	at := wire.Prepared()
	place := func(u float64) spatial.Vec3 { // in the world: x along x, y along z
		c := at.At(u).C
		return spatial.Vec3{1.2 + c[0], 0, 0.5 + c[1]}
	}
	tip := place(2.8)
	b := rung.NewBuilder("arm")
	elbow := spatial.Vec3{0.3, 0, 0.95}
	upper := b.Rod("upper", 1, 0.01, spatial.Vec3{}, elbow)
	lower := b.Rod("lower", 1, 0.01, elbow, tip)
	b.Revolute("shoulder", rung.World, upper, spatial.Vec3{}, y)
	b.Revolute("elbow", upper, lower, elbow, y)
	j := b.PointOnCurve("wire", rung.World, lower, rung.At(1.2, 0, 0.5).WithZX(y.Neg(), spatial.Vec3{1}), tip, wire)
	j.Curve.Planar = true
	m, err := b.Model()
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	frame := model.Pose{Position: m.Joints[2].SuccessorFrame.Position, Orientation: [4]float64{1}}
	for _, o := range []ik.Options{{Passive: true}, {Method: ik.Sparse}} {
		task := &ik.Task{Targets: []ik.Target{{Name: "tip", Type: ik.Point, Body: "lower", Frame: frame, Position: place(3.5)}}, Solver: o}
		problem, err := ik.NewProblem(p, task)
		require.NoError(t, err)
		solver, err := problem.NewSolver(o)
		require.NoError(t, err)
		st := p.Initial()
		_, err = solver.Reach(st)
		require.NoError(t, err)
		k := p.Mechanism().NewKinematics()
		require.NoError(t, p.Mechanism().KinematicsTo(k, st))
		u, _ := p.Mechanism().CurvePlace(2, k, st)
		require.InDelta(t, 3.5, u, 1e-6)
		require.NoError(t, solver.Aim("tip", [3]float64{1.2, 0, 5}, [4]float64{1, 0, 0, 0}))
		_, err = solver.Reach(st)
		require.ErrorIs(t, err, ik.ErrUnreached)
	}
}
