package tree

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/team"
)

// lambdaFirst solves for the multipliers first (RBDA §8.5, second method): with
// H = LᵀL and Y = K·L⁻¹,
//
//	A = K·H⁻¹·Kᵀ = Y·Yᵀ,    A·λ = b = k − K·H⁻¹·(τ − C),
//	q̈ = L⁻¹·(L⁻ᵀ(τ − C) + Yᵀλ).
//
// A is scaled like the rows of K, and further so that its diagonal is at most one. It is factored with diagonal pivoting; a pivot below the
// square of the rank tolerance ends the factorization. By the branch sparsity of L a row of Y is zero outside the root paths of the row's
// links, and an entry of A is zero where the paths of two loops have nothing in common.
type lambdaFirst struct {
	watch   *team.Watch
	n, rows int
	L       *BranchMatrix
	Y       []float64 // rows×n by rows
	A       *semidefinite
	scale   []float64  // by row: 1/√max(1, A_ii)
	spans   [][]span   // by group: the columns of Y that may not be zero, in order
	z, b    []float64  // memory of solveTo: n, and by row
	groups  []rowGroup // of K, then of the gears
	gears   *gears
}

// span is an interval of columns lo … hi−1.
type span struct{ lo, hi int32 }

// newLambda allocates a lambdaFirst for the rows of K and then of the gears. It finds the spans: a row of Y may have entries on the root
// paths of all columns of its row of K.
func newLambda(K *Constraints, G *gears) *lambdaFirst {
	n, rows, groups := K.plan.nv, K.rows, K.groups
	if G != nil {
		groups = slices.Clone(groups)
		for _, g := range G.groups {
			g.row += int32(rows)
			groups = append(groups, g)
		}
		rows += G.rows
	}
	m := &lambdaFirst{
		n: n, rows: rows, L: K.plan.NewBranchMatrix(), Y: pages.Make[float64](rows * n), A: newSemidefinite(rows),
		scale: make([]float64, rows), z: make([]float64, n), b: make([]float64, rows),
		spans: make([][]span, len(groups)), groups: groups, gears: G,
	}
	on := make([]bool, n) // by entry of q̇: it is on a root path of the group
	for i := range groups {
		clear(on)
		for _, d := range groups[i].cols {
			for ; d >= 0 && !on[d]; d = K.plan.DofParent[d] {
				on[d] = true
			}
		}
		var list []span
		for d := 0; d < n; d++ {
			if !on[d] {
				continue
			}
			lo := d
			for d < n && on[d] {
				d++
			}
			list = append(list, span{int32(lo), int32(d)})
		}
		m.spans[i] = list
	}
	return m
}

// row returns row i of Y.
func (m *lambdaFirst) row(i int) []float64 { return m.Y[i*m.n : (i+1)*m.n] }

// factor computes L, Y and the factor of A, and marks the rows with a pivot as kept.
//
// Cost: O(nᶜ·n·depth) for Y, O(nᶜ²·n) for A and O(nᶜ·rank²) for its factor; less where root paths are short or have nothing in common.
func (m *lambdaFirst) factor(s *ClosedSolver) error {
	s.H.CopyTo(m.L)
	if err := m.L.FactorLTL(); err != nil {
		return err
	}
	clearWatched(m.Y, m.watch)
	for i := range m.groups {
		if m.watch.Up() {
			return nil
		}
		g := &m.groups[i]
		v := s.K.val
		if i >= len(s.K.groups) {
			v = m.gears.val
		}
		v = v[g.val:]
		for k := range int(g.rows) {
			row := int(g.row) + k
			y := m.row(row)
			for e, d := range g.cols {
				y[d] = s.rowScale[row] * v[e]
			}
			m.L.solveLT(y)
			v = v[len(g.cols):]
		}
	}
	m.fillProducts(s)
	tol := s.opts.RankTolerance
	m.A.factor(tol * tol)
	for i := range s.kept {
		s.kept[i] = true
	}
	for _, i := range m.A.left() {
		s.kept[i] = false
	}
	s.gap = rankGap{sqrt(m.A.smallest), sqrt(m.A.dropped)}
	return nil
}

// fillProducts stores A = Y·Yᵀ, adds 1/I to the diagonal entries of gears, and scales A so that no diagonal entry is above 1.
func (m *lambdaFirst) fillProducts(s *ClosedSolver) {
	for i := range m.groups {
		gi := &m.groups[i]
		for j := range i + 1 {
			if j%16 == 15 && m.watch.Up() {
				return
			}
			gj := &m.groups[j]
			list := m.sharedSpans(i, j)
			for a := gi.row; a < gi.row+gi.rows; a++ {
				dst := m.A.row(int(a))
				for b := gj.row; b < gj.row+gj.rows && b <= a; b++ {
					dst[b] = spanDot(m.row(int(a)), m.row(int(b)), list)
				}
			}
		}
	}
	if m.gears != nil {
		for i, I := range m.gears.inertia {
			row := s.K.rows + i
			m.A.row(row)[row] += s.rowScale[row] * s.rowScale[row] / I
		}
	}
	for i := range m.rows {
		m.scale[i] = 1 / math.Sqrt(max(1, m.A.row(i)[i]))
	}
	for i := 0; i < m.rows && !m.watch.Every(i); i++ {
		row := m.A.row(i)
		for j := range row {
			row[j] *= m.scale[i] * m.scale[j]
		}
	}
}

// sharedSpans returns spans that cover all columns in which the rows of groups i and j may both differ from zero: the spans of the group
// that has fewer columns.
func (m *lambdaFirst) sharedSpans(i, j int) []span {
	if columns(m.spans[j]) < columns(m.spans[i]) {
		return m.spans[j]
	}
	return m.spans[i]
}

// columns returns the number of columns in a list of spans.
func columns(list []span) (n int64) {
	for _, c := range list {
		n += int64(c.hi - c.lo)
	}
	return n
}

// spanDot returns xᵀy over the columns of a list of spans. A loop is faster than floats.Dot for up to 8 columns.
func spanDot(x, y []float64, list []span) float64 {
	sum := 0.0
	for _, c := range list {
		if c.hi-c.lo > 8 {
			sum += floats.Dot(x[c.lo:c.hi], y[c.lo:c.hi])
			continue
		}
		for d := c.lo; d < c.hi; d++ {
			sum += x[d] * y[d]
		}
	}
	return sum
}

// solveTo solves A·λ = k − Y·L⁻ᵀ·f and stores q̈ = L⁻¹·(L⁻ᵀ·f + Yᵀ·λ).
//
// Cost: O(nᶜ·(n + rank)).
func (m *lambdaFirst) solveTo(s *ClosedSolver, qdd, lambda, f, k []float64) {
	copy(m.z, f)
	m.L.solveLT(m.z)
	for i := 0; i < m.rows && !m.watch.Every(i); i++ {
		m.b[i] = m.scale[i] * (s.rowScale[i]*k[i] - floats.Dot(m.row(i), m.z))
	}
	m.A.solve(m.b)
	for i := 0; i < m.rows && !m.watch.Every(i); i++ {
		y := m.scale[i] * m.b[i]
		lambda[i] = s.rowScale[i] * y
		axpy(y, m.row(i), m.z)
	}
	copy(qdd, m.z)
	m.L.solveL(qdd)
}
