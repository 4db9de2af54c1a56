package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// A coupling may not tie a freedom to itself. Couplings that tie the same freedoms to each other in a cycle have to agree.

// named is a freedom that the current coupling names, and where.
type named struct {
	joint, freedom int
	tail           string
	sum, size      float64 // of the factors of all terms that name it, and of their magnitudes; with the first one
}

// fewNames is the number of freedoms up to which each is compared with each. Another value costs time only.
const fewNames = 16

// checkItself reports freedoms that coupling k ties to themselves: a law follows what its terms have, or the same freedom twice, or
// terms cancel each other.
func (c *checker) checkItself(k *Coupling) {
	var first map[[2]int]int
	if len(c.named) > fewNames {
		first = make(map[[2]int]int, len(c.named))
	}
	for i := range c.named {
		n := &c.named[i]
		before := -1
		if first == nil {
			before = slices.IndexFunc(c.named[:i], func(p named) bool { return p.joint == n.joint && p.freedom == n.freedom })
		} else if p, again := first[[2]int{n.joint, n.freedom}]; again {
			before = p
		} else {
			first[[2]int{n.joint, n.freedom}] = i
		}
		if i < len(k.Terms) { // terms add up
			p := n
			if before >= 0 {
				p = &c.named[before]
			}
			p.sum, p.size = p.sum+k.Terms[i].Factor, p.size+math.Abs(k.Terms[i].Factor)
		} else if before >= 0 {
			c.report(n.tail+".joint", fault.Name(c.m.Joints[n.joint].Name),
				fmt.Sprintf("is the freedom of %s again: the coupling ties it to itself", c.named[before].tail[1:]))
		}
	}
	for i := range c.named[:min(len(k.Terms), len(c.named))] {
		if n := &c.named[i]; n.size > 0 && algebra.Finite(n.size) && math.Abs(n.sum) <= balanced*n.size {
			c.report(n.tail+".joint", fault.Name(c.m.Joints[n.joint].Name), "has terms that cancel each other: the coupling ties it to itself")
		}
	}
}

// tie is a coupling of one freedom or two by factors alone, Σ f·q = offset.
type tie struct {
	coupling int32
	n        int32    // freedoms
	at       [2]int32 // their numbers: 6·joint + freedom
	f        [2]float64
	offset   float64
	size     float64 // a violation is φ over size, as of mechanism.Coupling
	used     bool    // it is an edge of the forest
}

// notice notes the current coupling for checkCycles if it is a tie.
func (c *checker) notice(k *Coupling) {
	t := tie{coupling: int32(c.index), offset: k.Offset}
	if len(c.named) > 2 || len(c.named) == 2 && c.named[0].joint == c.named[1].joint && c.named[0].freedom == c.named[1].freedom ||
		k.Law != nil || !algebra.Finite(k.Offset) {
		return
	}
	angle := false
	add := func(i int, f float64) {
		n := &c.named[i]
		t.at[t.n], t.f[t.n] = int32(6*n.joint+n.freedom), f
		t.n++
	}
	for i := range k.Terms {
		f, turns := k.Terms[i].Factor, c.m.Joints[c.named[i].joint].Kind().Rotational(c.named[i].freedom)
		switch size := math.Abs(f); {
		case turns && !angle:
			angle, t.size = true, size
		case turns == angle:
			t.size = max(t.size, size)
		}
		add(i, f)
	}
	if p := k.Polynomial; p != nil {
		if len(p.Coefficients) > 2 {
			return
		}
		t.offset += p.Coefficients[0]
		if len(p.Coefficients) > 1 && p.Coefficients[1] != 0 {
			add(len(k.Terms), -p.Coefficients[1])
		}
	}
	c.ties = append(c.ties, t)
}

// knot is a freedom in a forest of ties: q = m·q' + n with q' that of the knot above.
type knot struct {
	up   int32 // itself at a root
	m, n float64

	// Of a root:
	held  int32   // the tie of one freedom that holds all of its tree, −1 if there is none
	value float64 // of the root then
	vague bool    // a cycle of ties decides the value, or nearly does
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
	ties     []tie
	first    []int32 // the first of six knots of a joint, −1 for none
	knots    []knot
	searches int // of contradiction
}

// checkCycles reports couplings of one freedom or two by factors alone that no coordinates hold together: their cycles do not close.
func (c *checker) checkCycles() {
	if len(c.ties) < 2 {
		return
	}
	w := &forest{ties: c.ties, first: make([]int32, len(c.m.Joints))}
	for i := range w.first {
		w.first[i] = -1
	}
	for i := range w.ties {
		if c.flag.Every(i) || w.searches == namedCycles {
			return
		}
		others, off := w.add(int32(i))
		if others == nil {
			continue
		}
		names := make([]string, 0, len(others))
		for _, p := range others[:min(len(others), namedTies)] {
			names = append(names, fault.Name(c.m.Couplings[w.ties[p].coupling].Name))
		}
		if more := len(others) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		of := &c.m.Couplings[w.ties[i].coupling]
		c.at(secCouplings, int(w.ties[i].coupling))
		c.report("", fault.Name(of.Name),
			fmt.Sprintf("contradicts %s: where these hold, it is off by %.3g, whatever the coordinates", strings.Join(names, ", "), off))
	}
}

