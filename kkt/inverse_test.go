package kkt_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// inverseTol is the error of a force that comes back from the accelerations it
// made, relative to the largest force: a hundred times that of a solve.
const inverseTol = 1e-9

// inverse solves for the forces of actuators, given as joint names and freedoms.
func inverse(t *testing.T, m *model.Model, wanted []float64, actuators ...mechanism.Freedom) (*kkt.Inverse, error) {
	t.Helper()
	plan, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	v, err := plan.NewInverse(actuators)
	require.NoError(t, err)
	return v, v.Solve(plan.Initial(), wanted)
}

// addForces puts the forces of actuators into a model.
func addForces(m *model.Model, actuators []mechanism.Freedom, force []float64) {
	for k, a := range actuators {
		j := &m.Joints[a.Joint]
		f := make([]float64, j.Type.Freedoms())
		copy(f, j.Force)
		f[a.Freedom] += force[k]
		j.Force = f
	}
}

// TestInverseReturnsForces takes the actuator forces out of the Stewart platform
// and finds them again from the accelerations.
func TestInverseReturnsForces(t *testing.T) {
	m := golden(t, "stewart-6ups")
	wanted := accelerations(t, m, 0)
	var actuators []mechanism.Freedom
	var want []float64
	for j := range m.Joints {
		if m.Joints[j].Type == model.Prismatic {
			actuators = append(actuators, mechanism.Freedom{Joint: j})
			want = append(want, m.Joints[j].Force[0])
			m.Joints[j].Force = nil
		}
	}
	require.Len(t, actuators, 6)
	v, err := inverse(t, m, wanted, actuators...)
	require.NoError(t, err)
	check.CloseVec(t, v.Forces(), want, inverseTol, check.MaxAbs(want), "forces")
	require.Equal(t, v.Controlled(), v.Mobility())
	require.Less(t, v.Distance(), inverseTol*check.MaxAbs(wanted))
}

// TestInverseHolds holds mechanisms still, or as still as their motion allows,
// and makes the same accelerations with the forces found.
func TestInverseHolds(t *testing.T) {
	for _, c := range []struct {
		name      string
		actuators []string
		surplus   int
	}{
		{"four-bar", []string{"p1"}, 0},
		{"four-bar", []string{"p1", "p4"}, 1},
		{"four-bar", []string{"p1", "p2", "p3", "p4"}, 3},
		{"slider-crank-spatial", []string{"main"}, 0},
		{"n-four-bar-40", []string{"g0"}, 0},
		{"bricard-6r", nil, 0},
	} {
		m := golden(t, c.name)
		var actuators []mechanism.Freedom
		for j := range m.Joints {
			for _, n := range c.actuators {
				if m.Joints[j].Name == n {
					actuators = append(actuators, mechanism.Freedom{Joint: j})
				}
			}
		}
		if len(actuators) == 0 { // the first revolute to the world
			for j := range m.Joints {
				if m.Joints[j].Type == model.Revolute && (m.Joints[j].Predecessor == model.World || m.Joints[j].Successor == model.World) {
					actuators = append(actuators, mechanism.Freedom{Joint: j})
					break
				}
			}
		}
		v, err := inverse(t, m, nil, actuators...)
		require.NoError(t, err, c.name)
		require.Equal(t, c.surplus, len(actuators)-v.Controlled(), c.name)
		addForces(m, actuators, v.Forces())
		got := accelerations(t, m, 0)
		check.CloseVec(t, got, v.Accelerations(), inverseTol, 10, "%s", c.name)
		if len(actuators) == 4 {
			leastNormByRates(t, m, actuators, v.Forces())
		}
	}
}

// leastNormByRates checks forces of least norm on a mechanism of one freedom:
// what they do depends on Σ u·q̇ only, so the shortest u is along q̇.
func leastNormByRates(t *testing.T, m *model.Model, actuators []mechanism.Freedom, force []float64) {
	t.Helper()
	e := check.ReadExpected(t, m.Name)
	dot, norm := 0.0, 0.0
	rates := make([]float64, len(actuators))
	for k, a := range actuators {
		rates[k] = e.Joints[a.Joint].Rates[0].Value
		dot += rates[k] * force[k]
		norm += rates[k] * rates[k]
	}
	for k := range rates {
		rates[k] *= dot / norm
	}
	check.CloseVec(t, force, rates, inverseTol, check.MaxAbs(force), "least norm")
}

