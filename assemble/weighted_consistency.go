package assemble

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Inconsistency is System.Inconsistency for a solution x and a residual r in
// weighted coordinates, where the norm of an acceleration in the metric of the
// inertia is the Euclidean one. A row's accelerations ‖a‖ count with at least
// floor, so that rounding of the whole is no contradiction where a part rests.
//
// Shapes: x and r have the system's dimension.
// Cost: O(bodies + joints), no allocation.
func (y *Weighted) Inconsistency(x, r []float64, floor float64, multipliers bool) (worst float64, node, row int) {
	p := y.L.Pattern
	if len(x) != p.Dim() || len(r) != p.Dim() {
		panic("assemble: length mismatch")
	}
	n := len(y.L.joint)
	y.each(rangeTask{kind: inconsistencyRange, n: n, x: x, r: r, floor: floor, multipliers: multipliers})
	for _, q := range y.ranges[:ranges(n)] {
		if q.worst > worst || math.IsNaN(q.worst) {
			worst, node, row = q.worst, q.node, q.row
		}
	}
	return worst, node, row
}

// inconsistency is Inconsistency for the joints first ≤ i < last among those that
// have rows.
func (y *Weighted) inconsistency(x, r []float64, floor float64, multipliers bool, first, last int) (worst float64, node, row int) {
	p := y.L.Pattern
	nb := y.L.Mech.NumBodies() + first
	off, ptr, ind := p.Off[nb:nb+last-first+1], p.Ptr[nb:], p.Ind
	lo, at := off[0], ptr[0]
	for i, hi := range off[1:] {
		end := ptr[i+1]
		// (‖a_P‖ + ‖a_S‖ + …)² ≥ ‖a_P‖² + ‖a_S‖² + …
		a2 := floor * floor
		for _, b := range ind[at:end] {
			a2 += square6(x, b)
			if !multipliers {
				a2 += square6(y.B, b)
			}
		}
		bound := worst * worst * a2
		rest := r[lo:hi]
		scale, right := y.Scale[lo:hi][:len(rest)], y.B[lo:hi][:len(rest)]
		for k, rk := range rest {
			// A row that is no worse by this part of its terms needs no root and no
			// quotient: (|r| − worst·|B|)² ≤ worst²·d·a².
			excess := math.Abs(rk) - worst*math.Abs(right[k])
			if excess*math.Abs(excess) <= bound*scale[k] {
				continue
			}
			e := y.rowInconsistency(x, rk, floor, nb+i, k, multipliers)
			if e > worst || math.IsNaN(e) {
				worst, node, row = e, nb+i, k
				bound = worst * worst * a2
			}
		}
		lo, at = hi, end
	}
	return worst, node, row
}

// rowInconsistency returns the measure of row k of a joint's node, whose residual
// is rk.
func (y *Weighted) rowInconsistency(x []float64, rk, floor float64, node, k int, multipliers bool) float64 {
	p := y.L.Pattern
	lo, hi := int(p.Off[node]), int(p.Off[node+1])
	a, lambda := floor, 0.0
	for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
		a += math.Sqrt(square6(x, b))
		if !multipliers {
			a += math.Sqrt(square6(y.B, b))
		}
	}
	if multipliers {
		lambda = maxAbs(x[lo:hi])
	}
	return relative(rk, y.B[lo+k], y.Scale[lo+k], a, lambda)
}

// relative returns the residual r of a row with the right side b and the scale d
// relative to what its terms amount to.
func relative(r, b, d, a, lambda float64) float64 {
	if r == 0 {
		return 0
	}
	return math.Abs(r) / (math.Abs(b) + math.Sqrt(d)*a + d*lambda)
}

func maxAbs(v []float64) (m float64) {
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// square6 returns the squared norm of the six entries of a body in v.
func square6(v []float64, body int32) float64 {
	q := (*[6]float64)(v[6*body:])
	return (q[0]*q[0] + q[1]*q[1] + q[2]*q[2]) + (q[3]*q[3] + q[4]*q[4] + q[5]*q[5])
}

// FreeAcceleration is System.FreeAcceleration: the largest component of f/m and
// of n/tr(I) in world axes, m/s² and rad/s².
//
// Cost: O(bodies), no allocation.
func (y *Weighted) FreeAcceleration() (a float64) {
	for i := range y.Kin.Bodies {
		b, E := &y.L.Mech.Bodies[i], &y.Kin.Bodies[i].E
		c := b.Weight()
		q := (*[6]float64)(y.B[6*i:])
		n, f := spatial.Vec3(q[:3]), spatial.Vec3(q[3:])
		c.Inertia.SolveTo(&n, &n)
		a = max(a, maxAbs3(E.MulVec(n))/b.Inertia.Trace(), maxAbs3(E.MulVec(f))*c.Mass)
	}
	return a
}

// FreeSize is the same in weighted coordinates: the largest magnitude of a
// component of C⁻¹·f.
//
// Cost: O(bodies), no allocation.
func (y *Weighted) FreeSize() float64 {
	return maxAbs(y.B[:6*y.L.Mech.NumBodies()])
}
