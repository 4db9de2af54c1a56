package kkt

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// leanPlan is the analysis of a system without its spare rows, which depend on the other rows at the state written in the
// model. They are chosen once, so results at a state do not depend on the states before.
type leanPlan struct {
	rows     *sparse.Rows
	symbolic *factor.Symbolic
	least    float64   // least pivot next to the state written in the model, relative to its row's scale (factor.Factor.Weakest)
	floor    []float64 // in a steady order, by scalar of rows.Pattern: the least pivot that counts, in place of least; else nil
	hubs     bool      // the order is around hubs, and there may be no spare rows

	corrected bool      // the first solution at the state written in the model needs a correction
	plain     *leanPlan // the system in another order, for users other than Solver (forOthers); nil if the order is the same
	alone     bool      // there is no order for other users: in plain, refinement may not converge

	spareRows
}

// leanShrink is the factor on ε of a lean system. Its rows are independent at one pose at least, so small pivots are true. In a long mast
// the joints in the middle have such pivots, as they move the heavy halves.
const leanShrink = 1e-4

// leanPart is the least pivot that a lean system may have, as a part of the least one next to the state written in the model. Pivots fall
// like the square of the distance to a pose at which more rows depend on the others. Near such a pose the whole system takes over, which
// tells how many they are.
const leanPart = 1e-3

// Lean is the system without spare rows (theory.md, "Spare rows") for packages that factor it by themselves.
type Lean struct {
	Rows      *sparse.Rows // the rows that are kept
	Order     []int32      // elimination order of the nodes of Rows.Pattern, Order[new] = old
	Epsilon   float64      // proximal term relative to the scale of a row: a pivot up to factor.WeakPivot times as large is lost
	Least     float64      // least pivot, relative to the scale of its row, that a Solver accepts; below, it takes the whole system
	Corrected bool         // the first solution at the state written in the model needs a correction
}

// public returns l for other packages; epsilon is Options.Epsilon.
func (l *leanPlan) public(epsilon float64) *Lean {
	return &Lean{Rows: l.rows, Order: l.symbolic.Order(), Epsilon: leanShrink * epsilon, Least: leanPart * l.least, Corrected: l.corrected}
}

// forOthers returns the system in the order for users that factor it with more rows, or for other right sides than a Solver. It is nil if
// there is none.
func (l *leanPlan) forOthers() *leanPlan {
	switch {
	case l == nil || l.alone:
		return nil
	case l.plain != nil:
		return l.plain
	}
	return l
}

// lean is the memory of a system without spare rows.
type lean struct {
	*leanPlan
	fac                *factor.Factor
	matrix             *sparse.Matrix
	right, scale, x, r []float64
	square             []float64 // by body: the square of its acceleration; then a zero

	whole  *sparse.Matrix // the whole matrix, whose spare rows are checked
	b, d   []float64      // right side and scales of the whole system
	now    bool           // the factor at hand is the one of the lean system
	fresh  bool           // right has the right side of the factor at hand, and nobody has solved with it yet
	others int            // factor.Factor.Runs of the factor of the whole system when the lean factor was made
	failed bool           // the lean system cannot be used for the matrix at hand

	probe *probe // test of each factorization; nil without
}

// probe is a motion that shows whether spare rows depend on the others.
type probe struct {
	most  float64   // largest violation of a row that passes, relative to its terms
	force []float64 // random loads on the bodies, by scalar of the lean system
	v, b  []float64 // the motion, and zeros, by scalar of the whole system
}

// useProbe makes each factorization test the spare rows with a motion, which random loads on the bodies cause. most is the largest relative
// violation that passes.
func (s *lean) useProbe(most float64) {
	n := s.rows.Of.Dim()
	s.probe = &probe{most: most, force: make([]float64, len(s.right)), v: make([]float64, n), b: make([]float64, n)}
	const seed = 8
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for i := range 6 * s.bodies {
		s.probe.force[i] = rng.Float64() - 0.5
	}
}

// passesProbe reports whether the spare rows allow the motion that random forces make under the rows of the lean system. It is true
// without a probe or spare rows.
func (s *lean) passesProbe() bool {
	m := s.probe
	if m == nil || s.spare() == 0 {
		return true
	}
	s.fac.SolveTo(s.x, m.force)
	s.rows.ScatterTo(m.v, s.x)
	s.b = m.b
	size := 0.0
	for i := range s.bodies {
		a := m.v[6*i:][:6]
		size = max(size, algebra.Dot(a, a))
	}
	return s.worst(m.v, restTerm*math.Sqrt(size)).Ratio <= m.most
}

// newLeanRows returns the lean system of the rows that are kept, without an order.
func newLeanRows(p *sparse.Pattern, kept []bool) *leanPlan {
	rows := sparse.NewRows(p, kept)
	return &leanPlan{rows: rows, spareRows: newSpareRows(rows)}
}

