package sparse

// A term over two nodes of sign +1, such as κ·(b·x)² of a spring between two bodies, couples them directly, which a
// pattern does not allow. With a slack u = b·x as a node of its own, and a row for this equation, the term
// has the form of a pattern: the slack is a leaf.

// Slack is a node of sign +1 with a node of sign −1 that ties it to other nodes of sign +1.
type Slack struct {
	Nodes      [2]int32 // nodes of sign +1 to which it is tied, not equal; −1 for none
	More       []int32  // further nodes, increasing and above both
	Size, Rows int8     // rows of the slack, and of the node of sign −1
}

// WithSlacks returns p with slacks. The slacks follow the nodes of sign +1, and their rows follow the nodes of sign −1, in the
// order of the list. The blocks of p come first, in their order.
//
// Cost: O(nodes + blocks). It panics if the arguments are not as Slack says.
func (p *Pattern) WithSlacks(list []Slack) *Pattern {
	nb := p.Positive()
	n := p.Len() + 2*len(list)
	size, sign := append(make([]int8, 0, n), p.Size[:nb]...), append(make([]int8, 0, n), p.Sign[:nb]...)
	for _, s := range list {
		size, sign = append(size, s.Size), append(sign, 1)
	}
	size, sign = append(size, p.Size[nb:]...), append(sign, p.Sign[nb:]...)
	ptr := append(make([]int32, len(list), n+1), p.Ptr...) // rows of +1 nodes are empty
	ind := append(make([]int32, 0, len(p.Ind)+3*len(list)), p.Ind...)
	for i, s := range list {
		size, sign = append(size, s.Rows), append(sign, -1)
		lo, hi := min(s.Nodes[0], s.Nodes[1]), max(s.Nodes[0], s.Nodes[1])
		if lo >= 0 {
			ind = append(ind, lo)
		}
		if hi >= 0 {
			ind = append(ind, hi)
		}
		ind = append(append(ind, s.More...), int32(nb+i))
		ptr = append(ptr, int32(len(ind)))
	}
	return NewPattern(size, sign, ptr, ind)
}
