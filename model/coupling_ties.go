package model

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Couplings that tie the same freedoms to each other in a cycle must agree with each other.

// named is a freedom that the current coupling names, with its path in the coupling.
type named struct {
	jointIndex, freedom int
	tail                string  // path within the coupling
	sum, size           float64 // at the first mention: sums of the factors of all its terms, and of their magnitudes
}

// fewNames is the largest number of freedoms that are compared pairwise; beyond it a map finds repeated ones. It affects only speed.
const fewNames = 16

// tie is a linear coupling of one freedom or two, Σ factor·q = rhs.
type tie struct {
	index    int32    // index of the coupling
	count    int32    // number of freedoms, 1 or 2
	freedoms [2]int32 // their ids: 6·joint + freedom
	factors  [2]float64
	rhs      float64
	norm     float64 // the violation in rad or m is the error of the equation over norm, as for a mechanism.Coupling
	inForest bool    // the tie is an edge of the forest
}

// node is a freedom in a forest of ties: q = slope·q' + shift, where q' is the coordinate of the parent.
type node struct {
	parent       int32 // index of the parent; a root is its own parent
	slope, shift float64

	// The fields below are set for a root only.
	fixedBy    int32   // the tie of one freedom that fixes all freedoms of the tree, −1 if there is none
	coordinate float64 // the coordinate of the root under that tie
	uncertain  bool    // a cycle of ties determines the coordinate, too, or rounding does; nothing more is checked in this tree
}

// Limits of checkCycles.
const (
	// heldError is the largest violation, rad or m, of a coupling that counts as satisfied: mechanism.HoldTolerance. For lengths
	// small mechanisms use less.
	heldError = 1e-6
	// balanced bounds relative rounding: factors of a cycle cancel if their sum is at most balanced times the sum of their
	// magnitudes. A cycle whose factors do not cancel fixes its freedoms. Whether it can be satisfied is found out later, when the
	// joints are closed.
	balanced = 1e-9
	// namedTies is the largest number of couplings of a cycle that a message names.
	namedTies = 8
	// namedCycles is the largest number of contradictions that are searched for: each search visits all couplings.
	namedCycles = 20
)

// forest is a union–find structure of the freedoms, in which ties are edges. It finds ties that contradict others.
type forest struct {
	edges    []tie
	starts   []int32 // for each joint the first of its six nodes, −1 if it has none yet
	nodeList []node
	searches int // number of searches that contradiction has made
}

// nodeOf returns the index of the node of a freedom, and adds the nodes of its joint if they are missing.
func (w *forest) nodeOf(freedom int32) int32 {
	j := freedom / 6
	if w.starts[j] < 0 {
		w.starts[j] = int32(len(w.nodeList))
		for range 6 {
			w.nodeList = append(w.nodeList, node{parent: int32(len(w.nodeList)), slope: 1, fixedBy: -1})
		}
	}
	return w.starts[j] + freedom%6
}

// rootOf returns the root of node k, and m and n in q = m·q_root + n. It halves the path to the root for later calls.
func (w *forest) rootOf(k int32) (root int32, m, n float64) {
	for m = 1; ; {
		at := &w.nodeList[k]
		if at.parent == k {
			return k, m, n
		}
		if up := &w.nodeList[at.parent]; up.parent != at.parent {
			at.parent, at.slope, at.shift = up.parent, at.slope*up.slope, at.shift+at.slope*up.shift
		}
		m, n, k = m*at.slope, n+m*at.shift, at.parent
	}
}

// addTie adds tie i. If the tie contradicts earlier ones, addTie returns their indices and the violation of tie i, rad or m, that follows
// from them; else nil and 0.
func (w *forest) addTie(i int32) (others []int32, off float64) {
	t := &w.edges[i]
	ra, ma, na := w.rootOf(w.nodeOf(t.freedoms[0]))
	if t.count == 1 {
		return w.fix(i, ra, ma, na)
	}
	rb, mb, nb := w.rootOf(w.nodeOf(t.freedoms[1]))
	// The tie in terms of the coordinates a, b of the roots: fa·a + fb·b = rest.
	fa, fb, rest := t.factors[0]*ma, t.factors[1]*mb, t.rhs-t.factors[0]*na-t.factors[1]*nb
	size := math.Abs(t.rhs) + math.Abs(t.factors[0]*na) + math.Abs(t.factors[1]*nb)
	a, b := &w.nodeList[ra], &w.nodeList[rb]
	switch {
	case a.uncertain || b.uncertain:
	case ra == rb && !(math.Abs(fa+fb) <= balanced*(math.Abs(fa)+math.Abs(fb))):
		a.uncertain = true
	case ra == rb:
		return w.contradiction(i, rest, size, route{-1, t.freedoms[0], t.freedoms[1], t.factors[1]})
	case a.fixedBy >= 0 && b.fixedBy >= 0:
		off := rest - fa*a.coordinate - fb*b.coordinate
		size += math.Abs(fa*a.coordinate) + math.Abs(fb*b.coordinate)
		one, two := w.routeFromFixed(a.fixedBy, t.freedoms[0], t.factors[0]), w.routeFromFixed(b.fixedBy, t.freedoms[1], t.factors[1])
		if others, off := w.contradiction(i, off, size, one, two); others != nil {
			return others, off
		}
		b.uncertain = true // the two values differ only by rounding
	case a.fixedBy >= 0:
		b.fixedBy, b.coordinate = a.fixedBy, (rest-fa*a.coordinate)/fb
	}
	if ra != rb {
		a.parent, a.slope, a.shift = rb, -fb/fa, rest/fa
		finite := algebra.Finite(b.coordinate) && algebra.Finite(a.shift) && algebra.Finite(a.slope)
		b.uncertain = b.uncertain || a.uncertain || !finite || a.slope == 0
		t.inForest = true
	}
	return nil, 0
}

