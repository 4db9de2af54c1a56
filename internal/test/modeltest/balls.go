package modeltest

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/model"
)

// DampBalls gives each of the three rotations of each ball joint of m a damper with a random coefficient, and returns the number of
// dampers.
func DampBalls(m *model.Model, rng *rand.Rand) (count int) {
	for j := range m.Joints {
		jt := &m.Joints[j]
		n := jt.Kind().Freedoms()
		if n == 0 || jt.Kind().Scalar(0) {
			continue
		}
		damping := make([]float64, n)
		copy(damping, jt.Damping)
		for i := range 3 {
			damping[i] = rng.Float64()
			count++
		}
		jt.Damping = damping
	}
	return count
}
