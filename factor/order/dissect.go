package order

import (
	"math/rand/v2"
	"slices"
)

// Parameters of nested dissection.
const (
	leaf      = 120  // joints below which a part is not dissected
	compare   = 480  // joints up to which the dissection of a part is compared with minimum degree
	topLevels = 2    // levels at the top whose parts are compared too
	tolerance = 1.05 // factor of work by which dissection may exceed minimum degree where they are compared
	fork      = 4000 // joints from which the halves of a part are dissected side by side
)

// coreDissection orders the core joints by nested dissection (George 1973).
//
// The joints form the edges of a graph of bodies. Cut the bodies in two parts: the joints
// between the parts are a separator of the joints, and every minimal separator arises so. So
// each step is a bisection of the bodies with few rows cut. Small parts are ordered by minimum
// degree, with the separators around them as a halo. On thin graphs minimum degree causes less
// work; they are dissected only as far as that costs 5 % more at most. The order does not depend
// on the number of threads.
func coreDissection(g *graph, core []int32, threads int) []int32 {
	inCore := make([]bool, g.nj)
	for _, j := range core {
		inCore[j] = true
	}
	d := newDissector(g, inCore, len(core))
	d.part(slices.Clone(core), 0, threads)
	return d.order
}

// dissector dissects parts of the core, one after another.
type dissector struct {
	g      *graph
	q      *quotient
	cut    *cut
	seed   *rand.PCG // of cut
	inCore []bool    // by joint: in the core; shared by all dissectors
	vertex []int32   // by body: its vertex while a part's net is built, else −1
	member []int32   // by joint: stamp of the last search that met it
	stamp  int32
	bodies []int32 // bodies of the part at hand
	order  []int32 // joints ordered so far
}

// newDissector makes a dissector for a given number of joints in all.
func newDissector(g *graph, inCore []bool, joints int) *dissector {
	d := &dissector{
		g: g, q: newQuotient(g), seed: rand.NewPCG(0, 0), inCore: inCore,
		vertex: make([]int32, g.nb), member: make([]int32, g.nj), order: make([]int32, 0, joints),
	}
	d.cut = &cut{rng: rand.New(d.seed), stop: g.stop}
	for b := range d.vertex {
		d.vertex[b] = -1
	}
	return d
}

// part appends the joints of a part to the order and returns the work of their elimination in flops. It
// permutes the slice joints. Its random numbers depend on nothing but the part. A separator counts as
// dense, coupled to the whole halo. At the top and near the leaves the result is compared with
// minimum degree on the whole part, and the better one is kept.
func (d *dissector) part(joints []int32, depth, threads int) float64 {
	if d.g.stop.Up() {
		return 0
	}
	if len(joints) <= leaf {
		return d.minDegree(joints)
	}
	net := d.net(joints)
	if net.n <= leaf/8 {
		return d.minDegree(joints)
	}
	halo := d.haloRows(joints)
	d.seed.Seed(uint64(joints[0]), uint64(len(joints)))
	side := d.cut.bisect(net)
	if d.g.stop.Up() {
		return 0
	}
	nearer, further := d.split(joints, side)
	rows := int32(0)
	for _, j := range joints[further:] {
		rows += d.g.rows(j)
	}
	from := len(d.order)
	work := d.halves(joints[:nearer], joints[nearer:further], depth+1, threads)
	d.order = append(d.order, joints[further:]...)
	work += pivotFlops(rows, halo)
	if depth >= topLevels && len(joints) > compare || d.g.stop.Up() {
		return work
	}
	d.q.load(joints, d.inCore)
	d.q.run()
	if work <= tolerance*d.q.flops {
		return work
	}
	d.order = d.q.appendJoints(d.order[:from], joints)
	return d.q.flops
}

// halves orders two parts that share no body, a before b, and returns their work. Large parts are ordered side by side.
func (d *dissector) halves(a, b []int32, depth, threads int) float64 {
	if threads < 2 || len(a)+len(b) < fork {
		return d.part(a, depth, 1) + d.part(b, depth, 1)
	}
	other, work := newDissector(d.g, d.inCore, len(b)), make(chan float64)
	go func() { work <- other.part(b, depth, threads/2) }()
	sum := d.part(a, depth, threads-threads/2) + <-work
	d.order = append(d.order, other.order...)
	return sum
}

// minDegree appends the joints of a part to the order by minimum degree and returns their work.
func (d *dissector) minDegree(joints []int32) float64 {
	d.q.load(joints, d.inCore)
	d.q.run()
	d.order = d.q.appendJoints(d.order, joints)
	return d.q.flops
}

// net builds the graph of the bodies of a part, numbered in the order in which the joints
// name them. A joint of k bodies becomes a path of k−1 edges. The bodies are in d.bodies, their vertices in d.vertex, until split.
func (d *dissector) net(joints []int32) *network {
	g := d.g
	d.bodies = d.bodies[:0]
	edges := 0
	for _, j := range joints {
		bodies := g.bodies(j)
		edges += len(bodies) - 1
		for _, b := range bodies {
			if d.vertex[b] < 0 {
				d.vertex[b] = int32(len(d.bodies))
				d.bodies = append(d.bodies, b)
			}
		}
	}
	net := newNetwork(len(d.bodies), 2*edges)
	for _, j := range joints {
		bodies := g.bodies(j)
		for k := 1; k < len(bodies); k++ {
			net.at[d.vertex[bodies[k-1]]+1]++
			net.at[d.vertex[bodies[k]]+1]++
		}
	}
	for v := range net.n {
		net.weight[v] = 1
		net.at[v+1] += net.at[v]
	}
	for _, j := range joints {
		bodies := g.bodies(j)
		for k := 1; k < len(bodies); k++ {
			net.addEdge(d.vertex[bodies[k-1]], d.vertex[bodies[k]], g.rows(j))
		}
	}
	net.closeEdges()
	return net
}

// haloRows returns the number of rows of the core joints around a part; net
// has just collected its bodies.
func (d *dissector) haloRows(joints []int32) int32 {
	d.stamp++
	for _, j := range joints {
		d.member[j] = d.stamp
	}
	rows := int32(0)
	for _, b := range d.bodies {
		for _, j := range d.g.joints(b) {
			if d.inCore[j] && d.member[j] != d.stamp {
				d.member[j] = d.stamp
				rows += d.g.rows(j)
			}
		}
	}
	return rows
}

// split sorts joints by the sides of their bodies' vertices: first the joints of side 0, then from nearer on the joints of side 1,
// then from further on the joints between the sides. Each group keeps its order. split resets d.vertex.
func (d *dissector) split(joints []int32, side []int8) (nearer, further int) {
	var parts [3][]int32
	for _, j := range joints {
		bodies := d.g.bodies(j)
		s := side[d.vertex[bodies[0]]]
		for _, b := range bodies[1:] {
			if side[d.vertex[b]] != s {
				s = 2
				break
			}
		}
		parts[s] = append(parts[s], j)
	}
	for _, b := range d.bodies {
		d.vertex[b] = -1
	}
	nearer = copy(joints, parts[0])
	further = nearer + copy(joints[nearer:], parts[1])
	copy(joints[further:], parts[2])
	return nearer, further
}
