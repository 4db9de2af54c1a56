package tree_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// geared returns the machines of reference/joints without composite
// joints, and random mechanisms with armature, rods and couplings.
func geared(t *testing.T, f func(t *testing.T, m *model.Model)) {
	for _, name := range []string{
		"armature-floating", "armature-four-bar", "point-governor", "slender-slider-crank", "gripper-mimic", "planetary-3", "differential",
	} {
		m, err := model.ReadFile(check.Reference(t, "joints", name+".model.json"))
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) { f(t, m) })
	}
	for seed := range uint64(16) {
		rng := check.Rand(seed)
		m := modeltest.Gear(generate(t, "random", 4+int(seed), seed), rng)
		if seed%2 == 0 {
			m = modeltest.Thin(m, rng, 4)
		}
		t.Run(fmt.Sprintf("random/seed=%d", seed), func(t *testing.T) { f(t, m) })
	}
}

// TestManyRods: where joints give many different inertias to rods without one, conjugate gradients need many steps. The
// accelerations are right. A rod that is free is found among them, too, and what is not decided is no result.
func TestManyRods(t *testing.T) {
	check.Long(t)
	solve := func(n int, least float64, free bool, method tree.Method) ([]spatial.ClassicalAccel, error) {
		r := newRig(t, modeltest.Rods(n, least, free), tree.Options{})
		s := r.plan.NewSolver(method, tree.SolverOptions{})
		list := make([]spatial.ClassicalAccel, r.mech.NumBodies())
		err := s.Solve(r.mech.Initial())
		if err == nil {
			s.AccelerationsTo(list)
		}
		return list, err
	}
	const n = 150
	for _, method := range methods {
		list, err := solve(n, 1e-5, false, method)
		require.NoError(t, err, "%v", method)
		for i := range list {
			require.InDelta(t, 1, list[i][0], 1e-6, "%v, body %d", method, i)
		}
		for _, least := range []float64{1e-3, 1e-5} {
			_, err = solve(n, least, true, method)
			require.ErrorIs(t, err, mechanism.ErrUndetermined, "%v", method)
			require.ErrorContains(t, err, fmt.Sprintf("body %q", fmt.Sprint("rod", n-1)))
		}
	}
	_, err := solve(400, 1e-7, false, tree.Direct)
	require.ErrorIs(t, err, tree.ErrInaccurate)
}

// TestInverseWithArmature asks for the accelerations that the loads make: the actuators have nothing to do, with
// armature in the tree and in joints that close loops.
func TestInverseWithArmature(t *testing.T) {
	geared(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		var actuators []mechanism.Freedom
		for j := range r.mech.Joints {
			for i := range r.mech.Joints[j].Kind.Freedoms() {
				if r.mech.Joints[j].Kind.Scalar(i) && !r.mech.Joints[j].Prescribed(i) {
					actuators = append(actuators, mechanism.Freedom{Joint: j, Freedom: i})
				}
			}
		}
		for _, method := range methods {
			s := r.plan.NewSolver(method, tree.SolverOptions{})
			if err := s.Solve(r.mech.Initial()); errors.Is(err, mechanism.ErrUndetermined) {
				continue
			} else {
				require.NoError(t, err)
			}
			qdd := append([]float64(nil), s.JointAccelerations()...)
			v := r.plan.NewInverse(method, actuators, nil)
			err := v.Solve(r.mech.Initial(), qdd)
			var under *mechanism.UnderactuatedError
			if !errors.As(err, &under) {
				require.NoError(t, err, "%v", method)
			}
			require.Less(t, check.MaxAbs(v.Forces()), 1e-6*(1+check.MaxAbs(qdd)), "%v", method)
			if err := v.SolveBodies(r.mech.Initial(), bodyAccelerations(s)); !errors.As(err, &under) {
				require.NoError(t, err, "%v", method)
			}
			require.Less(t, check.MaxAbs(v.Forces()), 1e-6*(1+check.MaxAbs(qdd)), "accelerations of bodies, %v", method)
		}
	})
}

// TestTreeWithArmature compares the articulated-body algorithm with
// H⁻¹(τ − C) and the recursive Newton-Euler algorithm on open trees.
func TestTreeWithArmature(t *testing.T) {
	for seed := range uint64(20) {
		rng := check.Rand(seed)
		m := modeltest.Gear(withoutLoops(t, generate(t, "random", 5+int(seed), seed)), rng)
		r := newRig(t, m, tree.Options{}).atInitial(t)
		qdd, x, tau := r.zeros(), r.zeros(), r.zeros()
		require.NoError(t, r.w.ForwardTo(qdd, nil))
		require.NoError(t, r.w.ForwardByInertiaTo(x, nil, r.plan.NewBranchMatrix(), 1))
		size := max(1, check.MaxAbs(qdd))
		check.CloseVec(t, x, qdd, 1e-10, size, "H⁻¹(τ − C)")
		r.w.InverseTo(tau, qdd)
		check.CloseVec(t, tau, r.zeros(), 1e-9, size, "forces of the accelerations")
		requireSparse(t, r)
	}
}

// TestGearedStepsDoNotAllocate covers armature, couplings and singular inertias by all methods.
func TestGearedStepsDoNotAllocate(t *testing.T) {
	geared(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{})
		st := r.mech.Initial()
		for _, method := range methods {
			s := r.plan.NewSolver(method, tree.SolverOptions{})
			if s.Solve(st) != nil {
				continue
			}
			require.Zero(t, testing.AllocsPerRun(3, func() {
				if err := s.Solve(st); err != nil {
					t.Error(err)
				}
			}), "%v", method)
		}
	})
}
