package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// lanes is the number of right sides of a Together.
const lanes = kernel.Eight

// Together solves with a Factor for eight right sides at a time. Each number of the factor and of the matrix is read once for all right
// sides. The bits of a solution do not depend on the other right sides. They differ from the bits of a separate solve, because the
// kernels for one vector add in another order.
//
// Shapes: X and B have eight numbers for each row of the matrix, in the original order; number v of a row belongs to right side v.
// A Together belongs to the goroutine of its Factor, and uses no team.
type Together struct {
	f    *Factor
	X, B []float64
	// Spare returns Worst.Ratio of the rows of SetSpare, or an upper bound, for the solutions X; rest is the term of that name in Worst. It is
	// nil if there are no such rows.
	Spare func(rest *[kernel.Eight]float64) (ratio [kernel.Eight]float64)

	r    []float64 // residuals
	core []float64 // vector of the core
	near []float64 // by node of sign −1: Σ‖x‖² of its neighbours
	one  [lanes * sparse.MaxBlock]float64

	rest             lane  // argument of Spare
	norm, size, step lane  // squared norms: of the +1 part of X, of its largest node with neighbours, and of a correction's largest node
	largest          lane  // largest rₖ²/|dₖ| of the −1 rows
	open             uint8 // bits of the right sides with a row that may not hold
}

// lane is a number for each right side.
type lane = [lanes]float64

// row8 returns x from row i of eight numbers on.
func row8(x []float64, i int32) []float64 { return x[lanes*int(i):] }

// squaresOf returns the squares of the norms of n rows.
func squaresOf(x []float64, n int) (q lane) {
	for ; n > 0; n-- {
		for v, a := range (*lane)(x) {
			q[v] += a * a
		}
		x = x[lanes:]
	}
	return q
}

// growLane replaces each number of most by the number of q if that is larger.
func growLane(most, q *lane) {
	for v, x := range q {
		most[v] = larger(most[v], x)
	}
}

// forwardAll is Factor.forward for the right sides B if first is set, and otherwise for the residuals, which count as zero in the leaves.
// It returns yᵀ·|D|·y.
func (t *Together) forwardAll(first bool) (energy lane) {
	f, s, b := t.f, t.f.Symbolic, t.r
	if first {
		b = t.B
	}
	for c, o := range s.oldOff {
		copy(row8(t.core, s.off[c])[:lanes*int(s.off[c+1]-s.off[c])], row8(b, o))
	}
	if first {
		for i := range s.leaves {
			l := &s.leaves[i]
			k, of := int(l.size), row8(b, l.first)
			for _, q := range s.blocks[l.lo:l.hi] {
				kernel.SubMul8(row8(t.core, s.off[q.Node]), f.unit.Val[q.W:], k, 1, int(q.N), k, of)
			}
		}
	}
	for i := range s.fronts {
		if f.watch.Every(i) {
			break
		}
		fr := &s.fronts[i]
		n, p := fr.ld(), int(fr.width)
		pan, y := f.panels[fr.panel:fr.panel+int64(n*p)], row8(t.core, fr.first)
		kernel.SolveLower8(y, pan, n, p)
		at := p
		for _, r := range s.runs[fr.rowLo:fr.rowHi] {
			kernel.SubMul8(row8(t.core, r.dst), pan[at:], 1, n, int(r.n), p, y)
			at += int(r.n)
		}
		for k, d := range f.dinv[fr.first:][:p] {
			w, size := (*lane)(y[lanes*k:]), math.Abs(d)
			for v, x := range w {
				energy[v] += x * x * size
				w[v] = x * d
			}
		}
	}
	return energy
}

// backwardAll is Factor.backward for the core.
func (t *Together) backwardAll() {
	f, s := t.f, t.f.Symbolic
	for i := len(s.fronts) - 1; i >= 0 && !f.watch.Every(i); i-- {
		fr := &s.fronts[i]
		n, p := fr.ld(), int(fr.width)
		pan, y := f.panels[fr.panel:fr.panel+int64(n*p)], row8(t.core, fr.first)
		at := p
		for _, r := range s.runs[fr.rowLo:fr.rowHi] {
			kernel.SubMul8(y, pan[at:], n, 1, p, int(r.n), row8(t.core, r.dst))
			at += int(r.n)
		}
		kernel.SolveLowerT8(y, pan, n, p)
	}
}

// subLeaf subtracts from x, the part of a leaf, the products of its blocks and the solution of the core.
func (t *Together) subLeaf(x []float64, l *leaf) {
	f, s, k := t.f, t.f.Symbolic, int(l.size)
	for _, q := range s.blocks[l.lo:l.hi] {
		kernel.SubMul8(x, f.unit.Val[q.W:], 1, k, k, int(q.N), row8(t.core, s.off[q.Node]))
	}
}

