package order

import (
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/internal/halt"
)

// Parameters of the bisection.
const (
	coarsest = 60   // vertices at which coarsening ends
	trials   = 6    // initial bisections tried
	passes   = 6    // refinement passes a level at most
	patience = 1000 // moves without gain before a pass ends
	balance  = 0.63 // largest share of the weight on one side
)

// cut is a bisection with the memory of its refinement.
type cut struct {
	rng     *rand.Rand
	net     *network
	side    []int8  // by vertex: 0 or 1
	outside []int32 // by vertex: rows of its edges to the other side
	total   []int32 // by vertex: rows of all its edges
	moved   []bool  // by vertex: not to be moved again in this pass
	sum     [2]int32
	rows    int32 // rows of the edges that are cut
	heap    [2]heap
	log     []int32
	goal    int32    // twice the weight that side 0 is to have
	limit   [2]int32 // largest weight of each side, of the net at hand
	most    [2]int32 // largest weight of each side, of the finest net

	strict bool // the limits are tight: a net may exceed them by its heaviest vertex, and two trials grow side 0 from a far end of the net
	stop   *halt.Flag
}

// bisect splits the vertices in two sides of like weight with few rows between
// them: multilevel bisection (Karypis & Kumar 1998).
func (c *cut) bisect(net *network) []int8 {
	sum := net.sum()
	most := max(int32(balance*float64(sum)), (sum+1)/2)
	return c.divide(net, sum, [2]int32{most, most})
}

// divide is bisect with half the weight goal as the aim for side 0, and limit as the largest weight of each side. It returns the side
// of each vertex, which is meaningless if c.stop is up.
func (c *cut) divide(net *network, goal int32, limit [2]int32) []int8 {
	sum := net.sum()
	nets, images := []*network{net}, [][]int32{nil}
	for net.n > coarsest && !c.stop.Up() {
		coarse, image := net.coarsen(c.shuffled(net.n), max(2, 3*sum/(2*coarsest)))
		if coarse.n > net.n*19/20 {
			break
		}
		nets, images = append(nets, coarse), append(images, image)
		net = coarse
	}
	if c.stop.Up() {
		return nil
	}
	c.goal, c.most = goal, limit
	c.start(net)
	for k := len(nets) - 1; k > 0 && !c.stop.Up(); k-- {
		fine := make([]int8, nets[k-1].n)
		for v, u := range images[k] {
			fine[v] = c.side[u]
		}
		c.load(nets[k-1], fine)
		c.refine()
	}
	return c.side
}

// shuffled returns the numbers below n in random order.
func (c *cut) shuffled(n int32) []int32 {
	seq := make([]int32, n)
	for v := range seq {
		seq[v] = int32(v)
	}
	c.rng.Shuffle(len(seq), func(i, k int) { seq[i], seq[k] = seq[k], seq[i] })
	return seq
}

// start bisects the coarsest net: it grows side 0 from several vertices in turn,
// refines each bisection, and keeps the best one.
func (c *cut) start(net *network) {
	var best []int8
	bestScore := score{}
	for trial := range trials {
		seed := c.rng.Int32N(net.n)
		if c.strict && trial < 2 {
			seed = net.farthest(seed)
		}
		c.load(net, slices.Repeat([]int8{1}, int(net.n)))
		c.grow(seed)
		c.refine()
		if s := c.score(); trial == 0 || s.less(bestScore) {
			best, bestScore = slices.Clone(c.side), s
		}
	}
	c.load(net, best)
}

// load makes c the bisection of net by side, with its weights and rows.
func (c *cut) load(net *network, side []int8) {
	n := int(net.n)
	c.net, c.side = net, side
	c.outside = slices.Grow(c.outside[:0], n)[:n]
	c.total = slices.Grow(c.total[:0], n)[:n]
	c.moved = slices.Grow(c.moved[:0], n)[:n]
	c.sum, c.rows, c.limit = [2]int32{}, 0, c.most
	if c.strict {
		w := slices.Max(net.weight)
		c.limit[0], c.limit[1] = c.limit[0]+w, c.limit[1]+w
	}
	for v := range net.n {
		out, all, s := int32(0), int32(0), side[v]
		for e := net.at[v]; e < net.at[v+1]; e++ {
			all += net.rows[e]
			if side[net.to[e]] != s {
				out += net.rows[e]
			}
		}
		c.outside[v], c.total[v], c.moved[v] = out, all, false
		c.sum[s] += net.weight[v]
		c.rows += out
	}
	c.rows /= 2
}

