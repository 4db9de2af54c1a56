package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// TestDexpInv holds dexp⁻¹ against its definition: exp(Θ + ε·dexp⁻¹(Θ)·ω) is
// exp(ε·ω)·exp(Θ) to first order, by central differences, for angles on both sides of
// the series and up to the largest that a step allows.
func TestDexpInv(t *testing.T) {
	const eps, tol = 1e-5, 1e-9
	r := check.Rand(1)
	for _, angle := range []float64{0, 1e-9, 1e-3, 0.3, 0.3162, 0.3163, 1, 2, 3.1} {
		for range 20 {
			axis, w := spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			theta := axis.Scale(angle / axis.Norm())
			var rate spatial.Vec3
			dexpInvTo(&rate, &theta, &w)
			forth := spatial.Exp(theta.Add(rate.Scale(eps)))
			back := spatial.Exp(theta.Sub(rate.Scale(eps)))
			got := forth.Mul(back.Conj()).Log().Scale(1 / (2 * eps))
			check.CloseVec(t, got[:], w[:], tol, 3, "angle %v", angle)
		}
	}
}

// TestTurn compares with the exponential of package spatial, through the end of the series.
func TestTurn(t *testing.T) {
	const rounding = 1e-15
	rng := check.Rand(3)
	for _, size := range []float64{0, 1e-300, 1e-160, 1e-9, 1e-3, 0.1, 0.4999, 0.5001, 1, 3.1} {
		for range 20 {
			v := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			v = v.Scale(size / v.Norm())
			q := spatial.Quat{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Normalize()
			want := spatial.Exp(v).Mul(q)
			got := q
			turnTo(&got, &v, &got)
			for i := range want {
				assert.InDelta(t, want[i], got[i], rounding, "angle %g", size)
			}
			assert.InDelta(t, 1, got.Norm(), rounding)
		}
	}
}
