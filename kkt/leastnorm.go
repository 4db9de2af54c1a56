package kkt

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/mechanism"
)

// spans are the analyses of the orthogonal factorizations, made when they are first needed.
type spans struct {
	columns once[factor.SpanPlan]
	rows    once[factor.RowSpanPlan]
}

// once is an analysis that is made when it is first needed. Goroutines that need it at the same time do not wait for each
// other, as each of them may end early. Each makes it, with the same result, and all take the one that is ready first.
type once[T any] struct{ made atomic.Pointer[T] }

// get returns the analysis, or nil if make fails.
func (o *once[T]) get(make func() (*T, error)) *T {
	if made := o.made.Load(); made != nil {
		return made
	}
	made, err := make()
	if err != nil {
		return nil
	}
	o.made.CompareAndSwap(nil, made)
	return o.made.Load()
}

// newSpan returns an orthogonal factorization of the columns of the
// whole system's W, or nil if the context of s has ended.
func (s *Solver) newSpan() *factor.Span {
	p, w := s.plan, s.work.watch
	plan := p.spans.columns.get(func() (*factor.SpanPlan, error) {
		return factor.AnalyzeSpanContext(w.Context(), p.layout.Pattern, order.Auto, p.threads)
	})
	if plan == nil {
		return nil
	}
	q := plan.NewSpan()
	q.Heed(w)
	return q
}

// newRowSpan returns an orthogonal factorization of the rows of W, or nil as newSpan does.
func (s *Solver) newRowSpan() *factor.RowSpan {
	p, w := s.plan, s.work.watch
	plan := p.spans.rows.get(func() (*factor.RowSpanPlan, error) {
		return factor.AnalyzeRowSpanContext(w.Context(), p.layout.Pattern, order.Auto, p.threads)
	})
	if plan == nil {
		return nil
	}
	q := plan.NewRowSpan()
	q.Heed(w)
	return q
}

// spanTols are parts of a column relative to its length. A column counts as dependent if those
// before leave no more of it. The parts are tried in this order. Rounding of the state leaves
// 1e-16 where bodies are few, and 1e-10 and more on long open branches, where columns combine
// with the lengths of lever arms. True parts fall with the root of the cube of the length of a
// mast, to some 1e-9 on one of 1e5 stages.
var spanTols = [...]float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}

// violated is the ratio between such a part and an error of a joint's position that may have
// made it.
const violated = 10

// Ratios between the smallest part that counts and the largest that does not, or rounding.
const (
	spanSure  = 1e4 // no larger tolerance is tried
	spanClear = 1e3 // the rank is clear
	spanLeast = 1e-16
)

// factorSpan finds the basis of the column space of D^(−½)·W, theory.md (28), with D in scale.
// It takes the tolerance that makes the rank clearest. If none makes it clear, it takes the
// clearest of those that give the given rank, if there are any. It reports whether the rank is
// clear. off is the largest error of a joint's position. Tolerances below violated·off are left
// out, but for the largest: a linkage that moves only by its geometry is rigid as soon as it is
// off. If the context ends, it returns false, and q is not factored.
func (s *Solver) factorSpan(q *factor.Span, scale []float64, rank int, off float64) bool {
	c := spanChoices{rank: rank}
	for i, tol := range spanTols {
		if tol < violated*off && i+1 < len(spanTols) {
			continue
		}
		if q.Factorize(s.sys.Matrix, scale, tol); s.work.watch.Up() {
			return false
		}
		if c.add(tol, q.Gap(), q.Rank()) {
			return true
		}
	}
	tol, clear := c.choose()
	q.Factorize(s.sys.Matrix, scale, tol)
	return clear
}

// spanChoices are the tolerances that have been tried: the one that makes the rank clearest, and the one that does so among those
// with a given rank.
type spanChoices struct {
	rank       int
	best, same spanChoice
}

// add takes a tolerance with the gap and the rank that it makes. It reports whether the rank is so clear that no other is tried.
func (c *spanChoices) add(tol float64, g factor.SpanGap, rank int) (sure bool) {
	d := spanChoice{tol, g.Smallest / max(g.Dropped, spanLeast)}
	c.best.take(d)
	if rank == c.rank {
		c.same.take(d)
	}
	return d.ratio >= spanSure
}

