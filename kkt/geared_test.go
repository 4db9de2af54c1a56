package kkt_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// machine reads a model of reference/joints.
func machine(t testing.TB, name string) *kkt.Plan {
	t.Helper()
	m, err := model.ReadFile(check.Reference(t, "joints", name+".model.json"))
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return kkt.NewPlan(mech, kkt.Options{})
}

// TestGearedDoesNotAllocate covers armature, couplings and singular inertias.
func TestGearedDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"armature-floating", "point-governor", "slender-slider-crank", "gripper-mimic"} {
		p := machine(t, name)
		s, st := p.NewSolver(), p.Initial()
		require.NoError(t, s.Solve(st))
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if err := s.Solve(st); err != nil {
				t.Error(err)
			}
		}), name)
	}
}

// TestGearedBits solves twice in one memory, in fresh memory and with several threads: the bits are the same.
func TestGearedBits(t *testing.T) {
	for _, name := range []string{"armature-floating", "point-governor", "slender-four-bar", "gripper-mimic"} {
		p := machine(t, name)
		n := 6 * p.Mechanism().NumBodies()
		want, got := make([]float64, n), make([]float64, n)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		s.AccelerationsTo(want)
		require.NoError(t, s.Solve(p.Initial()))
		s.AccelerationsTo(got)
		require.Equal(t, want, got, name)
		s = kkt.NewPlan(p.Mechanism(), kkt.Options{Threads: 2}).NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		s.AccelerationsTo(got)
		require.Equal(t, want, got, name)
	}
}

// TestManyRods: where joints give many different inertias to rods without one, conjugate gradients need many products.
// The accelerations are determined, and right. A rod that is free is found among them, too.
func TestManyRods(t *testing.T) {
	check.Long(t)
	const n = 150
	for _, free := range []bool{false, true} {
		mech, err := mechanism.New(modeltest.Rods(n, 1e-5, free))
		require.NoError(t, err)
		p := kkt.NewPlan(mech, kkt.Options{})
		s := p.NewSolver()
		err = s.Solve(p.Initial())
		if free {
			require.ErrorIs(t, err, mechanism.ErrUndetermined)
			require.ErrorContains(t, err, fmt.Sprintf("body %q", fmt.Sprint("rod", n-1)))
			continue
		}
		require.NoError(t, err)
		got := make([]float64, 6*mech.NumBodies())
		s.AccelerationsTo(got)
		for i := range mech.NumBodies() {
			require.InDelta(t, 1, got[6*i], 1e-9, mech.BodyName(i))
		}
	}
	// What is below is not said to be free.
	mech, err := mechanism.New(modeltest.Rods(400, 1e-7, false))
	require.NoError(t, err)
	p := kkt.NewPlan(mech, kkt.Options{})
	err = p.NewSolver().Solve(p.Initial())
	require.ErrorIs(t, err, kkt.ErrInaccurate)
	require.ErrorContains(t, err, "next to no inertia about an axis")
}

// TestFreeRodIsNamed spins where nothing resists: a rod between two balls, and a point mass on a ball.
func TestFreeRodIsNamed(t *testing.T) {
	for _, c := range []struct {
		inertia model.Inertia
		axis    string
	}{{model.Inertia{YY: 0.1, ZZ: 0.1}, "(1, "}, {model.Inertia{}, ""}} {
		m := model.New("rod")
		m.Bodies = []model.Body{{Name: "rod", Mass: 1, Inertia: c.inertia}}
		m.Joints = []model.Joint{{Name: "ball", Type: joints.Spherical, Predecessor: model.World, Successor: "rod",
			PredecessorFrame: model.Pose{Position: [3]float64{-0.5}}, SuccessorFrame: model.Pose{Position: [3]float64{-0.5}}}}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		p := kkt.NewPlan(mech, kkt.Options{})
		err = p.NewSolver().Solve(p.Initial())
		require.ErrorIs(t, err, mechanism.ErrUndetermined)
		require.ErrorContains(t, err, `body "rod"`)
		var at *mechanism.Error
		require.True(t, errors.As(err, &at))
		require.Equal(t, "rod", at.Body)
		require.True(t, strings.Contains(err.Error(), c.axis) || strings.Contains(err.Error(), "(-1, "), err.Error())

		// A hinge with armature along the axis gives it inertia.
		m.Joints[0].Type, m.Joints[0].Armature = joints.Universal, []float64{0.2, 0}
		mech, err = mechanism.New(m)
		require.NoError(t, err)
		p = kkt.NewPlan(mech, kkt.Options{})
		require.NoError(t, p.NewSolver().Solve(p.Initial()))
	}
}

