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

// Choose returns the elimination order by method o, perm[new] = old, and the
// method used. For Auto these are the candidate with the fewest flops and all
// candidates that were tried: leaf-first alone on forests, where no
// front is wide; otherwise the cheap ones and minimum degree, and nested
// dissection where some front is wide.
//
// Cost: near-linear in nodes and blocks. It panics on an unknown ordering.
func Choose(p *sparse.Pattern, o Ordering) (perm []int32, used Ordering, tried []Candidate) {
	if o != Auto {
		perm = Order(p, o)
		return perm, o, []Candidate{{o, CountOrder(p, perm)}}
	}
	best := -1
	try := func(o Ordering) {
		q := Order(p, o)
		c := Candidate{o, CountOrder(p, q)}
		tried = append(tried, c)
		if best < 0 || c.Counts.Flops < tried[best].Counts.Flops {
			best = len(tried) - 1
			perm = q
		}
	}
	try(LeafFirst)
	if ordCore(p) == 0 {
		return perm, LeafFirst, tried
	}
	try(Banded)
	try(MinDegree)
	if p.Len() <= smallGraph {
		try(Natural)
	}
	if p.Len() <= smallGraph || tried[best].Counts.MaxFront >= wideFront {
		try(NestedDissection)
	}
	return perm, tried[best].Ordering, tried
}
