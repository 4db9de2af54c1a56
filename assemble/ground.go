package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// Bodies that hang on the world by a tree of joints with few freedoms, such as a crank and its
// coupler, need not stand in the KKT system with all their rows: the joints of the tree are
// eliminated in the directions that they leave free. With x̃ the weighted accelerations of
// the bodies of one such group and J̃ the rows of the joints of its tree,
//
//	J̃·x̃ = g   ⇔   x̃ = c + N·z,   J̃·N = 0,  NᵀN = 1,  J̃·c = g,
//
// and what is left of the group in the system is z, at most groupFreedoms numbers, with a
// unit block; a joint between it and the rest has W·N in place of W and the right side
// less W·c.

// Ground is a choice of groups for one layout, and the pattern of the system that is left. It
// is immutable and may be shared.
//
// The first nodes are the bodies in no group and the groups with freedoms, in the order of
// their first bodies; then follow the joints that are in no tree, in order.
type Ground struct {
	L       *Layout
	Pattern *sparse.Pattern

	units    []unit
	branches []branch
	node     []int32 // of each body: its own, or its group's; −1 if that has no freedoms
	branchOf []int32 // of each body, −1 if it is in no group
	bonds    []bond  // of each node after the units'
	nodeOf   []int32 // of each joint, −1 if it has none
	grouped  int     // joints of trees
	columns  int     // scalars of N of all branches
	blocks   int     // scalars of the constant blocks of grouped predecessors

	unitBatches         []unitBatch
	shapes              []unitShape
	parts               []branchBatch
	fixed               []kernel.LaneConst // of branches in batches
	bondBatches         []bondBatch
	inner               []int32 // first of the joints' batches of each task that fills the units' batches; then of the others
	pins                []kernel.LaneJointConst
	single, singleBonds []int32 // units and bonds in no batch
}

// bond is a joint in no tree.
type bond struct {
	joint, row int32 // row is the first scalar one
	fixed      int32 // first scalar of the constant block of its predecessor, if that is in a group and the joint pinned; else −1
	side       [2]side
}

// side is one of the two bodies of a bond.
type side struct {
	branch int32 // −1 for a body in no group, and the world
	dof    int32 // columns of the block
	at     int64 // first value of the block in W.Val, −1 if there is none
}

// unit is a body in no group, or a group.
type unit struct {
	body   int32 // −1 for a group
	lo, hi int32 // branches, parents first
	node   int32 // −1 if there are no freedoms
	dof    int8  // of the group
}

// branch is a body of a group with the joint of the tree that leads to it.
type branch struct {
	body, joint int32
	parent      int32 // branch, −1 for the world
	at          int32 // first scalar of its columns of N
	dof         int8  // freedoms of the joint
	from        int8  // first column of N that is not zero for the body
	hinge       bool  // a revolute joint: the rest is used
	turned      bool  // the body is the joint's predecessor, in whose axes the axis stands

	armP, armC spatial.Vec3  // to the joint from the parent's centre of mass, in its axes, and from the body's
	axis       spatial.Vec3  // in the axes of the joint's predecessor
	chol       spatial.Chol3 // L and √m of the body: C = diag(L, √m·1) in its axes
	root       float64
}

const (
	// groupFreedoms and groupBodies bound a group, and groupJoints is the number of
	// joints besides that to its parent that a body may have which is not on the ground: so a group
	// adds no fill that an elimination of its bodies one after the other would not.
	groupFreedoms, groupBodies, groupJoints = 3, 4, 1
	// fewGrouped is the number of bodies for one in a group from which groups do not pay: a joint between
	// a group and another body takes more work than one in the whole system.
	fewGrouped = 2
)

