package tree

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/team"
)

// IndependentError says that the variables chosen by the user are no independent variables: they do not determine the motion of some other
// freedoms, or the constraints relate them to each other (RBDA §8.8).
type IndependentError struct {
	Open    []Entry // freedoms that the chosen ones do not determine
	Related []Entry // chosen freedoms among which there is a relation
}

// Error implements error.
func (e *IndependentError) Error() string {
	var parts []string
	if len(e.Open) > 0 {
		parts = append(parts, "they leave open "+listOf(e.Open))
	}
	if len(e.Related) > 0 {
		parts = append(parts, "the constraints relate "+listOf(e.Related))
	}
	return "tree: variables are not independent: " + strings.Join(parts, "; ")
}

// projection solves for independent variables y (RBDA §8.5, third method; §8.8):
//
//	q̈ = G·ÿ + g,    GᵀHG·ÿ = Gᵀ(τ − C − H·g),    K_dᵀ·λ = (H·q̈ − τ + C)_d,
//
// with K_d the columns of the dependent variables. G comes from Gaussian
// elimination with complete pivoting on each block of K, in the scales of rows
// and freedoms, so each cluster of loops is eliminated on its own.
type projection struct {
	watch   *team.Watch
	n       int
	blocks  []block
	elims   []*elimination
	place   []int32   // by entry of q̇: its place among the columns of its block
	first   []int32   // by block: its first independent variable in y
	count   int       // number of independent variables
	y       []int32   // the independent variables, as entries of q̇
	chosen  []bool    // by entry of q̇: the user has chosen it; nil without a choice
	H       []float64 // n×n by rows, scaled
	A       []float64 // GᵀHG, count×count lower triangle in rows of n, then its Cholesky factor
	col     []float64 // column of H·G
	u, v, z []float64 // memory of solveTo
	gears   *gears
}

// newProjection allocates a projection for the blocks of K. independent is the user's choice of variables, nil for none. It panics if one
// is out of range or chosen twice.
func newProjection(K *Constraints, G *gears, independent []int) *projection {
	n := K.plan.nv
	m := &projection{
		n: n, gears: G, y: make([]int32, n), H: pages.Make[float64](n * n), A: pages.Make[float64](n * n),
		col: make([]float64, n), u: make([]float64, n), v: make([]float64, n), z: make([]float64, n),
	}
	m.blocks, m.place = K.blocks()
	m.first = make([]int32, len(m.blocks))
	for i := range m.blocks {
		b := &m.blocks[i]
		m.elims = append(m.elims, newElimination(len(b.rows), len(b.cols)))
	}
	if independent != nil {
		m.chosen = make([]bool, n)
		for _, d := range independent {
			if d < 0 || d >= n || m.chosen[d] {
				panic("tree: bad independent variable")
			}
			m.chosen[d] = true
		}
		m.arrange()
	}
	return m
}

// arrange puts the chosen variables last among the columns of their blocks, after the columns in which pivots are searched.
func (m *projection) arrange() {
	for i := range m.blocks {
		b := &m.blocks[i]
		var list []int32
		for _, last := range [2]bool{false, true} {
			for _, d := range b.cols {
				if m.chosen[d] == last {
					list = append(list, d)
				}
			}
			if !last {
				m.elims[i].lead = len(list)
			}
		}
		b.cols = list
		for k, d := range list {
			m.place[d] = int32(k)
		}
	}
}

// factor finds G and factors GᵀHG.
//
// Cost: O(Σ rows·cols·rank) over the blocks for G, O(n·Σ cols·(cols − rank)) for H·G and GᵀHG, and O(m³) for the factor.
func (m *projection) factor(s *ClosedSolver) error {
	if m.eliminate(s); m.watch.Up() {
		return nil
	}
	if err := m.checkChoice(s); err != nil {
		return err
	}
	m.fillInertia(s)
	if m.gears != nil {
		m.addGears(s)
	}
	if m.project(); m.watch.Up() {
		return nil
	}
	if k := choleskyRows(m.A, m.count, m.n, m.watch); k >= 0 {
		return s.plan.pivotError(int(m.y[k]), m.A[k*m.n+k])
	}
	return nil
}

// eliminate finds the independent variables and G: the first part of factor.
func (m *projection) eliminate(s *ClosedSolver) {
	m.count = 0
	s.gap = rankGap{smallest: math.Inf(1)}
	for i := range m.blocks {
		if m.watch.Up() {
			return
		}
		m.fill(s, i)
		if m.watch.Up() {
			return
		}
		e := m.elims[i]
		e.factor(s.opts.RankTolerance)
		s.gap.smallest = min(s.gap.smallest, e.smallest)
		s.gap.dropped = max(s.gap.dropped, e.dropped)
		m.first[i] = int32(m.count)
		for _, c := range e.colPerm[e.rank:] {
			m.y[m.count] = m.blocks[i].cols[c]
			m.count++
		}
		m.keep(s, i)
	}
	for _, e := range m.elims {
		e.explicit()
	}
}