// fix adds tie i, which has one freedom, q = m·q_root + n. It returns the same as addTie.
func (w *forest) fix(i, root int32, m, n float64) (others []int32, off float64) {
	t, r := &w.edges[i], &w.nodeList[root]
	switch {
	case r.uncertain:
	case r.fixedBy < 0:
		r.fixedBy, r.coordinate = i, (t.rhs/t.factors[0]-n)/m
		r.uncertain = !algebra.Finite(r.coordinate)
	default:
		rest, size := t.rhs-t.factors[0]*(m*r.coordinate+n), math.Abs(t.rhs)+math.Abs(t.factors[0]*m*r.coordinate)+math.Abs(t.factors[0]*n)
		return w.contradiction(i, rest, size, w.routeFromFixed(r.fixedBy, t.freedoms[0], t.factors[0]))
	}
	return nil, 0
}

// route leads over ties of the forest from one freedom to another, which the tie under test has with a factor.
type route struct {
	hold     int32 // the tie of one freedom that fixes from, −1 for none
	from, to int32
	factor   float64
}

// routeFromFixed returns the route from the freedom that tie hold fixes to the freedom to.
func (w *forest) routeFromFixed(hold, to int32, factor float64) route {
	return route{hold, w.edges[hold].freedoms[0], to, factor}
}

// contradiction returns the ties on the routes to the freedoms of tie i, and the violation of tie i, rad or m, where they hold. rest is
// the error of the equation of tie i, and size the sum of the magnitudes of its terms. It returns nil if rounding, or violations of the
// other ties by heldError, may cause the error, and after namedCycles searches.
func (w *forest) contradiction(i int32, rest, size float64, routes ...route) (others []int32, off float64) {
	t := &w.edges[i]
	bound, rest := heldError*t.norm, math.Abs(rest)
	if !(rest > bound && rest > balanced*size) || w.searches == namedCycles {
		return nil, 0
	}
	w.searches++
	for _, y := range routes {
		slack := 0.0
		if y.hold >= 0 {
			others = append(others, y.hold)
			slack = heldError * w.edges[y.hold].norm / math.Abs(w.edges[y.hold].factors[0])
		}
		steps, slack := w.path(y.from, y.to, slack)
		others = append(others, steps...)
		bound += math.Abs(y.factor) * slack
	}
	if !(rest > bound) {
		return nil, 0
	}
	return others, rest / t.norm
}

// path returns the ties that lead from one freedom to another, by a breadth-first search, and the largest error of the second
// coordinate if the first is wrong by slack and each tie is violated by heldError.
func (w *forest) path(from, to int32, slack float64) (steps []int32, bound float64) {
	type step struct {
		tie, before int32
		slack       float64
	}
	ends := map[int32][]int32{}
	for i := range w.edges {
		if t := &w.edges[i]; t.inForest {
			ends[t.freedoms[0]], ends[t.freedoms[1]] = append(ends[t.freedoms[0]], int32(i)), append(ends[t.freedoms[1]], int32(i))
		}
	}
	seen, list := map[int32]step{from: {-1, -1, slack}}, []int32{from}
	for k := 0; k < len(list); k++ {
		at := list[k]
		for _, i := range ends[at] {
			t := &w.edges[i]
			here := 0
			if t.freedoms[1] == at {
				here = 1
			}
			next, f := t.freedoms[1-here], math.Abs(t.factors[1-here])
			if _, known := seen[next]; !known {
				seen[next] = step{i, at, (heldError*t.norm + math.Abs(t.factors[here])*seen[at].slack) / f}
				list = append(list, next)
			}
		}
	}
	for at := to; at != from; at = seen[at].before {
		steps = append(steps, seen[at].tie)
	}
	slices.Reverse(steps)
	return steps, seen[to].slack
}
