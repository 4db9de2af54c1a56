package tree

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
)

// articulatedTol is the rounding of articulated-body inertias along branches,
// relative to their largest entry.
const articulatedTol = 1e-11

// generated returns the plan of a model of a family.
func generated(t *testing.T, family string, n int, seed uint64) *Plan {
	t.Helper()
	m, err := bench.Generate(family, n, seed)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p, err := NewPlan(mech, Options{})
	require.NoError(t, err)
	return p
}

// solved returns a solver of p at the model's state.
func solved(t *testing.T, p *Plan, m Method) *ClosedSolver {
	t.Helper()
	s := p.NewSolver(m, SolverOptions{})
	require.NoError(t, s.Solve(p.mech.Initial()))
	return s
}

// TestCountsOfChain: without loops every method factors H, which is full.
func TestCountsOfChain(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 50} {
		p := generated(t, "chain", int(n), 1)
		// Σ a(a + 2), a = 0 … n−1.
		want := Counts{NonZeros: n * (n + 1) / 2, Flops: (n-1)*n*(2*n-1)/6 + (n-1)*n}
		for _, m := range []Method{Direct, Lambda, Projection} {
			assert.Equal(t, want, solved(t, p, m).Counts(), "%v, n = %d", m, n)
		}
		assert.Equal(t, want.Flops, p.BranchFlops())
		assert.Equal(t, Counts{NonZeros: 7 * n, Flops: 126*n + 105*(n-1)}, p.ArticulatedCounts())
	}
}

// TestCountsOfNFourBar: the window of one four-bar linkage leaves one freedom of
// three and has five rows, three of them redundant, which are zero.
func TestCountsOfNFourBar(t *testing.T) {
	p := generated(t, "nfourbar", 1, 1)
	require.Equal(t, []int{3, 5}, []int{p.NumDof(), p.NumRows()})
	// The tree has a branch of two links and one of a single link. Of Y two rows
	// are not zero, but for the entry of the coupler, which is level, in one of them.
	// A is full in these rows.
	require.Equal(t, []int32{0, 0, 1}, slices.Sorted(slices.Values(p.DofDepth)))
	assert.Equal(t, int64(1*3), p.BranchFlops())
	assert.Equal(t, Counts{NonZeros: 4 + 5*3 + 3, Flops: 3 + (2*(1+1+3) - 3) + 15*2*3 + 3}, solved(t, p, Lambda).Counts())
	assert.Equal(t, int64(5*6/2), solved(t, p, Direct).Counts().NonZeros)
	// One row below the first pivot; G is 2×1.
	assert.Equal(t, Counts{NonZeros: 2*3 + 1, Flops: (2*2 + 1) + 4*1 + 2*(2*3) + 2*2*1}, solved(t, p, Projection).Counts())
}

// TestCountsEqualElimination plays all factorizations with plain loops and counts
// the operations.
func TestCountsEqualElimination(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		seeds  uint64
	}{{"ladder", 24, 2}, {"tree", 20, 2}, {"grid", 4, 1}, {"ball-net", 3, 1}, {"random", 6, 4}, {"random", 15, 6}, {"random", 40, 4}} {
		for seed := range c.seeds {
			t.Run(fmt.Sprintf("%s/n=%d/seed=%d", c.family, c.n, seed), func(t *testing.T) {
				p := generated(t, c.family, c.n, seed)
				assert.Equal(t, playedLambda(solved(t, p, Lambda)), solved(t, p, Lambda).Counts(), "lambda")
				assert.Equal(t, playedDirect(solved(t, p, Direct)), solved(t, p, Direct).Counts(), "direct")
				assert.Equal(t, playedProjection(solved(t, p, Projection)), solved(t, p, Projection).Counts(), "projection")
			})
		}
	}
}

// meter does arithmetic and counts it.
type meter struct{ flops int64 }

// axpy adds a·x to the beginning of y, with the rounding of the factorizations,
// on which pivots and zeros depend.
func (m *meter) axpy(a float64, x, y []float64) {
	axpy(a, x, y)
	m.flops += int64(2 * len(x))
}

// square returns an n×n matrix.
func square(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	return a
}

// exchange exchanges rows and columns i and j.
func exchange(a [][]float64, i, j int) {
	a[i], a[j] = a[j], a[i]
	for _, row := range a {
		row[i], row[j] = row[j], row[i]
	}
}

