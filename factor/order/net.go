package order

// network is a weighted undirected graph; an edge is stored at both ends.
type network struct {
	n      int32
	at     []int32 // n+1: edges of v are [at[v], at[v+1])
	to     []int32 // at[n]: the other end
	rows   []int32 // at[n]: weight of the edge
	weight []int32 // n: weight of the vertex
}

// newNetwork allocates a network of n vertices, with memory for edges with the given number of ends in all, two an edge.
func newNetwork(n, ends int) *network {
	return &network{
		n:      int32(n),
		at:     make([]int32, n+1),
		to:     make([]int32, ends),
		rows:   make([]int32, ends),
		weight: make([]int32, n),
	}
}

// addEdge stores an edge at the running starts of its vertices, which
// closeEdges moves back.
func (t *network) addEdge(u, v, rows int32) {
	t.to[t.at[u]], t.rows[t.at[u]] = v, rows
	t.at[u]++
	t.to[t.at[v]], t.rows[t.at[v]] = u, rows
	t.at[v]++
}

// closeEdges moves the running starts back after the last addEdge.
func (t *network) closeEdges() {
	copy(t.at[1:], t.at[:t.n])
	t.at[0] = 0
}

// sum returns the weight of all vertices.
func (t *network) sum() (w int32) {
	for _, x := range t.weight {
		w += x
	}
	return w
}

// farthest returns a vertex at the end of the net that is far from v: the last of two breadth-first searches.
func (t *network) farthest(v int32) int32 {
	seen, queue := make([]int32, t.n), make([]int32, 0, t.n)
	for search := int32(1); search <= 2; search++ {
		queue = append(queue[:0], v)
		seen[v] = search
		for i := 0; i < len(queue); i++ {
			v = queue[i]
			for _, u := range t.to[t.at[v]:t.at[v+1]] {
				if seen[u] != search {
					seen[u] = search
					queue = append(queue, u)
				}
			}
		}
	}
	return v
}

// coarsen contracts a heavy-edge matching (Karypis & Kumar 1998), visiting the
// vertices in the given order. Vertices whose neighbours are all taken are
// matched with another such vertex of the same heaviest neighbour, so that stars
// and scattered vertices shrink too. No vertex grows heavier than most. It
// returns the contracted graph and the new vertex of each old one.
func (t *network) coarsen(visit []int32, most int32) (*network, []int32) {
	mate := t.match(visit, most)
	image := make([]int32, t.n)
	n := int32(0)
	for v := range t.n {
		if mate[v] >= v {
			image[v], image[mate[v]] = n, n
			n++
		}
	}
	c := &network{n: n, at: make([]int32, n+1), weight: make([]int32, n)}
	c.to = make([]int32, 0, len(t.to))
	c.rows = make([]int32, 0, len(t.to))
	place := make([]int32, n) // by new vertex: 1 + position of the last edge to it
	k := int32(0)
	for v := range t.n {
		if mate[v] < v {
			continue
		}
		c.at[k] = int32(len(c.to))
		c.merge(t, v, image, place)
		if mate[v] != v {
			c.merge(t, mate[v], image, place)
		}
		k++
	}
	c.at[n] = int32(len(c.to))
	return c, image
}

// merge adds the weight and the edges of vertex v of the finer graph to its image in t, which is the
// last vertex so far.
func (t *network) merge(fine *network, v int32, image, place []int32) {
	k := image[v]
	t.weight[k] += fine.weight[v]
	for e := fine.at[v]; e < fine.at[v+1]; e++ {
		u := image[fine.to[e]]
		switch {
		case u == k:
		case place[u] > t.at[k]:
			t.rows[place[u]-1] += fine.rows[e]
		default:
			t.to = append(t.to, u)
			t.rows = append(t.rows, fine.rows[e])
			place[u] = int32(len(t.to))
		}
	}
}

// match pairs vertices, in the order of visit, so that the weight of a pair is at most most: each with the free neighbour of its heaviest
// edge, or, without one, with another vertex that has the same heaviest neighbour. It returns the mate of each vertex, itself for none.
func (t *network) match(visit []int32, most int32) []int32 {
	mate := make([]int32, t.n)
	waiting := make([]int32, t.n+1) // by heaviest neighbour, n: none
	for v := range mate {
		mate[v], waiting[v] = -1, -1
	}
	waiting[t.n] = -1
	for _, v := range visit {
		if mate[v] >= 0 {
			continue
		}
		best, rows := int32(-1), int32(0)
		hub, hubRows := t.n, int32(0)
		for e := t.at[v]; e < t.at[v+1]; e++ {
			u, r := t.to[e], t.rows[e]
			if r > hubRows {
				hub, hubRows = u, r
			}
			if mate[u] < 0 && r > rows && u != v && t.weight[u]+t.weight[v] <= most {
				best, rows = u, r
			}
		}
		if best < 0 {
			if u := waiting[hub]; u < 0 || mate[u] >= 0 || t.weight[u]+t.weight[v] > most {
				waiting[hub] = v
				continue
			}
			best = waiting[hub]
			waiting[hub] = -1
		}
		mate[v], mate[best] = best, v
	}
	for v := range t.n {
		if mate[v] < 0 {
			mate[v] = v
		}
	}
	return mate
}