// storeAll stores in X the solutions, whose core is known, and completes them in the leaves.
func (t *Together) storeAll() {
	s := t.f.Symbolic
	for _, i := range s.free {
		copy(row8(t.X, i.first)[:lanes*int(i.size)], row8(t.B, i.first))
	}
	for c, o := range s.oldOff {
		copy(row8(t.X, o)[:lanes*int(s.off[c+1]-s.off[c])], row8(t.core, s.off[c]))
	}
	for i := range s.leaves {
		l := &s.leaves[i]
		x := row8(t.X, l.first)[:lanes*int(l.size)]
		copy(x, row8(t.B, l.first))
		t.subLeaf(x, l)
	}
}

// addAll completes the corrections, whose core is known, in the leaves, and adds them to X for the right sides in which. It stores the
// squared size of each correction in t.step.
func (t *Together) addAll(which uint8) {
	s := t.f.Symbolic
	t.step = lane{}
	for c, o := range s.oldOff {
		n, step := int(s.off[c+1]-s.off[c]), row8(t.core, s.off[c])
		if addLanes(row8(t.X, o), step, n, which); s.sign[c] > 0 {
			q := squaresOf(step, n)
			growLane(&t.step, &q)
		}
	}
	for i := range s.leaves {
		l := &s.leaves[i]
		step := t.one[:lanes*int(l.size)]
		clear(step)
		t.subLeaf(step, l)
		addLanes(row8(t.X, l.first), step, int(l.size), which)
		q := squaresOf(step, int(l.size))
		growLane(&t.step, &q)
	}
}

// addLanes adds n rows of y to x, for the right sides in which.
func addLanes(x, y []float64, n int, which uint8) {
	for ; n > 0; n-- {
		to, from := (*lane)(x), (*lane)(y)
		for v := range to {
			if which>>v&1 != 0 {
				to[v] += from[v]
			}
		}
		x, y = x[lanes:], y[lanes:]
	}
}

// residualAll computes the residuals of the solutions, except in the leaves, and the norms of the solutions.
func (t *Together) residualAll() {
	f, s := t.f, t.f.Symbolic
	t.norm, t.size = lane{}, lane{}
	clear(t.near)
	for c, o := range s.oldOff {
		r := row8(t.r, o)[:lanes*int(s.off[c+1]-s.off[c])]
		if copy(r, row8(t.B, o)); s.sign[c] > 0 {
			x := row8(t.X, o)
			subtractTo(r, r, x[:len(r)])
			t.noteSize(squaresOf(x, len(r)/lanes))
		}
	}
	for i := range s.leaves {
		l := &s.leaves[i]
		k, x := int(l.size), row8(t.X, l.first)
		size := squaresOf(x, k)
		t.noteSize(size)
		for _, q := range s.blocks[l.lo:l.hi] {
			kernel.SubMul8(row8(t.r, s.oldOff[q.Node]), f.unit.Val[q.W:], k, 1, int(q.N), k, x)
			addLane((*lane)(row8(t.near, s.node[q.Node])), &size)
		}
	}
	for i := range s.beside {
		n := &s.beside[i]
		if !n.core {
			continue
		}
		k, x := int(n.size), row8(t.X, n.scalar)
		size := squaresOf(x, k)
		for _, q := range s.shared[n.lo:n.hi] {
			kernel.SubMul8(row8(t.r, q.Row), f.unit.Val[q.W:], k, 1, int(q.N), k, x)
			kernel.SubMul8(row8(t.r, n.scalar), f.unit.Val[q.W:], 1, k, k, int(q.N), row8(t.X, q.Row))
			addLane((*lane)(row8(t.near, q.Node)), &size)
		}
	}
}

// noteSize adds the squared norm q of a +1 node with neighbours to t.norm, and raises t.size to it if it is larger.
func (t *Together) noteSize(q lane) {
	addLane(&t.norm, &q)
	growLane(&t.size, &q)
}

// addLane adds q to a sum.
func addLane(sum, q *lane) {
	for v, x := range q {
		sum[v] += x
	}
}

// judgeAll judges the residuals of the −1 rows, and stores the results in t.largest and t.open. The sizes of the solutions are in c.
func (t *Together) judgeAll(c *[lanes]Convergence) {
	f, s := t.f, t.f.Symbolic
	var rest lane
	for v := range rest {
		rest[v] = atRest * c[v].Size
		rest[v] *= rest[v]
	}
	t.largest, t.open = lane{}, 0
	for i, o := range s.oldOff {
		if s.sign[i] > 0 {
			continue
		}
		bound := rest
		addLane(&bound, (*lane)(row8(t.near, s.node[i])))
		for k, d := range f.dinv[s.off[i]:s.off[i+1]] {
			t.judgeRow((*lane)(row8(t.r, o+int32(k))), -d, f.scale[int(o)+k], &bound)
		}
	}
}

// judgeRow judges the residuals r of a −1 row: d is minus the reciprocal of its pivot, and bound the square of its terms without the scale.
func (t *Together) judgeRow(r *lane, d, scale float64, bound *lane) {
	for v, x := range r {
		q := x * x
		if t.largest[v] = larger(t.largest[v], q*d); !(q <= enoughRatio*enoughRatio*scale*bound[v]) {
			t.open |= 1 << v
		}
	}
}
