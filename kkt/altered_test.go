package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// heavyArm is an arm of two links along x on hinges about z, the second
// 10⁸ times as heavy as the first: it is solved with twice the digits.
func heavyArm(t *testing.T) *kkt.Plan {
	b := rung.NewBuilder("heavy arm").Gravity(0, -10, 0)
	last := rung.World
	for i, mass := range []float64{1, 1e8} {
		d, err := bodies.New(mass, spatial.Vec3{0.5}, spatial.Diag3(0.1*mass, 0.1*mass, 0.1*mass))
		require.NoError(t, err)
		body := b.Body([]string{"light", "heavy"}[i], d, rung.At(float64(i), 0, 0))
		b.Revolute([]string{"shoulder", "elbow"}[i], last, body, spatial.Vec3{float64(i)}, spatial.Vec3{0, 0, 1})
		last = body
	}
	m, err := b.Model()
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	return p
}

// TestFeedbackWithTwiceTheDigits: feedback of errors of the joints is not lost where a system is solved with twice the
// digits, nor in a Report: a shoulder that is off by δ accelerates by −β²·δ.
func TestFeedbackWithTwiceTheDigits(t *testing.T) {
	p := heavyArm(t)
	s, st := p.NewSolver(), p.Initial()
	for i := range st.Bodies {
		st.Bodies[i].Position[0] += 1e-7
	}
	require.NoError(t, s.SolveStabilized(st, 0, 1e4))
	require.Equal(t, kkt.TwiceTheDigits, s.Route().Way)
	shoulder := func() float64 { // the hinge is in line with the centre of mass along x, and nothing turns
		return s.ComAcceleration(0)[0]
	}
	assert.InEpsilon(t, -10, shoulder(), 1e-6)
	r, err := s.Report()
	require.NoError(t, err)
	assert.Equal(t, 10, r.Rank)
	assert.InEpsilon(t, -10, shoulder(), 1e-6)
}

// TestInverseWithTwiceTheDigits: the torques that hold the arm are those of the weights, to the last of the light link.
func TestInverseWithTwiceTheDigits(t *testing.T) {
	p := heavyArm(t)
	v, err := p.NewInverse([]mechanism.Freedom{{Joint: 0}, {Joint: 1}})
	require.NoError(t, err)
	require.NoError(t, v.Solve(p.Initial(), nil))
	elbow := 1e8 * 10 * 0.5
	assert.InEpsilon(t, elbow, v.Forces()[1], 1e-9)
	assert.InEpsilon(t, elbow+1e8*10*1+1*10*0.5, v.Forces()[0], 1e-9)
}

// TestSolveAfterOtherRightSides: a Solve with twice the digits has the loads of its state, whatever right side the whole system had before:
// of an impulse, or of feedback.
func TestSolveAfterOtherRightSides(t *testing.T) {
	p := heavyArm(t)
	st, n := p.Initial(), 6*p.Mechanism().NumBodies()
	want, got, v := make([]float64, n), make([]float64, n), make([]float64, n)
	fresh, s := p.NewSolver(), p.NewSolver()
	require.NoError(t, fresh.Solve(st))
	require.Equal(t, kkt.TwiceTheDigits, fresh.Route().Way)
	fresh.AccelerationsTo(want)

	_, err := s.RespondTo(v, st, mechanism.Freedom{Joint: 0})
	require.NoError(t, err)
	require.NoError(t, s.Solve(st))
	s.AccelerationsTo(got)
	require.Equal(t, want, got, "after an impulse")

	require.NoError(t, s.SolveStabilized(st, 1, 1e3))
	require.NoError(t, s.Solve(st))
	s.AccelerationsTo(got)
	require.Equal(t, want, got, "after feedback")
}
