package tree

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// This file holds the choice of the spanning tree and the numbering of links.

// mayBeInTree reports whether a type can be a tree joint.
func mayBeInTree(k joints.Kind) bool {
	return k != joints.PointOnPlane && k != joints.Distance && k != joints.Free
}

// chooseJoints returns which joints are in the tree: those of first, then the
// others by increasing number of freedoms and by number, as far as they join
// two parts.
func chooseJoints(m *mechanism.Mechanism, first []int) ([]bool, error) {
	inTree := make([]bool, m.NumJoints())
	parts := newPartition(m.NumBodies() + 1)
	take := func(j int) bool {
		jt := &m.Joints[j]
		// The world is the last element.
		inTree[j] = parts.union(node(jt.Pred, m), node(jt.Succ, m))
		return inTree[j]
	}
	for _, j := range first {
		if inTree[j] {
			continue
		}
		if !mayBeInTree(m.Joints[j].Kind) {
			return nil, fault.Errorf("tree: %w", m.AtJoint(j, -1, fault.Errorf("%w: it has type %v", ErrTreeJoint, m.Joints[j].Kind)))
		}
		if !take(j) {
			return nil, fault.Errorf("tree: %w", m.AtJoint(j, -1, fault.Errorf("%w: it closes a loop", ErrTreeJoint)))
		}
	}
	for dof := range 6 {
		for j := range m.Joints {
			if k := m.Joints[j].Kind; k.Dof() == dof && mayBeInTree(k) && !inTree[j] {
				take(j)
			}
		}
	}
	return inTree, nil
}

// node returns the element of a body in a partition, the last one for the world.
func node(body int32, m *mechanism.Mechanism) int32 {
	if body == mechanism.World {
		return int32(m.NumBodies())
	}
	return body
}

// edge is a tree joint seen from one of its bodies.
type edge struct{ to, joint int32 }

// number makes the links in preorder: first the part joined to the world, then
// each floating part from its base. Neighbours are visited by body number.
func (p *Plan) number(inTree []bool, bases []int) error {
	m := p.mech
	n := m.NumBodies()
	p.LinkOf = make([]int32, n)
	for i := range p.LinkOf {
		p.LinkOf[i] = World
	}
	p.Links = make([]Link, 0, n)
	ptr, adj := adjacency(m, inTree)
	p.visit(int32(n), ptr, adj)
	for _, b := range bases {
		if p.LinkOf[b] != World {
			return fault.Errorf("tree: %w", m.AtBody(b, ErrFloating))
		}
		p.addBase(int32(b), ptr, adj)
	}
	for b := range int32(n) {
		if p.LinkOf[b] == World {
			p.addBase(b, ptr, adj)
		}
	}
	for i := n - 1; i >= 0; i-- {
		l := &p.Links[i]
		l.End = max(l.End, int32(i)+1)
		if l.Parent != World {
			up := &p.Links[l.Parent]
			up.End = max(up.End, l.End)
		}
	}
	p.findChains()
	return nil
}

// findChains cuts the tree into chains: a link with the largest subtree of its
// siblings goes on with the chain of its parent. A root path meets at most
// log2(links) + 1 of them.
func (p *Plan) findChains() {
	p.chain = make([]int32, len(p.Links))
	heir := make([]int32, len(p.Links)) // first of the largest children, or World
	for i := range heir {
		heir[i] = World
	}
	size := func(i int32) int32 { return p.Links[i].End - i }
	for i := range int32(len(p.Links)) {
		if up := p.Links[i].Parent; up != World && (heir[up] == World || size(i) > size(heir[up])) {
			heir[up] = i
		}
	}
	for i := range int32(len(p.Links)) {
		p.chain[i] = i
		if up := p.Links[i].Parent; up != World && heir[up] == i {
			p.chain[i] = p.chain[up]
		}
	}
}

// adjacency returns the tree joints at each body, and at the world as the last
// node, by increasing number of the body at the other end.
func adjacency(m *mechanism.Mechanism, inTree []bool) (ptr []int32, adj []edge) {
	n := m.NumBodies() + 1
	ptr = make([]int32, n+1)
	for j, in := range inTree {
		if in {
			ptr[node(m.Joints[j].Pred, m)+1]++
			ptr[node(m.Joints[j].Succ, m)+1]++
		}
	}
	for v := range n {
		ptr[v+1] += ptr[v]
	}
	adj = make([]edge, ptr[n])
	next := slices.Clone(ptr)
	for j, in := range inTree {
		if !in {
			continue
		}
		a, b := node(m.Joints[j].Pred, m), node(m.Joints[j].Succ, m)
		adj[next[a]], adj[next[b]] = edge{b, int32(j)}, edge{a, int32(j)}
		next[a]++
		next[b]++
	}
	for v := range n {
		slices.SortFunc(adj[ptr[v]:ptr[v+1]], func(x, y edge) int { return cmp.Compare(x.to, y.to) })
	}
	return ptr, adj
}

// addBase gives body b a floating base and visits what hangs from it.
func (p *Plan) addBase(b int32, ptr []int32, adj []edge) {
	p.LinkOf[b] = int32(len(p.Links))
	p.Links = append(p.Links, Link{Body: b, Parent: World, Joint: -1, Kind: joints.Free})
	p.visit(b, ptr, adj)
}

// visit appends the links below node v in preorder.
func (p *Plan) visit(v int32, ptr []int32, adj []edge) {
	m := p.mech
	world := int32(m.NumBodies())
	type step struct{ from, to, joint int32 } // nodes
	var stack []step
	push := func(v int32) {
		for k := ptr[v+1] - 1; k >= ptr[v]; k-- {
			if e := adj[k]; e.to != world && p.LinkOf[e.to] == World {
				stack = append(stack, step{v, e.to, e.joint})
			}
		}
	}
	push(v)
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		up := int32(World)
		if s.from != world {
			up = p.LinkOf[s.from]
		}
		jt := &m.Joints[s.joint]
		p.LinkOf[s.to] = int32(len(p.Links))
		p.Links = append(p.Links, Link{
			Body: s.to, Parent: up, Joint: s.joint, Kind: jt.Kind, Reversed: jt.Pred == s.to,
		})
		push(s.to)
	}
}

// findLoops lists the joints with rows that are not in the tree.
func (p *Plan) findLoops(inTree []bool) {
	link := func(body int32) int32 {
		if body == mechanism.World {
			return World
		}
		return p.LinkOf[body]
	}
	for j := range p.mech.Joints {
		jt := &p.mech.Joints[j]
		if inTree[j] || jt.Rows == 0 {
			continue
		}
		a, b := link(jt.Pred), link(jt.Succ)
		common := p.CommonAncestor(int(a), int(b))
		p.Loops = append(p.Loops, Loop{
			Joint: int32(j), Pred: a, Succ: b, Common: int32(common), Row: int32(p.LoopRows), Rows: jt.Rows,
		})
		p.LoopRows += int(jt.Rows)
	}
}

// partition is a union-find structure with path halving.
type partition []int32

func newPartition(n int) partition {
	s := make(partition, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func (s partition) find(v int32) int32 {
	for s[v] != v {
		s[v] = s[s[v]]
		v = s[v]
	}
	return v
}

// union joins two sets and reports whether they were different.
func (s partition) union(a, b int32) bool {
	a, b = s.find(a), s.find(b)
	s[a] = b
	return a != b
}
