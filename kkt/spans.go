package kkt

import (
	"sync/atomic"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
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
func (s *core) newSpan() *factor.Span {
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
func (s *core) newRowSpan() *factor.RowSpan {
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
func (s *core) factorSpan(q *factor.Span, scale []float64, rank int, off float64) bool {
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

// clarity returns how clear a gap makes a rank.
func clarity(g factor.SpanGap) float64 { return g.Smallest / max(g.Dropped, spanLeast) }

// spanChoices are the tolerances that have been tried: the one that makes the rank clearest, and the one that does so among those
// with a given rank.
type spanChoices struct {
	rank       int
	best, same spanChoice
}

// add takes a tolerance with the gap and the rank that it makes. It reports whether the rank is so clear that no other is tried.
func (c *spanChoices) add(tol float64, g factor.SpanGap, rank int) (sure bool) {
	d := spanChoice{tol, clarity(g)}
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
