package kkt

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// leanPlan is the analysis of a system without its spare rows: rows that depend on the others at the state written in the
// model. They are chosen once, so results at a state do not depend on the states before.
type leanPlan struct {
	rows     *sparse.Rows
	symbolic *factor.Symbolic
}

// leanShrink is the factor on ε of a lean system. Its rows are independent at one pose at least, so small pivots are true ones: the joints
// in the middle of a long mast move its halves, which are heavy.
const leanShrink = 1e-4

// leanFlops is the largest number of flops a row of the whole system with which rows are chosen: beyond, a plan would take seconds.
const leanFlops = 100_000

// newLeanPlan chooses the spare rows of p. It returns nil if there are none, or if the state written in the model does not tell: a
// singular pose has rows that depend on others there alone.
func (p *Plan) newLeanPlan(ctx context.Context) (*leanPlan, error) {
	rows := p.layout.Pattern.Dim() - p.first()
	if p.mech.NumBearings() > 0 || rows == 0 || p.symbolic.Counts.Flops > leanFlops*int64(rows) {
		return nil, nil
	}
	y, st := p.layout.NewWeighted(), p.Initial()
	y.Unloaded = true
	if y.FillTo(st) != nil {
		return nil, nil // Solve says why
	}
	f := p.symbolic.NewFactor()
	if f.Factorize(y.Matrix, y.Scale, p.epsilon, factor.WhereWeak) != nil || f.Weak == 0 || ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	enough := p.symbolic.Counts.Flops // work of a lean system that pays
	if isExact(f, y) {
		enough /= 2
	}
	for left, shrink := 0, 1.0; shrink >= leanShrink && ctx.Err() == nil; shrink /= 10 {
		l, err := p.chooseRows(ctx, f, y, shrink)
		if err != nil || l == nil {
			return nil, err
		}
		if n := l.spare(); n != left {
			left = n
			switch s := l.newLeanOn(nil); {
			case l.symbolic.Counts.Flops > enough:
				return nil, nil
			case s.factorize(y.Matrix, nil, y.Scale, p.epsilon) && s.hasRankNearby(p, y, st):
				return l, nil
			case y.FillTo(st) != nil:
				return nil, nil
			}
		}
	}
	return nil, context.Cause(ctx)
}

// isExact reports whether a solve with the factor of y, for random loads, is exact to rounding without a correction.
func isExact(f *factor.Factor, y *assemble.Weighted) bool {
	b, x, r := make([]float64, len(y.Right)), make([]float64, len(y.Right)), make([]float64, len(y.Right))
	rng := rand.New(rand.NewPCG(6, uint64(len(b))))
	for i := range 6 * len(y.Kin.Bodies) {
		b[i] = rng.Float64() - 0.5
	}
	return f.SolveRefinedTo(x, r, b, y.Matrix, 0).Steps == 0
}

// chooseRows returns the lean system of rows whose pivots tell them apart with the proximal term shrink·ε; nil without spare rows.
func (p *Plan) chooseRows(ctx context.Context, f *factor.Factor, y *assemble.Weighted, shrink float64) (*leanPlan, error) {
	kept := make([]bool, p.layout.Pattern.Dim())
	if f.ChooseRows(kept, y.Matrix, y.Scale, shrink*p.epsilon) != nil {
		return nil, context.Cause(ctx)
	}
	l := &leanPlan{rows: sparse.NewRows(p.layout.Pattern, kept)}
	if l.spare() == 0 {
		return nil, nil
	}
	return l, l.analyse(ctx, p)
}

// analyse finds an order of the lean system, of the kind that was asked for.
func (l *leanPlan) analyse(ctx context.Context, p *Plan) (err error) {
	if p.own == nil {
		l.symbolic, _, _, err = factor.ChooseContext(ctx, l.rows.Pattern, p.asked(), p.threads, factor.Limits{})
		return err
	}
	perm, err := p.orderOf(ctx, l.rows.Pattern, nil)
	if err != nil {
		return err
	}
	l.symbolic, err = factor.AnalyzeContext(ctx, l.rows.Pattern, order.BeforeJoints(l.rows.Pattern, perm))
	return err
}

// asked returns the ordering that was asked for.
func (p *Plan) asked() order.Ordering {
	if len(p.candidates) > 1 {
		return order.Auto
	}
	return p.ordering
}

// lean is the memory of a system without spare rows.
type lean struct {
	*leanPlan
	fac                *factor.Factor
	matrix             *sparse.Matrix
	right, scale, x, r []float64

	whole  *sparse.Matrix // whose rows are checked
	b, d   []float64      // its right side and scales
	now    bool           // the factor at hand is that of the lean system
	others int            // runs of the factor of the whole system when it was made
	failed bool           // the lean system does not do for the matrix at hand
}

// newLeanOn allocates a lean system that is solved with a team.
func (l *leanPlan) newLeanOn(t *team.Team) *lean {
	n := l.rows.Pattern.Dim()
	s := &lean{
		leanPlan: l, matrix: sparse.NewUnitMatrix(l.rows.Pattern), fac: l.symbolic.NewFactorOn(t),
		right: make([]float64, n), scale: make([]float64, n), x: make([]float64, n), r: make([]float64, n),
	}
	s.fac.SetSpare(s.worst)
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
	return err == nil && s.fac.Weak == 0 && s.fac.Corrected == 0
}