// NewGround chooses groups: all bodies with a joint to the world that may be in a tree, and
// what hangs on them. It returns nil if there are few.
//
// Cost: O(bodies + joints); allocates.
func NewGround(l *Layout) *Ground {
	roots := 0 // at least as many as groups
	for j := range l.Mech.Joints {
		if jt := &l.Mech.Joints[j]; sides(jt) == 1 && mayBranch(jt) {
			roots++
		}
	}
	if roots*groupBodies*fewGrouped < l.Mech.NumBodies() {
		return nil
	}
	g := choose(l)
	if g.grouped*fewGrouped < l.Mech.NumBodies() || g.grouped == 0 {
		return nil
	}
	g.finish()
	return g
}

// With returns g for l, a layout of the same mechanism under other inputs.
//
// Cost: O(1).
func (g *Ground) With(l *Layout) *Ground {
	out := *g
	out.L = l
	return &out
}

// choose grows all groups.
func choose(l *Layout) *Ground {
	m := l.Mech
	g := &Ground{L: l, node: make([]int32, m.NumBodies()), branchOf: make([]int32, m.NumBodies()), nodeOf: make([]int32, m.NumJoints())}
	for i := range g.branchOf {
		g.branchOf[i] = -1
	}
	at := m.Incidence()
	root := make([]int32, m.NumBodies()) // first joint to the world that may be in a tree, −1 if there is none
	for i := range root {
		root[i] = -1
		for _, j := range at.Joints(int32(i)) {
			if mayBranch(&m.Joints[j]) && m.Joints[j].Other(int32(i)) < 0 {
				root[i] = j
				break
			}
		}
	}
	for i := range m.Bodies {
		if root[i] >= 0 {
			g.grow(int32(i), root, at)
		}
	}
	return g
}

// NumGrouped returns the number of bodies in groups.
func (g *Ground) NumGrouped() int { return len(g.branches) }

// NodeJoint returns the joint of a node, or −1 for one of a body or group.
func (g *Ground) NodeJoint(node int) int {
	if i := node - (g.Pattern.Len() - len(g.bonds)); i >= 0 {
		return int(g.bonds[i].joint)
	}
	return -1
}

// mayBranch reports whether a joint may be in the tree of a group: it leaves one freedom or none, as with more
// of them the reduced system takes as long as the whole one, and has no prescribed motion. Its rows are
// orthogonal to each other, as tie takes them.
func mayBranch(j *mechanism.Joint) bool {
	switch j.Kind {
	case joints.Fixed, joints.Revolute, joints.Prismatic, joints.Helical:
		return j.Motion == nil
	}
	return false
}

// grow adds the group that begins at a body on the ground, with what hangs on it as long as
// the bounds allow.
func (g *Ground) grow(first int32, root []int32, at *mechanism.Incidence) {
	m := g.L.Mech
	u := unit{body: -1, lo: int32(len(g.branches)), node: -1}
	u.dof = int8(m.Joints[root[first]].Kind.Dof())
	g.add(first, root[first], -1)
	for k := u.lo; int(k) < len(g.branches); k++ {
		body := g.branches[k].body
		for _, j := range at.Joints(body) {
			jt := &m.Joints[j]
			c := jt.Other(body)
			if c < 0 || g.branchOf[c] >= 0 || root[c] >= 0 || !mayBranch(jt) {
				continue
			}
			if int(u.dof)+jt.Kind.Dof() > groupFreedoms || len(g.branches)-int(u.lo) == groupBodies || len(at.Joints(c)) > 1+groupJoints {
				continue
			}
			if g.joins(c, j, u.lo, at) {
				continue
			}
			u.dof += int8(jt.Kind.Dof())
			g.add(c, j, k)
		}
	}
	u.hi = int32(len(g.branches))
	g.units = append(g.units, u)
}

// joins reports whether body c has another joint than j to a branch from lo on.
func (g *Ground) joins(c, j, lo int32, at *mechanism.Incidence) bool {
	for _, i := range at.Joints(c) {
		if i == j {
			continue
		}
		if o := g.L.Mech.Joints[i].Other(c); o >= 0 && g.branchOf[o] >= lo {
			return true
		}
	}
	return false
}