// choose returns the tolerance to take if none was sure, and whether the rank is clear.
func (c *spanChoices) choose() (tol float64, clear bool) {
	if c.best.ratio >= spanClear || c.same.tol == 0 {
		return c.best.tol, c.best.ratio >= spanClear
	}
	return c.same.tol, false
}

// spanChoice is a tolerance and how clear it makes the rank.
type spanChoice struct{ tol, ratio float64 }

// take replaces c by d if d is clearer.
func (c *spanChoice) take(d spanChoice) {
	if c.tol == 0 || d.ratio > c.ratio {
		*c = d
	}
}

// Largest residuals of multipliers that count as those of least norm. Rounding leaves 1e-15,
// but of dependent columns it may leave more. The effect on the bodies changes by as much.
const (
	optimalTol   = 1e-10 // LeastNorm.Optimality
	unchangedTol = 1e-10 // LeastNorm.Change
	roundedTol   = 1e-8  // the same, if a dependent column has left as much
)

// isLeast reports whether how is of multipliers of least norm.
func isLeast(how factor.LeastNorm, g factor.SpanGap) bool {
	return how.Optimality <= optimalTol && how.Change <= max(unchangedTol, min(g.Dropped, roundedTol))
}

// violation returns the largest error of a joint's position: angles, and lengths relative to
// the longer of its bodies. A prescribed motion has no part in it, as the rows are the same
// wherever the freedom is.
func (s *Solver) violation() (worst float64) {
	m := s.plan.mech
	for j := range m.Joints {
		if s.work.watch.Every(j) {
			break
		}
		l := 0.0
		for _, b := range [...]int32{m.Joints[j].Pred, m.Joints[j].Succ} {
			if b >= 0 {
				l = max(l, s.plan.length[b])
			}
		}
		var v mechanism.Violation
		var delta, rate [6]float64
		_ = m.ErrorsTo(&delta, &rate, j, s.now.kin, s.st) // of rates, which do not matter here
		for i := range m.Joints[j].Kind.Constraints() {
			v.Note(m.Joints[j].Angles>>i&1 != 0, delta[i], 0)
		}
		off, _ := v.In(l)
		worst = max(worst, off)
	}
	for i := range m.Couplings {
		l := 0.0
		for _, b := range m.Couplings[i].Bodies {
			l = max(l, s.plan.length[b])
		}
		v := m.ConstraintViolation(m.NumJoints()+i, s.now.kin, s.st)
		off, _ := v.In(l)
		worst = max(worst, off)
	}
	return worst
}

// confirm compares the rank that the pivots tell with that of an orthogonal factorization of
// the geometric matrix. If that is another one, and clear, confirm takes it. The reason is that
// pivots are squares of the parts that the factorization sees, and rounding covers those below
// 1e-8 of their scale. Rows so close to redundant make a nearly singular system. It reports whether that factorization is
// clear and finds the rank of the pivots.
func (s *Solver) confirm(r *Report, k *ranking) (sure bool) {
	if k.span = s.newSpan(); k.span == nil {
		return false // Report returns the cause
	}
	counted := len(s.x) - s.plan.first() - r.Redundant
	if k.off = s.violation(); s.work.watch.Up() {
		return false
	}
	sure = s.factorSpan(k.span, s.sys.Scale, counted, k.off)
	if k.rows == nil && sure && k.span.Rank() != counted {
		r.NearSingular = true
		s.recount(r, r.Redundant+counted-k.span.Rank(), k)
		return false
	}
	return sure && k.span.Rank() == counted
}

// recount sets a number of redundant rows other than that of the pivots. It names the rows
// whose pivots grow most with the proximal term.
func (s *Solver) recount(r *Report, redundant int, k *ranking) {
	first := s.plan.first()
	rows := make([]int, 0, len(s.x)-first)
	for i := first; i < len(s.x); i++ {
		rows = append(rows, i)
	}
	growth := func(i int) float64 { return k.p2[i] / k.p1[i] }
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(growth(b), growth(a)) })
	r.Redundant = redundant
	clear(r.RedundantRows)
	p := s.plan.layout.Pattern
	for _, i := range rows[:redundant] {
		node, _ := slices.BinarySearch(p.Off, int32(i+1))
		r.RedundantRows[s.plan.layout.NodeConstraint(node-1)]++
	}
}

