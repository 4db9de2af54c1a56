package kkt_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// secondRates returns the second rates of freedoms under accelerations a of the bodies.
func secondRates(t testing.TB, p *kkt.Plan, list []mechanism.Freedom, a []float64) []float64 {
	t.Helper()
	m, st := p.Mechanism(), p.Initial()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	out := make([]float64, len(list))
	for i, f := range list {
		var qdd [6]float64
		require.NoError(t, m.SecondRatesTo(&qdd, f.Joint, a, k, st))
		out[i] = qdd[f.Freedom]
	}
	return out
}

// named returns the first freedoms of joints.
func named(t testing.TB, m *model.Model, names ...string) (list []mechanism.Freedom) {
	t.Helper()
	for _, n := range names {
		for j := range m.Joints {
			if m.Joints[j].Name == n {
				list = append(list, mechanism.Freedom{Joint: j})
			}
		}
	}
	require.Len(t, list, len(names))
	return list
}

// prismatic returns the sliding joints of a model.
func prismatic(m *model.Model) (list []mechanism.Freedom) {
	for j := range m.Joints {
		if m.Joints[j].Type == model.Prismatic {
			list = append(list, mechanism.Freedom{Joint: j})
		}
	}
	return list
}

// TestSolveFreedoms: the accelerations that second rates of actuators lead to are those that the mechanism has under the
// forces found, with one actuator a freedom, with more, and with redundant rows; and Solve finds the same forces for these
// accelerations.
func TestSolveFreedoms(t *testing.T) {
	for _, c := range []struct {
		name      string
		actuators []string // nil for all sliding joints
	}{{"four-bar", []string{"p1"}}, {"four-bar", []string{"p1", "p4"}}, {"four-bar", []string{"p3", "p1", "p2", "p4"}}, {"slider-crank-spatial", []string{"main"}}, {"n-four-bar-40", []string{"g0"}}, {"stewart-6ups", nil}} {
		m := golden(t, c.name)
		list := prismatic(m)
		if c.actuators != nil {
			list = named(t, m, c.actuators...)
		}
		p := newPlan(t, m, order.Auto)
		first, err := p.NewInverse(list[:1])
		require.NoError(t, err)
		wanted := make([]float64, len(list)) // consistent second rates
		if c.actuators != nil {
			require.NoError(t, first.SolveFreedoms(p.Initial(), []float64{3}), c.name)
			wanted = secondRates(t, p, list, first.Accelerations())
			require.InDelta(t, 3, wanted[0], inverseTol*check.MaxAbs(wanted), c.name)
		} else {
			for k := range wanted {
				wanted[k] = float64(k) - 2.5
			}
		}
		v, err := p.NewInverse(list)
		require.NoError(t, err)
		require.NoError(t, v.SolveFreedoms(p.Initial(), wanted), c.name)
		a, force := v.Accelerations(), v.Forces()
		size := check.MaxAbs(a)
		check.CloseVec(t, secondRates(t, p, list, a), wanted, inverseTol, size, "%s second rates", c.name)
		require.Less(t, v.Distance(), inverseTol*size, c.name)
		require.Zero(t, v.Residual())
		require.True(t, v.LeastNorm(), c.name)
		require.Equal(t, v.Controlled(), v.Mobility(), c.name)
		if len(list) == 4 {
			leastNormByRates(t, m, list, force)
		}

		counts := [3]int{v.Mobility(), v.Controlled(), len(v.Uncontrolled())}
		require.NoError(t, v.Solve(p.Initial(), a), c.name)
		require.Equal(t, [3]int{v.Mobility(), v.Controlled(), len(v.Uncontrolled())}, counts, c.name)
		check.CloseVec(t, v.Forces(), force, inverseTol, check.MaxAbs(force), "%s forces by Solve", c.name)
		addForces(m, list, force)
		check.CloseVec(t, accelerations(t, m, 0), a, inverseTol, size, "%s forward", c.name)
	}
}

// TestSolveFreedomsHybrid: what the actuators do not control moves as the loads make it, which is no error.
func TestSolveFreedomsHybrid(t *testing.T) {
	m, err := bench.Chain(3, 1)
	require.NoError(t, err)
	p := newPlan(t, m, order.Auto)
	list := []mechanism.Freedom{{Joint: 1}}
	v, err := p.NewInverse(list)
	require.NoError(t, err)
	require.NoError(t, v.SolveFreedoms(p.Initial(), []float64{-4}))
	require.Equal(t, mechanism.ActuationUnder, v.Actuation())
	require.Equal(t, []mechanism.Freedom{{Joint: 0}, {Joint: 2}}, v.Uncontrolled())
	a := v.Accelerations()
	require.InDelta(t, -4, secondRates(t, p, list, a)[0], 1e-10)
	addForces(m, list, v.Forces())
	check.CloseVec(t, accelerations(t, m, 0), a, inverseTol, check.MaxAbs(a), "forward")
}

