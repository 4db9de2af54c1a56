package mechanism

import "github.com/rung-mbd/rung/internal/sets"

// Graph has facts of the graph of a mechanism. The nodes are the bodies and the world. The edges are the joints with at least one
// constraint row, and the couplings, each a hyperedge between the bodies of its joints.
type Graph struct {
	Components int     // number of connected components of the bodies, without the world
	Grounded   int     // number of these components that are joined to the world
	Loops      int     // independent kinematic loops: joints − nodes + connected components of the whole graph; plus one for each coupling
	Component  []int32 // component of each body; components are numbered in the order of their first bodies
}

// Graph analyses the connectivity of m. A component is a set of bodies joined
// with each other, by joints or couplings, without passing through the world.
//
// Cost: near-linear in bodies, joints and terms of couplings.
func (m *Mechanism) Graph() *Graph {
	n := len(m.Bodies)
	g := &Graph{Component: make([]int32, n)}
	within, whole := sets.New(n+1), sets.New(n+1) // bodies that are joined without the world, or with it; node 0 is the world
	for j := range m.Joints {
		jt := &m.Joints[j]
		if jt.Rows == 0 {
			continue
		}
		if jt.Pred != World && jt.Succ != World {
			within.Union(jt.Pred+1, jt.Succ+1)
		}
		if !whole.Union(jt.Pred+1, jt.Succ+1) {
			g.Loops++
		}
	}
	for i := range m.Couplings {
		list := m.Couplings[i].Bodies
		g.Loops++
		for _, b := range list[1:] {
			within.Union(list[0]+1, b+1)
			whole.Union(list[0]+1, b+1)
		}
		if m.Couplings[i].own != nil && len(list) == 1 { // a user-defined row of one body joins it to the world
			whole.Union(0, list[0]+1)
		}
		for _, l := range m.Couplings[i].Legs {
			if l.Pred < 0 || l.Succ < 0 { // its joint is at the world
				whole.Union(0, list[0]+1)
			}
		}
	}
	for i := range g.Component {
		node := int32(i) + 1
		first := within.Find(node) // the component's body with the smallest number
		if first < node {
			g.Component[i] = g.Component[first-1]
			continue
		}
		g.Component[i] = int32(g.Components)
		g.Components++
		if whole.Find(node) == 0 {
			g.Grounded++
		}
	}
	return g
}

// Incidence lists the joints of each body.
type Incidence struct {
	ptr, list []int32 // list[ptr[v]:ptr[v+1]] are the joints of node v: 0 for the world, 1 + number for a body
}

// Incidence lists the joints with at least one constraint row at each body and at the world.
//
// Cost: O(bodies + joints).
func (m *Mechanism) Incidence() *Incidence {
	in := &Incidence{ptr: make([]int32, len(m.Bodies)+2)}
	each := func(f func(node, joint int32)) {
		for j := range m.Joints {
			if jt := &m.Joints[j]; jt.Rows > 0 {
				f(jt.Pred+1, int32(j))
				f(jt.Succ+1, int32(j))
			}
		}
	}
	each(func(v, _ int32) { in.ptr[v+1]++ })
	for v := range in.ptr[1:] {
		in.ptr[v+1] += in.ptr[v]
	}
	in.list = make([]int32, in.ptr[len(in.ptr)-1])
	next := append([]int32(nil), in.ptr...)
	each(func(v, j int32) {
		in.list[next[v]] = j
		next[v]++
	})
	return in
}

// Joints returns the joints at a body, or at the World, by increasing number. The list must not
// be changed.
func (in *Incidence) Joints(body int32) []int32 { return in.list[in.ptr[body+1]:in.ptr[body+2]] }

// Other returns the body, or World, that j joins to the given body.
func (j *Joint) Other(body int32) int32 {
	if j.Pred == body {
		return j.Succ
	}
	return j.Pred
}
