package mechanics

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// Bodies that are connected to the ground by tree joints with few freedoms are reduced to these freedoms, as in package
// assemble: docs/theory.md, (R1) to (R9). In lanes groups save time also with universal tree joints, with a single body,
// and with several loop joints.
const (
	groupFreedoms = 3 // freedoms of a group at most; there are no instructions for more
	groupBodies   = 3 // bodies of a group at most
	groupLoops    = 4 // loop joints of a group at most
)

// group is a set of bodies that tree joints connect to the ground.
type group struct {
	bodies   []*treeBody // parents first
	dof      int         // freedoms
	node     int32       // of the reduced system
	ofHinges bool        // all its tree joints are hinges: Rollout closes them one after the other, parents first
}

// treeBody is a body of a group, with its tree joint.
type treeBody struct {
	body, joint int32
	parent      *treeBody // nil for the ground
	reversed    bool      // the body is the joint's predecessor
	dof         int       // freedoms of the joint
	from        int       // first column of N that is not zero for the body
	group       *group

	free []place // columns of the joint's S, r of (R3), 6 places each; places that are not written are zero
	add  place   // velocity-product acceleration of the joint, (R5); the six places before it are zeros, or the last of free on the ground
	N    place   // columns of N as rows of six, then c

	closing    place // for Rollout: the two motions of the joint that correct its position error and its velocity error
	correction place // c of (R8) for the motions of closing; none in a group of hinges
	pin        place // in a group of hinges: the pin on the parent, in the places behind the frame of the body
}

// sides returns the frame of the joint on the body, and the one on its parent.
func (h *treeBody) sides() (own, far side) {
	if h.reversed {
		return sideP, sideS
	}
	return sideS, sideP
}

// columns returns the number of columns of N that are stored for a body: from h.from on.
func (h *treeBody) columns() int { return h.group.dof - h.from }

// c returns the place of c of (R2), behind the columns of N.
func (h *treeBody) c() place { return h.N.At(6 * h.columns()) }

// reduction is the system that is solved in lanes: one reduced by groups, one without spare rows, or the whole one.
type reduction struct {
	groups  []*group
	of      []*treeBody // by body; nil for bodies in no group
	tree    []*treeBody // by joint: the body to which it leads, nil unless it is a tree joint
	pattern *sparse.Pattern
	order   []int32   // elimination order of pattern
	node    []int32   // by node of the layout: its node in pattern; −1 for tree joints, and where all rows are spare
	lean    *kkt.Lean // nil with groups, and where all rows are in the system
}

// newReduction takes the system without spare rows if the plan has one, and else chooses groups. Mechanisms with composite
// joints, curves, rows of velocities or couplings have no groups.
func newReduction(p *kkt.Plan) *reduction {
	m, l := p.Mechanism(), p.Layout()
	r := wholeReduction(p)
	if r.lean != nil {
		return r
	}
	plain := m.NumCouplings() == 0 && len(m.Nonholonomic()) == 0
	for j := range m.Joints {
		plain = plain && m.Joints[j].NumNear() == 0
	}
	if plain {
		r.take(m, m.Hang(&mechanism.HangingRules{
			Freedoms: groupFreedoms, Bodies: groupBodies, Loops: groupLoops, Others: math.MaxInt, MayLead: mayBeInTree,
		}))
	}
	if len(r.groups) > 0 {
		r.layOut(l, p)
	}
	return r
}

// wholeReduction takes the system without spare rows if the plan has one, and else the whole system; both are without groups.
func wholeReduction(p *kkt.Plan) *reduction {
	m, l := p.Mechanism(), p.Layout()
	r := &reduction{of: make([]*treeBody, m.NumBodies()), tree: make([]*treeBody, m.NumJoints())}
	if r.lean = p.Lean(); r.lean != nil {
		r.leaveOut(l.Pattern)
		return r
	}
	r.pattern, r.order = l.Pattern, p.Order()
	for i := range l.Pattern.Len() {
		r.node = append(r.node, int32(i))
	}
	return r
}