// TestArmatureOfADrive compares the force of a prescribed freedom with
// armature: that without, and I·q̈ besides. The bodies do not feel it.
func TestArmatureOfADrive(t *testing.T) {
	const I = 0.7
	solve := func(I float64) *kkt.Solver {
		m := generate(t, "nfourbar", 4, 1)
		for j := range m.Joints {
			if m.Joints[j].Type == joints.Revolute && m.Joints[j].Predecessor == model.World {
				m.Joints[j].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 1.5}}}
				m.Joints[j].Armature = []float64{I}
				break
			}
		}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		p := kkt.NewPlan(mech, kkt.Options{})
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		return s
	}
	without, with := solve(0), solve(I)
	mech := with.Plan().Mechanism()
	j := int(mech.Geared()[0])
	var a, b, f [6]float64
	n := without.Reactions().MultipliersTo(&a, j)
	require.Equal(t, n, with.Reactions().MultipliersTo(&b, j))
	row := mech.Joints[j].PrescribedRow(0)
	a[row] += I * 3
	check.CloseVec(t, b[:n], a[:n], 1e-12, 1, "multipliers")
	with.Reactions().ArmatureForceTo(&f, j)
	check.Close(t, f[0], -I*3, 1e-15, 3, "force of the armature")
	u, v := without.TotalWrench(j), with.TotalWrench(j)
	check.CloseVec(t, v[:], u[:], 1e-11, 1, "total wrench")
}

// TestInverseWithArmature gives the freedoms of random mechanisms forces, and finds them again from the accelerations.
func TestInverseWithArmature(t *testing.T) {
	for seed := range uint64(12) {
		rng := check.Rand(seed)
		m := modeltest.Gear(generate(t, "random", 4+int(seed%5), seed), rng)
		if seed%2 == 0 {
			m = modeltest.Thin(m, rng, 4)
		}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		p := kkt.NewPlan(mech, kkt.Options{})
		s, st := p.NewSolver(), p.Initial()
		if err := s.Solve(st); errors.Is(err, mechanism.ErrUndetermined) {
			continue
		} else {
			require.NoError(t, err)
		}
		var actuators []mechanism.Freedom
		for j := range mech.Joints {
			for i := range mech.Joints[j].Kind.Freedoms() {
				if mech.Joints[j].Kind.Scalar(i) && !mech.Joints[j].Prescribed(i) {
					actuators = append(actuators, mechanism.Freedom{Joint: j, Freedom: i})
				}
			}
		}
		a := make([]float64, 6*mech.NumBodies())
		s.AccelerationsTo(a)
		v, err := p.NewInverse(actuators)
		require.NoError(t, err)
		err = v.Solve(st, a)
		var under *mechanism.UnderactuatedError
		if err != nil && !errors.As(err, &under) {
			require.NoError(t, err, "seed %d", seed)
		}
		require.Less(t, v.Residual(), 1e-9)
		size := 0.0
		for _, f := range v.Forces() {
			size = max(size, math.Abs(f))
		}
		require.Less(t, size, 1e-7*(1+check.MaxAbs(a)), "seed %d: the loads alone make these accelerations", seed)
	}
}