// playedDirect factors the whole system, all of it stored.
func playedDirect(s *ClosedSolver) Counts {
	n := s.plan.nv
	a := square(n + s.K.rows)
	for i := range n {
		for j := range n {
			a[i][j] = s.colScale[max(i, j)] * s.H.At(i, j) * s.colScale[min(i, j)]
		}
		a[i][i] = 1
		for k := range s.K.rows {
			a[n+k][i] = s.rowScale[k] * s.K.At(k, i) * s.colScale[i]
			a[i][n+k] = a[n+k][i]
		}
	}
	var m meter
	rank := m.indefinite(a, s.opts.RankTolerance*s.opts.RankTolerance)
	return Counts{NonZeros: triangle(rank), Flops: m.flops}
}

// indefinite takes pivots of one and two rows out of a until no entry is above
// tol, and returns their number.
func (m *meter) indefinite(a [][]float64, tol float64) (rank int) {
	n := len(a)
	for rank < n {
		k, d, p, q := rank, rank, rank, rank
		for i := k; i < n; i++ {
			if math.Abs(a[i][i]) > math.Abs(a[d][d]) {
				d = i
			}
			for j := k; j < i; j++ {
				if p == q || math.Abs(a[i][j]) > math.Abs(a[p][q]) {
					p, q = i, j
				}
			}
		}
		diag, off := math.Abs(a[d][d]), 0.0
		if p != q {
			off = math.Abs(a[p][q])
		}
		size := 1
		switch {
		case max(diag, off) <= tol:
			return rank
		case diag >= (1+math.Sqrt(17))/8*off:
			exchange(a, k, d)
		default:
			exchange(a, k, q)
			exchange(a, k+1, p)
			size = 2
		}
		m.takeOut(a, k, size)
		rank += size
	}
	return rank
}

// takeOut subtracts the rows k … k+size−1 from the lower triangle below, for the
// rows that have an entry in these columns.
func (m *meter) takeOut(a [][]float64, k, size int) {
	n := len(a)
	next := k + size
	col := square(n) // col[e] is column k+e as it was
	for e := range size {
		for i := next; i < n; i++ {
			col[e][i] = a[i][k+e]
		}
	}
	for i := next; i < n; i++ {
		var l [2]float64
		x, y := col[0][i], col[size-1][i]
		switch {
		case x == 0 && y == 0:
			continue
		case size == 1:
			l[0] = x * (1 / a[k][k])
			m.flops++
		default:
			// (x, y) times the inverse of the block.
			b := a[k+1][k]
			u, v := a[k][k]/b, a[k+1][k+1]/b
			inv := 1 / (b * (u*v - 1))
			l[0], l[1] = (v*x-y)*inv, (u*y-x)*inv
			m.flops += 6
		}
		for e := range size {
			m.axpy(-l[e], col[e][next:i+1], a[i][next:])
		}
		for j := next; j <= i; j++ {
			a[j][i] = a[i][j]
		}
	}
}

// TestCountsOfPairs: a matrix without a diagonal takes pivots of two rows only.
func TestCountsOfPairs(t *testing.T) {
	const n = 8
	rng := check.Rand(1)
	f := newIndefinite(n)
	a := square(n)
	for i := range n {
		for j := range i {
			a[i][j] = rng.NormFloat64()
			a[j][i], f.row(i)[j] = a[i][j], a[i][j]
		}
	}
	f.factor(denseCut)
	var m meter
	require.Equal(t, n, m.indefinite(a, denseCut))
	assert.Equal(t, m.flops, f.flops)
	assert.LessOrEqual(t, f.flops, denseWork(n, n)+4*(6+4+2))
	assert.Greater(t, f.flops, denseWork(n, n), "pairs")
}

