package kkt_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/kkt"
)

// TestAnswers: the system's matrix takes answers back to right sides, and At leaves the solution of Solve.
func TestAnswers(t *testing.T) {
	const tol = 1e-9 // of the right side, whose numbers are around 1, through accelerations up to 1e3
	p := plantest.New(t, plantest.Golden(t, "stewart-6ups"), order.Auto)
	a := p.NewAnswers(kkt.AnswersOfDynamics)
	require.PanicsWithValue(t, "kkt: no solution", func() { a.Solution() })
	st := p.Initial()
	require.NoError(t, a.At(st))
	s := p.NewSolver()
	require.NoError(t, s.Solve(st))
	for i := range p.Mechanism().NumBodies() {
		w := s.AngularAcceleration(i)
		check.CloseVec(t, a.Solution()[6*i:][:3], w[:], tol, 1, "body %d", i)
	}
	y, err := s.Stages().System()
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 1))
	n := len(a.Solution())
	right, x, back := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range right {
		right[i] = rng.NormFloat64()
	}
	fit, accuracy, err := a.AnswerTo(x, right)
	require.NoError(t, err)
	require.Less(t, fit.Ratio, tol)
	require.Less(t, accuracy, tol)
	y.Matrix.MulVecTo(back, x)
	check.CloseVec(t, back, right, tol, 1, "K·x")
	require.PanicsWithValue(t, "kkt: length mismatch", func() { _, _, _ = a.AnswerTo(x[:1], right) })
}
