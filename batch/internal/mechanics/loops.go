package mechanics

import "github.com/rung-mbd/rung/internal/tape"

// rowsOf returns the rows of joint j; nil if it has none, as tree joints.
func (c *compiler) rowsOf(j int) *nodeRows {
	if node := c.plan.Layout().JointNode(j); node >= 0 {
		return c.rows[node]
	}
	return nil
}

// loadsStep is the distance in codes between the instructions for one column of N and for two.
const loadsStep = tape.Loads2 - tape.Loads1

// project adds the projection of the rows W of a loop joint on the freedoms of the group of body h, (R2): the block −W·N, and the
// terms of W in the right side, −W·c, and in the scale.
func (c *compiler) project(w *jointWork, h *treeBody, W, block place) {
	d, n := h.group.dof, h.columns()
	for _, part := range [2]struct {
		lo, hi int
		code   tape.Code
	}{{0, w.full, tape.Project1}, {w.full, w.row, tape.ProjectMoments1}} {
		if lo := part.lo; lo < part.hi {
			code := part.code + tape.Code(n-1)*loadsStep
			c.OpN(code, part.hi-lo, d, block.At(lo*d+h.from), W.At(6*lo), h.N, w.b.At(lo), w.scale.At(lo))
		}
	}
}

// rowsOn returns the place of the rows of a joint on a body: its block, or a place of their own for a body in a group.
func (c *compiler) rowsOn(w *jointWork, body int32, block place) place {
	if c.reduced.of[body] == nil {
		return block
	}
	return c.Constant(make([]float64, 6*w.rows.size)...) // zeros, as rows of moments have only three of the six numbers written
}

// reduce adds the projection of the rows of a loop joint for each of its bodies that is in a group, (R2).
func (c *compiler) reduce(w *jointWork, blocks [2]place) {
	for i, x := range [2]struct {
		body int32
		W    place
	}{{w.jt.Pred, w.pred}, {w.jt.Succ, w.succ}} {
		if x.body < 0 || c.reduced.of[x.body] == nil {
			continue
		}
		h := c.reduced.of[x.body]
		c.project(w, h, x.W, blocks[i])
		node := w.rows.node
		c.sys.parts[node] = append(c.sys.parts[node], h.c())
		c.loops[node] = append(c.loops[node], loop{h, x.W})
	}
}