// playedLambda factors H from the tips to the root, and goes on to Y, A and its
// factor.
func playedLambda(s *ClosedSolver) (c Counts) {
	n, rows := s.plan.nv, s.K.rows
	L, path := square(n), make([][]int, n)
	for i := range n {
		path[i] = rootPath(s.plan, i)
		for _, j := range path[i] {
			L[i][j] = s.H.At(i, j)
			c.NonZeros++
		}
	}
	for k := n - 1; k >= 0; k-- {
		for _, i := range path[k][1:] {
			f := L[k][i] / L[k][k]
			c.Flops++
			for _, j := range path[i] {
				L[i][j] -= f * L[k][j]
				c.Flops += 2
			}
		}
		root := math.Sqrt(L[k][k])
		for _, j := range path[k] {
			L[k][j] /= root
		}
	}
	Y := make([][]float64, rows)
	for r := range rows {
		Y[r] = make([]float64, n)
		c.NonZeros += int64(n)
		for d := range n {
			Y[r][d] = s.rowScale[r] * s.K.At(r, d)
		}
		for k := n - 1; k >= 0; k-- {
			if Y[r][k] == 0 {
				continue
			}
			Y[r][k] /= L[k][k]
			c.Flops++
			for _, i := range path[k][1:] {
				Y[r][i] -= L[k][i] * Y[r][k]
				c.Flops += 2
			}
		}
	}
	// A with the rounding on which its pivots depend.
	how := s.how.(*lambdaFirst)
	how.fillProducts(s.K)
	a := square(rows)
	for i := range rows {
		for j := range i + 1 {
			a[i][j] = how.A.row(i)[j]
			a[j][i] = a[i][j]
			c.Flops += 2 * int64(min(pathLength(s.K, i), pathLength(s.K, j)))
		}
	}
	var m meter
	c.NonZeros += triangle(m.semidefinite(a, s.opts.RankTolerance*s.opts.RankTolerance))
	c.Flops += m.flops
	return c
}

// rootPath returns the freedoms from i to the root.
func rootPath(p *Plan, i int) (list []int) {
	link := slices.IndexFunc(p.Links, func(l Link) bool { return int(l.Dof+l.NumDof) > i })
	for d := i; ; {
		l := &p.Links[link]
		for ; d >= int(l.Dof); d-- {
			list = append(list, d)
		}
		if l.Parent == World {
			return list
		}
		link = int(l.Parent)
		d = int(p.Links[link].Dof+p.Links[link].NumDof) - 1
	}
}

// pathLength returns the number of freedoms on the root paths of the links of a
// row.
func pathLength(K *Constraints, row int) int {
	on := map[int]bool{}
	for _, end := range K.groups[K.groupOf(row)].cols {
		for _, d := range rootPath(K.plan, int(end)) {
			on[d] = true
		}
	}
	return len(on)
}

// semidefinite factors a with diagonal pivoting and returns its rank.
func (m *meter) semidefinite(a [][]float64, tol float64) (rank int) {
	n := len(a)
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if a[i][i] > a[p][p] {
				p = i
			}
		}
		if !(a[p][p] > tol) {
			return k
		}
		exchange(a, k, p)
		root := math.Sqrt(a[k][k])
		first := -1
		col := make([]float64, n)
		for i := k + 1; i < n; i++ {
			if a[i][k] == 0 {
				continue
			}
			if first < 0 {
				first = i
			}
			col[i] = a[i][k] / root
			m.flops++
			m.axpy(-col[i], col[first:i+1], a[i][first:])
			for j := first; j <= i; j++ {
				a[j][i] = a[i][j]
			}
		}
	}
	return n
}

// playedProjection eliminates the blocks of K and forms and factors GᵀHG.
func playedProjection(s *ClosedSolver) (c Counts) {
	n := s.plan.nv
	blocks, _ := s.K.blocks()
	m := 0
	ahead := int64(0) // entries of G below the identity, own and earlier blocks
	for i := range blocks {
		b := &blocks[i]
		a := make([][]float64, len(b.rows))
		for r, row := range b.rows {
			a[r] = make([]float64, len(b.cols))
			for k, d := range b.cols {
				a[r][k] = s.rowScale[row] * s.K.At(int(row), int(d)) * s.colScale[d]
			}
		}
		var e meter
		rank := e.elimination(a, len(b.cols), s.opts.RankTolerance)
		// V = U⁻¹·V from the last row up.
		for r := rank - 1; r >= 0; r-- {
			for k := r + 1; k < rank; k++ {
				e.axpy(-a[r][k], a[k][rank:], a[r][rank:])
			}
			for j := rank; j < len(b.cols); j++ {
				a[r][j] *= 1 / a[r][r]
				e.flops++
			}
		}
		c.Flops += e.flops
		free := len(b.cols) - rank
		for r := range rank {
			for j := rank; j < len(b.cols); j++ {
				ahead++
				if a[r][j] != 0 {
					c.Flops += 2 * int64(n) // a column of H
				}
			}
		}
		c.Flops += int64(free) * 2 * ahead
		c.NonZeros += int64(rank) * int64(len(b.cols))
		m += free
	}
	for i := range m { // Cholesky by rows
		for j := range i {
			c.Flops += int64(2*j + 1)
		}
		c.Flops += int64(2 * i)
	}
	c.NonZeros += triangle(m)
	return c
}