// TestSolveFreedomsPendulum: the moment at a hinge with armature is linear in the second rate, and none for that of the fall.
func TestSolveFreedomsPendulum(t *testing.T) {
	m, err := bench.Chain(1, 1)
	require.NoError(t, err)
	m.Joints[0].Armature = []float64{0.5}
	p := newPlan(t, m, order.Auto)
	v, err := p.NewInverse([]mechanism.Freedom{{}})
	require.NoError(t, err)
	force := func(second []float64) float64 {
		require.NoError(t, v.SolveFreedoms(p.Initial(), second))
		return v.Forces()[0]
	}
	weight := force(nil)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	a := make([]float64, 6*len(m.Bodies))
	s.AccelerationsTo(a)
	falls := secondRates(t, p, []mechanism.Freedom{{}}, a)[0]
	require.InEpsilon(t, weight+(-weight/falls)*3, force([]float64{3}), 1e-12, "the inertia, armature with it, is that of the fall")
	require.InDelta(t, 0, force([]float64{falls}), 1e-12*math.Abs(weight))
}

// TestSolveFreedomsArmature: second rates of random mechanisms with armature, of which every free scalar freedom is
// actuated, come back with the forces none.
func TestSolveFreedomsArmature(t *testing.T) {
	for seed := range uint64(8) {
		rng := check.Rand(seed)
		m := modeltest.Gear(generate(t, "random", 4+int(seed%5), seed), rng)
		p := newPlan(t, m, order.Auto)
		a := accelerations(t, m, 0)
		var list []mechanism.Freedom
		for j, jt := range p.Mechanism().Joints {
			for i := range jt.Kind.Freedoms() {
				if jt.Kind.Scalar(i) && !jt.Prescribed(i) {
					list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
				}
			}
		}
		v, err := p.NewInverse(list)
		require.NoError(t, err)
		require.NoError(t, v.SolveFreedoms(p.Initial(), secondRates(t, p, list, a)), "seed %d", seed)
		check.CloseVec(t, v.Accelerations(), a, 1e-8, 1+check.MaxAbs(a), "seed %d", seed)
		require.Less(t, check.MaxAbs(v.Forces()), 1e-7*(1+check.MaxAbs(a)), "seed %d: the loads alone make these accelerations", seed)
	}
}

// TestSolveFreedomsRefuses: second rates that contradict each other, and those of a freedom that cannot move, are errors with the joint.
func TestSolveFreedomsRefuses(t *testing.T) {
	m := golden(t, "four-bar")
	p := newPlan(t, m, order.Auto)
	v, err := p.NewInverse(named(t, m, "p1", "p4"))
	require.NoError(t, err)
	err = v.SolveFreedoms(p.Initial(), []float64{1, 50})
	require.ErrorIs(t, err, kkt.ErrInconsistent)
	require.ErrorContains(t, err, `joint "p1"`)
	require.PanicsWithValue(t, "kkt: no solution", func() { v.Forces() })
	require.PanicsWithValue(t, "kkt: length mismatch", func() { _ = v.SolveFreedoms(p.Initial(), []float64{1}) })
	require.PanicsWithValue(t, "kkt: no state", func() { _ = v.SolveFreedoms(nil, nil) })
	bad := p.Initial()
	bad.Bodies[0].Velocity[1] = math.Inf(1)
	require.ErrorIs(t, v.SolveFreedoms(bad, nil), mechanism.ErrNotFinite)

	locked := golden(t, "type-fixed")
	for j := range locked.Joints {
		if locked.Joints[j].Type == model.Revolute {
			q, err := rung.NewPlan(locked, kkt.Options{})
			require.NoError(t, err)
			s := q.NewSolver()
			require.NoError(t, s.Solve(q.Initial()))
			if report(t, s).Mobility > 0 {
				continue
			}
			v, err := q.NewInverse([]mechanism.Freedom{{Joint: j}})
			require.NoError(t, err)
			require.ErrorIs(t, v.SolveFreedoms(q.Initial(), []float64{1}), kkt.ErrInconsistent)
		}
	}
}
