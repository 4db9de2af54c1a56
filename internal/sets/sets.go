package sets

// Disjoint are disjoint sets of the numbers 0 … n−1: a union-find structure with path
// halving. Each entry is a number of the same set, and one in each set is its own.
type Disjoint []int32

// New returns n sets of one number each.
func New(n int) Disjoint {
	s := make(Disjoint, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// Find returns the number that stands for the set of v.
//
// Cost: near-constant in the mean.
func (s Disjoint) Find(v int32) int32 {
	for s[v] != v {
		s[v] = s[s[v]]
		v = s[v]
	}
	return v
}

// Union joins the sets of a and b, for which the smaller of their two numbers stands then. It reports
// whether they were different.
//
// Cost: as Find.
func (s Disjoint) Union(a, b int32) bool {
	a, b = s.Find(a), s.Find(b)
	s[max(a, b)] = min(a, b)
	return a != b
}
