package tree

// direct solves the whole system (RBDA §8.5, first method) by a dense LDLᵀ
// factorization with complete pivoting. The system is scaled to
//
//	⎡ C·H·C     C·Kᵀ·R ⎤
//	⎣ R·K·C       0    ⎦
//
// with C and R the scales of freedoms and rows. Vectors of its null space are multipliers alone, so the unknowns that are left without a
// pivot are multipliers.
type direct struct {
	n, rows int
	ldl     *indefinite
	x       []float64
}

func newDirect(n, rows int) *direct {
	return &direct{n: n, rows: rows, ldl: newIndefinite(n + rows), x: make([]float64, n+rows)}
}

// factor fills and factors the scaled system, and marks the rows with a pivot as kept.
//
// Cost: O((n + nᶜ)³).
func (m *direct) factor(s *ClosedSolver) error {
	clearWatched(m.ldl.a, &s.watch)
	for d := range m.n {
		if s.watch.Every(d) {
			return nil
		}
		row := s.H.Row(d)
		dst := m.ldl.row(d)
		e := len(row) - 1
		dst[d] = 1
		for i := s.plan.DofParent[d]; i >= 0; i = s.plan.DofParent[i] {
			e--
			dst[i] = s.colScale[d] * row[e] * s.colScale[i]
		}
	}
	for i := range s.K.groups {
		if s.watch.Every(i) {
			return nil
		}
		g := &s.K.groups[i]
		v := s.K.val[g.val:]
		for k := range int(g.rows) {
			row := int(g.row) + k
			dst := m.ldl.row(m.n + row)
			for e, d := range g.cols {
				dst[d] = s.rowScale[row] * v[e] * s.colScale[d]
			}
			v = v[len(g.cols):]
		}
	}
	if s.G != nil {
		m.addGears(s)
	}
	// Pivots of multipliers have the size of squared rows, and so has their tolerance.
	tol := s.opts.RankTolerance
	m.ldl.factor(tol * tol)
	for i := range s.kept {
		s.kept[i] = true
	}
	for _, i := range m.ldl.left() {
		if int(i) < m.n {
			return s.plan.pivotError(int(i), m.ldl.dropped)
		}
		s.kept[int(i)-m.n] = false
	}
	s.gap = rankGap{sqrt(m.ldl.smallest), sqrt(m.ldl.dropped)}
	return nil
}

// addGears stores the rows of gears, e·q̈ + λ/I. As the unknown is −λ, the diagonal has −1/I.
func (m *direct) addGears(s *ClosedSolver) {
	for i := range s.G.groups {
		g := &s.G.groups[i]
		row := s.K.rows + i
		dst := m.ldl.row(m.n + row)
		for e, d := range g.cols {
			dst[d] = s.rowScale[row] * s.G.val[g.val+e] * s.colScale[d]
		}
		dst[m.n+row] = -s.rowScale[row] * s.rowScale[row] / s.G.inertia[i]
	}
}

// solveTo solves the scaled system for f and k; its unknowns are q̈ and −λ.
//
// Cost: O((n + nᶜ)²).
func (m *direct) solveTo(s *ClosedSolver, qdd, lambda, f, k []float64) {
	for d := range m.n {
		m.x[d] = s.colScale[d] * f[d]
	}
	for i := range m.rows {
		m.x[m.n+i] = s.rowScale[i] * k[i]
	}
	m.ldl.solve(m.x)
	for d := range m.n {
		qdd[d] = s.colScale[d] * m.x[d]
	}
	for i := range m.rows {
		lambda[i] = -s.rowScale[i] * m.x[m.n+i]
	}
}