// add appends a branch.
func (g *Ground) add(body, joint, parent int32) {
	m := g.L.Mech
	jt := &m.Joints[joint]
	b := branch{body: body, joint: joint, parent: parent, dof: int8(jt.Kind.Dof()), hinge: jt.Kind == joints.Revolute, turned: jt.Pred == body}
	end, far, up := &jt.S, &jt.P, jt.Pred
	if b.turned {
		end, far, up = &jt.P, &jt.S, jt.Succ
	}
	b.armC = end.Origin.Sub(m.Bodies[body].Com)
	if up >= 0 {
		b.armP = far.Origin.Sub(m.Bodies[up].Com)
	}
	b.axis = jt.P.E.Col(2)
	if m.Bodies[body].Inertia.CholeskyTo(&b.chol) != nil {
		panic("assemble: inertia is singular") // it has been checked
	}
	b.root = math.Sqrt(m.Bodies[body].Mass)
	g.branchOf[body] = int32(len(g.branches))
	g.branches = append(g.branches, b)
	g.grouped++
}

// finish numbers columns and nodes and builds the pattern.
func (g *Ground) finish() {
	m := g.L.Mech
	groups := g.units
	g.units = make([]unit, 0, len(groups)+m.NumBodies()-len(g.branches))
	var size []int8
	next := 0
	for i := range m.Bodies {
		k := g.branchOf[i]
		if k < 0 {
			g.node[i] = int32(len(size))
			g.units = append(g.units, unit{body: int32(i), node: g.node[i]})
			size = append(size, 6)
			continue
		}
		// Groups are in the order of their roots.
		if next == len(groups) || groups[next].lo != k {
			continue
		}
		u := groups[next]
		next++
		if u.dof > 0 {
			u.node = int32(len(size))
			size = append(size, u.dof)
		}
		g.number(&u)
		g.units = append(g.units, u)
	}
	nodes := len(size)
	ptr, ind := make([]int32, nodes+1), []int32(nil)
	sign := make([]int8, nodes, nodes+m.NumJoints())
	for i := range sign {
		sign[i] = 1
	}
	inTree := make([]bool, m.NumJoints())
	for i := range g.branches {
		inTree[g.branches[i].joint] = true
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		g.nodeOf[j] = -1
		if jt.Rows == 0 || inTree[j] {
			continue
		}
		g.nodeOf[j] = int32(len(size))
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
		g.bonds = append(g.bonds, bond{joint: int32(j), fixed: -1})
	}
	g.Pattern = sparse.NewPattern(size, sign, ptr, ind)
	for i := range g.bonds {
		g.place(&g.bonds[i], nodes+i)
	}
	g.batch()
}

// place fills a bond, whose joint and node are given.
func (g *Ground) place(b *bond, node int) {
	p, jt := g.Pattern, &g.L.Mech.Joints[b.joint]
	b.row = p.Off[node]
	for e, body := range [2]int32{jt.Pred, jt.Succ} {
		q := side{branch: -1, at: -1}
		if body >= 0 {
			q.branch = g.branchOf[body]
		}
		if at := g.nodeAt(body); at >= 0 {
			k := p.Ptr[node]
			if p.Ind[k] != at {
				k++
			}
			q.dof, q.at = int32(p.Size[at]), p.Pos[k]
		}
		b.side[e] = q
	}
	if pinned(jt) && b.side[0].branch >= 0 {
		b.fixed = int32(g.blocks)
		g.blocks += 6 * int(jt.Rows)
	}
}

// nodeAt returns the node of a body, or −1 for the world.
func (g *Ground) nodeAt(body int32) int32 {
	if body < 0 {
		return -1
	}
	return g.node[body]
}

// number gives columns to the branches of a group: those of its last joints come first, so that
// bodies close to the ground have few.
func (g *Ground) number(u *unit) {
	last := int8(u.dof)
	for k := u.lo; k < u.hi; k++ {
		b := &g.branches[k]
		last -= b.dof
		b.from, b.at = last, int32(g.columns)
		g.columns += 6 * int(u.dof-last)
		g.node[b.body] = u.node
	}
}
