package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// Groups is a choice of groups for one layout, with the pattern of the reduced system
// (docs/theory.md, "Bodies that hang on the ground", (R1) to (R9)). It is immutable and may
// be shared.
//
// A group is a few bodies that a tree of joints with few freedoms connects to the world, such as a crank
// and its coupler. The joints of that tree are its tree joints. Their rows are eliminated, and the unknowns of the
// group are the freedoms of these joints. All other joints are loop joints and keep their rows.
//
// The first nodes of the pattern are the bodies in no group and the groups with freedoms, in the order of
// their first bodies; then follow the loop joints, in order.
type Groups struct {
	Layout  *Layout
	Pattern *sparse.Pattern

	groups []group
	trees  []treeJoint // group after group, parents first
	loops  []loopJoint // of the last nodes of Pattern, in order
	single []int32     // bodies in no group

	node   []int32 // by body: its node, or the node of its group; −1 if the group has no freedoms
	treeOf []int32 // by body: the tree joint that leads to it, −1 if it is in no group

	columns int // number of scalars of N of all tree joints
	blocks  int // number of scalars of all constant blocks of loop joints

	eights eights // groups and loop joints that are computed eight at a time

	overGroups, overLoops tasks // of passes over groups and bodies, and over loop joints
}

// group is the tree joints first ≤ k < end. A group has as many bodies as tree joints.
type group struct {
	first, end int32
	node       int32 // −1 if there are no freedoms
	dof        int8
	owner      [groupFreedoms]int8 // by column of N: the tree joint whose freedom it is, counted from the first of the group
}

// treeJoint is a joint of the tree of a group with the body to which it leads. Vectors are in the axes of
// that body unless said otherwise.
type treeJoint struct {
	body, joint int32
	parent      int32 // tree joint that leads to the body on the other side, −1 for the world
	column      int32 // first scalar of the body's columns in Reduced.directions
	dof         int8  // freedoms of the joint
	from        int8  // first column of N that is not zero for the body
	hinge       bool  // a revolute joint; the arms and the axis below are used for these alone
	reversed    bool  // the body is the joint's predecessor

	armParent, armBody spatial.Vec3  // to the joint: from the parent's centre of mass, in the parent's axes, and from the body's
	axis               spatial.Vec3  // of the hinge, in the axes of the joint's predecessor
	L                  spatial.Chol3 // L·Lᵀ is the body's inertia
	rootMass           float64       // √m
}

// loopJoint is a joint in no tree.
type loopJoint struct {
	joint    int32
	row      int32      // first scalar row
	constant int32      // first scalar of the predecessor's rows in Reduced.constants; −1 unless the joint is pinned and that body in a group
	end      [2]loopEnd // predecessor and successor
}

// loopEnd is one of the two bodies of a loop joint.
type loopEnd struct {
	tree  int32 // tree joint that leads to the body; −1 for a body in no group, and for the world
	dof   int32 // columns of the block
	block int64 // first value of the block in Matrix.Val, −1 if there is none
}

const (
	// groupFreedoms and groupBodies are the largest numbers of freedoms and bodies of a group. groupJoints is the number of joints that a
	// body of a group may have besides the tree joint that leads to it, unless it is on the ground. With this limit a group causes no
	// more fill than an elimination of its bodies one after the other.
	groupFreedoms, groupBodies, groupJoints = 3, 4, 1
	// fewGrouped is the largest ratio of all bodies to bodies in groups with which groups pay: a joint
	// between a group and another body takes more work than one in the whole system.
	fewGrouped = 2
)

// With returns g for l, a layout of the same mechanism under other inputs.
//
// Cost: O(1).
func (g *Groups) With(l *Layout) *Groups {
	out := *g
	out.Layout = l
	return &out
}

// NewGroups chooses groups (mechanism.Mechanism.Hang). It returns nil if so few bodies are in groups that these do not pay.
//
// Cost: O(bodies + joints); allocates.
func NewGroups(l *Layout) *Groups {
	m := l.Mech
	roots := 0 // joints to the world that may be tree joints: there are no more groups than these
	for j := range m.Joints {
		if jt := &m.Joints[j]; sides(jt) == 1 && mayBeInTree(jt) {
			roots++
		}
	}
	if roots*groupBodies*fewGrouped < m.NumBodies() {
		return nil
	}
	g := choose(l)
	if len(g.trees) == 0 || len(g.trees)*fewGrouped < m.NumBodies() {
		return nil
	}
	g.layOut()
	return g
}

// BodyNode returns the node of body i or of its group, −1 if the group has no freedoms.
func (g *Groups) BodyNode(i int) int { return int(g.node[i]) }

// NodeJoint returns the joint of a node, or −1 for a node of a body or group.
func (g *Groups) NodeJoint(node int) int {
	if i := node - (g.Pattern.Len() - len(g.loops)); i >= 0 {
		return int(g.loops[i].joint)
	}
	return -1
}

// mayBeInTree reports whether a joint may be a tree joint. It has one freedom or none, because with more
// freedoms the reduced system takes as long as the whole one. It has no prescribed motion. Its rows are
// orthogonal to each other, as (R4) requires.
func mayBeInTree(j *mechanism.Joint) bool {
	switch j.Kind {
	case joints.Fixed, joints.Revolute, joints.Prismatic, joints.Helical:
		return j.Motion == nil
	}
	return false
}