// leaveOut gives r the pattern and the order of the system without spare rows, and finds the nodes of the whole pattern in it.
func (r *reduction) leaveOut(whole *sparse.Pattern) {
	r.pattern, r.order = r.lean.Rows.Pattern, r.lean.Order
	r.node = make([]int32, whole.Len())
	for i := range r.node {
		r.node[i] = -1
	}
	for i, of := range r.lean.Rows.Node {
		r.node[of] = int32(i)
	}
}

// room returns the number of rows of a node of the system with its spare rows.
func (r *reduction) room(node int) int {
	if r.lean == nil {
		return int(r.pattern.Size[node])
	}
	return int(r.lean.Rows.Of.Size[r.lean.Rows.Node[node]])
}

// leastPlaces returns a lower bound for the places of a workspace: the blocks of the matrix, a right side, a solution and a residual.
func (r *reduction) leastPlaces() (n int64) {
	p := r.pattern
	for i := range p.Len() {
		size := int64(p.Size[i])
		n += 3 * size
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			n += size * int64(p.Size[b])
		}
	}
	return n
}

// mayBeInTree reports whether a joint may lead to a body of a group.
func mayBeInTree(jt *joint, body int32) bool {
	switch jt.Kind {
	case joints.Revolute, joints.Prismatic, joints.Cylindrical:
	case joints.Universal:
		if body != jt.Succ {
			return false
		}
	default:
		return false
	}
	return jt.Motion == nil && jt.NumGeared() == 0
}

// take makes the groups of the choice h.
func (r *reduction) take(m *mechanism.Mechanism, h *mechanism.Hanging) {
	all := make([]treeBody, len(h.Bodies))
	for i := range len(h.Groups) - 1 {
		list, dof := h.Group(i)
		g := &group{dof: dof, ofHinges: true}
		for k := range list {
			b, x := &all[int(h.Groups[i])+k], &list[k]
			*b = treeBody{body: x.Body, joint: x.Joint, reversed: x.Reversed, dof: x.Dof, from: x.From, group: g}
			if x.Parent >= 0 {
				b.parent = &all[x.Parent]
			}
			g.bodies = append(g.bodies, b)
			g.ofHinges = g.ofHinges && m.Joints[x.Joint].Kind == joints.Revolute
			r.of[x.Body], r.tree[x.Joint] = b, b
		}
		r.groups = append(r.groups, g)
	}
}

// layOut makes the pattern of the reduced system, in which a group is a node of sign +1, and its order.
func (r *reduction) layOut(l *assemble.Layout, p *kkt.Plan) {
	whole := l.Pattern
	r.node = make([]int32, whole.Len())
	for j, h := range r.tree {
		if h != nil {
			r.node[l.JointNode(j)] = -1
		}
	}
	var size, sign []int8
	take := func(n, s int8) int32 {
		size, sign = append(size, n), append(sign, s)
		return int32(len(size) - 1)
	}
	for i := range whole.Positive() {
		switch {
		case i >= len(r.of) || r.of[i] == nil:
			r.node[i] = take(whole.Size[i], 1)
		case r.of[i].group.bodies[0] == r.of[i]:
			r.of[i].group.node = take(int8(r.of[i].group.dof), 1)
		}
	}
	for i, h := range r.of {
		if h != nil {
			r.node[i] = h.group.node
		}
	}
	ptr := make([]int32, len(size)+1)
	var ind []int32
	for i := whole.Positive(); i < whole.Len(); i++ {
		if r.node[i] < 0 {
			continue
		}
		r.node[i] = take(whole.Size[i], -1)
		var list []int32
		for _, b := range whole.Ind[whole.Ptr[i]:whole.Ptr[i+1]] {
			list = append(list, r.node[b])
		}
		slices.Sort(list)
		ind = append(ind, slices.Compact(list)...)
		ptr = append(ptr, int32(len(ind)))
	}
	r.pattern = sparse.NewPattern(size, sign, ptr, ind)
	r.order = order.BeforeJoints(r.pattern, p.OrderOf(r.pattern, func(body int) int { return int(r.node[body]) }))
}
