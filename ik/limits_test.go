package ik

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimitsGrid: with limits, the nearest pose of the arm with two
// links is that of a fine grid, and the limit in the way is named.
func TestLimitsGrid(t *testing.T) {
	const l1, l2 = 0.5, 0.4
	n, tasks, least := 600, 40, 5
	if testing.Short() {
		n, tasks, least = 200, 20, 2
	}
	plan := planar(t, l1, l2)
	rng := rand.New(rand.NewPCG(1, 2))
	against := 0
	for range tasks {
		at := [2]float64{rng.NormFloat64() * 0.5, rng.NormFloat64() * 0.5}
		var lower, upper [2]float64
		for i := range 2 {
			lower[i], upper[i] = -0.2-1.3*rng.Float64(), 0.2+1.3*rng.Float64()
		}
		p := testProblem(t, plan, &Task{
			Targets: []Target{tipOf(2, l2, at[0], at[1])},
			Limits:  []Limit{{Freedom: "j0", Lower: lower[0], Upper: upper[0]}, {Freedom: "j1", Lower: lower[1], Upper: upper[1]}},
		})
		r, err := testSolver(t, p, Options{Restarts: 20, Nearest: true}).Reach(plan.Mechanism().Initial())
		require.NoError(t, err)
		best := math.Inf(1)
		for i := range n + 1 {
			for j := range n + 1 {
				q1, q2 := lower[0]+(upper[0]-lower[0])*float64(i)/float64(n), lower[1]+(upper[1]-lower[1])*float64(j)/float64(n)
				x, y := l1*math.Cos(q1)+l2*math.Cos(q1+q2), l1*math.Sin(q1)+l2*math.Sin(q1+q2)
				best = min(best, math.Hypot(x-at[0], y-at[1]))
			}
		}
		require.LessOrEqual(t, r.Targets[0].Linear, best+1e-12)
		for i, d := range r.Driven {
			require.True(t, d.Value >= lower[i] && d.Value <= upper[i])
			require.Equal(t, d.Value == lower[i], d.Limit == -1)
			require.Equal(t, d.Value == upper[i], d.Limit == 1)
		}
		if r.Status == AgainstLimit {
			against++
			require.True(t, r.Driven[0].Limit != 0 || r.Driven[1].Limit != 0)
			require.Greater(t, best, 1e-6)
		}
	}
	require.Greater(t, against, least)
}

// TestBoundedLeast: steps are the least within their limits: the conditions of Karush, Kuhn and Tucker hold.
func TestBoundedLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		m, n := 1+rng.IntN(7), 1+rng.IntN(9)
		held := rng.IntN(min(3, n))
		b := newBounded(m+held, n, DLS)
		A, e, C := normal(rng, m*n), normal(rng, m), normal(rng, held*n)
		if held == 2 && rng.IntN(2) == 0 { // dependent
			copy(C[n:], C[:n])
		}
		for i := range n {
			b.lower[i], b.upper[i] = -rng.ExpFloat64(), rng.ExpFloat64()
			if rng.IntN(4) == 0 {
				b.lower[i] = 0
			}
			if rng.IntN(4) == 0 {
				b.upper[i] = max(0, 1-math.Abs(b.lower[i])*1e300)
			}
		}
		k := math.Exp(-10 * rng.Float64())
		b.step(A, e, C, k)
		require.Less(t, b.rounds, limitRounds+limitMore*n)
		checkLeast(t, b, A, e, C, k)
		was := append([]float64(nil), b.u...)
		b.step(A, e, C, k) // begins with the limits of before
		require.InDeltaSlice(t, was, b.u, 1e-9)
	}
}

func normal(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// checkLeast: no feasible direction makes the merit less. It is tried along many, as the merit is convex.
func checkLeast(t *testing.T, b *bounded, A, e, C []float64, k float64) {
	n := len(b.u)
	for r := 0; r < len(C); r += n {
		s := 0.0
		for i, u := range b.u {
			s += C[r+i] * u
		}
		require.InDelta(t, 0, s, 1e-9)
	}
	for r, x := range e {
		for i, u := range b.u {
			x -= A[r*n+i] * u
		}
		require.InDelta(t, x, b.r[r], 1e-9)
	}
	b.project(A, C, len(e))
	b.gradient(A, C, len(e), k)
	for i, u := range b.u {
		require.True(t, u >= b.lower[i] && u <= b.upper[i])
		switch b.side[i] {
		case 0:
			require.InDelta(t, 0, b.g[i], 1e-9)
		case 1:
			require.Equal(t, b.upper[i], u)
			require.LessOrEqual(t, b.g[i], 1e-9)
		case -1:
			require.Equal(t, b.lower[i], u)
			require.GreaterOrEqual(t, b.g[i], -1e-9)
		}
	}
}
