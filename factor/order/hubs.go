package order

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/internal/sets"
	"github.com/rung-mbd/rung/sparse"
)

// Hubs are the bodies of a pattern that many loops go through. An order that eliminates a hub before its joints couples each of
// these joints with all others. An order around hubs ([Hubs.Around]) first eliminates the arms, which are the parts between the hubs, as
// if hubs were at rest; then the hubs, and the joints that have to wait for a hub. It does not obey the tile rule: whether a joint has to
// wait depends on the values of the matrix, see docs/orderings.md.
//
// Hubs are immutable, and safe for any number of goroutines.
type Hubs struct {
	seq   []int32 // hubs in the order of their elimination
	place []int32 // by body: its place in seq, −1 for all others
	arm   []int32 // by joint: its arm
	first []int32 // by arm: place of the first hub that it touches, −1 for none
	next  []int32 // by place: place of the hub's parent in the elimination tree of the hubs, −1 for none
}

// FindHubs returns the hubs of p, the bodies that joints of more than the given number of rows tie into loops, or nil if there are none.
//
// Cost: near-linear in blocks; allocates. It panics if p is not of the form that Of takes.
func FindHubs(p *sparse.Pattern, most int) *Hubs {
	g := newGraph(p)
	rows := make([]int, g.nb)
	for _, j := range peel(g, newEmitter(g)) {
		for _, b := range g.bodies(j) {
			rows[b] += int(g.rows(j))
		}
	}
	h := &Hubs{place: make([]int32, g.nb), arm: make([]int32, g.nj)}
	for b, n := range rows {
		if h.place[b] = -1; n > most {
			h.place[b] = int32(len(h.seq))
			h.seq = append(h.seq, int32(b))
		}
	}
	if len(h.seq) == 0 {
		return nil
	}
	touched := h.findArms(g)
	h.sort(g, touched)
	h.link(touched)
	return h
}

// findArms finds the arms, the parts that are connected without the hubs, and returns the hubs that each arm touches, as bodies. A joint
// of hubs alone is an arm.
func (h *Hubs) findArms(g *graph) (touched [][]int32) {
	parts := sets.New(int(g.nb + g.nj))
	for j := range g.nj {
		for _, b := range g.bodies(j) {
			if h.place[b] < 0 {
				parts.Union(b, g.nb+j)
			}
		}
	}
	number := make([]int32, g.nb+g.nj) // by part: 1 + its arm
	for j := range g.nj {
		part := parts.Find(g.nb + j)
		if number[part] == 0 {
			touched = append(touched, nil)
			number[part] = int32(len(touched))
		}
		h.arm[j] = number[part] - 1
		list := &touched[h.arm[j]]
		for _, b := range g.bodies(j) {
			if h.place[b] >= 0 {
				*list = append(*list, b)
			}
		}
	}
	for a, list := range touched {
		slices.Sort(list)
		touched[a] = slices.Compact(list)
	}
	return touched
}

// sort orders the hubs by minimum degree in the graph in which each arm couples the hubs that it touches.
func (h *Hubs) sort(g *graph, touched [][]int32) {
	n, hubs := len(touched), slices.Clone(h.seq)
	size, sign := make([]int8, n, n+len(hubs)), make([]int8, n, n+len(hubs))
	for a := range n {
		size[a], sign[a] = sparse.MaxBlock, 1
	}
	arms := make([][]int32, len(hubs))
	for a, list := range touched {
		for _, b := range list {
			arms[h.place[b]] = append(arms[h.place[b]], int32(a))
		}
	}
	ptr, ind := make([]int32, n+1, n+len(hubs)+1), []int32(nil)
	for k, b := range hubs {
		size, sign = append(size, g.size[b]), append(sign, -1)
		ind = append(ind, arms[k]...)
		ptr = append(ptr, int32(len(ind)))
	}
	h.seq = h.seq[:0]
	for _, v := range Of(sparse.NewPattern(size, sign, ptr, ind), MinDegree) {
		if v >= int32(n) {
			b := hubs[v-int32(n)]
			h.place[b] = int32(len(h.seq))
			h.seq = append(h.seq, b)
		}
	}
}

// link finds the elimination tree of the hubs (Liu 1990), with the arms as its leaves. It turns the bodies in touched into places.
func (h *Hubs) link(touched [][]int32) {
	lower := make([][]int32, len(h.seq))
	h.first = make([]int32, len(touched))
	for a, list := range touched {
		h.first[a] = -1
		for i, b := range list {
			list[i] = h.place[b]
		}
		slices.Sort(list)
		for i, k := range list {
			if i == 0 {
				h.first[a] = k
			} else {
				lower[k] = append(lower[k], list[i-1])
			}
		}
	}
	h.next = make([]int32, len(h.seq))
	up := make([]int32, len(h.seq))
	for k := range int32(len(h.seq)) {
		h.next[k], up[k] = -1, -1
		for _, i := range lower[k] {
			for i != -1 && i < k {
				above := up[i]
				if up[i] = k; above == -1 {
					h.next[i] = k
				}
				i = above
			}
		}
	}
}

// Wait returns the hub for which a joint has to wait if it cannot be eliminated at its present place, as a place in the order of the
// hubs. The present place is its arm if at is negative, else behind the hub of place at. Wait goes up the elimination tree by the given
// number of hubs, or to the last one. It returns −1 if no hub is left.
func (h *Hubs) Wait(joint int, at int32, hubs int) int32 {
	to := int32(-1)
	for k := h.first[h.arm[joint]]; hubs > 0 && k >= 0; k = h.next[k] {
		if k > at {
			to = k
			hubs--
		}
	}
	return to
}

// Around returns the order of q around the hubs; q is the pattern of h or a choice of its rows (sparse.Rows). Arms are ordered by
// method o, with the hubs as parts of the world. A joint with late[node] ≥ 0 comes right behind the hub of that place, a joint of hubs
// alone behind the last of its hubs.
//
// Shapes: late has one entry a node of q; it may be nil if no joint waits.
// Cost: as OfContext. It returns the cause for which ctx has ended. It panics if q is not of the form that Of takes.
func (h *Hubs) Around(ctx context.Context, q *sparse.Pattern, late []int32, o Ordering) ([]int32, error) {
	nb := q.Positive()
	behind := make([][]int32, len(h.seq)) // by place: joints
	var size, sign []int8
	var ind, node []int32
	ptr, at := []int32{0}, make([]int32, nb)
	for b := range nb {
		if at[b] = -1; h.place[b] < 0 {
			at[b] = int32(len(node))
			node, size, sign, ptr = append(node, int32(b)), append(size, q.Size[b]), append(sign, 1), append(ptr, 0)
		}
	}
	for j := nb; j < q.Len(); j++ {
		last, n := int32(-1), len(ind)
		for _, b := range q.Ind[q.Ptr[j]:q.Ptr[j+1]] {
			if at[b] >= 0 {
				ind = append(ind, at[b])
			}
			last = max(last, h.place[b])
		}
		if late != nil && late[j] >= 0 {
			ind, last = ind[:n], late[j]
		}
		if len(ind) == n && last >= 0 {
			behind[last] = append(behind[last], int32(j))
			continue
		}
		node, size, sign, ptr = append(node, int32(j)), append(size, q.Size[j]), append(sign, -1), append(ptr, int32(len(ind)))
	}
	perm, err := OfContext(ctx, sparse.NewPattern(size, sign, ptr, ind), o, 1)
	if err != nil {
		return nil, err
	}
	for i, v := range perm {
		perm[i] = node[v]
	}
	for k, b := range h.seq {
		perm = append(append(perm, b), behind[k]...)
	}
	return perm, nil
}
