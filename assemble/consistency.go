package assemble

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Inconsistency returns how far the constraint rows are from holding, given a
// solution x and its residual r = B − K·x: the largest residual of a row
// relative to what its terms amount to,
//
//	|rᵢ| / (|Bᵢ| + √dᵢ·(‖a_P‖ + ‖a_S‖) + load),
//
// dᵢ the row's Scale and ‖a‖² = aᵀIa of its two bodies, so that √d·‖a‖ bounds a
// row's product with a; and the node and row where it is. Rows that hold exactly
// count zero. The load is dᵢ·‖λ‖∞, the acceleration that the joint's own
// multipliers make, if multipliers is true. They grow without bound on rows that
// contradict each other and get ever smaller proximal corrections; if it is
// false, the load is √dᵢ·(‖f_P‖ + ‖f_S‖), ‖f‖² = fᵀI⁻¹f of the bodies' applied
// forces.
//
// Shapes: x and r have the system's dimension.
// Cost: O(bodies + joints), no allocation.
func (y *System) Inconsistency(x, r []float64, multipliers bool) (worst float64, node, row int) {
	p := y.L.Pattern
	if len(x) != p.Dim() || len(r) != p.Dim() {
		panic("assemble: length mismatch")
	}
	for i := y.L.Mech.NumBodies(); i < p.Len(); i++ {
		lo, hi := int(p.Off[i]), int(p.Off[i+1])
		a, lambda := 0.0, 0.0
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			a += y.accelerationNorm(int(b), x)
			if !multipliers {
				a += y.forceNorm(int(b))
			}
		}
		if multipliers {
			lambda = maxAbs(x[lo:hi])
		}
		for k := lo; k < hi; k++ {
			e := relative(r[k], y.B[k], y.Scale[k], a, lambda)
			if e > worst || math.IsNaN(e) {
				worst, node, row = e, i, k-lo
			}
		}
	}
	return worst, node, row
}

// FreeAcceleration returns the size of the accelerations that the loads would
// make without constraints: the largest component of f/m and of n/tr(I), m/s² and
// rad/s². Accelerations of bodies at rest are differences of such numbers.
//
// Cost: O(bodies), no allocation.
func (y *System) FreeAcceleration() (a float64) {
	for i := range y.force {
		f := &y.force[i]
		a = max(a, maxAbs3(f.Moment())/y.Kin.I[i].Trace(), maxAbs3(f.Linear())/y.L.Mech.Bodies[i].Mass)
	}
	return a
}

func maxAbs3(v spatial.Vec3) float64 {
	return max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
}

// forceNorm returns √(fᵀI⁻¹f) of what acts on body i.
func (y *System) forceNorm(i int) float64 {
	var inv spatial.Sym3
	b := &y.L.Mech.Bodies[i]
	b.InvWorldInertiaTo(&inv, &y.Kin.Bodies[i].E)
	f := &y.force[i]
	n := f.Moment()
	F := f.Linear()
	return math.Sqrt(n.Dot(inv.MulVec(n)) + F.Dot(F)/b.Mass)
}

// accelerationNorm returns √(aᵀIa) of body i.
func (y *System) accelerationNorm(i int, x []float64) float64 {
	I := &y.Kin.I[i]
	w := (*[6]float64)(x[6*i:])
	ang := w[0]*(I[0]*w[0]+2*(I[3]*w[1]+I[4]*w[2])) + w[1]*(I[1]*w[1]+2*I[5]*w[2]) + I[2]*w[2]*w[2]
	return math.Sqrt(ang + y.L.Mech.Bodies[i].Mass*(w[3]*w[3]+w[4]*w[4]+w[5]*w[5]))
}
