package order

// heap is a max-heap of vertices by gain, the higher index first among
// equals. A changed gain is pushed anew; pop and top pass over the entries that
// are out of date.
type heap []int64

// entry packs a gain and a vertex so that entries compare by gain, then by vertex.
func entry(gain, v int32) int64 { return int64(gain)<<32 | int64(v) }

// push adds an entry.
func (h *heap) push(gain, v int32) {
	x := entry(gain, v)
	*h = append(*h, x)
	s := *h
	k := len(s) - 1
	for k > 0 && s[(k-1)/2] < x {
		s[k] = s[(k-1)/2]
		k = (k - 1) / 2
	}
	s[k] = x
}

// drop removes the top entry.
func (h *heap) drop() {
	s := *h
	n := len(s) - 1
	x := s[n]
	s = s[:n]
	*h = s
	if n == 0 {
		return
	}
	k := 0
	for {
		kid := 2*k + 1
		if kid >= n {
			break
		}
		if kid+1 < n && s[kid+1] > s[kid] {
			kid++
		}
		if s[kid] <= x {
			break
		}
		s[k] = s[kid]
		k = kid
	}
	s[k] = x
}

// top returns the highest gain of a vertex that may still move, and false if there is none. It drops outdated entries from the heap.
func (h *heap) top(c *cut) (gain int32, ok bool) {
	for len(*h) > 0 {
		x := (*h)[0]
		v := int32(x & 0x7fffffff)
		if gain = int32(x >> 32); !c.moved[v] && gain == c.gain(v) {
			return gain, true
		}
		h.drop()
	}
	return 0, false
}

// pop removes and returns the vertex of the highest gain that may still move, or −1.
func (h *heap) pop(c *cut) int32 {
	if _, ok := h.top(c); !ok {
		return -1
	}
	v := int32((*h)[0] & 0x7fffffff)
	h.drop()
	return v
}
