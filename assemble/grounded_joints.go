package assemble

import (
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/mechanism"
)

// groundWork is the scratch of rows.
type groundWork struct {
	any   jointWork
	pins  pinWork
	block [2][36]float64 // of predecessor and successor
}

// fillJoints fills the rows of joints. It returns the first one without direction, or −1.
func (y *Grounded) fillJoints(s *mechanism.State, lo, hi int) int32 {
	g := y.G
	var w groundWork
	for _, i := range g.singleBonds[lo:hi] {
		t := &g.bonds[i]
		jt := &g.L.Mech.Joints[t.joint]
		o, n := int(t.row), int(jt.Rows)
		b := y.B[o : o+n]
		p, q := y.blocks(t, &w)
		if !y.rowsTo(&w, p, q, t, y.Scale[o:o+n], b, s) {
			return i
		}
		y.Parts[len(g.Pattern.Size)-len(g.bonds)+int(i)] = y.reduce(&t.side[0], p, b) + y.reduce(&t.side[1], q, b)
	}
	return -1
}

// blocks returns where the rows of a joint on its predecessor and successor go: into W for bodies in no group, else into w,
// or where they stand already.
func (y *Grounded) blocks(t *bond, w *groundWork) (p, q []float64) {
	p, q = w.block[0][:], w.block[1][:]
	switch {
	case t.fixed >= 0:
		p = y.fixed[t.fixed:]
	case t.side[0].branch < 0 && t.side[0].at >= 0:
		p = y.W.Val[t.side[0].at:]
	}
	if t.side[1].branch < 0 && t.side[1].at >= 0 {
		q = y.W.Val[t.side[1].at:]
	}
	return p, q
}

// fillErrors stores e − W·c in the rows of joints.
func (y *Grounded) fillErrors(e []float64, s *mechanism.State, lo, hi int) {
	g := y.G
	var w groundWork
	var scale, old [6]float64
	for _, i := range g.singleBonds[lo:hi] {
		t := &g.bonds[i]
		n := int(g.L.Mech.Joints[t.joint].Rows)
		b := y.B[t.row:][:n]
		copy(b, e[g.L.Pattern.Off[g.L.JointNode(int(t.joint))]:])
		p, q := w.block[0][:], w.block[1][:]
		if t.fixed >= 0 {
			p = y.fixed[t.fixed:]
		}
		if !y.rowsTo(&w, p, q, t, scale[:n], old[:n], s) {
			continue // it had a direction where the factor was made
		}
		y.subtractRest(&t.side[0], p, b)
		y.subtractRest(&t.side[1], q, b)
	}
}

// rowsTo stores the blocks of a joint in no tree on its predecessor and successor in p and q, squared norms
// and right sides of its rows. Of a pinned joint p stands already. It reports whether the joint has a direction.
func (y *Grounded) rowsTo(w *groundWork, p, q []float64, t *bond, scale, b []float64, s *mechanism.State) bool {
	m := y.G.L.Mech
	jt := &m.Joints[t.joint]
	if pinned(jt) {
		w.pins.pin.Base = y.base[t.row:]
		w.pins.set(jt, y.bodies, y.Kin, s)
		lanes.PinRows(q, scale, b, &w.pins.pin, pins(jt.Kind))
		return true
	}
	if w.any.eval(m, t.joint, y.Kin, s) != nil {
		return false
	}
	clear(scale)
	if jt.Succ >= 0 {
		sideTo(q, scale, &w.any.rows, &w.any.armS, &y.bodies[jt.Succ], &y.Kin.Bodies[jt.Succ].E, 1)
	}
	if jt.Pred >= 0 {
		sideTo(p, scale, &w.any.rows, &w.any.armP, &y.bodies[jt.Pred], &y.Kin.Bodies[jt.Pred].E, -1)
	}
	w.any.rightSideTo(b)
	return true
}

// subtractRest subtracts v·c of a body in a group from b, v the rows of a joint on it.
func (y *Grounded) subtractRest(t *side, v, b []float64) {
	if t.branch >= 0 {
		kernel.SubRows(b, v, len(b), y.rest[6*t.branch:][:6])
	}
}

// reduce stores v·N in the block of a joint and the group of a body, v the rows of the
// joint on the body, and subtracts v·c from b. It returns ‖c‖². It does nothing for a body in no group. Columns that
// are zero for the body have been so from the beginning.
func (y *Grounded) reduce(t *side, v, b []float64) (part float64) {
	if t.branch < 0 {
		return 0
	}
	y.subtractRest(t, v, b)
	part = y.parts[t.branch]
	if t.at < 0 {
		return part
	}
	n := len(b)
	r := &y.G.branches[t.branch]
	dof := int(t.dof)
	dst, dirs := y.W.Val[t.at:][:n*dof], y.dirs[r.at:]
	for i := int(r.from); i < dof; i++ {
		var x [6]float64
		kernel.SubRows(x[:n], v, n, dirs[:6])
		for e, o := 0, i; e < n; e++ {
			dst[o] = -x[e]
			o += dof
		}
		dirs = dirs[6:]
	}
	return part
}
