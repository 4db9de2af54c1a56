package kkt

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// leanFlops is the largest number of flops for each row of the whole system with which spare rows are searched: beyond it a plan would take
// seconds.
const leanFlops = 100_000

// newLeanPlan chooses the spare rows of p. It returns nil if there are none, if leaving them out does not pay, or if the state written in
// the model does not tell them: at a singular pose more rows depend on others than nearby.
func (p *Plan) newLeanPlan(ctx context.Context) (*leanPlan, error) {
	rows := p.layout.Pattern.Dim() - p.first()
	if p.mech.NumBearings() > 0 || rows <= 6*p.mech.NumBodies() || p.symbolic.Counts.Flops > leanFlops*int64(rows) {
		return nil, nil
	}
	c := &choice{p: p, y: p.layout.NewWeighted(), st: p.Initial(), enough: p.symbolic.Counts.Flops}
	if !c.fill() {
		return nil, nil // Solve says why
	}
	f := p.symbolic.NewFactor()
	err := f.Factorize(c.y.Matrix, c.y.Scale, p.epsilon, factor.WhereWeak)
	if err == nil && f.Weak == 0 || ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil && isExact(f, c.y) {
		c.enough /= 2
	}
	l, err := c.count(ctx)
	if l == nil || err != nil {
		return nil, err
	}
	corrections, err := c.try(ctx, l)
	if err != nil || l.symbolic.Counts.Flops > c.enough {
		return nil, err
	}
	if corrections < noAnswer {
		if to, err := l.steady(ctx, p, c.y, c.st, corrections); to != l || err != nil || corrections < steadyFrom {
			return to, err
		}
	}
	firm, corrections, err := c.firmer(ctx, l, corrections)
	switch {
	case err != nil || firm == l && corrections < noAnswer:
		return firm, err
	case corrections < noAnswer:
		return firm.steady(ctx, p, c.y, c.st, corrections)
	}
	if l, err = c.fromEnds(ctx); l == nil && err == nil && c.lost {
		p.orthogonal, err = p.isOrthogonal(ctx)
	}
	return l, err
}

// isOrthogonal reports whether orthogonal factors of the rows solve at the state written in the model.
func (p *Plan) isOrthogonal(ctx context.Context) (bool, error) {
	s := newCore(p, p)
	defer s.work.Watch(ctx)()
	s.st = p.Initial()
	solves := s.assembleWhole() == nil && s.orthogonal()
	return solves, context.Cause(ctx)
}

// choice is the search for the spare rows of a plan: theory.md, "Rows by size".
type choice struct {
	p      *Plan
	y      *assemble.Weighted
	st     *mechanism.State
	span   *factor.RowSpan // in the order of the plan
	least  float64         // least remainder (factor.SpanGap) of a row in the basis
	spare  int             // rows that depend on others
	enough int64           // largest work of a lean system that pays, flops
	lost   bool            // rows that count have lost their pivots in the order of the last try
}

// fill makes y the system without loads at st. It reports whether the system could be filled.
func (c *choice) fill() bool {
	c.y.Unloaded = true
	return c.y.FillTo(c.st) == nil
}

// count finds the number of spare rows. It returns the lean system of the rows that are independent of the rows before in the order of the
// plan; the lean system has no order yet. It returns nil if there are no spare rows, or if their number is not clear.
func (c *choice) count(ctx context.Context) (*leanPlan, error) {
	q := c.p.layout.Pattern
	rows := q.Dim() - c.p.first()
	plan, err := factor.AnalyzeRowSpanWithin(ctx, q, c.p.symbolic.Order(), factor.Limits{Flops: leanFlops * int64(rows)})
	if err != nil {
		return nil, context.Cause(ctx) // nil if the error was a CostError
	}
	c.span = plan.NewRowSpan()
	off := c.p.violation(c.y.Kin, c.st, nil)
	l, err := c.basis(ctx, max(spanTols[0], violated*off))
	if err != nil || l.spare() == 0 || !(clarity(c.span.Gap()) >= spanClear) {
		return nil, err
	}
	c.spare, c.least = l.spare(), c.span.Gap().Smallest
	return l, nil
}

