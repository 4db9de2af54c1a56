package kkt_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// answersOf are answers at the state of a model, and n right sides that the rows allow, with what they are made of.
func answersOf(t *testing.T, m *model.Model, kind kkt.AnswersKind, n int) (a *kkt.Answers, right, of [][]float64) {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
	a = plan.NewAnswers(kind)
	require.NoError(t, a.At(plan.Initial()))
	rng := check.Rand(61)
	for range n {
		x := make([]float64, a.Layout().Pattern.Dim())
		b := make([]float64, len(x))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		if a.Plain() {
			a.ProductTo(b, x)
		} else { // rows that nothing is demanded of
			copy(b[:6*mech.NumBodies()], x)
		}
		right, of = append(right, b), append(of, x)
	}
	return a, right, of
}

// none returns n answers.
func none(a *kkt.Answers, n int) (x [][]float64, accuracy []float64) {
	for range n {
		x = append(x, make([]float64, a.Layout().Pattern.Dim()))
	}
	return x, make([]float64, n)
}

// TestTogetherTo: answers together are as exact as those of AnswerTo, and nearly all right sides have one.
func TestTogetherTo(t *testing.T) {
	const slack, floor = 10, 1e-12 // of what AnswerTo is off by; of systems at random
	for _, c := range []struct {
		family string
		n      int
	}{{"nfourbar", 1}, {"nfourbar", 20}, {"stewart", 1}, {"chain", 20}, {"grid", 5}, {"ladder", 20}, {"tree", 12}, {"miura", 4}, {"revolute-net", 5}, {"armature-floating", 0}} {
		m, err := bench.Generate(c.family, c.n, 1)
		if c.n == 0 {
			m, err = model.ReadFile(check.Reference(t, "joints", c.family+".model.json"))
		}
		require.NoError(t, err)
		for _, kind := range []kkt.AnswersKind{kkt.AnswersOfDynamics, kkt.AnswersOfVelocities} {
			t.Run(fmt.Sprint(c.family, c.n, kind), func(t *testing.T) {
				a, right, of := answersOf(t, m, kind, 11)
				x, accuracy := none(a, len(right))
				a.TogetherTo(x, right, accuracy)
				first, solved, y := 6*len(m.Bodies), 0, make([]float64, len(x[0]))
				worst := [2]float64{}
				for k, b := range right {
					_, _, err := a.AnswerTo(y, b)
					require.NoError(t, err)
					if math.IsNaN(accuracy[k]) {
						continue
					}
					solved++
					want := of[k]
					if !a.Plain() { // loads alone are known
						want = y
					}
					for i := range first {
						worst[0] = max(worst[0], math.Abs(x[k][i]-want[i]))
						worst[1] = max(worst[1], math.Abs(y[i]-want[i]))
					}
				}
				require.GreaterOrEqual(t, solved, 5)
				require.LessOrEqual(t, worst[0], slack*worst[1]+floor)
				require.Zero(t, testing.AllocsPerRun(3, func() { a.TogetherTo(x, right, accuracy) }))
			})
		}
	}
}

// TestTogetherToBeside: an answer has the bits that it has beside any others, and whatever has been solved before. Rows that contradict
// each other have no answer, those that have been left out of the system among them.
func TestTogetherToBeside(t *testing.T) {
	for _, family := range []string{"nfourbar", "miura"} {
		m, err := bench.Generate(family, 4, 1)
		require.NoError(t, err)
		a, right, of := answersOf(t, m, kkt.AnswersOfDynamics, 8)
		x, accuracy := none(a, 8)
		a.TogetherTo(x, right, accuracy)
		require.False(t, math.IsNaN(accuracy[5]))
		for range 2 {
			y, again := none(a, 2)
			a.TogetherTo(y, [][]float64{of[0], right[5]}, again)
			require.True(t, math.IsNaN(again[0]), family)
			require.Equal(t, math.Float64bits(accuracy[5]), math.Float64bits(again[1]), family)
			require.Equal(t, x[5], y[1], family)
			_, _, err = a.AnswerTo(y[0], of[0]) // in other ways to factor
			require.Error(t, err)
		}
	}
}

// TestTogetherToAlone: there is no answer together where one factor of the system is not all that an answer takes.
func TestTogetherToAlone(t *testing.T) {
	alone := func(m *model.Model, kind kkt.AnswersKind, n int) bool {
		a, right, _ := answersOf(t, m, kind, n)
		x, accuracy := none(a, n)
		a.TogetherTo(x, right, accuracy)
		for _, e := range accuracy {
			if !math.IsNaN(e) {
				return false
			}
		}
		return true
	}
	chain := plantest.Generate(t, "chain", 3, 1)
	require.False(t, alone(chain, kkt.AnswersOfDynamics, 2))
	require.True(t, alone(chain, kkt.AnswersOfDynamics, 1))
	geared, err := model.ReadFile(check.Reference(t, "joints", "armature-floating.model.json"))
	require.NoError(t, err)
	require.False(t, alone(geared, kkt.AnswersOfDynamics, 2))
	require.True(t, alone(geared, kkt.AnswersOfImpulses, 2))
	require.True(t, alone(modeltest.Rods(4, 1e-5, false), kkt.AnswersOfDynamics, 2))
	disc := plantest.Generate(t, "rolling-disc", 1, 1)
	require.False(t, alone(disc, kkt.AnswersOfDynamics, 2))
	require.True(t, alone(disc, kkt.AnswersOfPositions, 2))
	uneven := plantest.Generate(t, "chain", 3, 1)
	uneven.Bodies[0].Mass *= 1e9
	require.True(t, alone(uneven, kkt.AnswersOfDynamics, 2))

	a, right, _ := answersOf(t, chain, kkt.AnswersOfDynamics, 3)
	x, accuracy := none(a, 3)
	require.PanicsWithValue(t, "kkt: length mismatch", func() { a.TogetherTo(x, right[:2], accuracy) })
	require.PanicsWithValue(t, "kkt: length mismatch", func() { a.TogetherTo(x, right, accuracy[:2]) })
	x[1] = x[1][1:]
	require.PanicsWithValue(t, "kkt: length mismatch", func() { a.TogetherTo(x, right, accuracy) })
}

// TestTogetherToOfNoNumbers: a right side with a number that is not finite has no answer, in whatever row that is, left out of the system
// or not; the one beside it has its answer.
func TestTogetherToOfNoNumbers(t *testing.T) {
	for _, family := range []string{"nfourbar", "miura"} {
		m, err := bench.Generate(family, 4, 1)
		require.NoError(t, err)
		a, right, _ := answersOf(t, m, kkt.AnswersOfDynamics, 2)
		x, accuracy := none(a, 2)
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			for i, was := range right[0] {
				right[0][i] = bad
				a.TogetherTo(x, right, accuracy)
				right[0][i] = was
				require.True(t, math.IsNaN(accuracy[0]), "%s, row %d", family, i)
				require.False(t, math.IsNaN(accuracy[1]), "%s, row %d", family, i)
			}
		}
	}
}