// newLeanOn allocates the memory of l, whose factor works with a team; nil is none.
func (l *leanPlan) newLeanOn(t *team.Team) *lean {
	n := l.rows.Pattern.Dim()
	s := &lean{
		leanPlan: l, matrix: sparse.NewUnitMatrix(l.rows.Pattern), fac: l.symbolic.NewFactorOn(t),
		right: make([]float64, n), scale: make([]float64, n), x: make([]float64, n), r: make([]float64, n),
		square: make([]float64, l.rows.Of.Positive()+1),
	}
	s.fac.SetLeast(l.floor)
	s.checkSpare()
	return s
}

// factorize factors the kept rows of a system with its right side, which may be nil. It reports whether all kept rows are clearly
// independent and the spare ones pass the probe.
//
// Cost: that of factor.Factor.Factorize, no allocation but for errors.
func (s *lean) factorize(m *sparse.Matrix, right, scale []float64, epsilon float64) bool {
	s.rows.ValuesTo(s.matrix, m)
	s.rows.GatherTo(s.scale, scale)
	s.whole, s.b, s.d = m, right, scale
	b := s.right
	if s.fresh = right != nil; !s.fresh {
		b = nil
	} else {
		s.rows.GatherTo(b, right)
	}
	// A pivot below the least that counts is weak then.
	epsilon = max(leanShrink*epsilon, leanPart/factor.WeakPivot*s.least)
	err := s.fac.FactorizeFor(b, s.matrix, s.scale, epsilon, factor.WhereWeak)
	return err == nil && s.fac.Weak == 0 && s.fac.Corrected == 0 && s.passesProbe()
}

// solveTo is factor.Factor.SolveTo for the whole system. Multipliers of spare rows are zero.
func (s *lean) solveTo(x, b []float64) {
	s.fresh = false
	s.rows.GatherTo(s.right, b)
	s.fac.SolveTo(s.x, s.right)
	s.rows.ScatterTo(x, s.x)
}

// refine is Factored.Refine for the whole system, without the residual. Multipliers of spare rows are zero.
func (s *lean) refine(x []float64, floor, enough float64) (ref factor.Refinement) {
	if !s.fresh {
		s.rows.GatherTo(s.right, s.b)
	}
	s.fresh = false
	if enough == 0 {
		ref = s.fac.SolveExactTo(s.x, s.r, s.right, s.matrix, floor)
	} else {
		ref = s.fac.SolveWithinTo(s.x, s.r, s.right, s.matrix, floor, enough)
	}
	s.rows.ScatterTo(x, s.x)
	if w := &ref.Worst; w.Node >= 0 && !w.Spare {
		w.Node, w.Row = s.place(w.Node, w.Row)
	}
	ref.Worst.Spare = false
	return ref
}

// place returns the node and the row in the whole system of a row within a node of the lean one.
func (s *lean) place(node, row int) (int, int) {
	of := int(s.rows.Node[node])
	return of, int(s.rows.Row[int(s.rows.Pattern.Off[node])+row] - s.rows.Of.Off[of])
}

// weakest is factor.Factor.Weakest for the whole system.
func (s *lean) weakest() (node, row int, ratio float64) {
	if node, row, ratio = s.fac.Weakest(); node >= 0 {
		node, row = s.place(node, row)
	}
	return node, row, ratio
}

// growthTo is factor.Factor.GrowthTo for the whole system, zero in the spare rows.
func (s *lean) growthTo(g []float64) {
	s.fac.GrowthTo(s.r)
	s.rows.ScatterTo(g, s.r)
}

// spare returns the number of spare rows.
func (l *leanPlan) spare() int { return len(l.row) }

// checkSpare makes refinement check the spare rows too, if there are any.
func (s *lean) checkSpare() {
	if s.ignoreSpare(); s.spare() > 0 {
		s.fac.SetSpare(s.worst, s.corrected)
	}
}

// ignoreSpare makes refinement check the kept rows alone.
func (s *lean) ignoreSpare() {
	const corrected = true
	s.fac.SetSpare(nil, !corrected)
}

