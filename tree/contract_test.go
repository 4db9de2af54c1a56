package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// TestNoAllocation covers every call a state.
func TestNoAllocation(t *testing.T) {
	rng := check.Rand(1)
	r := newRig(t, randomTree(40, 3, treeTypes, rng), tree.Options{}).atRandom(t, rng)
	H, L := r.plan.NewBranchMatrix(), r.plan.NewBranchMatrix()
	qdd, tau := r.zeros(), r.random(rng)
	J := make([]spatial.Motion, r.plan.NumDof())
	acc := make([]spatial.ClassicalAccel, r.plan.NumLinks())
	s := r.w.State().Clone()
	x := append(append([]float64(nil), r.q...), r.qd...)
	dx := make([]float64, len(x))
	f := spatial.Force{1, 2, 3, 4, 5, 6}
	var err error
	for name, step := range map[string]func(){
		"SetState":        func() { err = r.w.SetState(s) },
		"Set":             func() { err = r.w.Set(r.q, r.qd, 0) },
		"StateTo":         func() { r.plan.StateTo(s, r.q, r.qd) },
		"CoordinatesTo":   func() { r.plan.CoordinatesTo(r.q, r.qd, r.w.Kinematics(), s) },
		"ForwardTo":       func() { err = r.w.ForwardTo(qdd, tau) },
		"InverseTo":       func() { r.w.InverseTo(tau, qdd) },
		"AccelerationsTo": func() { r.w.AccelerationsTo(acc, qdd) },
		"InertiaTo":       func() { r.w.InertiaTo(H) },
		"factors": func() {
			r.w.InertiaTo(H)
			H.CopyTo(L)
			err = L.FactorLTL()
			L.SolveTo(qdd, tau)
			H.MulVecTo(qdd, tau)
		},
		"ForwardByInertiaTo": func() { err = r.w.ForwardByInertiaTo(qdd, tau, H, 1) },
		"JacobianTo":         func() { r.w.JacobianTo(J, 39, spatial.Vec3{}) },
		"AddGeneralizedForce": func() {
			r.w.AddGeneralizedForceTo(tau, 39, tree.World, &f, 1)
		},
		"DerivativeTo": func() { err = r.w.DerivativeTo(dx, x, 0, nil) },
		"rates": func() {
			r.plan.RatesTo(dx[:len(r.q)], r.q, r.qd)
			r.plan.QuasiVelocitiesTo(r.qd, r.q, dx[:len(r.q)])
		},
	} {
		assert.Zero(t, testing.AllocsPerRun(10, step), name)
		require.NoError(t, err, name)
	}
}

func TestPanics(t *testing.T) {
	r := newRig(t, bare(2, "_-a revolute", "a-b spherical"), tree.Options{})
	other := newRig(t, bare(1, "_-a revolute"), tree.Options{})
	w, p := r.w, r.plan
	s := r.mech.Initial()
	one, four := make([]float64, 1), make([]float64, 4)
	bodies := make([]spatial.ClassicalAccel, 2)
	var f spatial.Force

	fresh := p.NewWorkspace()
	for _, use := range []func(){
		func() { fresh.State() }, func() { fresh.Kinematics() }, func() { fresh.Rates() }, func() { fresh.Velocity(0) },
		func() { fresh.Shift(0) }, func() { fresh.MotionSubspace() }, func() { _ = fresh.ForwardTo(four, nil) },
		func() { fresh.InverseTo(four, nil) }, func() { fresh.InertiaTo(p.NewBranchMatrix()) },
		func() { fresh.AccelerationsTo(bodies, nil) }, func() { fresh.AddGeneralizedForceTo(four, 0, 0, &f, 1) },
		func() { fresh.JacobianTo(nil, 0, spatial.Vec3{}) },
	} {
		assert.PanicsWithValue(t, "tree: no state", use)
	}
	require.NoError(t, w.SetState(s))
	H, L := p.NewBranchMatrix(), p.NewBranchMatrix()
	w.InertiaTo(L)
	require.NoError(t, L.FactorLTL())
	for _, use := range []func(){
		func() { _ = w.ForwardTo(one, nil) }, func() { _ = w.ForwardTo(four, one) }, func() { w.InverseTo(one, nil) },
		func() { w.InverseTo(four, one) }, func() { w.AccelerationsTo(bodies[:1], nil) }, func() { w.AccelerationsTo(bodies, one) },
		func() { w.AddGeneralizedForceTo(one, 0, 0, &f, 1) }, func() { w.JacobianTo(nil, 0, spatial.Vec3{}) },
		func() { _ = w.Set(one, four, 0) }, func() { p.CoordinatesTo(one, four, w.Kinematics(), s) },
		func() { p.RatesTo(one, one, one) }, func() { p.QuasiVelocitiesTo(one, one, one) },
		func() { _ = w.DerivativeTo(one, four, 0, nil) }, func() { H.MulVecTo(one, four) }, func() { L.SolveTo(one, four) },
		func() { _ = w.ForwardByInertiaTo(one, nil, H, 0) },
	} {
		assert.PanicsWithValue(t, "tree: length mismatch", use)
	}
	w.InertiaTo(H)
	for _, use := range []func(){
		func() { L.At(0, 0) }, func() { L.MulVecTo(four, four) }, func() { _ = L.FactorLTDL() }, func() { H.SolveTo(four, four) },
	} {
		assert.PanicsWithValue(t, "tree: matrix in the wrong state", use)
	}
	assert.PanicsWithValue(t, "tree: foreign matrix", func() { w.InertiaTo(other.plan.NewBranchMatrix()) })
	assert.PanicsWithValue(t, "tree: foreign matrix", func() { H.CopyTo(other.plan.NewBranchMatrix()) })
	assert.PanicsWithValue(t, "tree: index out of range", func() { H.At(4, 0) })
	assert.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = w.SetState(other.mech.Initial()) })
}

