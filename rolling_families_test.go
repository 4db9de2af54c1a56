package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
)

// rollingFamily returns the model of a family and its plan.
func rollingFamily(t testing.TB, family string, n int) (*model.Model, *rung.Plan) {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	return m, p
}

// exponents returns the eigenvalues of a steady motion that are not zero.
func exponents(t testing.TB, s *linear.System) (list []complex128) {
	t.Helper()
	found, err := s.Modes(linear.ModeOptions{Steady: true, Count: 1000})
	require.NoError(t, err)
	for i := range found.List {
		if found.List[i].Kind != linear.Rigid {
			list = append(list, found.List[i].Lambda)
		}
	}
	return list
}

// TestBicycleFamily: the family `bicycle` is the benchmark bicycle with z up; before they are pushed, both have the same modes.
// Pushed, it comes back to straight running.
func TestBicycleFamily(t *testing.T) {
	m, err := bench.Generate("bicycle", 1, 0)
	require.NoError(t, err)
	speed := m.Bodies[0].Velocity.Linear[0]
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(p.Initial()))
	got, want := exponents(t, s), exponents(t, newBicycle(t).straight(t, speed))
	require.Len(t, got, 3)
	for i := range want {
		assert.InDelta(t, real(want[i]), real(got[i]), 1e-11)
		assert.InDelta(t, imag(want[i]), imag(got[i]), 1e-11)
	}

	_, p = rollingFamily(t, "bicycle", 2)
	run, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 15, Tolerance: 1e-8})
	require.NoError(t, err)
	require.NoError(t, run.Run(15))
	for _, frame := range []int{0, 4} {
		b := run.State().Bodies[frame]
		assert.InDelta(t, 0, b.Rotation.Mat()[7], 0.01, "upright")
		assert.Greater(t, math.Hypot(b.Velocity[0], b.Velocity[1]), speed, "what swayed has gone into speed")
	}
}

// TestRollingDiscFamily: every disc of the family rolls steadily around its circle, and is stable. Discs with different turns are no
// steady motion together.
func TestRollingDiscFamily(t *testing.T) {
	_, p := rollingFamily(t, "rolling-disc", 1)
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(p.Initial()))
	list := exponents(t, s)
	require.Len(t, list, 1)
	assert.InDelta(t, 0, real(list[0]), 1e-10)
	_, p = rollingFamily(t, "rolling-disc", 5)
	s = linear.NewSystem(p)
	require.NoError(t, s.Linearize(p.Initial()))
	_, err := s.StateSpace()
	require.ErrorIs(t, err, linear.ErrUnsteady)
}

// TestSnakeboardFamily: with the swing ψ of its flywheel and the steering ±φ of its trucks a board has one freedom, its speed u. It
// turns at u·tan φ/l, and d'Alembert's principle along that gives
//
//	(m + J·tan²φ/l²)·u̇ = −tan φ/l·(J·u·φ̇/(l·cos²φ) + I·ψ̈),
//
// with m of all, J of all about the middle, and I of the flywheel. In a swing it gains speed.
func TestSnakeboardFamily(t *testing.T) {
	m, p := rollingFamily(t, "snakeboard", 1)
	const half, until = 0.35, 3.0
	mass, J := 0.0, 0.0
	for i := range m.Bodies {
		mass += m.Bodies[i].Mass
		J += m.Bodies[i].Inertia.ZZ
	}
	J += 2 * m.Bodies[1].Mass * half * half
	I := m.Bodies[3].Inertia.ZZ
	steer, swing := m.Joints[1].Motion[0], m.Joints[5].Motion[0]
	rate := func(t, u float64) float64 {
		phi, phid, _ := steer.At(t)
		_, _, psidd := swing.At(t)
		c, tan := math.Cos(phi), math.Tan(phi)
		return -tan / half * (J*u*phid/(half*c*c) + I*psidd) / (mass + J*tan*tan/(half*half))
	}
	u, h := 0.0, 1e-3
	for i := range int(until / h) { // Runge's and Kutta's
		at := float64(i) * h
		k1 := rate(at, u)
		k2 := rate(at+h/2, u+h/2*k1)
		k3 := rate(at+h/2, u+h/2*k2)
		k4 := rate(at+h, u+h*k3)
		u += h / 6 * (k1 + 2*k2 + 2*k3 + k4)
	}
	run, err := rung.NewSimulation(p, rung.SimulationOptions{Until: until, Tolerance: 1e-11})
	require.NoError(t, err)
	require.NoError(t, run.Run(until))
	board := run.State().Bodies[0]
	assert.InDelta(t, u, board.Rotation.Conj().Rotate(board.Velocity)[0], 1e-8)
	assert.Greater(t, u, 0.3, "it goes forward, m/s")
}
