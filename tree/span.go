package tree

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// This file holds the choice of the spanning tree and the numbering of links.

// mayBeInTree reports whether a type can be a tree joint.
func mayBeInTree(k joints.Kind) bool {
	switch k.Type() {
	case joints.PointOnPlane, joints.Distance, joints.Rolling, joints.NoSlip,
		joints.PointOnCurve, joints.CurveOnCurve, joints.Free:
		return false
	}
	return true
}

// chooseJoints returns by joint whether it is in the tree. It takes the joints of first, then the others by increasing number of freedoms
// and by number, unless a joint would close a loop. It returns ErrTreeJoint for a joint of first that cannot be in the tree.
func chooseJoints(m *mechanism.Mechanism, first []int) ([]bool, error) {
	inTree := make([]bool, m.NumJoints())
	parts := sets.New(m.NumBodies() + 1) // the world first
	take := func(j int) bool {
		inTree[j] = parts.Union(m.Joints[j].Pred+1, m.Joints[j].Succ+1)
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

// number makes the links in preorder: first the part that is connected to the world, then each floating part from its base. Neighbours are
// visited in the order of body numbers. It returns ErrFloating for a base that already has a link.
func (p *Plan) number(inTree []bool, bases []int) error {
	m := p.mech
	n := m.NumBodies()
	p.LinkOf = make([]int32, n)
	for i := range p.LinkOf {
		p.LinkOf[i] = World
	}
	p.Links = make([]Link, 0, n)
	w := walk{p: p, at: m.Incidence(), inTree: inTree}
	w.visit(World)
	for _, b := range bases {
		if p.LinkOf[b] != World {
			return fault.Errorf("tree: %w", m.AtBody(b, ErrFloating))
		}
		w.addBase(int32(b))
	}
	for b := range int32(n) {
		if p.LinkOf[b] == World {
			w.addBase(b)
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

// findChains cuts the tree into chains: the chain of a link continues with that child which has the largest subtree. A root path passes
// through at most log2(links) + 1 chains.
func (p *Plan) findChains() {
	p.chain = make([]int32, len(p.Links))
	heir := make([]int32, len(p.Links)) // by link: first child with the largest subtree, or World
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

// walk is the search that numbers the links.
type walk struct {
	p      *Plan
	at     *mechanism.Incidence
	inTree []bool
	stack  []step
}

// step is a step of the walk along a tree joint, from a body or the world to a body.
type step struct{ from, to, joint int32 }

// addBase gives body b a floating base, and visits the bodies beyond it.
func (w *walk) addBase(b int32) {
	w.p.LinkOf[b] = int32(len(w.p.Links))
	w.p.Links = append(w.p.Links, Link{Body: b, Parent: World, Joint: -1, Kind: joints.Free})
	w.visit(b)
}

// visit appends the links beyond a body, or the World, in preorder.
func (w *walk) visit(b int32) {
	p := w.p
	w.push(b)
	for len(w.stack) > 0 {
		s := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		up := int32(World)
		if s.from != World {
			up = p.LinkOf[s.from]
		}
		jt := &p.mech.Joints[s.joint]
		p.LinkOf[s.to] = int32(len(p.Links))
		p.Links = append(p.Links, Link{
			Body: s.to, Parent: up, Joint: s.joint, Kind: jt.Kind, Reversed: jt.Pred == s.to,
		})
		w.push(s.to)
	}
}

// push puts the steps from body b to bodies without links on the stack, the step to the body with the smallest number last.
func (w *walk) push(b int32) {
	first := len(w.stack)
	for _, j := range w.at.Joints(b) {
		if to := w.p.mech.Joints[j].Other(b); w.inTree[j] && to != World && w.p.LinkOf[to] == World {
			w.stack = append(w.stack, step{b, to, j})
		}
	}
	slices.SortFunc(w.stack[first:], func(x, y step) int { return cmp.Compare(y.to, x.to) })
}

// findLoops lists the joints that are not in the tree and have rows or freedoms.
func (p *Plan) findLoops(inTree []bool) {
	link := func(body int32) int32 {
		if body == mechanism.World {
			return World
		}
		return p.LinkOf[body]
	}
	for j := range p.mech.Joints {
		jt := &p.mech.Joints[j]
		if inTree[j] || jt.Rows == 0 && jt.Kind.Freedoms() == 0 { // a joint without rows may have a freedom that is in a coupling
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