// TestInverseUnder names what a single actuator leaves free.
func TestInverseUnder(t *testing.T) {
	m, err := bench.Chain(3, 1)
	require.NoError(t, err)
	v, err := inverse(t, m, nil, mechanism.Freedom{Joint: 0})
	under := new(mechanism.UnderactuatedError)
	require.ErrorAs(t, err, &under)
	require.Equal(t, mechanism.ActuationUnder, v.Actuation())
	require.Equal(t, 3, v.Mobility())
	require.Equal(t, 1, v.Controlled())
	require.Equal(t, []mechanism.Freedom{{Joint: 1}, {Joint: 2}}, v.Uncontrolled())
	require.ErrorContains(t, err, m.Joints[1].Name+".0, "+m.Joints[2].Name+".0")
}

// TestInverseWithoutSolution reads results where there are none: before Solve and after
// one that failed.
func TestInverseWithoutSolution(t *testing.T) {
	plan := newPlan(t, golden(t, "four-bar"), order.Auto)
	v, err := plan.NewInverse([]mechanism.Freedom{{Joint: 0}})
	require.NoError(t, err)
	none := func() {
		t.Helper()
		for _, read := range []func(){
			func() { v.Forces() }, func() { v.Accelerations() }, func() { v.Distance() }, func() { v.Residual() },
			func() { v.Actuation() }, func() { v.Mobility() }, func() { v.Controlled() }, func() { v.Uncontrolled() },
		} {
			require.PanicsWithValue(t, "kkt: no solution", read)
		}
	}
	none()
	require.NoError(t, v.Solve(plan.Initial(), nil))
	want := v.Forces()
	require.Nil(t, v.Uncontrolled())
	bad := plan.Initial()
	bad.Bodies[0].Omega[0] = math.NaN()
	require.ErrorIs(t, v.Solve(bad, nil), mechanism.ErrNotFinite)
	none()
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.NoError(t, v.Solve(plan.Initial(), nil))
		mech := plan.Mechanism()
		wanted := make([]float64, 6*mech.NumBodies())
		wanted[6+3] = x
		err := v.Solve(plan.Initial(), wanted)
		require.ErrorIs(t, err, mechanism.ErrInput)
		require.ErrorContains(t, err, fmt.Sprintf("body %q: input refused: acceleration %v is not finite", mech.BodyName(1), wanted[6:12]))
		none()
		require.NoError(t, v.Solve(plan.Initial(), nil))
		err = v.SolveFreedoms(plan.Initial(), []float64{x})
		require.ErrorIs(t, err, mechanism.ErrInput)
		require.ErrorContains(t, err, fmt.Sprintf("joint %q: input refused: acceleration %v of freedom 0 is not finite", mech.JointName(0), x))
		none()
	}
	require.NoError(t, v.Solve(plan.Initial(), nil))
	require.Equal(t, want, v.Forces())
}

// TestInverseRefuses names freedoms that cannot be actuators.
func TestInverseRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		joint func(j *model.Joint) bool
	}{
		{"ball-ladder-5", func(*model.Joint) bool { return true }},
		{"driven-crank", func(j *model.Joint) bool { return j.Motion != nil }},
	} {
		m := golden(t, c.name)
		plan, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		for j := range m.Joints {
			if !c.joint(&m.Joints[j]) {
				continue
			}
			_, err = plan.NewInverse([]mechanism.Freedom{{Joint: j}})
			require.ErrorIs(t, err, mechanism.ErrFreedom)
			require.ErrorContains(t, err, m.Joints[j].Name)
		}
	}
	m := golden(t, "four-bar")
	plan, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	_, err = plan.NewInverse([]mechanism.Freedom{{Joint: 1}, {Joint: 1}})
	require.ErrorIs(t, err, mechanism.ErrFreedom)
}