// elimination is Gaussian elimination with complete pivoting; it returns the rank.
func (m *meter) elimination(a [][]float64, cols int, tol float64) (rank int) {
	for k := range a {
		p, q := k, k
		for i := k; i < len(a); i++ {
			for j := k; j < cols; j++ {
				if math.Abs(a[i][j]) > math.Abs(a[p][q]) {
					p, q = i, j
				}
			}
		}
		if k == cols || !(math.Abs(a[p][q]) > tol) {
			return k
		}
		a[k], a[p] = a[p], a[k]
		for _, row := range a {
			row[k], row[q] = row[q], row[k]
		}
		for i := k + 1; i < len(a); i++ {
			if a[i][k] == 0 {
				continue
			}
			a[i][k] *= 1 / a[k][k]
			m.flops++
			m.axpy(-a[i][k], a[k][k+1:], a[i][k+1:])
		}
	}
	return len(a)
}

func (m *meter) dot(a, b []float64) float64 {
	sum := a[0] * b[0]
	for k := 1; k < len(a); k++ {
		sum += a[k] * b[k]
	}
	m.flops += int64(2*len(a) - 1)
	return sum
}

// cross returns component k of r×a.
func (m *meter) cross(r [3]float64, a [3]float64, k int) float64 {
	m.flops += 3
	return r[(k+1)%3]*a[(k+2)%3] - r[(k+2)%3]*a[(k+1)%3]
}

// TestCountsOfArticulated compares the inertias that ForwardTo leaves with those
// of a plain recursion, and the counts with its operations.
func TestCountsOfArticulated(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{{"chain", 7}, {"tree", 60}, {"random", 12}, {"random", 60}, {"stewart", 2}} {
		p := generated(t, c.family, c.n, 1)
		w := p.NewWorkspace()
		require.NoError(t, w.SetState(p.mech.Initial()))
		require.NoError(t, w.ForwardTo(make([]float64, p.nv), nil))
		got := p.ArticulatedCounts()
		var m meter
		nonzeros := int64(0)
		I := make([][][]float64, len(p.Links))
		for i := range p.Links {
			I[i] = square(6)
			J := w.kin.I[p.consts[i].body].Mat()
			for k := range 3 {
				copy(I[i][k], J[3*k:3*k+3])
				I[i][3+k][3+k] = p.consts[i].mass
			}
		}
		for i := len(p.Links) - 1; i >= 0; i-- {
			nonzeros += m.reduce(I[i], w, &p.Links[i])
			requireInertia(t, &w.art[i], I[i])
			if up := p.Links[i].Parent; up != World {
				m.carry(I[up], I[i], w.links[i].r)
			}
		}
		assert.Equal(t, Counts{NonZeros: nonzeros, Flops: m.flops}, got, "%s, n = %d", c.family, c.n)
	}
}

// reduce takes the freedoms of a link out of its inertia. It returns the entries
// that the outward pass needs.
func (m *meter) reduce(I [][]float64, w *Workspace, l *Link) (nonzeros int64) {
	f := int(l.NumDof)
	U, W, D := make([][6]float64, f), make([][6]float64, f), square(f)
	for k := range f {
		for e := range 6 {
			U[k][e] = m.dot(I[e], w.s[int(l.Dof)+k][:])
		}
		for e := range k + 1 {
			D[k][e] = m.dot(w.s[int(l.Dof)+e][:], U[k][:])
		}
		W[k] = U[k]
	}
	// D = LDLᵀ, W = D⁻¹U.
	for k := range f {
		for j := range k {
			x := D[k][j]
			for e := range j {
				x -= D[k][e] * D[j][e] * D[e][e]
				m.flops += 3
			}
			D[k][j] = x / D[j][j]
			D[k][k] -= D[k][j] * x
			m.flops += 3
		}
	}
	for k := range f {
		for j := range k {
			for e := range 6 {
				W[k][e] -= D[k][j] * W[j][e]
				m.flops += 2
			}
		}
	}
	for k := f - 1; k >= 0; k-- {
		inv := 1 / D[k][k]
		m.flops++
		for e := range 6 {
			W[k][e] *= inv
			m.flops++
			for j := k + 1; j < f; j++ {
				W[k][e] -= D[j][k] * W[j][e]
				m.flops += 2
			}
		}
		nonzeros += 6 + int64(k+1)
	}
	for k := range f {
		for e := range 6 {
			for g := range e + 1 {
				I[e][g] -= U[k][e] * W[k][g]
				m.flops += 2
			}
		}
	}
	for e := range 6 {
		for g := range e {
			I[g][e] = I[e][g]
		}
	}
	return nonzeros
}

