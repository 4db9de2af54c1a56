package tree

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/mechanism"
)

// Cluster is a minimal loop cluster (RBDA §8.9): loops that are connected by shared joints. Its loops share no joint with other loops,
// though perhaps a body. The clusters are the two-connected components of the graph of bodies and joints that have more than one joint:
// such a component stays connected if any one of its bodies is taken away. Clusters do not depend on the choice of a tree.
type Cluster struct {
	Joints []int32 // joints of the mechanism in these loops, increasing
	Bodies []int32 // bodies at these joints, increasing, the world left out
	Ground bool    // the world is at one of these joints
	Loops  int     // number of independent loops: joints − bodies + 1, the world counting as a body, and one for each coupling

	Couplings []int32 // couplings of these joints, increasing
}

// ClustersOf returns the minimal loop clusters of a mechanism, in the order of their first joints. A coupling is a loop through all joints
// of its terms. Joints that are in no loop are in no cluster. A joint without constraint rows makes no loop. Neither does a rod between
// the world and a floating base, although it is in Plan.Loops for its rows.
//
// Cost: near-linear in bodies and joints; loops are not walked one by one.
func ClustersOf(m *mechanism.Mechanism) []Cluster {
	s := newBlockSearch(m)
	for v := range s.nodes {
		if s.nodes[v].number == 0 {
			s.searchFrom(int32(v))
		}
	}
	s.mergeCoupled()
	slices.SortFunc(s.list, func(a, b Cluster) int { return cmp.Compare(a.Joints[0], b.Joints[0]) })
	return s.list
}

// blockSearch is a depth-first search for the two-connected components of the graph of bodies and joints (Hopcroft & Tarjan 1973). The
// nodes are the world, then the bodies, then the couplings. The edges are the joints, and then edges from each coupling to the bodies,
// and the world, at the ends of its joints.
type blockSearch struct {
	m     *mechanism.Mechanism
	at    *mechanism.Incidence
	more  [][]int32  // by node: its edges of couplings; nil if there are no couplings
	ends  [][2]int32 // by edge of a coupling: the node of the body or world, and the node of the coupling
	nodes []blockNode
	path  []int32 // nodes from the root of the search to the present one
	open  []int32 // edges that are in no component yet
	list  []Cluster
}

// blockNode is the mark of a node in a search.
type blockNode struct {
	number int32 // in the order of the search, from 1; 0 before it is reached
	low    int32 // least number among the nodes to which the node, or one below it in the search, has an edge
	via    int32 // edge by which it was reached, or −1
	next   int32 // number of its edge that is followed next
}

// newBlockSearch returns a search that has not begun, with the edges of the couplings listed.
func newBlockSearch(m *mechanism.Mechanism) *blockSearch {
	nb := m.NumBodies()
	s := &blockSearch{m: m, at: m.Incidence(), nodes: make([]blockNode, nb+1+m.NumCouplings())}
	if m.NumCouplings() == 0 {
		return s
	}
	s.more = make([][]int32, len(s.nodes))
	for i := range m.Couplings {
		c := &m.Couplings[i]
		list := slices.Clone(c.Bodies)
		if slices.ContainsFunc(c.Legs, func(l mechanism.Leg) bool { return l.Pred < 0 || l.Succ < 0 }) {
			list = append(list, mechanism.World)
		}
		node := int32(nb + 1 + i)
		for _, b := range list {
			e := int32(m.NumJoints() + len(s.ends))
			s.ends = append(s.ends, [2]int32{b + 1, node})
			s.more[b+1], s.more[node] = append(s.more[b+1], e), append(s.more[node], e)
		}
	}
	return s
}

// edge returns edge k at node v: first the joints of its body, then edges of couplings. It returns −1 if there is no edge k.
func (s *blockSearch) edge(v, k int32) int32 {
	if int(v) <= s.m.NumBodies() {
		list := s.at.Joints(v - 1)
		if int(k) < len(list) {
			return list[k]
		}
		k -= int32(len(list))
	}
	if s.more != nil && int(k) < len(s.more[v]) {
		return s.more[v][k]
	}
	return -1
}

// other returns the node at the other end of edge e, which is at v.
func (s *blockSearch) other(e, v int32) int32 {
	if i := int(e) - s.m.NumJoints(); i >= 0 {
		return s.ends[i][0] + s.ends[i][1] - v
	}
	return s.m.Joints[e].Other(v-1) + 1
}

// mergeCoupled merges clusters that share a coupling.
func (s *blockSearch) mergeCoupled() {
	if s.more == nil {
		return
	}
	parts, owner := sets.New(len(s.list)), map[int32]int32{}
	for i := range s.list {
		for _, k := range s.list[i].Couplings {
			if other, ok := owner[k]; ok {
				parts.Union(int32(i), other)
			}
			owner[k] = int32(i)
		}
	}
	joint := make([][]int32, len(s.list))
	coupled := make([][]int32, len(s.list))
	for i := range s.list {
		r := parts.Find(int32(i))
		joint[r], coupled[r] = append(joint[r], s.list[i].Joints...), append(coupled[r], s.list[i].Couplings...)
	}
	s.list = s.list[:0]
	for i := range joint {
		if len(joint[i]) > 0 {
			slices.Sort(coupled[i])
			s.list = append(s.list, clusterOf(s.m, joint[i], slices.Compact(coupled[i])))
		}
	}
}

