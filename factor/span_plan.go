package factor

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/sparse"
)

// SpanPlan is the analysis of a Span: the order in which the columns of W are taken, and the fronts
// in which its rows meet. It is immutable and may be shared between goroutines.
//
// The columns of W that belong to a +1 node are taken together. Two +1 nodes are neighbours
// where a −1 node couples them. So the tree of the orthogonal factorization is the elimination
// tree of WᵀW (George & Heath 1980). It is also the elimination tree of the dual pattern, in which the −1
// nodes come first, as leaves.
type SpanPlan struct {
	p    *sparse.Pattern
	dual *Symbolic // leaves are −1 nodes of p, fronts hold +1 nodes; its kernel.Block.W is a place in Matrix.Val of p

	column []int32 // by permuted scalar of dual: the column of W
}

// AnalyzeSpanContext prepares the orthogonal factorization of the off-diagonal part W of matrices of
// pattern p. For Auto it takes, of the orders that Choose compares, the one with the least
// work. It ends early when ctx does.
//
// Cost: near-linear in nodes and blocks. It returns the cause for which ctx has ended. It panics on an unknown ordering, and on less
// than one thread.
func AnalyzeSpanContext(ctx context.Context, p *sparse.Pattern, o order.Ordering, threads int) (*SpanPlan, error) {
	stop, end := halt.FlagOf(ctx)
	defer end()
	s, err := chooseDual(ctx, stop, dualOf(p), o, threads)
	if err != nil {
		return nil, err
	}
	return newSpanPlan(p, s), nil
}

// newSpanPlan returns the plan for the rows and columns of p, with an analysis of its dual.
func newSpanPlan(p *sparse.Pattern, s *Symbolic) *SpanPlan {
	s.pointTo(p)
	rows := int32(p.Dim()) - p.Off[p.Positive()]
	column := make([]int32, 0, p.Dim())
	for c, o := range s.oldOff {
		for a := range s.off[c+1] - s.off[c] {
			column = append(column, o-rows+a)
		}
	}
	return &SpanPlan{p, s, column}
}

// dualOf returns p with the signs exchanged: the −1 nodes of p come first, its +1 nodes after
// them.
func dualOf(p *sparse.Pattern) *sparse.Pattern {
	mustHavePattern(p)
	n, nb := p.Len(), p.Positive()
	nj := n - nb
	size, sign := make([]int8, n), make([]int8, n)
	for i := range n {
		if i < nj {
			size[i], sign[i] = p.Size[nb+i], 1
		} else {
			size[i], sign[i] = p.Size[i-nj], -1
		}
	}
	ptr := make([]int32, n+1)
	for _, b := range p.Ind {
		ptr[nj+int(b)+1]++
	}
	for i := range n {
		ptr[i+1] += ptr[i]
	}
	next, ind := slices.Clone(ptr), make([]int32, len(p.Ind))
	for j := range nj {
		for _, b := range p.Ind[p.Ptr[nb+j]:p.Ptr[nb+j+1]] {
			ind[next[nj+int(b)]] = int32(j)
			next[nj+int(b)]++
		}
	}
	return sparse.NewPattern(size, sign, ptr, ind)
}

// chooseDual is Choose for a dual pattern, in orders that begin with all nodes of sign +1, which are its leaves. It returns the
// cause for which ctx has ended.
func chooseDual(ctx context.Context, stop *halt.Flag, d *sparse.Pattern, o order.Ordering, threads int) (*Symbolic, error) {
	list := []order.Ordering{o}
	if o == order.Auto {
		list = []order.Ordering{order.LeafFirst, order.Banded, order.MinDegree}
	}
	var best *elimination
	for i := 0; i < len(list); i++ {
		perm, err := order.OfContext(ctx, d, list[i], threads)
		if err != nil {
			return nil, err
		}
		e := eliminate(d, leavesFirst(d, perm), stop)
		if stop.Up() {
			return nil, context.Cause(ctx)
		}
		if best == nil || e.counts.Flops < best.counts.Flops {
			best = e
		}
		if o == order.Auto && list[i] == order.MinDegree && best.counts.MaxFront >= wideFront { // the last of the cheap ones
			list = append(list, order.NestedDissection)
		}
	}
	s := best.analyze()
	if stop.Up() {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// leavesFirst returns perm with the +1 nodes moved to the front.
func leavesFirst(p *sparse.Pattern, perm []int32) []int32 {
	out := make([]int32, 0, len(perm))
	for _, sign := range [...]int8{1, -1} {
		for _, v := range perm {
			if p.Sign[v] == sign {
				out = append(out, v)
			}
		}
	}
	return out
}

// pointTo makes the leaves of a dual analysis refer to pattern p: leaf.first becomes the first scalar row in p, and Block.W the place of
// the block in matrices of p.
func (s *Symbolic) pointTo(p *sparse.Pattern) {
	nb := p.Positive()
	nj := p.Len() - nb
	for i := range s.leaves {
		l := &s.leaves[i]
		j, _ := slices.BinarySearch(s.Pattern.Off[:nj], l.first)
		lo, hi := p.Ptr[nb+j], p.Ptr[nb+j+1]
		for k := l.lo; k < l.hi; k++ {
			b := &s.blocks[k]
			at, _ := slices.BinarySearch(p.Ind[lo:hi], s.node[b.Node]-int32(nj))
			b.W = p.Pos[int(lo)+at]
		}
		l.first = p.Off[nb+j]
	}
}