// spread marks the components of wrenches that the constraints leave undetermined, and replaces
// the multipliers by those of least norm in the given metric, theory.md (27). The geometric
// matrix and its scales are in s.sys.
func (s *Solver) spread(r *Report, metric []float64, k *ranking) {
	s.uniqueness(r, k)
	if s.factorSpan(k.span, metric, r.Rank+s.plan.gears(), k.off); s.work.watch.Up() {
		return
	}
	x := append([]float64(nil), s.x...)
	how := k.span.LeastNormTo(x)
	if r.NormResidual = max(how.Optimality, how.Change); !(r.NormResidual < 1) {
		r.NormResidual = 1 // no norm at all, perhaps not a number
	}
	if r.LeastNorm = isLeast(how, k.span.Gap()); r.LeastNorm {
		copy(s.x, x)
	}
}

const (
	probes   = 2    // random null vectors of the uniqueness test
	probeTol = 1e-8 // of a null vector's component, relative to the joint's scale; rounding leaves 1e-13
)

// uniqueness finds the wrench components that the constraints leave undetermined. A random
// vector less its part of least norm is a null vector. It reaches these components, with
// probability one.
func (s *Solver) uniqueness(r *Report, k *ranking) {
	rng := rand.New(rand.NewPCG(1, uint64(len(s.x))))
	z := make([]float64, len(s.x))
	for range probes {
		s.nullVector(z, k, rng)
		for j := range r.Undetermined {
			if s.work.watch.Every(j) {
				return
			}
			s.probeJoint(r, j, z)
		}
		for i := range r.UndeterminedCouplings {
			s.probeCoupling(r, i, z)
		}
	}
}

// probeCoupling marks coupling i if the null-space multipliers v reach it.
func (s *Solver) probeCoupling(r *Report, i int, v []float64) {
	o := s.plan.layout.Pattern.Off[s.plan.layout.CouplingNode(i)]
	if math.Abs(v[o])*math.Sqrt(s.sys.Scale[o]) > probeTol {
		r.UndeterminedCouplings[i] = true
	}
}

// nullVector stores in z a random reaction without effect on any body, of order 1 in the metric of the rows' scales.
func (s *Solver) nullVector(z []float64, k *ranking, rng *rand.Rand) {
	first := s.plan.first()
	clear(z[:first])
	c := make([]float64, len(z))
	for i := first; i < len(c); i++ {
		c[i] = (0.5 + rng.Float64()) / math.Sqrt(s.sys.Scale[i])
		if rng.Uint64()&1 == 1 {
			c[i] = -c[i]
		}
	}
	if s.work.watch.Up() {
		return
	}
	if k.rows != nil {
		k.rows.nullTo(z, c)
		return
	}
	copy(z, c)
	k.span.LeastNormTo(z)
	for i := first; i < len(z); i++ {
		z[i] = c[i] - z[i]
	}
}

// probeJoint marks the components of joint j's total wrench that the null-space
// multipliers v reach.
func (s *Solver) probeJoint(r *Report, j int, v []float64) {
	node, mech := s.plan.layout.JointNode(j), s.plan.mech
	if node < 0 && len(mech.LegsAt(j)) == 0 {
		return
	}
	p := s.plan.layout.Pattern
	w := s.couplingWrench(j, v)
	if node >= 0 {
		w = w.Add(s.wrench(j, v[p.Off[node]:p.Off[node+1]]))
	}
	l := 0.0
	for _, b := range [...]int32{mech.Joints[j].Pred, mech.Joints[j].Succ} {
		if b >= 0 {
			l = max(l, s.plan.length[b])
		}
	}
	if s.bearings != nil && s.plan.mech.HasBearing(j) {
		var jk mechanism.JointKinematics
		s.plan.mech.JointTo(&jk, j, s.now.kin, s.st)
		if s.plan.mech.BearingLoad(j, &w, &jk) > probeTol {
			r.Undetermined[j] |= bearingBit
		}
	}
	for c, x := range w {
		tol := probeTol
		if c < 3 {
			tol *= l
		}
		if math.Abs(x) > tol {
			r.Undetermined[j] |= componentBit(c)
		}
	}
}
