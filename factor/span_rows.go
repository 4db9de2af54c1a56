package factor

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// RowSpanPlan is the analysis of a RowSpan. It is immutable and may be shared between
// goroutines.
type RowSpanPlan struct {
	p    *sparse.Pattern
	plan *SpanPlan // of the dual pattern, whose off-diagonal part is Wᵀ
}

// AnalyzeRowSpanContext prepares the orthogonal factorization of Wᵀ as AnalyzeSpanContext prepares the factorization of W, with the
// same cost, errors and panics.
func AnalyzeRowSpanContext(ctx context.Context, p *sparse.Pattern, o order.Ordering, threads int) (*RowSpanPlan, error) {
	plan, err := AnalyzeSpanContext(ctx, dualOf(p), o, threads)
	if err != nil {
		return nil, err
	}
	return &RowSpanPlan{p, plan}, nil
}

// AnalyzeRowSpanWithin is AnalyzeRowSpanContext for the elimination order perm, perm[new] = old, with the nodes of sign +1 moved to the
// front. It returns a *CostError if this order is beyond the limits.
func AnalyzeRowSpanWithin(ctx context.Context, p *sparse.Pattern, perm []int32, l Limits) (*RowSpanPlan, error) {
	columns := dualOf(p)
	rows := dualOf(columns) // its nodes have the numbers that they have in p
	s, err := AnalyzeWithin(ctx, rows, leavesFirst(rows, perm), l)
	if err != nil {
		return nil, err
	}
	return &RowSpanPlan{p, newSpanPlan(columns, s)}, nil
}

// RowSpan is an orthonormal basis of the space of the rows of W. It solves the system of the
// whole matrix, with unit diagonal blocks, theory.md (31). Its errors are about rounding times
// the condition of W; a factor of W·Wᵀ has the square of the condition in its place. Among the
// rows that a front eliminates, the row of which most is left comes first.
type RowSpan struct {
	p    *sparse.Pattern
	span *Span
	m    *sparse.Matrix // Wᵀ
	unit []float64
}

// NewRowSpan allocates the basis of a plan; most of its memory is allocated by Factorize.
func (p *RowSpanPlan) NewRowSpan() *RowSpan {
	q := &RowSpan{p: p.p, span: p.plan.NewSpan(), m: sparse.NewUnitMatrix(p.plan.p), unit: make([]float64, p.p.Dim())}
	for i := range q.unit {
		q.unit[i] = 1
	}
	q.span.mixed, q.span.ahead = true, precedence{clearlyLarger, clearlyLarger, true}
	return q
}

// Heed is Span.Heed.
func (q *RowSpan) Heed(w *team.Watch) { q.span.Heed(w) }

// Factorize finds the basis for the values of m, which has unit diagonal blocks. A row counts
// as dependent if the rows before leave no more than tol of its length.
//
// Cost: as Span.Factorize. It panics if m is of another pattern.
func (q *RowSpan) Factorize(m *sparse.Matrix, tol float64) {
	if m.Pattern != q.p {
		panic("factor: foreign pattern")
	}
	q.transpose(m)
	q.span.Factorize(q.m, q.unit, tol)
}

// transpose stores Wᵀ in q.m.
func (q *RowSpan) transpose(m *sparse.Matrix) {
	p, d := m.Pattern, q.m.Pattern
	nb := p.Positive()
	nj := p.Len() - nb
	next := slices.Clone(d.Ptr)
	for j := range nj {
		for k := p.Ptr[nb+j]; k < p.Ptr[nb+j+1]; k++ {
			b := int(p.Ind[k])
			dst := q.m.Val[d.Pos[next[nj+b]]:]
			next[nj+b]++
			rows, n := int(p.Size[nb+j]), int(p.Size[b])
			for a := range rows {
				for c, x := range m.Val[int(p.Pos[k])+n*a:][:n] {
					dst[c*rows+a] = x
				}
			}
		}
	}
}

// Rank returns the number of independent rows.
func (q *RowSpan) Rank() int { return q.span.Rank() }

// Gap says how clear Rank is.
func (q *RowSpan) Gap() SpanGap { return q.span.Gap() }

// RowSolution has the number of steps and the errors of a solution by RowSpan.SolveTo.
type RowSolution struct {
	Steps int // corrections before the solution that was kept
	// Error is the predicted error of the +1 part, relative to its largest entry: the last correction times its ratio to the one before.
	Error    float64
	Residual float64 // of the independent rows and of the +1 rows: the larger of Optimality and Change of LeastNorm
}

// KeptTo stores in kept whether each scalar row is in the basis, by original scalar. Rows of sign −1 that depend on others are not; rows of
// sign +1 always are.
//
// Shapes: kept has Dim entries. q has been factored. It panics on a length mismatch.
func (q *RowSpan) KeptTo(kept []bool) {
	if len(kept) != q.p.Dim() {
		panic("factor: length mismatch")
	}
	first := int(q.p.Off[q.p.Positive()])
	for i := range kept {
		kept[i] = i < first || !q.span.dropped[i-first]
	}
}

// SolveTo solves the system of the matrix, theory.md (31). The +1 part x₁ of x is the vector
// nearest to b₁ with W·x₁ = b₂ in the independent rows. The −1 part x₂ has the multipliers of
// these rows, x₁ + Wᵀ·x₂ = b₁, and zero in the dependent rows.
//
// Shapes: x and b have an entry a scalar row of the pattern. x may be b.
// Cost: as Span.LeastNormTo. q has been factored, and the matrix has not changed since. It
// panics on a length mismatch.
func (q *RowSpan) SolveTo(x, b []float64) (out RowSolution) {
	s := q.span
	rows := s.first()
	if len(x) != len(s.live) || len(b) != len(x) {
		panic("factor: length mismatch")
	}
	n := len(x) - rows // the +1 part comes first in x, and last in the dual
	r := s.newRefining()
	r.b, r.dependent = make([]float64, len(x)), true
	copy(r.b[rows:], b[:n])
	for i := range rows {
		r.w[i] = dd.Of(b[n+i])
	}
	how := s.refine(r, func() {
		copy(x[:n], r.mu[rows:])
		for i := range rows {
			x[n+i] = -dd.Float(r.u[i])
		}
	})
	if size := algebra.MaxAbs(x[:n]); size > 0 {
		out.Error = r.step / size
		if r.before > 0 {
			out.Error *= min(1, r.step/r.before)
		}
	}
	out.Steps, out.Residual = how.Steps, max(how.Optimality, how.Change)
	return out
}
