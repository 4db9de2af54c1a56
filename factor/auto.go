package factor

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/sparse"
)

// Candidate is one ordering with the work it would cause.
type Candidate struct {
	Ordering order.Ordering
	Counts   Counts
}

// wideFront is the number of rows of the largest front from which on nested dissection is tried. If the best of the other
// orders has no front as wide, the graph has no net that dissection could cut better.
const wideFront = 64

// smallGraph is the number of nodes up to which Auto tries every ordering.
const smallGraph = 2000

// Limits bound the work and the memory of a factor. Zero stands for no limit.
type Limits struct{ Flops, NonZeros int64 }

// CostError is the cost of a factor that is beyond the limits.
type CostError struct {
	Counts Counts // of the cheapest order that was tried
	Limits Limits
}

// Error names the cost and the limit that it exceeds.
func (e *CostError) Error() string {
	if e.Limits.Flops > 0 && e.Counts.Flops > e.Limits.Flops {
		return fmt.Sprintf("factor: a factorization takes %.4g flops, more than %.4g", float64(e.Counts.Flops), float64(e.Limits.Flops))
	}
	return fmt.Sprintf("factor: the factor has %.4g nonzeros, more than %.4g; they take %.3g GB", float64(e.Counts.NonZeros), float64(e.Limits.NonZeros), 8e-9*float64(e.Counts.NonZeros))
}

// check returns a *CostError if c is beyond the limits.
func (l Limits) check(c Counts) error {
	if l.Flops > 0 && c.Flops > l.Flops || l.NonZeros > 0 && c.NonZeros > l.NonZeros {
		return &CostError{c, l}
	}
	return nil
}

// Choose analyses p (see Analyze) in the elimination order by method o. It returns the method
// used and all methods tried, each with its work.
//
// For Auto it uses the method with the fewest flops. On forests, where no front is wide, it
// tries leaf-first alone. Otherwise it tries leaf-first, banded and minimum degree, and nested
// dissection where the largest front of the best of these is wide. On small graphs it tries every method.
//
// Orders are tried, and large nets dissected, on a number of threads. The result does not
// depend on that number.
//
// Cost: near-linear in nodes and blocks. It panics on an unknown ordering, and on less than one
// thread.
func Choose(p *sparse.Pattern, o order.Ordering, threads int) (s *Symbolic, used order.Ordering, tried []Candidate) {
	s, used, tried, _ = ChooseContext(context.Background(), p, o, threads, Limits{})
	return s, used, tried
}

// ChooseContext is Choose, and ends early when ctx does.
//
// It returns the cause for which ctx has ended, or a *CostError if the order chosen is beyond the limits. It has then allocated
// nothing that grows with the factor.
func ChooseContext(ctx context.Context, p *sparse.Pattern, o order.Ordering, threads int, l Limits) (s *Symbolic, used order.Ordering, tried []Candidate, err error) {
	mustHavePattern(p)
	if threads < 1 {
		panic("factor: no threads")
	}
	c := &choice{ctx: ctx, p: p, threads: threads}
	var end func()
	c.stop, end = halt.FlagOf(ctx)
	defer end()
	if o != order.Auto {
		c.try(o)
	} else {
		c.tryAll()
	}
	if ctx.Err() != nil {
		return nil, o, nil, context.Cause(ctx)
	}
	best := fewestFlops(c.made)
	for i, e := range c.made {
		tried = append(tried, Candidate{c.list[i], e.counts})
	}
	if err := l.check(c.made[best].counts); err != nil {
		return nil, o, tried, err
	}
	s = c.made[best].analyze()
	if ctx.Err() != nil {
		return nil, o, nil, context.Cause(ctx)
	}
	return s, c.list[best], tried, nil
}

// choice has the orders tried for a pattern.
type choice struct {
	ctx     context.Context
	stop    *halt.Flag
	p       *sparse.Pattern
	threads int
	list    []order.Ordering
	made    []*elimination // by list; none is nil unless the context has ended
}

// tryAll tries the orders that Auto compares.
func (c *choice) tryAll() {
	c.list = []order.Ordering{order.LeafFirst}
	small := c.p.Len() <= smallGraph
	if !order.Forest(c.p) {
		c.list = append(c.list, order.Banded, order.MinDegree)
		if small {
			c.list, c.threads = append(c.list, order.Natural, order.NestedDissection), 1
		}
	}
	c.tryList()
	if c.ctx.Err() != nil {
		return
	}
	if len(c.list) > 1 && !small && c.made[fewestFlops(c.made)].counts.MaxFront >= wideFront {
		c.try(order.NestedDissection)
	}
}

// try appends method o to the list, and its order to made.
func (c *choice) try(o order.Ordering) {
	c.list = append(c.list, o)
	c.made = append(c.made, c.eliminate(o, c.threads))
}

// eliminate returns the pattern in the order by method o, or nil if the context has ended.
func (c *choice) eliminate(o order.Ordering, threads int) *elimination {
	perm, err := order.OfContext(c.ctx, c.p, o, threads)
	if err != nil {
		return nil
	}
	return eliminate(c.p, perm, c.stop)
}

// tryList tries the methods of the list on up to c.threads goroutines. The last one, which takes longest, is begun first.
func (c *choice) tryList() {
	c.made = make([]*elimination, len(c.list))
	var left atomic.Int64
	left.Store(int64(len(c.list)))
	work := func() {
		for i := left.Add(-1); i >= 0; i = left.Add(-1) {
			c.made[i] = c.eliminate(c.list[i], 1)
		}
	}
	var others sync.WaitGroup
	for range min(c.threads, len(c.list)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// fewestFlops returns the index of the elimination with the fewest flops, the first of several.
func fewestFlops(list []*elimination) (best int) {
	for i, e := range list {
		if e.counts.Flops < list[best].counts.Flops {
			best = i
		}
	}
	return best
}
