package assemble

// GeometricTo replaces the inertias in y.K by unit masses with a length for each body,
// diag(ℓ²·1, 1), theory.md (25), and y.Scale by the diagonal of J·G⁻¹·Jᵀ of that metric G. The
// constraint rows stay. Rank and distance from a singularity are measured with such a matrix.
// They then depend on the geometry alone, and not on the ratio of masses.
//
// ℓ² is the larger of the mean square distance of the body's mass from its centre and the
// largest square distance of a joint from it.
//
// Shapes: length has one entry a body and receives ℓ, m.
// Cost: O(bodies + joints), no allocation. y has been filled; its right side stays.
func (y *System) GeometricTo(length []float64) {
	p := y.L.Pattern
	y.L.LengthsTo(length)
	clear(y.K.Dia)
	for i, l := range length {
		d := (*[36]float64)(y.K.Dia[36*i:])
		d[0], d[7], d[14] = l*l, l*l, l*l
		d[21], d[28], d[35] = 1, 1, 1
	}
	clear(y.Scale)
	for node := len(length); node < p.Len(); node++ {
		scale := y.Scale[p.Off[node]:p.Off[node+1]]
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			l := length[p.Ind[k]]
			il2 := 1 / (l * l)
			v := y.K.Val[p.Pos[k]:p.Pos[k+1]]
			for a := range scale {
				q := (*[6]float64)(v[6*a:])
				scale[a] += il2*(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]) + q[3]*q[3] + q[4]*q[4] + q[5]*q[5]
			}
		}
	}
}
