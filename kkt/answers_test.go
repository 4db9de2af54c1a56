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

// TestAnswersOfRedundantRows: a right side that no motion of the bodies has is refused with the name of a joint of the loop, and the factor
// serves on.
func TestAnswersOfRedundantRows(t *testing.T) {
	p := plantest.New(t, plantest.Golden(t, "four-bar"), order.Auto)
	a := p.NewAnswers(kkt.AnswersOfVelocities)
	require.NoError(t, a.At(p.Initial()))
	require.Equal(t, 3, a.Redundant())
	pattern := a.Layout().Pattern
	right, x, again := make([]float64, pattern.Dim()), make([]float64, pattern.Dim()), make([]float64, pattern.Dim())
	right[3] = 1
	_, _, err := a.AnswerTo(x, right)
	require.NoError(t, err)
	right[pattern.Off[a.Layout().JointNode(1)]+2] = 1 // out of the plane
	fit, _, err := a.AnswerTo(again, right)
	require.ErrorIs(t, err, kkt.ErrInconsistent)
	require.ErrorContains(t, err, "joint")
	require.Greater(t, fit.Ratio, 1e-3)
	require.GreaterOrEqual(t, fit.Constraint, 0)
	right[pattern.Off[a.Layout().JointNode(1)]+2] = 0
	_, _, err = a.AnswerTo(again, right)
	require.NoError(t, err)
	require.Equal(t, x, again, "the bits that it had before")
	require.Equal(t, 3, a.Redundant())
}

// TestAnswersForgetFlywheels: a right side with entries of flywheels does not act at the next state. It did, so that accelerations after a
// derivative by an armature were wrong.
func TestAnswersForgetFlywheels(t *testing.T) {
	p := machine(t, "armature-floating")
	fresh, a := p.NewAnswers(kkt.AnswersOfDynamics), p.NewAnswers(kkt.AnswersOfDynamics)
	st := p.Initial()
	require.NoError(t, fresh.At(st))
	require.NoError(t, a.At(st))
	nodes, flywheels := a.Layout().Flywheels()
	require.NotZero(t, nodes)
	right, x := make([]float64, len(a.Solution())), make([]float64, len(a.Solution()))
	for i := range flywheels {
		right[6*p.Mechanism().NumBodies()+i] = 1
	}
	_, _, err := a.AnswerTo(x, right)
	require.NoError(t, err)
	require.NoError(t, a.At(st))
	require.Equal(t, fresh.Solution(), a.Solution())
}

// TestAnswersOfImpulses: without flywheels among right sides and answers, these are what answers of the dynamics have for the same loads.
func TestAnswersOfImpulses(t *testing.T) {
	const tol = 1e-12
	p := machine(t, "armature-floating")
	a, all := p.NewAnswers(kkt.AnswersOfImpulses), p.NewAnswers(kkt.AnswersOfDynamics)
	require.NoError(t, a.At(p.Initial()))
	require.NoError(t, all.At(p.Initial()))
	require.Equal(t, p.Layout(), a.Layout())
	six := 6 * p.Mechanism().NumBodies()
	right, wide := make([]float64, p.Layout().Pattern.Dim()), make([]float64, len(all.Solution()))
	for i := range six {
		right[i] = float64(i%5) - 1.5
		wide[i] = right[i]
	}
	x, y := make([]float64, len(right)), make([]float64, len(wide))
	_, _, err := a.AnswerTo(x, right)
	require.NoError(t, err)
	_, _, err = all.AnswerTo(y, wide)
	require.NoError(t, err)
	check.CloseVec(t, x[:six], y[:six], tol, 1, "accelerations")
	require.PanicsWithValue(t, "kkt: no products of this kind", func() { all.ProductTo(wide, y) })
}

// TestAnswersRoughly: products take answers back to right sides, and answers without refinement are near those with it.
func TestAnswersRoughly(t *testing.T) {
	const tol = 1e-10
	for name, kind := range map[string]kkt.AnswersKind{
		"four-bar": kkt.AnswersOfVelocities, "stewart-6ups": kkt.AnswersOfVelocities, "armature-floating": kkt.AnswersOfImpulses,
	} {
		var p *kkt.Plan
		if kind == kkt.AnswersOfImpulses {
			p = machine(t, name)
		} else {
			p = plantest.New(t, plantest.Golden(t, name), order.Auto)
		}
		a := p.NewAnswers(kind)
		require.NoError(t, a.At(p.Initial()))
		n := p.Layout().Pattern.Dim()
		right, x, y, back := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range 6 * p.Mechanism().NumBodies() {
			right[i] = float64(i%7) - 2.5
		}
		_, _, err := a.AnswerTo(x, right)
		require.NoError(t, err)
		require.NoError(t, a.RoughTo(y, right))
		six := 6 * p.Mechanism().NumBodies()
		check.CloseVec(t, y[:six], x[:six], tol, 1, "rough")
		a.ProductTo(back, x)
		check.CloseVec(t, back, right, tol, 1, "product")
		// Multipliers alone act on bodies only.
		copy(y, x)
		clear(y[six:])
		a.ProductTo(right, y) // of the accelerations
		for i := range back {
			back[i] -= right[i]
		}
		clear(x[:six])
		a.ProductTo(right, x)
		check.CloseVec(t, right, back, tol, 1, "forces")
	}
}

// TestAnswersWithHubs: where the factor is that of a system without spare rows, answers without a right side of their own at the state take
// later ones.
func TestAnswersWithHubs(t *testing.T) {
	p := plantest.New(t, plantest.Generate(t, "hoberman-sphere", 8, 1), order.Auto)
	a := p.NewAnswers(kkt.AnswersOfSteps)
	require.NoError(t, a.At(p.Initial()))
	n := p.Layout().Pattern.Dim()
	right, x := make([]float64, n), make([]float64, n)
	right[0] = 1
	_, accuracy, err := a.AnswerTo(x, right)
	require.NoError(t, err)
	require.Less(t, accuracy, 1e-9)
	require.Positive(t, check.MaxAbs(x))
}

// TestAnswersOfPositions: rows of velocities alone do not count for displacements: a disc may be slid along its plane, and not lifted.
func TestAnswersOfPositions(t *testing.T) {
	const tol = 1e-12 // of displacements around 1
	p := plantest.New(t, plantest.Generate(t, "rolling-disc", 1, 1), order.Auto)
	answer := func(kind kkt.AnswersKind) (down, along float64) {
		a := p.NewAnswers(kind)
		require.NoError(t, a.At(p.Initial()))
		right, x := make([]float64, a.Layout().Pattern.Dim()), make([]float64, a.Layout().Pattern.Dim())
		mech, l := p.Mechanism(), a.Layout()
		for j := range mech.Joints {
			if from, to := mech.Joints[j].Kind.VelocityRows(); from < to {
				right[l.Pattern.Off[l.JointNode(j)]+int32(from)] = 1 // a slip
				break
			}
		}
		_, _, err := a.AnswerTo(x, right)
		require.NoError(t, err)
		return x[5], x[3]*x[3] + x[4]*x[4]
	}
	_, along := answer(kkt.AnswersOfVelocities)
	require.Greater(t, along, tol, "rows of velocities make a slip")
	require.PanicsWithValue(t, "kkt: unknown kind of answers", func() { p.NewAnswers(9) })
}