// fill stores block i of K, scaled, in its elimination.
func (m *projection) fill(s *ClosedSolver, i int) {
	e := m.elims[i]
	clearWatched(e.a, m.watch)
	r := 0
	for k, group := range m.blocks[i].groups {
		if m.watch.Every(k) {
			return
		}
		g := &s.K.groups[group]
		v := s.K.val[g.val:]
		for k := range int(g.rows) {
			row, scale := e.row(r), s.rowScale[int(g.row)+k]
			for c, d := range g.cols {
				row[m.place[d]] = scale * v[c] * s.colScale[d]
			}
			v = v[len(g.cols):]
			r++
		}
	}
}

// keep marks the rows of a block that have a pivot as kept.
func (m *projection) keep(s *ClosedSolver, i int) {
	e := m.elims[i]
	for k, r := range e.rowPerm {
		s.kept[m.blocks[i].rows[r]] = k < e.rank
	}
}

// checkChoice returns an IndependentError if the user's choice is not possible. It is possible if all columns that are not chosen have
// pivots, and rows without a pivot are zero in the chosen columns. Without a choice it returns nil.
func (m *projection) checkChoice(s *ClosedSolver) error {
	if m.chosen == nil {
		return nil
	}
	var bad *IndependentError
	for i, e := range m.elims {
		if e.rank == e.lead && e.rest <= s.opts.RankTolerance {
			continue
		}
		if bad == nil {
			bad = new(IndependentError)
		}
		for _, c := range e.colPerm[e.rank:e.lead] {
			bad.Open = append(bad.Open, s.plan.entry(int(m.blocks[i].cols[c])))
		}
		if e.rest > s.opts.RankTolerance {
			bad.Related = append(bad.Related, m.related(s, i)...)
		}
	}
	if bad == nil {
		return nil
	}
	return bad
}

// related returns the chosen variables of block i that rows without a pivot relate to each other.
func (m *projection) related(s *ClosedSolver, i int) (list []Entry) {
	e := m.elims[i]
	for j := e.lead; j < e.cols; j++ {
		for r := e.rank; r < e.rows; r++ {
			if x := e.row(r)[j]; x > s.opts.RankTolerance || -x > s.opts.RankTolerance {
				list = append(list, s.plan.entry(int(m.blocks[i].cols[e.colPerm[j]])))
				break
			}
		}
	}
	return list
}

// fillInertia stores H in the scales of the freedoms.
func (m *projection) fillInertia(s *ClosedSolver) {
	clearWatched(m.H, m.watch)
	for d := 0; d < m.n && !m.watch.Every(d); d++ {
		row := s.H.Row(d)
		e := len(row) - 1
		m.H[d*m.n+d] = 1
		for i := s.plan.DofParent[d]; i >= 0; i = s.plan.DofParent[i] {
			e--
			v := s.colScale[d] * row[e] * s.colScale[i]
			m.H[d*m.n+int(i)], m.H[int(i)*m.n+d] = v, v
		}
	}
}

// addGears adds eᵀ·I·e of the gears to H in the scales of the freedoms, theory.md (A2).
func (m *projection) addGears(s *ClosedSolver) {
	for i := range m.gears.groups {
		g := &m.gears.groups[i]
		v := m.gears.val[g.val:]
		for a, d := range g.cols {
			x := m.gears.inertia[i] * s.colScale[d] * v[a]
			for b, e := range g.cols {
				m.H[int(d)*m.n+int(e)] += x * s.colScale[e] * v[b]
			}
		}
	}
}

// gearForces adds sign·eᵀ·I·k of the gears to v, in the scales of the freedoms. k has all right sides; the last ones are of the gears.
func (m *projection) gearForces(v []float64, s *ClosedSolver, k []float64, sign float64) {
	if m.gears == nil {
		return
	}
	for i := range m.gears.groups {
		g := &m.gears.groups[i]
		for e, d := range g.cols {
			v[d] += sign * s.colScale[d] * m.gears.val[g.val+e] * m.gears.inertia[i] * k[s.K.rows+i]
		}
	}
}

// project stores GᵀHG in A. Row y has the columns of its own block and of all blocks before it, which include the lower triangle.
func (m *projection) project() {
	for i, e := range m.elims {
		cols := m.blocks[i].cols
		for j := e.rank; j < e.cols && !m.watch.Up(); j++ {
			// Column of H·G: H of the independent variable less W times H of the
			// dependent ones.
			d := int(cols[e.colPerm[j]])
			copy(m.col, m.H[d*m.n:(d+1)*m.n])
			for r := 0; r < e.rank && !m.watch.Every(r); r++ {
				d := int(cols[e.colPerm[r]])
				if w := e.row(r)[j]; w != 0 {
					axpy(-w, m.H[d*m.n:(d+1)*m.n], m.col)
				}
			}
			row := int(m.first[i]) + j - e.rank
			m.restrict(m.A[row*m.n:row*m.n+m.count], m.col, i+1)
		}
	}
}