// knot returns the number of the knot of a freedom.
func (w *forest) knot(freedom int32) int32 {
	j := freedom / 6
	if w.first[j] < 0 {
		w.first[j] = int32(len(w.knots))
		for range 6 {
			w.knots = append(w.knots, knot{up: int32(len(w.knots)), m: 1, held: -1})
		}
	}
	return w.first[j] + freedom%6
}

// find returns the root of knot k, and m and n of q = m·(that of the root) + n. It halves the way on which it looks.
func (w *forest) find(k int32) (root int32, m, n float64) {
	for m = 1; ; {
		at := &w.knots[k]
		if at.up == k {
			return k, m, n
		}
		if up := &w.knots[at.up]; up.up != at.up {
			at.up, at.m, at.n = up.up, at.m*up.m, at.n+at.m*up.n
		}
		m, n, k = m*at.m, n+m*at.n, at.up
	}
}

// add takes tie i in. If it contradicts those before, add returns these, and by how much the tie is off then.
func (w *forest) add(i int32) (others []int32, off float64) {
	t := &w.ties[i]
	ra, ma, na := w.find(w.knot(t.at[0]))
	if t.n == 1 {
		return w.hold(i, ra, ma, na)
	}
	rb, mb, nb := w.find(w.knot(t.at[1]))
	fa, fb, rest := t.f[0]*ma, t.f[1]*mb, t.offset-t.f[0]*na-t.f[1]*nb // fa·a + fb·b = rest, of the roots
	size := math.Abs(t.offset) + math.Abs(t.f[0]*na) + math.Abs(t.f[1]*nb)
	a, b := &w.knots[ra], &w.knots[rb]
	switch {
	case a.vague || b.vague:
	case ra == rb && !(math.Abs(fa+fb) <= balanced*(math.Abs(fa)+math.Abs(fb))):
		a.vague = true
	case ra == rb:
		return w.contradiction(i, rest, size, way{-1, t.at[0], t.at[1], t.f[1]})
	case a.held >= 0 && b.held >= 0:
		off := rest - fa*a.value - fb*b.value
		size += math.Abs(fa*a.value) + math.Abs(fb*b.value)
		if others, off := w.contradiction(i, off, size, w.toHeld(a.held, t.at[0], t.f[0]), w.toHeld(b.held, t.at[1], t.f[1])); others != nil {
			return others, off
		}
		b.vague = true // which of both values counts is a matter of rounding
	case a.held >= 0:
		b.held, b.value = a.held, (rest-fa*a.value)/fb
	}
	if ra != rb {
		a.up, a.m, a.n = rb, -fb/fa, rest/fa
		b.vague = b.vague || a.vague || !algebra.Finite(b.value) || !algebra.Finite(a.n) || !algebra.Finite(a.m) || a.m == 0
		t.used = true
	}
	return nil, 0
}

// hold takes in tie i of one freedom, which is m·root + n.
func (w *forest) hold(i, root int32, m, n float64) (others []int32, off float64) {
	t, r := &w.ties[i], &w.knots[root]
	switch {
	case r.vague:
	case r.held < 0:
		r.held, r.value = i, (t.offset/t.f[0]-n)/m
		r.vague = !algebra.Finite(r.value)
	default:
		rest, size := t.offset-t.f[0]*(m*r.value+n), math.Abs(t.offset)+math.Abs(t.f[0]*m*r.value)+math.Abs(t.f[0]*n)
		return w.contradiction(i, rest, size, w.toHeld(r.held, t.at[0], t.f[0]))
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
	return way{hold, w.ties[hold].at[0], to, factor}
}

// contradiction returns the ties on the ways to the freedoms of tie i, and by how much that is off where they hold. rest is φ, of terms of
// a size. It returns nil if ties that are off by heldError may make as much.
func (w *forest) contradiction(i int32, rest, size float64, ways ...way) (others []int32, off float64) {
	t := &w.ties[i]
	bound, rest := heldError*t.size, math.Abs(rest)
	if !(rest > bound && rest > balanced*size) || w.searches == namedCycles {
		return nil, 0
	}
	w.searches++
	for _, y := range ways {
		slack := 0.0
		if y.hold >= 0 {
			others = append(others, y.hold)
			slack = heldError * w.ties[y.hold].size / math.Abs(w.ties[y.hold].f[0])
		}
		steps, slack := w.along(y.from, y.to, slack)
		others = append(others, steps...)
		bound += math.Abs(y.factor) * slack
	}
	if !(rest > bound) {
		return nil, 0
	}
	return others, rest / t.size
}

// along returns the ties from one freedom to another one, and how far that may be off where the first one is by slack, and the ties by
// heldError.
func (w *forest) along(from, to int32, slack float64) (steps []int32, off float64) {
	type step struct {
		tie, before int32
		slack       float64
	}
	ends := map[int32][]int32{}
	for i := range w.ties {
		if t := &w.ties[i]; t.used {
			ends[t.at[0]], ends[t.at[1]] = append(ends[t.at[0]], int32(i)), append(ends[t.at[1]], int32(i))
		}
	}
	seen, list := map[int32]step{from: {-1, -1, slack}}, []int32{from}
	for k := 0; k < len(list); k++ {
		at := list[k]
		for _, i := range ends[at] {
			t := &w.ties[i]
			here := 0
			if t.at[1] == at {
				here = 1
			}
			next, f := t.at[1-here], math.Abs(t.f[1-here])
			if _, known := seen[next]; !known {
				seen[next] = step{i, at, (heldError*t.size + math.Abs(t.f[here])*seen[at].slack) / f}
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
