package sparse

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// MulVecTo stores in dst the product m·x.
//
// Shapes: dst and x have m.Pattern.Dim() entries and do not overlap.
// Cost: O(stored values), no allocation. It panics on a length mismatch.
func (m *Matrix) MulVecTo(dst, x []float64) {
	m.ResidualTo(dst, nil, x)
	for i, v := range dst {
		dst[i] = 0 - v
	}
}

// ResidualTo stores r = b − m·x. A nil b stands for zero.
//
// Shapes: r, b and x have m.Pattern.Dim() entries; r may be b, not x.
// Cost: O(stored values), no allocation. It panics on a length mismatch.
func (m *Matrix) ResidualTo(r, b, x []float64) {
	p := m.Pattern
	if len(r) != p.Dim() || len(x) != p.Dim() || b != nil && len(b) != p.Dim() {
		panic("sparse: length mismatch")
	}
	np := p.Positive()
	m.diagonalResidual(r, b, x, np)
	for i := np; i < p.Len(); i++ {
		m.rowResidual(r, b, x, i)
	}
}

// diagonalResidual stores r = b − D·x in the rows of the np diagonal blocks D.
func (m *Matrix) diagonalResidual(r, b, x []float64, np int) {
	p := m.Pattern
	if m.Dia == nil {
		for i, t := range x[:p.Off[np]] {
			r[i] = at(b, i) - t
		}
		return
	}
	for i := range np {
		o, s := int(p.Off[i]), int(p.Size[i])
		d := m.Dia[p.Dia[i]:p.Dia[i+1]]
		if s == 6 {
			residual6((*[6]float64)(r[o:]), (*[36]float64)(d), (*[6]float64)(x[o:]), b, o)
			continue
		}
		for a := range s {
			t := 0.0
			for c := range s {
				t += d[a*s+c] * x[o+c]
			}
			r[o+a] = at(b, o+a) - t
		}
	}
}

// residual6 is r = b − d·x for one node of six rows at offset o of b.
func residual6(r *[6]float64, d *[36]float64, x *[6]float64, b []float64, o int) {
	for a := range 6 {
		q := (*[6]float64)(d[6*a:])
		t := q[0]*x[0] + q[1]*x[1] + q[2]*x[2] + q[3]*x[3] + q[4]*x[4] + q[5]*x[5]
		r[a] = at(b, o+a) - t
	}
}

// at returns b[i], or 0 if b is nil.
func at(b []float64, i int) float64 {
	if b == nil {
		return 0
	}
	return b[i]
}

// rowResidual stores the residual of node i of sign −1, and subtracts the products of its transposed
// blocks from the residuals of its neighbours of sign +1.
func (m *Matrix) rowResidual(r, b, x []float64, i int) {
	p := m.Pattern
	o, s := int(p.Off[i]), int(p.Size[i])
	var t [MaxBlock]float64
	for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
		j := p.Ind[k]
		oj, sj := int(p.Off[j]), int(p.Size[j])
		v := m.Val[p.Pos[k]:p.Pos[k+1]]
		if sj == 6 {
			rowTerm6(v, (*[6]float64)(x[oj:]), (*[6]float64)(r[oj:]), x[o:o+s], &t)
			continue
		}
		for a := range s {
			for c := range sj {
				w := v[a*sj+c]
				t[a] += w * x[oj+c]
				r[oj+c] -= w * x[o+a]
			}
		}
	}
	for a := range s {
		r[o+a] = at(b, o+a) - t[a]
	}
}

// rowTerm6 handles one block v (len(xi)×6) of a −1 row with value xi: t += v·x,
// r −= vᵀ·xi.
func rowTerm6(v []float64, x, r *[6]float64, xi []float64, t *[MaxBlock]float64) {
	for a, y := range xi {
		q := (*[6]float64)(v[6*a:])
		t[a] += q[0]*x[0] + q[1]*x[1] + q[2]*x[2] + q[3]*x[3] + q[4]*x[4] + q[5]*x[5]
		r[0] -= q[0] * y
		r[1] -= q[1] * y
		r[2] -= q[2] * y
		r[3] -= q[3] * y
		r[4] -= q[4] * y
		r[5] -= q[5] * y
	}
}

// norm1 returns ‖m‖₁, the largest sum of magnitudes of a column, which is also the largest one of a row.
//
// Cost: O(stored values); allocates one vector.
func (m *Matrix) norm1() float64 {
	sum := make([]float64, m.Pattern.Dim())
	m.ColumnSumsTo(sum)
	return algebra.MaxAbs(sum)
}

// ColumnSumsTo stores the sum of magnitudes of each column.
//
// Cost: O(stored values), no allocation. It panics unless dst has an entry a column.
func (m *Matrix) ColumnSumsTo(sum []float64) {
	p := m.Pattern
	if len(sum) != p.Dim() {
		panic("sparse: length mismatch")
	}
	clear(sum)
	for i := range p.Len() {
		o, s := int(p.Off[i]), int(p.Size[i])
		switch {
		case p.Sign[i] > 0 && m.Dia == nil:
			for k := range s {
				sum[o+k]++
			}
		case p.Sign[i] > 0:
			for k := range s * s {
				sum[o+k/s] += math.Abs(m.diagonal(int32(i), k/s, k%s))
			}
		}
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			j := p.Ind[k]
			columns := sum[p.Off[j]:p.Off[j+1]]
			v := m.Val[p.Pos[k]:p.Pos[k+1]]
			for a := range s {
				for c := range columns {
					x := math.Abs(v[c])
					sum[o+a] += x
					columns[c] += x
				}
				v = v[len(columns):]
			}
		}
	}
}

// BackwardError returns the scaled residual of x as a solution of m·x = b,
// ‖b − m·x‖∞ / (‖m‖₁·‖x‖∞ + ‖b‖∞), or 0 if the denominator is 0.
//
// Cost: O(stored values); allocates. It panics on a length mismatch.
func (m *Matrix) BackwardError(b, x []float64) float64 {
	r := make([]float64, m.Pattern.Dim())
	m.ResidualTo(r, b, x)
	return m.ScaledResidual(r, b, x)
}

// ScaledResidual is BackwardError for the residual r = b − m·x.
//
// Cost: O(stored values); allocates.
func (m *Matrix) ScaledResidual(r, b, x []float64) float64 {
	if n := m.Pattern.Dim(); len(r) != n || len(b) != n || len(x) != n {
		panic("sparse: length mismatch")
	}
	size := m.norm1()*algebra.MaxAbs(x) + algebra.MaxAbs(b)
	if size == 0 {
		return 0
	}
	return algebra.MaxAbs(r) / size
}
