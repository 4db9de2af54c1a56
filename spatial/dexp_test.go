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

			// The transpose equals the result for −Θ.
			minus := theta.Neg()
			var turned spatial.Vec3
			spatial.DexpInvTo(&turned, &minus, &axis)
			assert.InDelta(t, axis.Dot(rate), turned.Dot(w), rounding*axis.Norm()*w.Norm(), "angle %v", angle)
		}
	}
}

// angles are on both sides of the squares at which series end.
var angles = []float64{0, 1e-9, 1e-3, 0.0632, 0.0633, 0.3, 0.3162, 0.3163, 0.4999, 0.5001, 0.9999, 1.0001, 2, 3.1, 5}

// TestDexp: dexp is the inverse of dexp⁻¹, and its transpose equals dexp at −Θ.
func TestDexp(t *testing.T) {
	const tol = 2e-15 // some roundings of a sum of three terms; at 5 rad dexp⁻¹ is ten times as large
	r := check.Rand(1)
	for _, angle := range angles {
		for range 20 {
			axis, x, y := randVec(r), randVec(r), randVec(r)
			theta := axis.Scale(angle / axis.Norm())
			var there, back spatial.Vec3
			spatial.DexpTo(&there, &theta, &x)
			spatial.DexpInvTo(&back, &theta, &there)
			check.CloseVec(t, back[:], x[:], 10*tol, x.Norm(), "angle %v", angle)

			minus := theta.Neg()
			var turned spatial.Vec3
			spatial.DexpTo(&turned, &minus, &y)
			assert.InDelta(t, y.Dot(there), turned.Dot(x), tol*y.Norm()*x.Norm(), "angle %v", angle)
		}
	}
}

// TestDexpInvAdjoint holds the gradient against differences of order 4.
func TestDexpInvAdjoint(t *testing.T) {
	const eps, tol = 1e-3, 2e-11 // of differences; at 5 rad seventh derivatives are of some thousand
	r := check.Rand(2)
	for _, angle := range angles {
		for range 20 {
			axis, w, y := randVec(r), randVec(r), randVec(r)
			theta := axis.Scale(angle / axis.Norm())
			at := func(i int, by float64) float64 {
				moved := theta
				moved[i] += by
				var rate spatial.Vec3
				spatial.DexpInvTo(&rate, &moved, &w)
				return y.Dot(rate)
			}
			var got, want spatial.Vec3
			spatial.DexpInvAdjointTo(&got, &theta, &w, &y)
			for i := range 3 {
				want[i] = (8*(at(i, eps)-at(i, -eps)) - (at(i, 2*eps) - at(i, -2*eps))) / (12 * eps)
			}
			check.CloseVec(t, got[:], want[:], tol, 1+w.Norm()*y.Norm(), "angle %v", angle)
		}
	}
}
