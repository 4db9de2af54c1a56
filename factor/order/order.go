package order

import (
	"context"
	"fmt"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/sparse"
)

// Ordering names a method of choosing the elimination order. The zero value is
// Auto.
type Ordering uint8

// The orderings. All but Auto and Own are computed by Of.
const (
	Auto             Ordering = iota // the candidate with the least work, chosen by factor.Choose
	Natural                          // joints as stored, each body, with its joints to the world, just before its first joint
	LeafFirst                        // pendant trees from their leaves, then loops from far to near the world
	Banded                           // Cuthill–McKee levels, for ladder-like mechanisms
	MinDegree                        // pendant trees, then approximate minimum degree
	NestedDissection                 // pendant trees, then recursive bisection, for nets
	Own                              // no method: the order is the user's (kkt.Options.Order)
)

var names = [...]string{"auto", "natural", "leaf-first", "banded", "min-degree", "nested-dissection", "own"}

// String returns the name that the command line and results use.
func (o Ordering) String() string {
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("Ordering(%d)", uint8(o))
}

// All returns the orderings that Of computes, all but Auto and Own.
func All() []Ordering {
	return []Ordering{Natural, LeafFirst, Banded, MinDegree, NestedDissection}
}

// Parse returns the ordering of a name as String writes it.
//
// It returns an error if no ordering has that name, and for "own", as that name does not determine an order.
func Parse(name string) (Ordering, error) {
	for i, s := range names[:Own] {
		if s == name {
			return Ordering(i), nil
		}
	}
	return Auto, fmt.Errorf("order: unknown ordering %q", name)
}

// Of returns the elimination order of p's nodes by method o: perm[new] = old.
// The result obeys the tile rule (see CheckTileRule) and depends on p and o only.
//
// Shapes: perm has one entry a node.
// Cost: O(blocks) for Natural, LeafFirst and Banded (Banded sorts neighbours by
// degree); near-linear for MinDegree and NestedDissection on mechanism graphs.
// It panics if o is Auto, Own or unknown, or if p is not bodies (+1) followed by
// joints (−1) whose only blocks couple a joint with a body.
func Of(p *sparse.Pattern, o Ordering) []int32 {
	perm, _ := OfContext(context.Background(), p, o, 1)
	return perm
}

// OfContext is Of on a number of threads, and ends early when ctx does. Only NestedDissection
// uses more than one thread. The order does not depend on their number.
//
// It returns the cause for which ctx has ended.
func OfContext(ctx context.Context, p *sparse.Pattern, o Ordering, threads int) ([]int32, error) {
	stop, end := halt.FlagOf(ctx)
	defer end()
	perm := of(p, o, threads, stop)
	if stop.Up() {
		return nil, context.Cause(ctx)
	}
	return perm, nil
}

// of is Of on a number of threads. Its result is meaningless if the flag goes up.
func of(p *sparse.Pattern, o Ordering, threads int, stop *halt.Flag) []int32 {
	g := newGraph(p)
	g.stop = stop
	if stop.Up() {
		return nil
	}
	e := newEmitter(g)
	switch o {
	case Natural:
		seq := make([]int32, g.nj)
		for j := range seq {
			seq[j] = int32(j)
		}
		e.joints(seq)
	case LeafFirst:
		e.joints(byDepth(g, peel(g, e)))
	case Banded:
		band(g, e)
	case MinDegree:
		e.joints(coreMinDegree(g, peel(g, e)))
	case NestedDissection:
		e.joints(coreDissection(g, peel(g, e), threads))
	default:
		panic("order: no such ordering to compute")
	}
	if stop.Up() {
		return nil
	}
	e.rest()
	return e.perm
}

// Forest reports whether p, the world left out, is a forest. Then LeafFirst has
// no wide front.
//
// Cost: O(blocks). It panics if p is not of the form Of takes.
func Forest(p *sparse.Pattern) bool { return coreSize(p) == 0 }

// coreSize returns the number of joints left when all pendant trees have been
// peeled off p.
func coreSize(p *sparse.Pattern) int {
	g := newGraph(p)
	return len(peel(g, newEmitter(g)))
}

