package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAnderson: where the matrix leaves out a part of rank 3, the fourth correction ends at the solution, though
// without memory corrections would grow. Corrections that stay the same, or vanish, do no harm, and nothing allocates.
func TestAnderson(t *testing.T) {
	const bodies, multipliers, rank = 4, 5, 3
	const n = 6*bodies + multipliers
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() (v [n]float64) {
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	var left, right [rank][n]float64
	for k := range rank {
		left[k], right[k] = random(), random()
		for i := 6 * bodies; i < n; i++ {
			right[k][i] = 0 // forces do not depend on multipliers
		}
	}
	want := random()
	x, f := make([]float64, n), make([]float64, n)
	// f = (1 + Σ left rightᵀ)(want − x)
	correction := func() (size float64) {
		for i := range f {
			f[i] = want[i] - x[i]
			size = max(size, math.Abs(f[i]))
		}
		var e [n]float64
		copy(e[:], f)
		for k := range rank {
			c := 0.0
			for i := range e {
				c += right[k][i] * e[i]
			}
			for i := range f {
				f[i] += c * left[k][i]
			}
		}
		return size
	}
	var m anderson
	m.allocate(6*bodies, multipliers, 0.5)
	step := func() { m.correct(x[:6*bodies], x[6*bodies:], f[:6*bodies], f[6*bodies:]) }
	for range 2 {
		clear(x)
		m.begin()
		for range rank + 2 {
			correction()
			step()
		}
		assert.Less(t, correction(), 1e-9)
	}
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		correction()
		step()
	}))
	for range 2 * mixColumns {
		clear(f)
		step()
	}
	assert.Less(t, correction(), 1e-9)

	var plain anderson
	clear(x)
	for range rank + 2 {
		correction()
		plain.correct(x[:6*bodies], x[6*bodies:], f[:6*bodies], f[6*bodies:])
	}
	assert.Greater(t, correction(), 1e3)
}
