package mechanism

// Graph facts of a mechanism: the nodes are the bodies and the world, the
// edges are the joints with at least one constraint row.
type Graph struct {
	Components int     // connected parts without the world, each counted once
	Grounded   int     // of these, joined to the world
	Loops      int     // independent kinematic loops: edges − nodes + connected components of the whole graph
	Component  []int32 // component of each body, numbered by its first body
	Degree     []int32 // joints at each body
}

// Graph analyses the connectivity of m. A component is a set of bodies joined
// with each other without passing through the world.
//
// Cost: near-linear in bodies and joints.
func (m *Mechanism) Graph() *Graph {
	n := len(m.Bodies)
	g := &Graph{Component: make([]int32, n), Degree: make([]int32, n)}
	within := newSets(n)    // the world left out
	whole := newSets(n + 1) // the world is node n
	for j := range m.Joints {
		jt := &m.Joints[j]
		if jt.Rows == 0 {
			continue
		}
		a, b := jt.Pred, jt.Succ
		for _, v := range [2]int32{a, b} {
			if v >= 0 {
				g.Degree[v]++
			}
		}
		if a >= 0 && b >= 0 {
			within.union(a, b)
		}
		if a < 0 {
			a = int32(n)
		}
		if b < 0 {
			b = int32(n)
		}
		if whole.union(a, b) {
			continue
		}
		g.Loops++
	}
	number := make([]int32, n)
	for i := range number {
		number[i] = -1
	}
	grounded := make([]bool, 0, 8)
	for i := range int32(n) {
		r := within.find(i)
		if number[r] < 0 {
			number[r] = int32(g.Components)
			g.Components++
			grounded = append(grounded, whole.find(i) == whole.find(int32(n)))
		}
		g.Component[i] = number[r]
	}
	for _, y := range grounded {
		if y {
			g.Grounded++
		}
	}
	return g
}

// sets is a union-find structure with path halving.
type sets []int32

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

func (s sets) find(v int32) int32 {
	for s[v] != v {
		s[v] = s[s[v]]
		v = s[v]
	}
	return v
}

// union joins two sets and reports whether they were different.
func (s sets) union(a, b int32) bool {
	a, b = s.find(a), s.find(b)
	if a == b {
		return false
	}
	s[max(a, b)] = min(a, b)
	return true
}