// worst returns the factor.Worst of the spare rows for the accelerations at the beginning of x; their multipliers are zero. rest is as in
// factor.Worst. A row whose residual is NaN is the worst.
func (s *lean) worst(x []float64, rest float64) factor.Worst {
	for i := range s.square[:s.bodies] {
		a := (*[6]float64)(x[6*i:])
		s.square[i] = (a[0]*a[0] + a[1]*a[1] + a[2]*a[2]) + (a[3]*a[3] + a[4]*a[4] + a[5]*a[5])
	}
	worst := algebra.NewPeak(factor.RoundingRatio)
	to := kernel.Bound{Rest: rest * rest, Squares: s.square, Scale: s.d}
	for list := s.pairs; ; list = list[1:] {
		// At most low²·(Σ‖x‖ + rest)²: a row below it is better, whatever other bodies there are.
		to.Limit = worst.Low() * worst.Low()
		if list = list[kernel.FirstLarge(s.b, s.whole.Val, x, &to, list):]; len(list) == 0 {
			break
		}
		s.judge(&worst, list[0].Row, list[0].N, x, rest)
	}
	for _, row := range s.other {
		s.judge(&worst, row, 1, x, rest)
	}
	return factor.WorstAt(worst.Most, worst.At, s.rows.Of.Off)
}

// judge adds the ratios of n consecutive rows of a node, from row on, to the worst. Rows are counted in the whole system.
func (s *lean) judge(worst *algebra.Peak, row, n int32, x []float64, rest float64) {
	p := s.rows.Of
	node, _ := slices.BinarySearch(p.Off, row+1)
	node--
	for ; n > 0; n-- {
		t, at := s.b[row], int(row-p.Off[node])
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			a := x[p.Off[p.Ind[k]]:p.Off[p.Ind[k]+1]]
			t -= algebra.Dot(a, s.whole.Val[int(p.Pos[k])+at*len(a):])
		}
		worst.Take(s.ratio(node, at, t, x, rest), int(row))
		row++
	}
}

// ratio returns factor.Worst.Ratio for the residual t of a row of the whole system.
func (s *lean) ratio(node, row int, t float64, x []float64, rest float64) float64 {
	p := s.rows.Of
	i, terms := int(p.Off[node])+row, rest
	for _, j := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
		a := x[p.Off[j]:p.Off[j+1]]
		terms += math.Sqrt(algebra.Dot(a, a))
	}
	if t == 0 {
		return 0
	}
	return math.Abs(t) / (math.Abs(s.b[i]) + math.Sqrt(s.d[i])*terms)
}

// spareRows lists the spare rows and their blocks in the whole matrix.
type spareRows struct {
	bodies int            // number of bodies, which are the first nodes
	row    []int32        // by spare row: its scalar in the whole system
	ends   []spareNode    // nodes with spare rows
	blocks []kernel.Block // by body: blocks of rows that are next to each other in the whole matrix
	body   []int32        // by body: its first entry of blocks; then the number of blocks
	pairs  []kernel.Pair  // spare rows of joints between two bodies, in the whole matrix
	other  []int32        // the entries of row that are not in pairs
}

// spareNode has the spare rows of a node: the rows from the end of the node before up to hi.
type spareNode struct {
	node   int32    // of the whole system
	hi     int32    // end of its rows in spareRows.row
	bodies [2]int32 // the first two bodies that it couples; the number of bodies stands for none
}

// newSpareRows finds the blocks of the spare rows of rows.
func newSpareRows(rows *sparse.Rows) (l spareRows) {
	p := rows.Of
	for l.bodies < p.Positive() && p.Size[l.bodies] == 6 { // slacks are behind them
		l.bodies++
	}
	list := make([][]kernel.Block, p.Positive())
	for i := range rows.Spare {
		node := &rows.Spare[i]
		first := len(l.row)
		for _, row := range node.Rows[:node.N] {
			l.row = append(l.row, p.Off[node.Of]+int32(row))
		}
		end := spareNode{node: node.Of, hi: int32(len(l.row)), bodies: [2]int32{int32(len(list)), int32(len(list))}}
		of := p.Ind[p.Ptr[node.Of]:p.Ptr[node.Of+1]]
		copy(end.bodies[:], of)
		l.ends = append(l.ends, end)
		pair := len(of) == 2 && int(max(of[0], of[1])) < l.bodies
		if !pair {
			l.other = append(l.other, l.row[first:]...)
		}
		for a, n := 0, 0; a < int(node.N); a += n {
			row := int64(node.Rows[a])
			for n = 1; a+n < int(node.N) && int64(node.Rows[a+n]) == row+int64(n); n++ {
			}
			pos := p.Pos[p.Ptr[node.Of]:]
			for k, b := range of {
				list[b] = append(list[b], kernel.Block{W: pos[k] + 6*row, Res: int32(first + a), N: int32(n)})
			}
			if pair {
				l.pairs = append(l.pairs, kernel.Pair{
					W1: pos[0] + 6*row, W2: pos[1] + 6*row, X1: of[0], X2: of[1], Row: l.row[first+a], N: int32(n),
				})
			}
		}
	}
	l.body = make([]int32, 1, len(list)+1)
	for _, blocks := range list {
		l.blocks = append(l.blocks, blocks...)
		l.body = append(l.body, int32(len(l.blocks)))
	}
	return l
}