// gain returns the number of rows by which the cut shrinks if v changes sides.
func (c *cut) gain(v int32) int32 { return 2*c.outside[v] - c.total[v] }

// move puts v on the other side.
func (c *cut) move(v int32) {
	s := c.side[v]
	c.rows -= c.gain(v)
	c.side[v] = 1 - s
	c.sum[s] -= c.net.weight[v]
	c.sum[1-s] += c.net.weight[v]
	c.outside[v] = c.total[v] - c.outside[v]
	for e := c.net.at[v]; e < c.net.at[v+1]; e++ {
		u := c.net.to[e]
		if c.side[u] == s {
			c.outside[u] += c.net.rows[e]
		} else {
			c.outside[u] -= c.net.rows[e]
		}
	}
}

// grow moves vertices from side 1 to side 0, beginning at seed, until side 0 has the weight c.goal/2.
// The next vertex is always the one that cuts the fewest new rows.
func (c *cut) grow(seed int32) {
	h := &c.heap[0]
	*h = (*h)[:0]
	for 2*c.sum[0] < c.goal && !c.stop.Up() {
		v := h.pop(c)
		if v < 0 {
			// No vertex is adjacent to side 0: go on with the first vertex of side 1 from the seed on.
			for v = seed; c.side[v] == 0; {
				v = (v + 1) % c.net.n
			}
			seed = v
		}
		c.move(v)
		c.moved[v] = true
		for e := c.net.at[v]; e < c.net.at[v+1]; e++ {
			if u := c.net.to[e]; c.side[u] == 1 {
				h.push(c.gain(u), u)
			}
		}
	}
	clear(c.moved)
}

// score ranks bisections: the weight above the limits, the rows cut, and twice the distance of
// the weight of side 0 from its aim.
type score struct{ over, rows, uneven int32 }

// less reports whether s is the better score: less weight above the limits, then fewer rows cut, then a weight nearer to the aim.
func (s score) less(t score) bool {
	if s.over != t.over {
		return s.over < t.over
	}
	if s.rows != t.rows {
		return s.rows < t.rows
	}
	return s.uneven < t.uneven
}

// score returns the score of the bisection at hand.
func (c *cut) score() score {
	off := 2*c.sum[0] - c.goal
	return score{max(0, c.sum[0]-c.limit[0]) + max(0, c.sum[1]-c.limit[1]), c.rows, max(off, -off)}
}

// refine improves the bisection by passes of Fiduccia & Mattheyses (1982) that
// start from the boundary.
func (c *cut) refine() {
	for range passes {
		if !c.pass() {
			return
		}
	}
}

// pass moves each vertex at most once, best gain first, and then undoes the moves after the
// best bisection. It reports whether that bisection is better than the first one.
func (c *cut) pass() bool {
	c.heap[0], c.heap[1] = c.heap[0][:0], c.heap[1][:0]
	for v, out := range c.outside {
		if out > 0 {
			c.heap[c.side[v]].push(c.gain(int32(v)), int32(v))
		}
	}
	first := c.score()
	best, keep := first, 0
	c.log = c.log[:0]
	for len(c.log)-keep < patience && !c.stop.Up() {
		v := c.choose()
		if v < 0 {
			break
		}
		c.move(v)
		c.moved[v] = true
		c.log = append(c.log, v)
		if s := c.score(); s.less(best) {
			best, keep = s, len(c.log)
		}
		for e := c.net.at[v]; e < c.net.at[v+1]; e++ {
			if u := c.net.to[e]; !c.moved[u] {
				c.heap[c.side[u]].push(c.gain(u), u)
			}
		}
	}
	for k, v := range slices.Backward(c.log) {
		c.moved[v] = false
		if k >= keep {
			c.move(v)
		}
	}
	return best.less(first)
}

// choose takes the next vertex to move from the heaps: the vertex of the highest gain on the side over its limit if there is
// one, else on either side. A vertex too heavy for the other side is
// passed over. It returns −1 if no vertex is left.
func (c *cut) choose() int32 {
	for {
		g0, ok0 := c.heap[0].top(c)
		g1, ok1 := c.heap[1].top(c)
		from := 0
		switch {
		case c.sum[0] > c.limit[0] && ok0:
		case c.sum[1] > c.limit[1] && ok1:
			from = 1
		case !ok0 && !ok1:
			return -1
		case !ok0 || ok1 && (g1 > g0 || g1 == g0 && 2*c.sum[0] < c.goal):
			from = 1
		}
		v := c.heap[from].pop(c)
		if c.sum[1-from]+c.net.weight[v] <= c.limit[1-from] || c.sum[from] > c.limit[from] {
			return v
		}
	}
}
