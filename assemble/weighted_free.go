package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// FreeAcceleration returns the size of the accelerations that the loads would
// make without constraints: the largest component of f/m and of n/tr(I), m/s² and
// rad/s², world axes. Accelerations of bodies at rest are differences of such
// numbers.
//
// Cost: O(bodies), no allocation.
func (y *Weighted) FreeAcceleration() (a float64) {
	for i := range y.Kin.Bodies {
		b, E := &y.bodies[i], &y.Kin.Bodies[i].E
		c := b.Weight()
		q := (*[6]float64)(y.Right[6*i:])
		n, f := spatial.Vec3(q[:3]), spatial.Vec3(q[3:])
		c.Inertia.SolveTo(&n, &n)
		a = max(a, maxAbs3(E.MulVec(f))*c.Mass)
		if t := b.Inertia.Trace(); t > 0 { // a point mass has no angular acceleration
			a = max(a, maxAbs3(E.MulVec(n))/t)
		}
	}
	return a
}

// FreeSize returns the size of the free accelerations in weighted coordinates: the largest magnitude of a
// component of C⁻¹·f.
//
// Cost: O(bodies), no allocation.
func (y *Weighted) FreeSize() float64 {
	return algebra.MaxAbs(y.Right[:6*y.Layout.Mech.NumBodies()])
}

// maxAbs3 returns the largest magnitude of a component.
func maxAbs3(v spatial.Vec3) float64 {
	return max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
}
