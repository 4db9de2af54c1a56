package order

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/sparse"
)

// uneven is how much heavier than its share a side of a partition may be.
const uneven = 0.005

// Partition divides the +1 nodes of p, the bodies, into parts and returns the part of each body. Each part has about the same
// number of rows of −1 nodes, so about the same work, and few rows are between parts. The method is recursive bisection, by multilevel
// refinement or by level sets of distances, whichever cuts fewer rows. Bodies of one group stay together; group has a number for
// each body, or is nil. The result depends on the arguments alone.
//
// Cost: near-linear in nodes and blocks for each level of the recursion. It panics if there is no part, on a length
// mismatch, or if p is not of the form Of takes.
func Partition(p *sparse.Pattern, parts int, group []int32) []int32 {
	g := newGraph(p)
	if parts < 1 {
		panic("order: no parts")
	}
	if group != nil && len(group) != int(g.nb) {
		panic("order: length mismatch")
	}
	part := make([]int32, g.nb)
	if parts == 1 {
		return part
	}
	net, vertex := g.groups(group)
	list := make([]int32, net.n)
	for v := range list {
		list[v] = int32(v)
	}
	d := &partition{part: make([]int32, net.n), at: make([]int32, net.n)}
	d.divide(net, list, 0, int32(parts))
	for b := range part {
		part[b] = d.part[vertex[b]]
	}
	return part
}

// groups returns the network of the groups of bodies, and the vertex of each body; a joint of k bodies becomes a path of k−1 edges. With
// group nil each body is a group.
func (g *graph) groups(group []int32) (*network, []int32) {
	vertex, n := make([]int32, g.nb), int(g.nb)
	if group == nil {
		for b := range vertex {
			vertex[b] = int32(b)
		}
	} else {
		of := make(map[int32]int32)
		for b, k := range group {
			v, ok := of[k]
			if !ok {
				v = int32(len(of))
				of[k] = v
			}
			vertex[b] = v
		}
		n = len(of)
	}
	each := func(f func(u, v, rows int32)) {
		for j := range g.nj {
			list := g.bodies(j)
			for k := 1; k < len(list); k++ {
				if u, v := vertex[list[k-1]], vertex[list[k]]; u != v {
					f(u, v, g.rows(j))
				}
			}
		}
	}
	ends := 0
	each(func(_, _, _ int32) { ends += 2 })
	net := newNetwork(n, ends)
	each(func(u, v, _ int32) { net.at[u+1]++; net.at[v+1]++ })
	for v := range net.n {
		net.at[v+1] += net.at[v]
	}
	each(net.addEdge)
	net.closeEdges()
	for b, v := range vertex {
		net.weight[v] += 2 // of the body itself
		for _, j := range g.joints(int32(b)) {
			net.weight[v] += g.rows(j)
		}
	}
	return net, vertex
}

// partition divides a network.
type partition struct {
	part []int32 // by vertex of the whole
	at   []int32 // by vertex of the whole: its vertex in the part at hand
}

// divide divides net into the given number of parts and numbers them first to first+parts−1 in d.part. Vertex i of net is list[i] of the
// whole network.
func (d *partition) divide(net *network, list []int32, first, parts int32) {
	if parts == 1 || net.n == 0 {
		for _, v := range list {
			d.part[v] = first
		}
		return
	}
	c := &cut{rng: rand.New(rand.NewPCG(uint64(net.n), uint64(first))), strict: true}
	left := parts / 2
	sum := float64(net.sum())
	share := float64(left) / float64(parts)
	most := func(s float64) int32 { return int32(sum*s*(1+uneven)) + 1 }
	c.divide(net, int32(2*sum*share), [2]int32{most(share), most(1 - share)})
	c.straighten(net)
	side := c.side
	for s := range int8(2) {
		sub, members := net.side(side, s, list, d.at)
		if s == 0 {
			d.divide(sub, members, first, left)
		} else {
			d.divide(sub, members, first+left, parts-left)
		}
	}
}

// side returns the part of t on side s, and the entries of list for its vertices; at is scratch.
func (t *network) side(side []int8, s int8, list, at []int32) (*network, []int32) {
	var members []int32
	ends, n := 0, int32(0)
	for v := range t.n {
		if side[v] != s {
			continue
		}
		at[v] = n
		n++
		members = append(members, list[v])
		for _, u := range t.to[t.at[v]:t.at[v+1]] {
			if side[u] == s {
				ends++
			}
		}
	}
	out := newNetwork(int(n), ends)
	e := int32(0)
	for v := range t.n {
		if side[v] != s {
			continue
		}
		k := at[v]
		out.weight[k] = t.weight[v]
		for i := t.at[v]; i < t.at[v+1]; i++ {
			if u := t.to[i]; side[u] == s {
				out.to[e], out.rows[e] = at[u], t.rows[i]
				e++
			}
		}
		out.at[k+1] = e
	}
	return out, members
}