func TestStateErrors(t *testing.T) {
	m := bare(2, "_-a revolute", "a-b spherical")
	m.Forces = []model.ForceElement{{
		Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: "a"}, B: model.Attachment{Body: "b"}, Stiffness: 1, RestLength: 1,
	}}
	r := newRig(t, m, tree.Options{})
	s := r.mech.Initial()
	require.ErrorIs(t, r.w.SetState(s), mechanism.ErrNoDirection)
	assert.PanicsWithValue(t, "tree: no state", func() { r.w.State() })
	s.Bodies[0].Omega[1] = math.NaN()
	require.ErrorIs(t, r.w.SetState(s), mechanism.ErrNotFinite)
	// The zero quaternion is no rotation.
	require.ErrorIs(t, r.w.Set(r.q, r.qd, 0), mechanism.ErrNotFinite)
}

// TestForwardPivotError has a body whose inertia about the joint overflows.
func TestForwardPivotError(t *testing.T) {
	for _, c := range []struct{ joint, name string }{
		{"_-a revolute", `joint "_-a revolute"`}, {"_-a planar", `joint "_-a planar"`}, {"_-a free", `body "a"`},
	} {
		m := bare(1, c.joint)
		m.Bodies[0].Mass = math.MaxFloat64
		m.Bodies[0].Com = [3]float64{1e10, 1e10, 0}
		r := newRig(t, m, tree.Options{}).atInitial(t)
		err := r.w.ForwardTo(r.zeros(), nil)
		require.ErrorAs(t, err, new(*tree.PivotError))
		require.ErrorAs(t, err, new(*mechanism.Error))
		assert.Contains(t, err.Error(), "tree: "+c.name)
	}
}

// TestPivotError factors a matrix that is not positive definite.
func TestPivotError(t *testing.T) {
	r := newRig(t, bare(6, "_-a revolute", "a-b revolute", "b-c revolute", "c-d revolute", "d-e revolute", "e-f revolute"), tree.Options{}).atInitial(t)
	for _, k := range []int{0, 1, 2, 5} {
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			H := r.plan.NewBranchMatrix()
			for i := range 6 {
				row := H.Row(i)
				row[len(row)-1] = 1
			}
			H.Row(k)[k] = bad
			var e *tree.PivotError
			var at *mechanism.Error
			err := H.FactorLTL()
			require.ErrorAs(t, err, &e)
			require.ErrorAs(t, err, &at)
			assert.Equal(t, k, e.Dof)
			assert.Contains(t, err.Error(), "not positive")
			assert.Equal(t, k, at.JointIndex)
			assert.Equal(t, r.mech.JointName(k), at.Joint)
		}
	}
}
