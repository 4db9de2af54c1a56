package tree

import (
	"slices"

	"github.com/rung-mbd/rung/mechanism"
)

// Cluster is a minimal loop cluster (RBDA §8.9): loops that are connected by
// sharing tree joints, and share none with other loops. The clusters are the
// same for every spanning tree: they are the two-connected parts of the graph
// with at least one loop.
type Cluster struct {
	Loops  []int32 // numbers in Plan.Loops
	Links  []int32 // links whose joints to their parents are in these loops
	Joints []int32 // joints of the mechanism in these loops, those of the tree included
	Bodies []int32 // bodies at these joints
}

// Clusters returns the minimal loop clusters, by their first loop; all lists
// increase. Bridges of the graph, whose joints are in no loop, are in none. A
// joint without constraint rows makes no loop.
//
// Cost: O(sum of the lengths of all loops).
func (p *Plan) Clusters() []Cluster {
	parts := newPartition(len(p.Loops))
	user := make([]int32, len(p.Links)) // a loop through each link's joint, or −1
	for i := range user {
		user[i] = -1
	}
	p.walkLoops(func(loop, link int32) {
		if user[link] >= 0 {
			parts.union(loop, user[link])
		}
		user[link] = loop
	})
	number := make([]int32, len(p.Loops))
	for i := range number {
		number[i] = -1
	}
	var list []Cluster
	of := make([]int32, len(p.Loops))
	for i := range p.Loops {
		r := parts.find(int32(i))
		if number[r] < 0 {
			number[r] = int32(len(list))
			list = append(list, Cluster{})
		}
		of[i] = number[r]
		list[of[i]].Loops = append(list[of[i]].Loops, int32(i))
	}
	for i, l := range user {
		if l >= 0 {
			c := &list[of[l]]
			c.Links = append(c.Links, int32(i))
		}
	}
	for i := range list {
		p.listJoints(&list[i])
	}
	return list
}

// walkLoops calls f for each link on each loop, without the common ancestor.
func (p *Plan) walkLoops(f func(loop, link int32)) {
	for i := range p.Loops {
		l := &p.Loops[i]
		for _, end := range [2]int32{l.Pred, l.Succ} {
			for a := end; a != l.Common; a = p.Links[a].Parent {
				f(int32(i), a)
			}
		}
	}
}

// listJoints enters the joints and bodies of a cluster.
func (p *Plan) listJoints(c *Cluster) {
	body := func(b int32) {
		if b != mechanism.World {
			c.Bodies = append(c.Bodies, b)
		}
	}
	joint := func(j int32) {
		c.Joints = append(c.Joints, j)
		body(p.mech.Joints[j].Pred)
		body(p.mech.Joints[j].Succ)
	}
	for _, l := range c.Loops {
		joint(p.Loops[l].Joint)
	}
	for _, i := range c.Links {
		if j := p.Links[i].Joint; j >= 0 {
			joint(j)
		} else {
			body(p.Links[i].Body)
		}
	}
	slices.Sort(c.Joints)
	slices.Sort(c.Bodies)
	c.Bodies = slices.Compact(c.Bodies)
}

// block is one of the independent diagonal blocks of K: some of its row groups
// and the entries of q̇ they use, or the entries that no group uses.
type block struct {
	groups []int32
	rows   []int32 // rows of K of the groups
	cols   []int32 // increasing
}

// blocks returns the block structure of K and G (RBDA §8.9): one block a
// cluster, as far as its loops share freedoms and not fixed joints only, with
// the prescribed freedoms in it; one for each other prescribed freedom; and last
// one without rows for the entries in no loop, if there are any. place holds the
// place of each entry of q̇ in the columns of its block.
func (c *Constraints) blocks() (list []block, place []int32) {
	parts := newPartition(len(c.groups))
	user := make([]int32, c.plan.nv)
	for d := range user {
		user[d] = -1
	}
	for i := range c.groups {
		for _, d := range c.groups[i].cols {
			if user[d] >= 0 {
				parts.union(int32(i), user[d])
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
		r := parts.find(int32(i))
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