// solveTo is factor.Factor.SolveTo for the whole system. Multipliers of spare rows are zero.
func (s *lean) solveTo(x, b []float64) {
	s.rows.GatherTo(s.right, b)
	s.fac.SolveTo(s.x, s.right)
	s.rows.ScatterTo(x, s.x)
}

// refine is Factored.Refine for the whole system.
func (s *lean) refine(x, r []float64, floor, enough float64) (ref factor.Refinement) {
	s.rows.GatherTo(s.right, s.b)
	if enough == 0 {
		ref = s.fac.SolveExactTo(s.x, s.r, s.right, s.matrix, floor)
	} else {
		ref = s.fac.SolveWithinTo(s.x, s.r, s.right, s.matrix, floor, enough)
	}
	s.rows.ScatterTo(x, s.x)
	s.rows.ScatterTo(r, s.r)
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

// worst returns the factor.Worst of the spare rows, for accelerations that begin x. The solution has no multipliers there.
func (s *lean) worst(x []float64, rest float64) factor.Worst {
	p := s.rows.Of
	w := factor.Worst{Ratio: roundingTerm, Node: -1, Row: -1}
	for i := range s.rows.Spare {
		node := &s.rows.Spare[i]
		first := int(p.Off[node.Of])
		var r [sparse.MaxBlock]float64
		a2 := rest * rest // at most (Σ‖x‖ + rest)²
		for _, row := range node.Rows[:node.N] {
			r[row] = s.b[first+int(row)]
		}
		for k := p.Ptr[node.Of]; k < p.Ptr[node.Of+1]; k++ {
			a := (*[6]float64)(x[p.Off[p.Ind[k]]:])
			a2 += (a[0]*a[0] + a[1]*a[1] + a[2]*a[2]) + (a[3]*a[3] + a[4]*a[4] + a[5]*a[5])
			v := s.whole.Val[p.Pos[k]:p.Pos[k+1]]
			for _, row := range node.Rows[:node.N] {
				t := (*[6]float64)(v[6*int(row):])
				r[row] -= (t[0]*a[0] + t[1]*a[1] + t[2]*a[2]) + (t[3]*a[3] + t[4]*a[4] + t[5]*a[5])
			}
		}
		for _, row := range node.Rows[:node.N] {
			t := r[row]
			if t*t <= w.Ratio*w.Ratio*a2*s.d[first+int(row)] {
				continue // without root or quotient, for most rows
			}
			if e := s.ratio(int(node.Of), int(row), t, x, rest); !(e <= w.Ratio) {
				w = factor.Worst{Ratio: e, Node: int(node.Of), Row: int(row)}
			}
		}
	}
	return w
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
func (l *leanPlan) spare() int { return l.rows.Of.Dim() - l.rows.Pattern.Dim() }

// rankStep is the length of the motion of hasRankNearby, in radians or lengths of bodies. The joints hold after it up to its square, and
// rows that depend on others at singular poses alone are off by the step itself. rankTol is between the two.
const (
	rankStep = 1e-4
	rankTol  = 1e-6
)

// hasRankNearby reports whether the spare rows depend on the others next to st, too, along a motion that the joints allow. y is the
// system at st, whose lean part is factored; it becomes that of another state.
func (s *lean) hasRankNearby(p *Plan, y *assemble.Weighted, st *mechanism.State) bool {
	s.fac.SetSpare(nil)
	defer s.fac.SetSpare(s.worst)
	rng := rand.New(rand.NewPCG(5, uint64(len(s.x))))
	v := make([]float64, p.layout.Pattern.Dim())
	s.motion(v, rng)
	y.AccelerationsTo(v[:p.first()], v)
	if !toUnitSpeed(v[:p.first()], p.length) {
		return true
	}
	moved := st.Clone()
	p.mech.DisplaceTo(moved, st, rankStep, v)
	if y.FillTo(moved) != nil || !s.factorize(y.Matrix, nil, y.Scale, p.epsilon) {
		return false
	}
	clear(y.Right)
	s.b = y.Right
	size := s.motion(v, rng)
	return s.worst(v, restTerm*size).Ratio <= rankTol
}

// motion stores in v a random motion that the rows of the lean system allow, in its coordinates, and returns its size.
func (s *lean) motion(v []float64, rng *rand.Rand) (size float64) {
	clear(s.right)
	n := int(s.rows.Of.Off[s.rows.Of.Positive()])
	for i := range s.right[:n] {
		s.right[i] = rng.Float64() - 0.5
	}
	ref := s.fac.SolveRefinedTo(s.x, s.r, s.right, s.matrix, 0)
	s.rows.ScatterTo(v, s.x)
	return ref.Size
}

// keepSpare makes s solve with all rows. The number of rows that depend on others is then that at the state of a solution.
func (s *Solver) keepSpare() {
	if s.whole != nil {
		s.whole.lean = nil
	}
}
