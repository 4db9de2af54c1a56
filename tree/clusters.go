package tree

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/mechanism"
)

// Cluster is a minimal loop cluster (RBDA §8.9). Its loops are connected by shared joints. They
// share no joint with other loops, though perhaps a body. The clusters are the parts of the
// graph with more than one joint that stay connected without any one of their bodies. They do
// not depend on the choice of a tree.
type Cluster struct {
	Joints []int32 // joints of the mechanism in these loops, increasing
	Bodies []int32 // bodies at these joints, increasing, the world left out
	Ground bool    // whether the world is at one of these joints
	Loops  int     // independent loops: joints − bodies + 1, the world one of them
}

// Clusters returns the minimal loop clusters, by their first joint. Bridges of the
// graph, whose joints are in no loop, are in none. A joint without constraint rows
// makes no loop, and neither does a floating base with a rod to the world, which
// is in Plan.Loops for its rows.
//
// Cost: near-linear in bodies and joints; loops are not walked one by one.
func (p *Plan) Clusters() []Cluster {
	s := newBlockSearch(p.mech)
	for v := range s.nodes {
		if s.nodes[v].number == 0 {
			s.from(int32(v))
		}
	}
	slices.SortFunc(s.list, func(a, b Cluster) int { return cmp.Compare(a.Joints[0], b.Joints[0]) })
	return s.list
}

// blockSearch is a depth-first search for the two-connected parts of the graph of
// bodies and joints (Hopcroft & Tarjan 1973). The nodes are the world and then the bodies.
type blockSearch struct {
	m     *mechanism.Mechanism
	at    *mechanism.Incidence
	nodes []blockNode
	path  []int32 // nodes from the root of the search to the one in work
	open  []int32 // joints that are in no part yet
	list  []Cluster
}

// blockNode is what a search knows of a node.
type blockNode struct {
	number int32 // in the order of the search from 1, or 0
	low    int32 // least number that the node or one after it has a joint to
	via    int32 // joint by which it was reached, or −1
	next   int32 // of its joints, the next to look at
}

func newBlockSearch(m *mechanism.Mechanism) *blockSearch {
	return &blockSearch{m: m, at: m.Incidence(), nodes: make([]blockNode, m.NumBodies()+1)}
}

// from searches what is connected to node v.
func (s *blockSearch) from(v int32) {
	count := int32(0)
	enter := func(v, joint int32) {
		count++
		s.nodes[v] = blockNode{number: count, low: count, via: joint}
		s.path = append(s.path, v)
	}
	enter(v, -1)
	for len(s.path) > 0 {
		v := s.path[len(s.path)-1]
		here, list := &s.nodes[v], s.at.Joints(v-1)
		if int(here.next) == len(list) {
			s.leave(v)
			continue
		}
		j := list[here.next]
		here.next++
		to := s.m.Joints[j].Other(v-1) + 1
		switch there := &s.nodes[to]; {
		case j == here.via: // by which v was reached
		case there.number == 0:
			s.open = append(s.open, j)
			enter(to, j)
		case there.number < here.number:
			s.open = append(s.open, j)
			here.low = min(here.low, there.number)
		}
	}
}

// leave goes back from v, which is done. If nothing after v reaches beyond the node
// before it, the joints since then are a part.
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
		s.list = append(s.list, clusterOf(s.m, part))
	}
	s.open = s.open[:first]
}

// clusterOf returns the cluster of some joints.
func clusterOf(m *mechanism.Mechanism, list []int32) Cluster {
	c := Cluster{Joints: slices.Clone(list)}
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
	c.Loops = len(c.Joints) - len(c.Bodies) + 1
	if c.Ground {
		c.Loops--
	}
	return c
}

// block is one of the independent diagonal blocks of K: some of its row groups
// and the entries of q̇ they use, or the entries that no group uses.
type block struct {
	groups []int32
	rows   []int32 // rows of K of the groups
	cols   []int32 // increasing
}

// blocks returns the block structure of K and G (RBDA §8.9). There are three kinds of blocks:
//
//   - one for each cluster of Plan.Loops that has freedoms, those of floating bases included,
//     with the prescribed freedoms in it. Clusters that share freedoms are one block;
//   - one for each other prescribed freedom;
//   - the last one, without rows, for the entries in no loop, if there are any.
//
// place holds the place of each entry of q̇ in the columns of its block.
func (c *Constraints) blocks() (list []block, place []int32) {
	parts := sets.New(len(c.groups))
	user := make([]int32, c.plan.nv)
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
	number := make([]int32, len(c.groups))
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