// carry adds Xᵀ·I·X to the lower triangle of the parent's inertia and mirrors it:
// with H and M the right blocks of I, N = H + r×M and J − H·r× + r×Nᵀ.
func (m *meter) carry(up, I [][]float64, r [3]float64) {
	var N [3][3]float64
	for i := range 3 {
		for j := range 3 {
			column := [3]float64{I[3][3+j], I[4][3+j], I[5][3+j]} // of M
			N[i][j] = I[i][3+j] + m.cross(r, column, i)
			m.flops++
		}
	}
	for i := range 3 {
		for j := range i + 1 {
			H := [3]float64{I[i][3], I[i][4], I[i][5]}
			up[i][j] += I[i][j] + m.cross(r, H, j) + m.cross(r, N[j], i)
			m.flops += 3
		}
		for j := range 3 {
			up[3+j][i] += N[i][j]
			m.flops++
		}
		for j := range i + 1 {
			up[3+i][3+j] += I[3+i][3+j]
			m.flops++
		}
	}
	for e := range 6 {
		for g := range e {
			up[g][e] = up[e][g]
		}
	}
}

// requireInertia compares an articulated-body inertia with a plain matrix.
func requireInertia(t *testing.T, a *articulated, I [][]float64) {
	t.Helper()
	var got, want []float64
	J, M := a.J.Mat(), a.M.Mat()
	for i := range 3 {
		for j := range 3 {
			got = append(got, J[3*i+j], a.H[3*i+j], M[3*i+j])
			want = append(want, I[i][j], I[i][3+j], I[3+i][3+j])
		}
	}
	check.CloseVec(t, got, want, articulatedTol, max(1, check.MaxAbs(want)), "inertia")
}

// TestPhases: the parts of a Solve give what it gives, in any order that is
// allowed.
func TestPhases(t *testing.T) {
	p := generated(t, "random", 30, 1)
	st := p.mech.Initial()
	for _, m := range []Method{Direct, Lambda, Projection} {
		want := solved(t, p, m)
		s := p.NewSolver(m, SolverOptions{})
		require.PanicsWithValue(t, "tree: not assembled", func() { _ = s.Factorize() })
		require.PanicsWithValue(t, "tree: no factor", func() { _ = s.Refine() })
		require.PanicsWithValue(t, "tree: no factor", func() { s.Counts() })
		for range 2 {
			require.NoError(t, s.Assemble(st))
			require.PanicsWithValue(t, "tree: no factor", func() { _ = s.Refine() })
			require.NoError(t, s.Factorize())
			require.PanicsWithValue(t, "tree: no solution", func() { s.Report() })
			require.NoError(t, s.Refine())
			require.Equal(t, want.JointAccelerations(), s.JointAccelerations())
			require.Equal(t, want.Multipliers(), s.Multipliers())
			require.Equal(t, want.Report(), s.Report())
			require.Equal(t, want.Counts(), s.Counts(), "counts of one factorization")
		}
		var err error
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if err = s.Assemble(st); err == nil {
				if err = s.Factorize(); err == nil {
					err = s.Refine()
				}
			}
			_ = s.Counts()
		}), m)
		require.NoError(t, err)

		bad := st.Clone()
		bad.Bodies[0].Position[0] = math.NaN()
		require.ErrorIs(t, s.Assemble(bad), mechanism.ErrNotFinite)
		require.PanicsWithValue(t, "tree: not assembled", func() { _ = s.Factorize() })
		require.NoError(t, s.Solve(st))
		require.NoError(t, s.Factorize(), "once more")
		require.NoError(t, s.Refine())
		require.ErrorIs(t, s.Solve(bad), mechanism.ErrNotFinite)
		require.PanicsWithValue(t, "tree: no factor", func() { _ = s.Refine() })
	}
}
