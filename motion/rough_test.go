package motion_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// rough puts a model on random ground of 5 cm root mean square and a
// length of 0.6 m, on which wheels stop to slip at once.
func rough(t testing.TB, m *model.Model) {
	const spacing, nx, ny = 0.125, 193, 97
	f, err := ground.Random(context.Background(), ground.RandomGround{
		Size: [2]int{nx, ny}, Spacing: [2]float64{spacing, spacing}, RMS: 0.05, Length: 0.6, Seed: 7,
	})
	require.NoError(t, err)
	smooth := func(x float64) float64 {
		x = min(max(x, 0), 1)
		return x * x * (3 - 2*x)
	}
	terrain := &m.Terrains[0]
	terrain.Spacing, terrain.Heights = [2]float64{spacing, spacing}, make([][]float64, ny)
	for j := range terrain.Heights {
		line := f.Heights[j*nx : (j+1)*nx]
		for i := range line {
			line[i] *= smooth(spacing*float64(i)-1) * smooth(spacing*float64(min(j, ny-1-j)))
		}
		terrain.Heights[j] = line
	}
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			c.Law.Friction.SlipSpeed = 1e-3
		}
	}
}

// TestRoughSteps: steps on rough ground, hard and soft, take few corrections and few matrices, from rest on.
func TestRoughSteps(t *testing.T) {
	for _, c := range []struct {
		name                        string
		change                      func(t testing.TB, m *model.Model)
		evaluations, factorizations float64 // of a step
	}{
		{"hard", func(testing.TB, *model.Model) {}, 8, 1.5},
		{"soil", soil, 6.5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := generate(t, "rover", 1, 1)
			rough(t, m)
			c.change(t, m)
			p := newPlan(t, m, order.Auto)
			n := motion.NewNewton(p)
			k := sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: 1e-3}})
			s := sim.New(p.Mechanism(), k, p.Mechanism().Initial(), sim.Options{Projector: n})
			require.NoError(t, s.Run(4))
			steps := float64(s.Stats().Steps)
			t.Logf("%v steps, %d rejected, %d evaluations, %d factorizations", steps, s.Stats().Rejected, k.Evaluations(), k.Factorizations())
			assert.Less(t, float64(k.Evaluations()), c.evaluations*steps)
			assert.Less(t, float64(k.Factorizations()), c.factorizations*steps)
			assert.Less(t, steps, 130.0)
			assert.Greater(t, s.State().Bodies[0].Position[0], 1.5) // it drove
		})
	}
}

// TestNewtonContactsOnce: a correction at the state of the matrix, for which contacts are not looked at again, has the
// same bits as one for which they are. At any other state they are.
func TestNewtonContactsOnce(t *testing.T) {
	m := generate(t, "rover", 1, 1)
	p := newPlan(t, m, order.Auto)
	st := p.Mechanism().Initial()
	const position, velocity = 1e-4, 1e-2
	n := motion.NewNewton(p)
	u, lambda := make([]float64, 6*p.Mechanism().NumBodies()), make([]float64, n.Rows())
	correct := func() []float64 {
		du, dlambda := make([]float64, len(u)), make([]float64, len(lambda))
		require.NoError(t, n.Correct(du, dlambda, st, u, lambda, position))
		return append(du, dlambda...)
	}
	require.NoError(t, n.Linearize(st, position, velocity, 0))
	once, again := correct(), correct()
	assert.Equal(t, again, once)

	require.NoError(t, n.Linearize(st, position, velocity, 0))
	for i := range st.Bodies {
		st.Bodies[i].Position[2] -= 1e-3
	}
	moved := correct()
	assert.Equal(t, correct(), moved)
	assert.NotEqual(t, once, moved)

	require.NoError(t, n.Linearize(st, position, velocity, 0))
	require.NoError(t, n.Soften(make([]float64, len(u)), st))
	softened := correct()
	assert.Equal(t, correct(), softened)
}
