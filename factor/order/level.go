package order

import "slices"

// landmarks is the number of vertices from which a network is measured.
const landmarks = 4

// levels are candidates for a bisection that need no coarse graph: level sets of differences of distances. In a lattice
// the difference of the distances from two corners of one side depends on one coordinate alone, so that its level sets
// are straight cuts across.
type levels struct {
	net   *network
	dist  [landmarks][]int32 // edges from each landmark; n where it does not reach
	queue []int32
	count []int32 // by value: weight
}

// newLevels finds four vertices far from each other, the landmarks, and the distances of all vertices from each of them. The first two are
// a pair of pseudo-peripheral vertices (George & Liu 1979). The third is the vertex farthest away among those half-way between the first
// two, and the fourth is a vertex of the net far from the third.
func newLevels(net *network, seed int32) *levels {
	l := &levels{net: net, queue: make([]int32, 0, net.n)}
	for k := range l.dist {
		l.dist[k] = make([]int32, net.n)
	}
	a, b, c, d := l.dist[0], l.dist[1], l.dist[2], l.dist[3]
	l.measure(b, l.measure(a, l.measure(a, seed)))
	l.measure(a, l.last(b))
	// The middle between both ends, then the vertex of the middle farthest from half, then the end of the net far from that.
	half := l.best(func(v int32) int32 { return min(a[v], b[v]) })
	most := min(a[half], b[half])
	l.measure(c, half)
	end := l.best(func(v int32) int32 {
		if min(a[v], b[v]) < most {
			return -1
		}
		return c[v]
	})
	l.measure(d, l.measure(c, l.measure(c, end)))
	l.measure(c, l.last(d))
	return l
}

// last returns the vertex of the largest distance, the first of them.
func (l *levels) last(dist []int32) int32 { return l.best(func(v int32) int32 { return dist[v] }) }

// best returns the vertex of the largest value, the first of them.
func (l *levels) best(value func(v int32) int32) int32 {
	at, most := int32(0), value(0)
	for v := int32(1); v < l.net.n; v++ {
		if x := value(v); x > most {
			at, most = v, x
		}
	}
	return at
}

// measure stores the distances from v, and returns a vertex of the largest.
func (l *levels) measure(dist []int32, v int32) int32 {
	t := l.net
	for i := range dist {
		dist[i] = t.n
	}
	dist[v] = 0
	queue := append(l.queue[:0], v)
	for i := 0; i < len(queue); i++ {
		v = queue[i]
		for _, u := range t.to[t.at[v]:t.at[v+1]] {
			if dist[u] == t.n {
				dist[u] = dist[v] + 1
				queue = append(queue, u)
			}
		}
	}
	l.queue = queue
	return l.last(dist)
}

// cutTo stores the side of each vertex. Side 0 takes vertices in the order of the difference of their distances from
// landmarks i and k, the least first; of equal differences the least sum first, and then the first number. It ends when
// the weight of side 0 is half of goal.
func (l *levels) cutTo(side []int8, i, k int, goal int32) {
	p, q := l.dist[i], l.dist[k]
	for v := range side {
		side[v] = 1
	}
	left := int64(goal)
	all := make([]int32, len(side))
	for v := range all {
		all[v] = int32(v)
	}
	for _, value := range []func(v int32) int32{
		func(v int32) int32 { return p[v] - q[v] + l.net.n },
		func(v int32) int32 { return p[v] + q[v] },
	} {
		all, left = l.below(side, all, value, left)
	}
	for _, v := range all {
		if left <= 0 {
			break
		}
		side[v] = 0
		left -= 2 * int64(l.net.weight[v])
	}
}

// below puts vertices of the list on side 0 by increasing value, as long as twice the weight of all vertices of a value fits in goal. It
// returns the vertices of the first value that does not fit, and the rest of the goal.
func (l *levels) below(side []int8, list []int32, value func(v int32) int32, goal int64) ([]int32, int64) {
	if len(l.count) == 0 {
		l.count = make([]int32, 2*l.net.n+1)
	}
	clear(l.count)
	for _, v := range list {
		l.count[value(v)] += l.net.weight[v]
	}
	at := 0
	for at < len(l.count)-1 && goal > 2*int64(l.count[at]) {
		goal -= 2 * int64(l.count[at])
		at++
	}
	var rest []int32
	for _, v := range list {
		switch x := int(value(v)); {
		case x < at:
			side[v] = 0
		case x == at:
			rest = append(rest, v)
		}
	}
	return rest, goal
}

// straighten compares the bisection of c with cuts along level sets, and keeps the best one.
func (c *cut) straighten(net *network) {
	best, least := slices.Clone(c.side), c.score()
	l := newLevels(net, c.rng.Int32N(net.n))
	for i := range landmarks {
		for k := i + 1; k < landmarks; k++ {
			side := make([]int8, net.n)
			l.cutTo(side, i, k, c.goal)
			c.load(net, side)
			if c.rows > 2*least.rows {
				continue // refinement does not mend that
			}
			c.refine()
			if s := c.score(); s.less(least) {
				best, least = slices.Clone(c.side), s
			}
		}
	}
	c.load(net, best)
}
