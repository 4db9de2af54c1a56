package factor

import (
	"sync"
	"sync/atomic"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
)

// Candidate is one ordering with the work it would cause.
type Candidate struct {
	Ordering order.Ordering
	Counts   Counts
}

// wideFront is the number of rows of a front from which on nested dissection is tried. If no
// front of the other orders is as wide, the graph has no net that dissection could cut better.
const wideFront = 64

// smallGraph is the number of nodes up to which Auto tries every ordering.
const smallGraph = 2000

// Choose analyses p (see Analyze) in the elimination order by method o. It returns the method
// used and all that were tried.
//
// For Auto it uses the method with the fewest flops. On forests, where no front is wide, it
// tries leaf-first alone. Otherwise it tries the cheap methods and minimum degree, and nested
// dissection where some front is wide.
//
// Orders are tried, and large nets dissected, on a number of threads. The result does not
// depend on that number.
//
// Cost: near-linear in nodes and blocks. It panics on an unknown ordering, and on less than one
// thread.
func Choose(p *sparse.Pattern, o order.Ordering, threads int) (s *Symbolic, used order.Ordering, tried []Candidate) {
	if threads < 1 {
		panic("factor: no threads")
	}
	if o != order.Auto {
		e := eliminate(p, order.OnThreads(p, o, threads))
		return e.analyze(), o, []Candidate{{o, e.counts}}
	}
	list := []order.Ordering{order.LeafFirst}
	if !order.Forest(p) {
		list = append(list, order.Banded, order.MinDegree)
		if p.Len() <= smallGraph {
			list, threads = append(list, order.Natural, order.NestedDissection), 1
		}
	}
	made := eliminations(p, list, threads)
	best := fewestFlops(made)
	if len(list) > 1 && p.Len() > smallGraph && made[best].counts.MaxFront >= wideFront {
		list = append(list, order.NestedDissection)
		made = append(made, eliminate(p, order.OnThreads(p, order.NestedDissection, threads)))
		best = fewestFlops(made)
	}
	for i, e := range made {
		tried = append(tried, Candidate{list[i], e.counts})
	}
	return made[best].analyze(), list[best], tried
}

// eliminations returns p in each of the orders. The last order takes longest and is begun
// first.
func eliminations(p *sparse.Pattern, list []order.Ordering, threads int) []*elimination {
	made := make([]*elimination, len(list))
	var left atomic.Int64
	left.Store(int64(len(list)))
	work := func() {
		for i := left.Add(-1); i >= 0; i = left.Add(-1) {
			made[i] = eliminate(p, order.OnThreads(p, list[i], 1))
		}
	}
	var others sync.WaitGroup
	for range min(threads, len(list)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return made
}

// fewestFlops returns the elimination with the least work, the first of several.
func fewestFlops(list []*elimination) (best int) {
	for i, e := range list {
		if e.counts.Flops < list[best].counts.Flops {
			best = i
		}
	}
	return best
}
