package mechanics

import "github.com/rung-mbd/rung/internal/tape"

// epsilon returns the proximal term of the rows, relative to their scales.
func (c *compiler) epsilon() float64 {
	if l := c.reduced.lean; l != nil {
		return l.Epsilon
	}
	return c.plan.Options().Epsilon
}

// layOutRows lays out the rows of all nodes of the layout that have rows in the system or spare ones.
func (c *compiler) layOutRows() {
	p := c.plan.Layout().Pattern
	c.rows = make([]*nodeRows, p.Len())
	for i := p.Positive(); i < p.Len(); i++ {
		r := &nodeRows{node: c.reduced.node[i], size: int(p.Size[i])}
		switch s := c.sys; {
		case r.node >= 0:
			q := s.pattern
			r.bodies, r.kept = q.Ind[q.Ptr[r.node]:q.Ptr[r.node+1]], s.size(r.node)
			r.blocks, r.right, r.scale = s.rows[r.node], s.right[r.node], s.scale[r.node]
		case c.reduced.lean != nil:
			r.bodies = p.Ind[p.Ptr[i]:p.Ptr[i+1]]
			for _, b := range r.bodies {
				r.blocks = append(r.blocks, c.Constant(make([]float64, r.size*s.size(b))...))
			}
			r.right, r.scale = c.Constant(make([]float64, r.size+3)...), c.Room(r.size)
		default:
			continue // a tree joint
		}
		c.rows[i] = r
	}
	if l := c.reduced.lean; l != nil {
		for i := range l.Rows.Spare {
			x := &l.Rows.Spare[i]
			r := c.rows[x.Of]
			r.putBehind(x.Rows[:x.N])
			c.sys.spare = append(c.sys.spare, r)
		}
	}
}

// full stores that only the first rows of a node, in the order of the layout, may have six numbers.
func (c *compiler) full(r *nodeRows, rows int) {
	kept := 0
	for i := range rows {
		if r.place(i) < r.kept {
			kept++
		}
	}
	if r.fullSpare = rows - kept; r.node >= 0 {
		c.sys.full[r.node] = kept
	}
}

// firstSquare returns the first row whose scale the elimination does not compute.
func (c *compiler) firstSquare(r *nodeRows) int {
	if r.node >= 0 && c.sys.plain(r.node) {
		return r.kept
	}
	return 0
}

// gather adds copies of rows, n numbers each, which stand one behind the other at from, to their places behind to.
func (c *compiler) gather(to, from place, n int, r *nodeRows, rows int) {
	for lo, k := 0, 0; lo < rows; lo += k {
		k = r.run(lo, rows-lo)
		c.OpN(tape.Copy, k*n, 0, to.At(n*r.place(lo)), from.At(n*lo))
	}
}

// rareRows lays out the rows of a node of the layout for evaluation one state at a time. If rows do not stand in the order of the layout,
// the evaluation writes to memory of its own, and rareRows adds the copies to their places.
func (c *compiler) rareRows(node int) {
	r := c.rows[node]
	x := RareJoint{int32(node), r.blocks, r.scale, r.right}
	if r.node >= 0 {
		c.sys.dense[r.node] = true
	}
	if r.fullSpare = r.size - r.kept; r.at != nil {
		given := func(to place, n int) place {
			from := c.LastingRoom(n * r.size)
			c.gather(to, from, n, r, r.size)
			return from
		}
		x.Rows = nil
		for k, b := range r.bodies {
			x.Rows = append(x.Rows, given(r.blocks[k], c.sys.size(b)))
		}
		x.Scale, x.Right = given(r.scale, 1), given(r.right, 1)
	}
	c.rareJoints = append(c.rareJoints, x)
}

// errorsOf returns the place for the violations of the rows of a node, displacements and then rates: the place in errs, or a place of their
// own if some rows are spare.
func (c *compiler) errorsOf(r *nodeRows, errs []place) place {
	if r.kept == r.size {
		return errs[r.node]
	}
	return c.Constant(make([]float64, 2*r.size)...)
}

// keepErrors adds the copies to errs of the violations of rows that are in the system, if some rows of the node are spare.
func (c *compiler) keepErrors(r *nodeRows, errs []place, from place) {
	if r.kept == r.size || r.node < 0 {
		return
	}
	for lo, k := 0, 0; lo < r.size; lo += k {
		if k = r.run(lo, r.size-lo); r.place(lo) >= r.kept {
			continue
		}
		k = min(k, r.kept-r.place(lo))
		for both := range 2 {
			c.OpN(tape.Copy, k, 0, errs[r.node].At(both*r.kept+r.place(lo)), from.At(both*r.size+lo))
		}
	}
}
