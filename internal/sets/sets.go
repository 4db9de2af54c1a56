package sets

// Disjoint are disjoint sets of the numbers 0 … n−1: a union-find structure with path
// halving. Entry v is another number of v's set, or v itself if v represents its set.
type Disjoint []int32

// New returns n sets of one number each.
func New(n int) Disjoint {
	s := make(Disjoint, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Find returns the number that represents the set of v.
//
// Cost: O(log n) in the mean over many calls.
func (s Disjoint) Find(v int32) int32 {
	for s[v] != v {
		s[v] = s[s[v]]
		v = s[v]
	}
	return v
}

// Union unites the sets of a and b. The smaller of their two representatives represents the union. It reports
// whether the two sets were different.
//
// Cost: two calls of Find.
func (s Disjoint) Union(a, b int32) bool {
	a, b = s.Find(a), s.Find(b)
	s[max(a, b)] = min(a, b)
	return a != b
}
