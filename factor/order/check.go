package order

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/sparse"
)

// ErrNoPermutation is wrapped by the error for an order that does not have every node once.
var ErrNoPermutation = errors.New("order: not a permutation")

// ErrTileRule is wrapped by the error for an order in which the pivot of a joint may vanish although its rows are
// independent (CheckTileRule).
var ErrTileRule = errors.New("order: neither matched, pendant nor closed")

// NodeError is the first entry of an order that is at fault.
type NodeError struct {
	Node     int   // of the pattern, unless it is out of range
	Position int   // in the order
	Err      error // ErrNoPermutation or ErrTileRule
}

// Error returns the node, its position and the fault there.
func (e *NodeError) Error() string {
	if e.Err == ErrTileRule {
		return fmt.Sprintf("order: joint node %d at position %d is neither matched, pendant nor closed", e.Node, e.Position)
	}
	return fmt.Sprintf("%v: node %d at position %d", e.Err, e.Node, e.Position)
}

// Unwrap returns the fault.
func (e *NodeError) Unwrap() error { return e.Err }

// CheckTileRule reports whether p may be factored without pivoting in the order
// perm (perm[new] = old).
//
// Bodies may be eliminated at any time. A joint must be matched, pendant or
// closed. Let C be the component, among the eliminated nodes, that contains the
// joint.
//   - Matched: one of the joint's bodies is the fresh body of its component, the
//     last one eliminated there with no joint of that component after it.
//   - Pendant: one body of the joint is the only one of the bodies of all joints in
//     C that has not been eliminated, no other joint of C ends at it, and C has no
//     joint to the world: then C is free in space on its side of the joint.
//   - Closed: all bodies of the eliminated joints in C, and of this joint, have
//     been eliminated.
//
// The rule depends on components only, so it holds for every postorder of the
// same elimination tree if it holds for one.
//
// Shapes: perm has one entry a node.
// Cost: O(blocks·α(blocks)).
// It returns a *NodeError for the first node against the rule, or the first
// entry that does not make perm a permutation, and an error that wraps
// ErrNoPermutation if perm has another length. It panics if p is not of the form
// Of takes.
func CheckTileRule(p *sparse.Pattern, perm []int32) error {
	g := newGraph(p)
	n := g.nb + g.nj
	if len(perm) != int(n) {
		return fmt.Errorf("%w: %d nodes for a pattern of %d", ErrNoPermutation, len(perm), n)
	}
	t := newTiles(g)
	for k, v := range perm {
		switch {
		case v < 0 || v >= n || t.done[v]:
			return &NodeError{int(v), k, ErrNoPermutation}
		case v < g.nb:
			t.body(v)
		case !t.joint(v - g.nb):
			return &NodeError{int(v), k, ErrTileRule}
		}
	}
	return nil
}

// tiles follows an elimination: union–find over the nodes, with three facts
// for the tile rule at each root.
type tiles struct {
	g      *graph
	done   []bool        // by node
	parent sets.Disjoint // by node
	open   []int32       // by root: pairs of an eliminated joint and a body of that joint that is not eliminated
	fresh  []int32       // by root: the fresh body, or −1
	ground []bool        // by root: there is a joint to the world
}

// newTiles returns the tiles before the first elimination.
func newTiles(g *graph) *tiles {
	n := g.nb + g.nj
	t := &tiles{
		g:      g,
		done:   make([]bool, n),
		parent: sets.New(int(n)),
		open:   make([]int32, n),
		fresh:  make([]int32, n),
		ground: make([]bool, n),
	}
	for v := range t.fresh {
		t.fresh[v] = -1
	}
	return t
}

// join merges the component of v into the component of root.
func (t *tiles) join(root, v int32) {
	if r := t.parent.Find(v); r != root {
		t.parent[r] = root
		t.open[root] += t.open[r]
		t.ground[root] = t.ground[root] || t.ground[r]
	}
}

// body eliminates body b, which becomes the fresh body of its component.
func (t *tiles) body(b int32) {
	t.done[b] = true
	for _, j := range t.g.joints(b) {
		if v := t.g.nb + j; t.done[v] {
			t.join(b, v)
			t.open[b]--
		}
	}
	t.fresh[b] = b
}

// joint eliminates joint j and reports whether the tile rule (CheckTileRule) allows it: whether j is then matched, closed or pendant.
func (t *tiles) joint(j int32) bool {
	v := t.g.nb + j
	t.done[v] = true
	matched, own := false, int32(0) // own counts the bodies of j that are not eliminated
	t.ground[v] = len(t.g.bodies(j)) == 1
	for _, b := range t.g.bodies(j) {
		matched = matched || t.done[b] && t.fresh[t.parent.Find(b)] == b
	}
	for _, b := range t.g.bodies(j) {
		if t.done[b] {
			t.join(v, b)
		} else {
			t.open[v]++
			own++
		}
	}
	return matched || t.open[v] == 0 || t.open[v] == 1 && own == 1 && !t.ground[v]
}
