package factor

import (
	"math"

	"github.com/rung-mbd/rung/sparse"
)

// weighting takes a matrix [M Jᵀ; J 0] to unit +1 blocks: with M = C·Cᵀ block by
// block, W = J·C⁻ᵀ and x̃ = Cᵀ·x the system becomes [1 Wᵀ; W 0]. The −1 rows and
// their pivots stay as they are.
type weighting struct {
	m    *sparse.Matrix // W
	chol []float64      // C by nodes, lower, row-major, in the places of Dia
	b    []float64      // right side in the weighted system
}

func newWeighting(p *sparse.Pattern) *weighting {
	return &weighting{m: sparse.NewUnitMatrix(p), chol: make([]float64, p.Dia[p.Len()]), b: make([]float64, p.Dim())}
}

// set computes C and W of m. It returns a *PivotError if a block is not positive
// definite.
func (g *weighting) set(m *sparse.Matrix) error {
	p := m.P
	for i := range p.Positive() {
		n := int(p.Size[i])
		c := g.chol[p.Dia[i]:p.Dia[i+1]]
		if r, v := cholesky(c, m.Dia[p.Dia[i]:p.Dia[i+1]], n); r >= 0 {
			return &PivotError{Node: i, Row: r, Value: v}
		}
	}
	copy(g.m.Val, m.Val)
	for k, b := range p.Ind {
		n := int(p.Size[b])
		c := g.chol[p.Dia[b]:p.Dia[b+1]]
		for v := g.m.Val[p.Pos[k]:p.Pos[k+1]]; len(v) > 0; v = v[n:] {
			solveLower(c, v[:n])
		}
	}
	return nil
}

// cholesky stores in c the factor of the lower triangle of the n×n matrix a. It
// returns the row and the pivot that is not positive and finite, or −1.
func cholesky(c, a []float64, n int) (int, float64) {
	for i := range n {
		for j := range i + 1 {
			t := a[i*n+j]
			for k := range j {
				t -= c[i*n+k] * c[j*n+k]
			}
			if j < i {
				c[i*n+j] = t / c[j*n+j]
				continue
			}
			if !(t > 0) || math.IsInf(t, 1) {
				return i, t
			}
			c[i*n+i] = math.Sqrt(t)
		}
	}
	return -1, 0
}

// solveLower replaces v by C⁻¹·v.
func solveLower(c, v []float64) {
	n := len(v)
	for i := range v {
		v[i] = (v[i] - dot(c[i*n:i*n+i], v)) / c[i*n+i]
	}
}

// solveUpper replaces v by C⁻ᵀ·v.
func solveUpper(c, v []float64) {
	n := len(v)
	for i := n - 1; i >= 0; i-- {
		v[i] /= c[i*n+i]
		for k := range i {
			v[k] -= c[i*n+k] * v[i]
		}
	}
}

// mulLower replaces v by C·v.
func mulLower(c, v []float64) {
	n := len(v)
	for i := n - 1; i >= 0; i-- {
		v[i] = dot(c[i*n:i*n+i+1], v)
	}
}

// each applies f to the +1 part of x, block by block.
func (g *weighting) each(x []float64, f func(c, v []float64)) {
	p := g.m.P
	for i := range p.Positive() {
		f(g.chol[p.Dia[i]:p.Dia[i+1]], x[p.Off[i]:p.Off[i+1]])
	}
}

// dot returns aᵀb over the length of a.
func dot(a, b []float64) (s float64) {
	b = b[:len(a)]
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
