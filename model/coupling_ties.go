package model

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
)

// Couplings that tie the same freedoms to each other in a cycle have to agree.

// named is a freedom that the current coupling names, and where.
type named struct {
	joined, freedom int
	tail            string
	sum, size       float64 // of the factors of all terms that name it, and of their magnitudes; with the first one
}

// fewNames is the number of freedoms up to which each is compared with each. Another value costs time only.
const fewNames = 16

// tie is a coupling of one freedom or two by factors alone, Σ factor·q = demand.
type tie struct {
	index    int32    // of the coupling
	count    int32    // of freedoms
	tied     [2]int32 // their numbers: 6·joint + freedom
	factors  [2]float64
	demand   float64
	norm     float64 // a violation is φ over norm, as of mechanism.Coupling
	inForest bool    // it is an edge
}

// knot is a freedom in a forest of ties: q = turn·q' + plus with q' that of the knot above.
type knot struct {
	above      int32 // itself at a root
	turn, plus float64

	// Of a root:
	held  int32   // the tie of one freedom that holds all of its tree, −1 if there is none
	fixed float64 // what it holds the root at
	vague bool    // a cycle of ties decides that, or nearly does
}

// Limits of checkCycles.
const (
	// heldError is up to what a coupling may be violated: mechanism.HoldTolerance, rad, or m, of which small mechanisms have less.
	heldError = 1e-6
	// balanced is the sum of the factors of a cycle, relative to their sizes, up to which they cancel, and the part of its terms that is
	// rounding. Cycles whose factors do not cancel hold their freedoms, which is left to those who close the joints.
	balanced = 1e-9
	// namedTies is how many couplings of a cycle are named.
	namedTies = 8
	// namedCycles is how many cycles are looked for, as each takes a search of all couplings.
	namedCycles = 20
)

// forest finds out which ties contradict others.
type forest struct {
	edges    []tie
	starts   []int32 // the first of six knots of a joint, −1 for none
	knots    []knot
	searches int // of contradiction
}

// knotOf returns the number of the knot of a freedom.
func (w *forest) knotOf(freedom int32) int32 {
	j := freedom / 6
	if w.starts[j] < 0 {
		w.starts[j] = int32(len(w.knots))
		for range 6 {
			w.knots = append(w.knots, knot{above: int32(len(w.knots)), turn: 1, held: -1})
		}
	}
	return w.starts[j] + freedom%6
}

// rootOf returns the root of knot k, and m and n of q = m·q_root + n. It halves the way on which it looks.
func (w *forest) rootOf(k int32) (root int32, m, n float64) {
	for m = 1; ; {
		at := &w.knots[k]
		if at.above == k {
			return k, m, n
		}
		if up := &w.knots[at.above]; up.above != at.above {
			at.above, at.turn, at.plus = up.above, at.turn*up.turn, at.plus+at.turn*up.plus
		}
		m, n, k = m*at.turn, n+m*at.plus, at.above
	}
}

// take takes tie i in. If it contradicts those before, take returns these, and by how much the tie is off then.
func (w *forest) take(i int32) (others []int32, off float64) {
	t := &w.edges[i]
	ra, ma, na := w.rootOf(w.knotOf(t.tied[0]))
	if t.count == 1 {
		return w.fix(i, ra, ma, na)
	}
	rb, mb, nb := w.rootOf(w.knotOf(t.tied[1]))
	fa, fb, rest := t.factors[0]*ma, t.factors[1]*mb, t.demand-t.factors[0]*na-t.factors[1]*nb // fa·a + fb·b = rest, of the roots
	size := math.Abs(t.demand) + math.Abs(t.factors[0]*na) + math.Abs(t.factors[1]*nb)
	a, b := &w.knots[ra], &w.knots[rb]
	switch {
	case a.vague || b.vague:
	case ra == rb && !(math.Abs(fa+fb) <= balanced*(math.Abs(fa)+math.Abs(fb))):
		a.vague = true
	case ra == rb:
		return w.contradiction(i, rest, size, way{-1, t.tied[0], t.tied[1], t.factors[1]})
	case a.held >= 0 && b.held >= 0:
		off := rest - fa*a.fixed - fb*b.fixed
		size += math.Abs(fa*a.fixed) + math.Abs(fb*b.fixed)
		one, two := w.toHeld(a.held, t.tied[0], t.factors[0]), w.toHeld(b.held, t.tied[1], t.factors[1])
		if others, off := w.contradiction(i, off, size, one, two); others != nil {
			return others, off
		}
		b.vague = true // which of both values counts is a matter of rounding
	case a.held >= 0:
		b.held, b.fixed = a.held, (rest-fa*a.fixed)/fb
	}
	if ra != rb {
		a.above, a.turn, a.plus = rb, -fb/fa, rest/fa
		b.vague = b.vague || a.vague || !algebra.Finite(b.fixed) || !algebra.Finite(a.plus) || !algebra.Finite(a.turn) || a.turn == 0
		t.inForest = true
	}
	return nil, 0
}

// fix takes in tie i of one freedom, which is m·root + n.
func (w *forest) fix(i, root int32, m, n float64) (others []int32, off float64) {
	t, r := &w.edges[i], &w.knots[root]
	switch {
	case r.vague:
	case r.held < 0:
		r.held, r.fixed = i, (t.demand/t.factors[0]-n)/m
		r.vague = !algebra.Finite(r.fixed)
	default:
		rest, size := t.demand-t.factors[0]*(m*r.fixed+n), math.Abs(t.demand)+math.Abs(t.factors[0]*m*r.fixed)+math.Abs(t.factors[0]*n)
		return w.contradiction(i, rest, size, w.toHeld(r.held, t.tied[0], t.factors[0]))
	}
	return nil, 0
}

// way leads over ties of the forest from a freedom to one that a tie has with a factor.
type way struct {
	hold     int32 // the tie that holds the first freedom, −1 for none
	from, to int32
	factor   float64
}

func (w *forest) toHeld(hold, to int32, factor float64) way {
	return way{hold, w.edges[hold].tied[0], to, factor}
}

// contradiction returns the ties on the ways to the freedoms of tie i, and by how much that is off where they hold. rest is φ, of terms of
// a size. It returns nil if ties that are off by heldError may make as much.
func (w *forest) contradiction(i int32, rest, size float64, ways ...way) (others []int32, off float64) {
	t := &w.edges[i]
	bound, rest := heldError*t.norm, math.Abs(rest)
	if !(rest > bound && rest > balanced*size) || w.searches == namedCycles {
		return nil, 0
	}
	w.searches++
	for _, y := range ways {
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

// path returns the ties from one freedom to another one, and how far that may be off where the first one is by slack, and the ties by
// heldError.
func (w *forest) path(from, to int32, slack float64) (steps []int32, off float64) {
	type step struct {
		tie, before int32
		slack       float64
	}
	ends := map[int32][]int32{}
	for i := range w.edges {
		if t := &w.edges[i]; t.inForest {
			ends[t.tied[0]], ends[t.tied[1]] = append(ends[t.tied[0]], int32(i)), append(ends[t.tied[1]], int32(i))
		}
	}
	seen, list := map[int32]step{from: {-1, -1, slack}}, []int32{from}
	for k := 0; k < len(list); k++ {
		at := list[k]
		for _, i := range ends[at] {
			t := &w.edges[i]
			here := 0
			if t.tied[1] == at {
				here = 1
			}
			next, f := t.tied[1-here], math.Abs(t.factors[1-here])
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