// choose makes the groups, with the constants of their tree joints.
func choose(l *Layout) *Groups {
	h := l.Mech.Hang(&mechanism.HangingRules{Freedoms: groupFreedoms, Bodies: groupBodies, Others: groupJoints, Loops: math.MaxInt,
		MayLead: func(j *mechanism.Joint, _ int32) bool { return mayBeInTree(j) }})
	g := &Groups{Layout: l, node: make([]int32, l.Mech.NumBodies()), treeOf: h.Of}
	for i := range len(h.Groups) - 1 {
		list, dof := h.Group(i)
		q := group{first: h.Groups[i], end: h.Groups[i+1], node: -1, dof: int8(dof)}
		for k := range list {
			g.trees = append(g.trees, newTreeJoint(l.Mech, &list[k]))
		}
		g.groups = append(g.groups, q)
	}
	return g
}

// newTreeJoint returns the tree joint of a body.
func newTreeJoint(m *mechanism.Mechanism, h *mechanism.HungBody) treeJoint {
	jt, body := &m.Joints[h.Joint], &m.Bodies[h.Body]
	t := treeJoint{
		body: h.Body, joint: h.Joint, parent: h.Parent, dof: int8(h.Dof), from: int8(h.From),
		hinge: jt.Kind == joints.Revolute, reversed: h.Reversed,
		axis: jt.P.E.Col(2), rootMass: math.Sqrt(body.Mass),
	}
	near, far, up := &jt.S, &jt.P, jt.Pred
	if t.reversed {
		near, far, up = &jt.P, &jt.S, jt.Succ
	}
	t.armBody = near.Origin.Sub(body.Com)
	if up >= 0 {
		t.armParent = far.Origin.Sub(m.Bodies[up].Com)
	}
	if body.Inertia.CholeskyTo(&t.L) != nil {
		panic("assemble: inertia is singular") // cannot happen, as bodies of groups have been checked
	}
	return t
}

// layOut numbers columns and nodes, and builds the pattern and the eights.
func (g *Groups) layOut() {
	size := g.numberNodes()
	nodes := len(size)
	sign := make([]int8, nodes, nodes+g.Layout.Mech.NumJoints())
	for i := range sign {
		sign[i] = 1
	}
	ptr, ind := make([]int32, nodes+1), []int32(nil)
	for j := range g.Layout.Mech.Joints {
		jt := &g.Layout.Mech.Joints[j]
		if jt.Rows == 0 || g.isTreeJoint(int32(j)) {
			continue
		}
		size, sign = append(size, int8(jt.Rows)), append(sign, -1)
		lo, hi := g.nodeAt(jt.Pred), g.nodeAt(jt.Succ)
		if lo > hi {
			lo, hi = hi, lo
		}
		if lo >= 0 && lo != hi {
			ind = append(ind, lo)
		}
		if hi >= 0 {
			ind = append(ind, hi)
		}
		ptr = append(ptr, int32(len(ind)))
		g.loops = append(g.loops, loopJoint{joint: int32(j), constant: -1})
	}
	g.Pattern = sparse.NewPattern(size, sign, ptr, ind)
	for i := range g.loops {
		g.place(&g.loops[i], nodes+i)
	}
	g.makeEights(lanes.Have())
}

// numberNodes gives nodes to bodies in no group and to groups, and columns to the bodies of groups. It returns the
// sizes of the nodes.
func (g *Groups) numberNodes() (size []int8) {
	groups := g.groups // not numbered yet, in the order of their first bodies
	for i := range g.Layout.Mech.Bodies {
		t := g.treeOf[i]
		if t < 0 {
			g.node[i] = int32(len(size))
			g.single = append(g.single, int32(i))
			size = append(size, sparse.MaxBlock)
			continue
		}
		if len(groups) == 0 || groups[0].first != t {
			continue // not the first body of its group
		}
		if groups[0].dof > 0 {
			groups[0].node = int32(len(size))
			size = append(size, groups[0].dof)
		}
		g.numberColumns(&groups[0])
		groups = groups[1:]
	}
	return size
}

// numberColumns gives columns of N to the bodies of a group. Freedoms of the last joints have the first columns, so that
// bodies close to the ground, which these do not move, have few columns.
func (g *Groups) numberColumns(q *group) {
	for k := q.first; k < q.end; k++ {
		t := &g.trees[k]
		t.column = int32(g.columns)
		for i := t.from; i < t.from+t.dof; i++ {
			q.owner[i] = int8(k - q.first)
		}
		g.columns += 6 * int(q.dof-t.from)
		g.node[t.body] = q.node
	}
}

// isTreeJoint reports whether joint j leads to a body of a group.
func (g *Groups) isTreeJoint(j int32) bool {
	jt := &g.Layout.Mech.Joints[j]
	for _, body := range [2]int32{jt.Pred, jt.Succ} {
		if body >= 0 && g.treeOf[body] >= 0 && g.trees[g.treeOf[body]].joint == j {
			return true
		}
	}
	return false
}

// place finds the places of the rows and blocks of a loop joint with the given node.
func (g *Groups) place(q *loopJoint, node int) {
	p, jt := g.Pattern, &g.Layout.Mech.Joints[q.joint]
	q.row = p.Off[node]
	for e, body := range [2]int32{jt.Pred, jt.Succ} {
		end := loopEnd{tree: -1, block: -1}
		if body >= 0 {
			end.tree = g.treeOf[body]
		}
		if at := g.nodeAt(body); at >= 0 {
			k := p.Ptr[node]
			if p.Ind[k] != at {
				k++
			}
			end.dof, end.block = int32(p.Size[at]), p.Pos[k]
		}
		q.end[e] = end
	}
	if pinned(jt) && q.end[0].tree >= 0 {
		q.constant = int32(g.blocks)
		g.blocks += 6 * int(jt.Rows)
	}
}

// nodeAt returns the node of a body, or −1 for the world.
func (g *Groups) nodeAt(body int32) int32 {
	if body < 0 {
		return -1
	}
	return g.node[body]
}