// basis returns the lean system of the rows whose remainder is above a tolerance, without an order.
func (c *choice) basis(ctx context.Context, tol float64) (*leanPlan, error) {
	watch, kept := new(team.Watch), make([]bool, c.p.layout.Pattern.Dim())
	defer watch.Begin(ctx)()
	c.span.Heed(watch)
	if c.span.Factorize(c.y.Matrix, tol); watch.Up() {
		return nil, watch.Err()
	}
	c.span.KeptTo(kept)
	return newLeanRows(c.p.layout.Pattern, kept), nil
}

const (
	firmPart  = 5e-3          // tolerance of basis in the first try of firmer
	firmTries = 3             // tries of firmer, with ever smaller tolerances. Another value costs time only.
	noAnswer  = math.MaxInt32 // number of corrections that stands for no solution
)

// firmer looks for a basis whose rows depend less on each other than the rows of l, which needs the given corrections. With a larger
// tolerance, a row with a small remainder is left out, and a later row may take its place. This has worked if the basis has as many rows
// as before. firmer takes the first, largest tolerance with which it works. It returns that basis and its corrections if they are
// fewer, else l and the given number.
func (c *choice) firmer(ctx context.Context, l *leanPlan, corrections int) (*leanPlan, int, error) {
	for try, tol := 0, firmPart; try < firmTries && tol > c.least && c.fill(); try++ {
		to, err := c.basis(ctx, tol)
		if err != nil {
			return nil, 0, err
		}
		if to.spare() == c.spare {
			n, err := c.try(ctx, to)
			if n < corrections {
				return to, n, err
			}
			return l, corrections, err
		}
		tol = min(tol, c.span.Gap().Dropped) / 4
	}
	return l, corrections, nil
}

// try finds the order of l, and returns the number of corrections that its first solution needs. It returns noAnswer if that order has too
// much work, if l cannot be factored or solved, or if spare rows do not depend on the others nearby. It overwrites y.
func (c *choice) try(ctx context.Context, l *leanPlan) (corrections int, err error) {
	if err := l.analyse(ctx, c.p); err != nil || l.symbolic.Counts.Flops > c.enough {
		return noAnswer, err
	}
	s := l.newLeanOn(nil)
	if c.lost = !s.factorize(c.y.Matrix, nil, c.y.Scale, c.p.epsilon); c.lost || !s.hasRankNearby(c.p, c.y, c.st) {
		return noAnswer, nil
	}
	_, _, l.least = s.fac.Weakest()
	n := s.corrections(c.y, c.st, c.p.epsilon)
	if l.corrected = n > 0; n < 0 {
		n = noAnswer
	}
	return n, nil
}

// lighter is the factor by which the weighted rows of a body grow with each joint between it and the world, where rows are chosen from the
// ends: its inertia falls by the square. Bodies farther than some ten joints then hardly count. Another value costs time only, as the rank
// does not depend on masses.
const lighter = 1.05

