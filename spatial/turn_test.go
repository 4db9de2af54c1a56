package spatial_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/spatial"
)

// TestTurn compares TurnTo with the exponential, on both sides of the ends of the series,
// and turns a quaternion that is off by more than rounding, whose turn is unit.
func TestTurn(t *testing.T) {
	const rounding = 1e-15
	r := random(3)
	for _, size := range []float64{0, 1e-300, 1e-160, 1e-9, 1e-3, 0.06324, 0.06325, 0.1, 0.4999, 0.5001, 1, 3.1} {
		for range 20 {
			v := randVec(r)
			v = v.Scale(size / v.Norm())
			q := spatial.FromMat(randRot(r))
			want, got := spatial.Exp(v).Mul(q), q
			spatial.TurnTo(&got, &v, &got)
			for i := range want {
				assert.InDelta(t, want[i], got[i], rounding, "angle %g", size)
			}
			assert.InDelta(t, 1, got.Norm(), rounding)
			for i := range q {
				q[i] *= 1 + 1e-6
			}
			spatial.TurnTo(&got, &v, &q)
			assert.InDelta(t, 1, got.Norm(), rounding)
		}
	}
}
