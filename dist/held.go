package dist

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
)

// Held describes the held rows to a Root.
type Held struct {
	Rows []int32 // by row of this rank's share: its row of the root's system
	Size int     // number of rows of the root's system

	// Symbolic is the analysis of the root's system on rank 0, nil elsewhere. Its nodes of sign +1 are the ranks,
	// which couple the rows that they hold. Its nodes of sign −1 are the joints between ranks, and their rows, Size in all, are the rows
	// of the root's system in the same order.
	Symbolic *factor.Symbolic
	Order    []int32 // rows of the root's system in elimination order, on rank 0

	lists [][]int32 // on rank 0: Rows of each rank
	nodes [][]int32 // on rank 0: held nodes of each rank, as nodes of Symbolic in the order of Rows
	first int32     // first scalar of the held rows in Symbolic's pattern
}

// heldJoint is a joint between the pieces of two ranks.
type heldJoint struct {
	id, rows int64
	mark     float64 // fingerprint of the joint with its bodies
	ranks    []int32 // ranks that hold its rows, in order
}

// join makes the system of the held rows from the lists of all ranks, which have three numbers for each joint: its number, the number of
// its rows, and its fingerprint. It returns a reply for each rank: the size of that system, then number and first row of each joint of the
// rank.
func (h *Held) join(lists [][]float64) ([][]float64, error) {
	joints, err := heldJoints(lists)
	if err != nil {
		return nil, err
	}
	n := len(lists)
	pat, err := heldPattern(n, joints)
	if err != nil {
		return nil, err
	}
	h.Symbolic = ranksFirst(pat)
	h.first = pat.Off[n]
	h.Size = pat.Dim() - int(h.first)
	for _, v := range h.Symbolic.Order() {
		if v >= int32(n) {
			for i := pat.Off[v]; i < pat.Off[v+1]; i++ {
				h.Order = append(h.Order, i-h.first)
			}
		}
	}
	replies := make([][]float64, n)
	h.lists, h.nodes = make([][]int32, n), make([][]int32, n)
	for r := range n {
		h.nodes[r] = h.Symbolic.LeafRows(r)
		replies[r] = []float64{float64(h.Size)}
		for _, v := range h.nodes[r] {
			replies[r] = append(replies[r], float64(joints[v-int32(n)].id), float64(pat.Off[v]-h.first))
			for i := pat.Off[v]; i < pat.Off[v+1]; i++ {
				h.lists[r] = append(h.lists[r], i-h.first)
			}
		}
	}
	return replies, nil
}

// heldJoints returns the joints in the lists of all ranks, in the order of their numbers. A list has three numbers for each joint of a
// rank: the joint's number, its number of rows and its fingerprint. It returns an error if rows or fingerprints of a joint differ between
// two ranks.
func heldJoints(lists [][]float64) ([]*heldJoint, error) {
	byID := make(map[int64]*heldJoint)
	var joints []*heldJoint
	for r, l := range lists {
		for ; len(l) > 0; l = l[3:] {
			id := int64(l[0])
			j := byID[id]
			if j == nil {
				j = &heldJoint{id: id, rows: int64(l[1]), mark: l[2]}
				byID[id] = j
				joints = append(joints, j)
			}
			if j.rows != int64(l[1]) {
				return nil, fmt.Errorf("joint number %d has %d rows on rank %d and %d on rank %d", id, j.rows, j.ranks[0], int64(l[1]), r)
			}
			if j.mark != l[2] {
				return nil, &DifferError{Rank: r, Other: int(j.ranks[0]), Fact: fmt.Sprintf("the fingerprint of joint number %d with its bodies", id),
					Value: fmt.Sprintf("%013x", uint64(l[2])), Usual: fmt.Sprintf("%013x", uint64(j.mark))}
			}
			j.ranks = append(j.ranks, int32(r))
		}
	}
	slices.SortFunc(joints, func(a, b *heldJoint) int { return cmp.Compare(a.id, b.id) })
	return joints, nil
}

// heldPattern returns the pattern of Held.Symbolic: a node of sign +1 for each of n ranks, then one of sign −1 for each joint, which is
// coupled with the two ranks that hold it. It returns an error if another number of ranks holds a joint.
func heldPattern(n int, joints []*heldJoint) (*sparse.Pattern, error) {
	size, sign := slices.Repeat([]int8{1}, n), slices.Repeat([]int8{1}, n)
	ptr, ind := make([]int32, n+1), []int32{}
	for _, j := range joints {
		if len(j.ranks) != 2 {
			return nil, fmt.Errorf("joint number %d is between two ranks, and %d know of it, rank %d among them", j.id, len(j.ranks), j.ranks[0])
		}
		size, sign = append(size, int8(j.rows)), append(sign, -1)
		ind = append(ind, j.ranks...)
		ptr = append(ptr, int32(len(ind)))
	}
	return sparse.NewPattern(size, sign, ptr, ind), nil
}

// ranksFirst analyses the root's system in an order of little work in which every rank comes before all joints that it
// holds, because its share takes the place of a leaf (factor.Factor.SetShares). If the cheapest order does not have this property, all
// ranks are moved to the front.
func ranksFirst(pat *sparse.Pattern) *factor.Symbolic {
	s, _, _ := factor.Choose(pat, order.Auto, 1)
	perm := slices.Clone(s.Order())
	for v := range pat.Positive() {
		if pat.Sign[v] > 0 && s.LeafRows(v) == nil {
			slices.SortStableFunc(perm, func(a, b int32) int { return cmp.Compare(pat.Sign[b], pat.Sign[a]) })
			return factor.Analyze(pat, perm)
		}
	}
	return s
}
