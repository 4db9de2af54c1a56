package assemble

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// GeometricTo replaces the inertias in y.K by unit masses with a length for
// each body, diag(ℓ²·1, 1), and y.Scale by the diagonal of J·W⁻¹·Jᵀ of that
// metric W. The constraint rows stay. What is measured with such a matrix, rank
// and distance from a singularity, depends on the geometry alone and not on the
// ratio of masses.
//
// ℓ² is the larger of the mean square distance of the body's mass from its
// centre and the largest square distance of a joint from it.
//
// Shapes: length has one entry a body and receives ℓ, m.
// Cost: O(bodies + joints), no allocation. y has been filled; its right side
// stays.
func (y *System) GeometricTo(length []float64) {
	m := y.L.Mech
	p := y.L.Pattern
	if len(length) != m.NumBodies() {
		panic("assemble: length mismatch")
	}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		length[i] = b.Inertia.Trace() / (2 * b.Mass)
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		if jt.Pred >= 0 {
			longer(&length[jt.Pred], jt.P.Origin.Sub(m.Bodies[jt.Pred].Com))
		}
		if jt.Succ >= 0 {
			longer(&length[jt.Succ], jt.S.Origin.Sub(m.Bodies[jt.Succ].Com))
		}
	}
	clear(y.K.Dia)
	for i := range m.Bodies {
		d := (*[36]float64)(y.K.Dia[36*i:])
		d[0], d[7], d[14] = length[i], length[i], length[i]
		d[21], d[28], d[35] = 1, 1, 1
	}
	clear(y.Scale)
	for node := m.NumBodies(); node < p.Len(); node++ {
		scale := y.Scale[p.Off[node]:p.Off[node+1]]
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			il2 := 1 / length[p.Ind[k]]
			v := y.K.Val[p.Pos[k]:p.Pos[k+1]]
			for a := range scale {
				q := (*[6]float64)(v[6*a:])
				scale[a] += il2*(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]) + q[3]*q[3] + q[4]*q[4] + q[5]*q[5]
			}
		}
	}
	for i, l2 := range length {
		length[i] = math.Sqrt(l2)
	}
}

// longer raises l2 to the square length of arm.
func longer(l2 *float64, arm spatial.Vec3) {
	*l2 = max(*l2, arm.Dot(arm))
}
