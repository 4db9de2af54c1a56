package factor

import "github.com/rung-mbd/rung/sparse"

// Candidate is one ordering with the work it would cause.
type Candidate struct {
	Ordering Ordering
	Counts   Counts
}

// wideFront is the number of rows of the widest front of the other orders from
// which nested dissection is tried: below, there is no net in the graph that it
// could cut better.
const wideFront = 64

// smallGraph is the number of nodes up to which Auto tries every ordering.
const smallGraph = 2000

// Choose analyses p (see Analyze) in the elimination order by method o, and returns the
// method used and all that were tried. For Auto the one with the fewest flops is used of these: leaf-first alone on forests, where no
// front is wide; otherwise the cheap ones and minimum degree, and nested
// dissection where some front is wide.
//
// Cost: near-linear in nodes and blocks. It panics on an unknown ordering.
func Choose(p *sparse.Pattern, o Ordering) (s *Symbolic, used Ordering, tried []Candidate) {
	var best *elimination
	try := func(o Ordering) {
		e := eliminate(p, Order(p, o))
		tried = append(tried, Candidate{o, e.counts})
		if best == nil || e.counts.Flops < best.counts.Flops {
			best, used = e, o
		}
	}
	if o != Auto {
		try(o)
		return best.analyze(), used, tried
	}
	try(LeafFirst)
	if ordCore(p) == 0 {
		return best.analyze(), used, tried
	}
	try(Banded)
	try(MinDegree)
	if p.Len() <= smallGraph {
		try(Natural)
	}
	if p.Len() <= smallGraph || best.counts.MaxFront >= wideFront {
		try(NestedDissection)
	}
	return best.analyze(), used, tried
}