// fromEnds chooses the spare rows in an order from the bodies farthest from the world on, with inertias that fall with the distance:
// theory.md, "Rows of long masts". It returns nil if their number is not the one of count, or if the order has more work than the order of
// the plan.
func (c *choice) fromEnds(ctx context.Context) (_ *leanPlan, err error) {
	p, y, q := c.p, c.y, c.p.layout.Pattern
	bodies, distance := farthest(q)
	perm := order.OfBodies(q, bodies)
	symbolic, err := factor.AnalyzeWithin(ctx, q, perm, factor.Limits{Flops: p.symbolic.Counts.Flops})
	if err != nil {
		return nil, context.Cause(ctx)
	}
	if !c.fill() {
		return nil, nil
	}
	lighten(y, q, distance)
	l, err := p.chooseRows(ctx, symbolic.NewFactor(), y, 1)
	if err != nil || l == nil || l.spare() != c.spare || l.symbolic.Counts.Flops > c.enough || !c.fill() {
		return nil, err
	}
	corrections := noAnswer
	if s := l.newLeanOn(nil); s.factorize(y.Matrix, nil, y.Scale, p.epsilon) {
		_, _, l.least = s.fac.Weakest()
		corrections = s.corrections(y, c.st, p.epsilon)
	}
	l.corrected = true
	if l, err = l.steady(ctx, p, y, c.st, corrections); err != nil {
		return nil, err
	}
	l.alone = l.plain != nil
	s := l.newLeanOn(nil)
	if !c.fill() || !s.factorize(y.Matrix, nil, y.Scale, p.epsilon) || !s.hasRankNearby(p, y, c.st) {
		return nil, nil
	}
	return l, nil
}

// lighten multiplies the block of each body in the rows of a joint by a power of lighter, and computes the scales of the new rows. The
// exponent is the distance of the body from the world minus the least distance of a body of the joint, so numbers stay finite however
// long the mechanism is.
func lighten(y *assemble.Weighted, p *sparse.Pattern, distance []int32) {
	clear(y.Scale)
	for j := p.Positive(); j < p.Len(); j++ {
		of := p.Ind[p.Ptr[j]:p.Ptr[j+1]]
		if len(of) == 0 {
			continue
		}
		near := distance[slices.MinFunc(of, func(a, b int32) int { return int(distance[a] - distance[b]) })]
		scale := y.Scale[p.Off[j]:p.Off[j+1]]
		for k, b := range of {
			by := math.Pow(lighter, float64(distance[b]-near))
			v := y.Matrix.Val[p.Pos[int(p.Ptr[j])+k]:][:6*len(scale)]
			for i := range v {
				v[i] *= by
				scale[i/6] += v[i] * v[i]
			}
		}
	}
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

// chooseRows returns the lean system of the rows that factor.Factor.ChooseRows keeps with the proximal term shrink·ε, analysed with an
// order of its own. It is nil if there are no spare rows or the choice fails.
func (p *Plan) chooseRows(ctx context.Context, f *factor.Factor, y *assemble.Weighted, shrink float64) (*leanPlan, error) {
	kept := make([]bool, p.layout.Pattern.Dim())
	if f.ChooseRows(kept, y.Matrix, y.Scale, shrink*p.epsilon) != nil {
		return nil, context.Cause(ctx)
	}
	l := newLeanRows(p.layout.Pattern, kept)
	if l.spare() == 0 {
		return nil, nil
	}
	return l, l.analyse(ctx, p)
}

// analyse finds an order of the lean system by the method of the options of p, or in the user's order of bodies.
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

// asked returns Options.Ordering as it was given.
func (p *Plan) asked() order.Ordering {
	if len(p.candidates) > 1 {
		return order.Auto
	}
	return p.ordering
}

// rankStep is the length of the motion of hasRankNearby, in radians or lengths of bodies. The joints hold after it up to its square. Rows
// that depend on others at singular poses alone are violated there by about the step itself. rankTol is between the two.
const (
	rankStep = 1e-4
	rankTol  = 1e-6
)

// hasRankNearby reports whether the spare rows also depend on the others next to st, after a motion that the joints allow. y is the
// system at st, whose kept rows are factored; it becomes the system of the state nearby.
func (s *lean) hasRankNearby(p *Plan, y *assemble.Weighted, st *mechanism.State) bool {
	s.ignoreSpare()
	defer s.checkSpare()
	rng := rand.New(rand.NewPCG(5, uint64(len(s.x))))
	v := make([]float64, p.layout.Pattern.Dim())
	s.motion(v, rng)
	dropRounding(v[:p.first()])
	y.AccelerationsTo(v[:p.first()], v)
	if !scaleToUnitSpeed(v[:p.first()], p.length) {
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
