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

// get returns the analysis, which make computes the first time, or nil if make fails.
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

// spanTols are remainders of a column (factor.SpanGap) up to which it counts as dependent, in the order in which they are tried.
// Rounding of the state leaves remainders of
// 1e-16 where bodies are few, and 1e-10 and more on long open branches, where columns combine
// with the lengths of lever arms. True remainders fall with the length of a mast to the power 3/2,
// to some 1e-9 on a mast of 1e5 stages.
var spanTols = [...]float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4}

// violated is the ratio between a remainder and a position error of a joint that may have
// made it.
const violated = 10

// Limits of clarity.
const (
	spanSure  = 1e4   // from here on no larger tolerance is tried
	spanClear = 1e3   // from here on the rank is clear
	spanLeast = 1e-16 // rounding: dropped remainders below count as this
)

// factorSpan finds the basis of the column space of D^(−½)·W, theory.md (28), with D in scale.
// It takes the tolerance that makes the rank clearest. If no tolerance makes it clear, it takes the
// clearest one among those that lead to the given rank, if there are any. It reports whether the rank is
// clear. off is core.violation. Tolerances below violated·off are left
// out, except the largest one: a linkage that moves only by its special geometry seems rigid as soon as the joints are
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

// clarity returns the ratio of the smallest remainder that counts to the largest that does not.
func clarity(g factor.SpanGap) float64 { return g.Smallest / max(g.Dropped, spanLeast) }

// spanChoices has the clearest of the tolerances tried so far, best, and the clearest among those that lead to a given rank, same.
type spanChoices struct {
	rank       int
	best, same spanChoice
}

// add compares a tolerance, by its gap and rank, with the choices so far. It reports whether the rank is so clear that no other tolerance
// has to be tried.
func (c *spanChoices) add(tol float64, g factor.SpanGap, rank int) (sure bool) {
	d := spanChoice{tol, clarity(g)}
	c.best.take(d)
	if rank == c.rank {
		c.same.take(d)
	}
	return d.ratio >= spanSure
}

// choose returns the tolerance to take if add was never sure, and whether the rank is clear with it.
func (c *spanChoices) choose() (tol float64, clear bool) {
	if c.best.ratio >= spanClear || c.same.tol == 0 {
		return c.best.tol, c.best.ratio >= spanClear
	}
	return c.same.tol, false
}

// spanChoice is a tolerance and the clarity of the rank with it.
type spanChoice struct{ tol, ratio float64 }

// take replaces c by d if d is clearer.
func (c *spanChoice) take(d spanChoice) {
	if c.tol == 0 || d.ratio > c.ratio {
		*c = d
	}
}
