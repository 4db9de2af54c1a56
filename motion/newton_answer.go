package motion

import "github.com/rung-mbd/rung/spatial"

// AnswerTo stores in x the solution (a, x) with the last factored matrix, theory.md (58), for any loads and right sides of rows:
//
//	(M + p·K + s·D)·a + Jᵀ·x = f,   J·a = g.
//
// The first entries of right are f, a wrench for each body about its centre of mass; the others are g, one for each row of the joints. The
// matrix is symmetric. It is a preconditioner for iterations that have the exact terms.
//
// Shapes: x and right have six entries a body, world axes, and one a row. Cost: O(bodies) + a solve; no allocation. It returns the error of
// the context of Watch. It panics on a length mismatch, or without a factor.
func (n *Newton) AnswerTo(x, right []float64) error {
	n.enter()
	defer n.guard.Leave()
	if len(x) != len(n.r) || len(right) != len(n.r) {
		panic("motion: length mismatch")
	}
	n.fresh = false
	clear(n.r[:n.first])
	for i := 0; i < n.first; i += 6 {
		w := spatial.Force(right[i : i+6])
		n.sys.AddWrenchTo(n.r[i:], i/6, 1, &w)
	}
	copy(n.r[n.first:], right[n.first:])
	n.solve()
	if n.fac.Watched().Up() {
		return n.fac.Watched().Err()
	}
	n.sys.AccelerationsTo(x, n.y)
	copy(x[n.first:], n.y[n.first+n.gap:][:len(x)-n.first])
	return nil
}
