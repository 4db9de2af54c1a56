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

// leanPlan is the analysis of a system without its spare rows: rows that depend on the others at the state written in the
// model. They are chosen once, so results at a state do not depend on the states before.
type leanPlan struct {
	rows     *sparse.Rows
	symbolic *factor.Symbolic
	least    float64   // pivot next to the state written in the model, factor.Factor.Weakest
	floor    []float64 // by scalar of rows.Pattern, in a steady order: the least pivot that counts, in place of least; nil in others
	hubs     bool      // the order is one around hubs, and there may be no spare rows

	corrected bool      // the first solution at that state needs a correction
	plain     *leanPlan // the system in another order, for others (forOthers); nil if the order is the same
	alone     bool      // there is no order for others: in plain, refinement may not converge

	spareRows
}

// leanShrink is the factor on ε of a lean system. Its rows are independent at one pose at least, so small pivots are true ones: the joints
// in the middle of a long mast move its halves, which are heavy.
const leanShrink = 1e-4

// leanPart is the least pivot that a lean system may have, as a part of that next to the state written in the model. Pivots fall like
// the square of the distance to a pose at which more rows depend on the others. Whoever passes such a pose asks how many
// they are, which is for the whole system to say.
const leanPart = 1e-3

// Lean is the system without spare rows (theory.md, "Spare rows") for those who factor it by themselves.
type Lean struct {
	Rows    *sparse.Rows // that are kept
	Order   []int32      // elimination order of the nodes of Rows.Pattern, Order[new] = old
	Epsilon float64      // proximal term relative to the scale of a row: a pivot up to 1e3 times that is lost
	Least   float64      // pivot, relative to the scale of its row, that a Solver accepts; below, it takes the whole system
}

// public returns the system for others, with the proximal term of the whole one.
func (l *leanPlan) public(epsilon float64) *Lean {
	return &Lean{Rows: l.rows, Order: l.symbolic.Order(), Epsilon: leanShrink * epsilon, Least: leanPart * l.least}
}

// forOthers returns the system in the order that others take: who factors it with more rows, or for other right sides. It is nil if
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

	whole  *sparse.Matrix // whose rows are checked
	b, d   []float64      // its right side and scales
	now    bool           // the factor at hand is that of the lean system
	others int            // runs of the factor of the whole system when it was made
	failed bool           // the lean system does not do for the matrix at hand

	probe *probe // that a factorization asks for; nil without
}

// probe is a motion that shows whether spare rows depend on the others.
type probe struct {
	most  float64   // that a row may be violated by, relative to its terms
	force []float64 // at random, on the bodies
	v, b  []float64 // the motion, and zeros: as the whole system
}

// useProbe lets each factorization ask for a motion.
func (s *lean) useProbe(most float64) {
	n := s.rows.Of.Dim()
	s.probe = &probe{most: most, force: make([]float64, len(s.right)), v: make([]float64, n), b: make([]float64, n)}
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	for i := range 6 * s.bodies {
		s.probe.force[i] = rng.Float64() - 0.5
	}
}

// passesProbe reports whether the motion by random forces that the rows of the lean system allow does not violate the spare ones.
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

// newLeanOn allocates a lean system that is solved with a team.
func (l *leanPlan) newLeanOn(t *team.Team) *lean {
	n := l.rows.Pattern.Dim()
	s := &lean{
		leanPlan: l, matrix: sparse.NewUnitMatrix(l.rows.Pattern), fac: l.symbolic.NewFactorOn(t),
		right: make([]float64, n), scale: make([]float64, n), x: make([]float64, n), r: make([]float64, n),
		square: make([]float64, l.rows.Of.Positive()+1),
	}
	s.fac.SetLeast(l.floor)
	s.ask(true)
	return s
}

// factorize factors the lean part of a system with its right side, which may be nil. It reports whether all rows are independent.
//
// Cost: that of factor.Factor.Factorize, no allocation but for errors.
func (s *lean) factorize(m *sparse.Matrix, right, scale []float64, epsilon float64) bool {
	s.rows.ValuesTo(s.matrix, m)
	s.rows.GatherTo(s.scale, scale)
	s.whole, s.b, s.d = m, right, scale
	b := s.right
	if right == nil {
		b = nil
	} else {
		s.rows.GatherTo(b, right)
	}
	err := s.fac.FactorizeFor(b, s.matrix, s.scale, leanShrink*epsilon, factor.WhereWeak)
	if err != nil || s.fac.Weak != 0 || s.fac.Corrected != 0 {
		return false
	}
	_, _, least := s.fac.Weakest()
	return least >= leanPart*s.least && s.passesProbe()
}

// solveTo is factor.Factor.SolveTo for the whole system. Multipliers of spare rows are zero.
func (s *lean) solveTo(x, b []float64) {
	s.rows.GatherTo(s.right, b)
	s.fac.SolveTo(s.x, s.right)
	s.rows.ScatterTo(x, s.x)
}

// refine is Factored.Refine for the whole system, without its residual.
func (s *lean) refine(x []float64, floor, enough float64) (ref factor.Refinement) {
	s.rows.GatherTo(s.right, s.b)
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

// place returns the place in the whole system of a row within a node.
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

// ask says whether the factor asks the spare rows, if there are any.
func (s *lean) ask(spare bool) {
	if s.fac.SetSpare(nil, false); spare && s.spare() > 0 {
		s.fac.SetSpare(s.worst, s.corrected)
	}
}

// worst returns the factor.Worst of the spare rows, for accelerations that begin x. The solution has no multipliers there. A row whose
// residual is no number is the worst.
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

// judge takes n rows of a node from row on, scalars of the whole system, into the worst.
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

// ratio returns the measure of factor.Worst of the residual t of a row.
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

// spareRows says where the blocks of spare rows are.
type spareRows struct {
	bodies int            // the first nodes
	row    []int32        // by spare row: its scalar in the whole system
	ends   []spareNode    // nodes with spare rows
	blocks []kernel.Block // by body: rows that are next to each other in the whole matrix
	body   []int32        // where the blocks of a body begin
	pairs  []kernel.Pair  // rows of joints between two bodies, in the whole matrix
	other  []int32        // of row: those of other nodes
}

// spareNode are the spare rows of a node.
type spareNode struct {
	node   int32    // of the whole system
	hi     int32    // where its rows end
	bodies [2]int32 // the first two that it couples; the number of bodies stands for none
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
