package factor

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
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

// set computes C and W of m. It returns a *PivotError if a +1 block is not positive
// definite, or watch.Err if the watch has ended it.
func (g *weighting) set(m *sparse.Matrix, watch *team.Watch) error {
	p := m.Pattern
	for i := range p.Positive() {
		if watch.Every(i) {
			return watch.Err()
		}
		n := int(p.Size[i])
		c := g.chol[p.Dia[i]:p.Dia[i+1]]
		if r, v := algebra.Cholesky(c, m.Dia[p.Dia[i]:p.Dia[i+1]], n); r >= 0 {
			return &PivotError{Node: i, Row: r, Value: v}
		}
	}
	for k, b := range p.Ind {
		if watch.Every(k) {
			return watch.Err()
		}
		n := int(p.Size[b])
		c := g.chol[p.Dia[b]:p.Dia[b+1]]
		copy(g.m.Val[p.Pos[k]:p.Pos[k+1]], m.Val[p.Pos[k]:p.Pos[k+1]])
		for v := g.m.Val[p.Pos[k]:p.Pos[k+1]]; len(v) > 0; v = v[n:] {
			algebra.SolveLower(c, v[:n])
		}
	}
	return nil
}

// each calls f for each +1 node with its Cholesky factor c, lower and row-major, and its part v of x.
func (g *weighting) each(x []float64, f func(c, v []float64)) {
	p := g.m.Pattern
	for i := range p.Positive() {
		f(g.chol[p.Dia[i]:p.Dia[i+1]], x[p.Off[i]:p.Off[i+1]])
	}
}
