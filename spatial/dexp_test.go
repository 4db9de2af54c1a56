package spatial_test

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
	const eps, tol, rounding = 1e-5, 1e-9, 1e-14
	r := check.Rand(1)
	for _, angle := range []float64{0, 1e-9, 1e-3, 0.0632, 0.0633, 0.3, 0.3162, 0.3163, 1, 2, 3.1} {
		for range 20 {
			axis, w := spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, spatial.Vec3{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			theta := axis.Scale(angle / axis.Norm())
			var rate spatial.Vec3
			spatial.DexpInvTo(&rate, &theta, &w)
			forth := spatial.Exp(theta.Add(rate.Scale(eps)))
			back := spatial.Exp(theta.Sub(rate.Scale(eps)))
			got := forth.Mul(back.Conj()).Log().Scale(1 / (2 * eps))
			check.CloseVec(t, got[:], w[:], tol, 3, "angle %v", angle)

			// The transpose is that of −Θ.
			minus := theta.Neg()
			var turned spatial.Vec3
			spatial.DexpInvTo(&turned, &minus, &axis)
			assert.InDelta(t, axis.Dot(rate), turned.Dot(w), rounding*axis.Norm()*w.Norm(), "angle %v", angle)
		}
	}
}