// restrict stores Gᵀ·x in dst for the variables of the first count blocks.
func (m *projection) restrict(dst, x []float64, count int) {
	for i, e := range m.elims[:count] {
		cols := m.blocks[i].cols
		out := dst[m.first[i]:][:e.cols-e.rank]
		for j := range out {
			out[j] = x[cols[e.colPerm[e.rank+j]]]
		}
		for r := 0; r < e.rank && !m.watch.Every(r); r++ {
			axpy(-x[cols[e.colPerm[r]]], e.row(r)[e.rank:], out)
		}
	}
}

// prolong stores y in the entries of x for the independent variables, and adds G·y to the entries for the dependent ones.
func (m *projection) prolong(x, y []float64) {
	for i, e := range m.elims {
		cols := m.blocks[i].cols
		in := y[m.first[i]:][:e.cols-e.rank]
		for j, v := range in {
			x[cols[e.colPerm[e.rank+j]]] = v
		}
		for r := 0; r < e.rank && !m.watch.Every(r); r++ {
			x[cols[e.colPerm[r]]] -= floats.Dot(e.row(r)[e.rank:], in)
		}
	}
}

// solveTo implements eliminator by the equations of projection, with f = τ − C. Vectors within are in the scales of the freedoms.
//
// Cost: O(n² + Σ rank·cols) over the blocks.
func (m *projection) solveTo(s *ClosedSolver, qdd, lambda, f, k []float64) {
	u, v, y := m.u, m.v, m.z[:m.count]
	// u = g, v = f − H·g.
	m.biasTo(u, s, k)
	m.inertiaTo(v, u)
	for d := range v {
		v[d] = s.colScale[d]*f[d] - v[d]
	}
	m.gearForces(v, s, k, 1)
	// ÿ = (GᵀHG)⁻¹·Gᵀv, u = q̈ = G·ÿ + g.
	m.restrict(y, v, len(m.elims))
	solveCholeskyRows(m.A, m.count, m.n, y, m.watch)
	m.prolong(u, y)
	// v = H·q̈ − f, K_dᵀ·λ = v_d.
	m.inertiaTo(v, u)
	for d := range v {
		v[d] -= s.colScale[d] * f[d]
	}
	m.gearForces(v, s, k, -1)
	m.multipliersTo(lambda[:s.K.rows], s, v)
	for d := range m.n {
		qdd[d] = s.colScale[d] * u[d]
	}
	if m.gears != nil {
		m.gears.multipliersTo(lambda[s.K.rows:], qdd, k[s.K.rows:])
	}
}

// inertiaTo stores H·u in v, all in the scales of the freedoms.
func (m *projection) inertiaTo(v, u []float64) {
	for d := 0; d < m.n && !m.watch.Every(d); d++ {
		v[d] = floats.Dot(m.H[d*m.n:(d+1)*m.n], u)
	}
}

// biasTo stores g in x, in the scales of the freedoms: K_d⁻¹·k for the dependent
// variables, zero for the others.
func (m *projection) biasTo(x []float64, s *ClosedSolver, k []float64) {
	clear(x)
	for i, e := range m.elims {
		b := &m.blocks[i]
		for p, r := range e.rowPerm[:e.rank] {
			row := b.rows[r]
			e.x[p] = s.rowScale[row] * k[row]
		}
		e.solve(e.x)
		for p, c := range e.colPerm[:e.rank] {
			x[b.cols[c]] = e.x[p]
		}
	}
}

// multipliersTo stores in lambda the solution of K_dᵀ·λ = v_d for the rows kept.
func (m *projection) multipliersTo(lambda []float64, s *ClosedSolver, v []float64) {
	clear(lambda)
	for i, e := range m.elims {
		b := &m.blocks[i]
		for p, c := range e.colPerm[:e.rank] {
			e.x[p] = v[b.cols[c]]
		}
		e.solveTrans(e.x)
		for p, r := range e.rowPerm[:e.rank] {
			row := b.rows[r]
			lambda[row] = s.rowScale[row] * e.x[p]
		}
	}
}

// explicitTo stores G, n×count by rows, and g for the right side k, both without scales.
func (m *projection) explicitTo(G, g []float64, s *ClosedSolver, k []float64) {
	m.biasTo(g, s, k)
	for d := range g {
		g[d] *= s.colScale[d]
	}
	clear(G)
	for i, e := range m.elims {
		cols := m.blocks[i].cols
		for j := e.rank; j < e.cols; j++ {
			y := int(m.first[i]) + j - e.rank
			own := cols[e.colPerm[j]]
			G[int(own)*m.count+y] = 1
			for r := range e.rank {
				d := cols[e.colPerm[r]]
				G[int(d)*m.count+y] = -e.row(r)[j] * s.colScale[d] / s.colScale[own]
			}
		}
	}
}