// graph is the bipartite graph of a pattern, seen from both sides. Bodies
// and joints are numbered from 0 separately: joint j is node nb+j.
type graph struct {
	nb, nj int32
	jp, ji []int32 // nj+1, edges: bodies of joint j are ji[jp[j]:jp[j+1]], increasing
	bp, bj []int32 // nb+1, edges: joints of body b are bj[bp[b]:bp[b+1]], increasing
	size   []int8  // nb+nj: rows of each node
	stop   *halt.Flag
}

// newGraph returns the graph of bodies and joints of a pattern. It panics if the nodes of the pattern are not bodies followed by joints.
func newGraph(p *sparse.Pattern) *graph {
	if p == nil {
		panic("order: no pattern")
	}
	n := len(p.Sign)
	nb := 0
	for nb < n && p.Sign[nb] > 0 {
		nb++
	}
	if len(p.Size) != n || len(p.Ptr) != n+1 || p.Ptr[nb] != 0 {
		panic("order: pattern is not bodies followed by joints")
	}
	for _, s := range p.Sign[nb:] {
		if s > 0 {
			panic("order: pattern is not bodies followed by joints")
		}
	}
	g := &graph{nb: int32(nb), nj: int32(n - nb), jp: p.Ptr[nb:], ji: p.Ind, size: p.Size}
	g.bp = make([]int32, nb+1)
	for _, b := range p.Ind {
		if int(b) >= nb {
			panic("order: pattern is not bodies followed by joints")
		}
		g.bp[b+1]++
	}
	for b := range nb {
		g.bp[b+1] += g.bp[b]
	}
	g.bj = make([]int32, len(p.Ind))
	at := make([]int32, nb)
	copy(at, g.bp)
	for j := range g.nj {
		for _, b := range g.bodies(j) {
			g.bj[at[b]] = j
			at[b]++
		}
	}
	return g
}

func (g *graph) bodies(j int32) []int32 { return g.ji[g.jp[j]:g.jp[j+1]] }
func (g *graph) joints(b int32) []int32 { return g.bj[g.bp[b]:g.bp[b+1]] }
func (g *graph) rows(j int32) int32     { return int32(g.size[g.nb+j]) }

// emitter collects the permutation. A sequence of joints, each after its
// bodies, obeys the tile rule.
type emitter struct {
	g    *graph
	perm []int32
	seen []bool // by body
	done []bool // by joint
}

func newEmitter(g *graph) *emitter {
	return &emitter{g: g, perm: make([]int32, 0, g.nb+g.nj), seen: make([]bool, g.nb), done: make([]bool, g.nj)}
}

// body emits body b and its joints to the world, unless it has been emitted. These joints
// couple nothing that the body has not coupled already, so they make no fill. And the part that
// is eliminated next is then fixed to the world: pivots of a long part that floats vanish with
// its length.
func (e *emitter) body(b int32) {
	if e.seen[b] {
		return
	}
	e.seen[b] = true
	e.perm = append(e.perm, b)
	for _, w := range e.g.joints(b) {
		if e.g.jp[w+1]-e.g.jp[w] == 1 && !e.done[w] {
			e.done[w] = true
			e.perm = append(e.perm, e.g.nb+w)
		}
	}
}

// joint emits joint j unless it has been emitted.
func (e *emitter) joint(j int32) {
	if !e.done[j] {
		e.done[j] = true
		e.perm = append(e.perm, e.g.nb+j)
	}
}

// joints emits joints in sequence, each after its bodies.
func (e *emitter) joints(seq []int32) {
	for i, j := range seq {
		if e.g.stop.Every(i) {
			return
		}
		if e.done[j] {
			continue
		}
		for _, b := range e.g.bodies(j) {
			e.body(b)
		}
		e.joint(j)
	}
}

// rest emits the bodies that have not been emitted with a joint.
func (e *emitter) rest() {
	for b := range e.g.nb {
		e.body(b)
	}
}