// searchFrom finds the components of all that is connected to node v, without recursion.
func (s *blockSearch) searchFrom(v int32) {
	count := int32(0)
	enter := func(v, joint int32) {
		count++
		s.nodes[v] = blockNode{number: count, low: count, via: joint}
		s.path = append(s.path, v)
	}
	enter(v, -1)
	for len(s.path) > 0 {
		v := s.path[len(s.path)-1]
		here := &s.nodes[v]
		j := s.edge(v, here.next)
		if j < 0 {
			s.leave(v)
			continue
		}
		here.next++
		to := s.other(j, v)
		switch there := &s.nodes[to]; {
		case j == here.via: // the edge by which v was reached
		case there.number == 0:
			s.open = append(s.open, j)
			enter(to, j)
		case there.number < here.number:
			s.open = append(s.open, j)
			here.low = min(here.low, there.number)
		}
	}
}

// leave goes back from v, all of whose edges have been followed, to the node before it. If no node below v has an edge to a node above that
// one, the edges since then are a component.
func (s *blockSearch) leave(v int32) {
	s.path = s.path[:len(s.path)-1]
	if len(s.path) == 0 {
		return
	}
	here, up := &s.nodes[v], &s.nodes[s.path[len(s.path)-1]]
	up.low = min(up.low, here.low)
	if here.low < up.number {
		return
	}
	first := len(s.open) - 1
	for s.open[first] != here.via {
		first--
	}
	if part := s.open[first:]; len(part) > 1 {
		var joints, couplings []int32
		for _, e := range part {
			if i := int(e) - s.m.NumJoints(); i >= 0 {
				couplings = append(couplings, s.ends[i][1]-int32(s.m.NumBodies()+1))
			} else {
				joints = append(joints, e)
			}
		}
		slices.Sort(couplings)
		s.list = append(s.list, clusterOf(s.m, joints, slices.Compact(couplings)))
	}
	s.open = s.open[:first]
}

// clusterOf returns the cluster of the joints in list and of the couplings.
func clusterOf(m *mechanism.Mechanism, list, couplings []int32) Cluster {
	c := Cluster{Joints: slices.Clone(list), Couplings: couplings}
	slices.Sort(c.Joints)
	for _, j := range c.Joints {
		for _, b := range [2]int32{m.Joints[j].Pred, m.Joints[j].Succ} {
			if b == mechanism.World {
				c.Ground = true
			} else {
				c.Bodies = append(c.Bodies, b)
			}
		}
	}
	slices.Sort(c.Bodies)
	c.Bodies = slices.Compact(c.Bodies)
	c.Loops = len(couplings)
	joined := sets.New(len(c.Bodies) + 1) // the world is the last
	at := func(b int32) int32 {
		if i, ok := slices.BinarySearch(c.Bodies, b); ok {
			return int32(i)
		}
		return int32(len(c.Bodies))
	}
	for _, j := range c.Joints {
		if !joined.Union(at(m.Joints[j].Pred), at(m.Joints[j].Succ)) {
			c.Loops++
		}
	}
	return c
}

// block is one of the independent diagonal blocks of K: some of its row groups with the entries of q̇ that they use, or the entries that no
// group uses.
type block struct {
	groups []int32
	rows   []int32 // rows of K of the groups
	cols   []int32 // increasing
}

// blocks returns the block structure of K and G (RBDA §8.9). There are three kinds of blocks:
//
//   - one for each cluster of Plan.Loops that has freedoms, freedoms of floating bases included, with the prescribed freedoms in it.
//     Clusters that share freedoms are one block;
//   - one for each other prescribed freedom;
//   - the last one, without rows, for the entries of q̇ in no loop, if there are any.
//
// place has by entry of q̇ its place among the columns of its block.
func (c *Constraints) blocks() (list []block, place []int32) {
	parts := sets.New(len(c.groups))
	user := make([]int32, c.plan.nv) // by entry of q̇: the last group that uses it, or −1
	for d := range user {
		user[d] = -1
	}
	for i := range c.groups {
		for _, d := range c.groups[i].cols {
			if user[d] >= 0 {
				parts.Union(int32(i), user[d])
			}
			user[d] = int32(i)
		}
	}
	number := make([]int32, len(c.groups)) // by root of a part: its block, or −1
	for i := range number {
		number[i] = -1
	}
	of := make([]int32, len(c.groups))
	for i := range c.groups {
		r := parts.Find(int32(i))
		if number[r] < 0 {
			number[r] = int32(len(list))
			list = append(list, block{})
		}
		of[i] = number[r]
		b := &list[of[i]]
		b.groups = append(b.groups, int32(i))
		for k := range c.groups[i].rows {
			b.rows = append(b.rows, c.groups[i].row+k)
		}
	}
	place = make([]int32, c.plan.nv)
	var free block
	for d, g := range user {
		b := &free
		if g >= 0 {
			b = &list[of[g]]
		}
		place[d] = int32(len(b.cols))
		b.cols = append(b.cols, int32(d))
	}
	if len(free.cols) > 0 {
		list = append(list, free)
	}
	return list, place
}
