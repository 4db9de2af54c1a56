package order_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// placesOf returns the place of each node.
func placesOf(perm []int32) []int {
	place := make([]int, len(perm))
	for k, v := range perm {
		place[v] = k
	}
	return place
}

// atRest returns p without hubs, and the rest of an order of p: what the tile rule is asked about while hubs are the world.
func atRest(p *sparse.Pattern, perm []int32, hub, left []bool) (*sparse.Pattern, []int32) {
	var size, sign []int8
	var ind []int32
	ptr, node := []int32{0}, make([]int32, p.Len())
	for i := range p.Len() {
		node[i] = -1
		if left[i] || hub[i] {
			continue
		}
		node[i] = int32(len(size))
		size, sign = append(size, p.Size[i]), append(sign, p.Sign[i])
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			if !hub[b] {
				ind = append(ind, node[b])
			}
		}
		ptr = append(ptr, int32(len(ind)))
	}
	var rest []int32
	for _, v := range perm {
		if node[v] >= 0 {
			rest = append(rest, node[v])
		}
	}
	return sparse.NewPattern(size, sign, ptr, ind), rest
}

// TestAround: arms come first, in an order that obeys the tile rule while hubs are the world; then hubs, and behind each the joints that
// wait for it and those of hubs alone.
func TestAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	found := 0
	for name, p := range cases() {
		for _, most := range []int{9, 36} {
			h := order.FindHubs(p, most)
			if h == nil || p.Len() > 800 {
				continue
			}
			found++
			nb := p.Positive()
			hub := make([]bool, p.Len())
			for _, b := range h.List() {
				hub[b] = true
			}
			late := make([]int32, p.Len())
			for j := range late {
				if late[j] = -1; j >= nb && rng.IntN(5) == 0 {
					late[j] = h.Wait(j-nb, -1, 1+rng.IntN(3))
				}
			}
			for _, o := range order.All() {
				perm, err := h.Around(t.Context(), p, late, o)
				require.NoError(t, err)
				sorted := slices.Sorted(slices.Values(perm))
				for i, v := range sorted {
					require.EqualValues(t, i, v, name)
				}
				require.Len(t, perm, p.Len())
				place, left := placesOf(perm), make([]bool, p.Len())
				arms := p.Len() // places of arms
				for _, b := range h.List() {
					arms = min(arms, place[b])
				}
				for j := nb; j < p.Len(); j++ {
					list := p.Ind[p.Ptr[j]:p.Ptr[j+1]]
					switch last := slices.MaxFunc(append(list[:len(list):len(list)], h.List()[0]), func(a, b int32) int { return place[a] - place[b] }); {
					case late[j] >= 0:
						left[j] = true
						require.Greater(t, place[j], place[h.List()[late[j]]], name)
						if int(late[j])+1 < len(h.List()) {
							require.Less(t, place[j], place[h.List()[late[j]+1]], name)
						}
					case len(list) > 0 && !slices.ContainsFunc(list, func(b int32) bool { return !hub[b] }):
						left[j] = true
						require.Greater(t, place[j], place[last], name)
					default:
						require.Less(t, place[j], arms, name)
					}
				}
				q, rest := atRest(p, perm, hub, left)
				require.NoError(t, order.CheckTileRule(q, rest), "%s %v", name, o)
			}
		}
	}
	require.Greater(t, found, 20)
}

// TestWait: a joint waits for the hubs that it is coupled to, in turn, when arms and the hubs before have been eliminated.
func TestWait(t *testing.T) {
	for name, p := range cases() {
		h := order.FindHubs(p, 18)
		if h == nil || p.Len() > 800 {
			continue
		}
		nb := p.Positive()
		for j := nb; j < p.Len(); j += 1 + p.Len()/40 {
			at := int32(-1)
			for steps := int32(1); ; steps++ {
				want := int32(-1)
				for k, b := range h.List() {
					if int32(k) > at && reaches(p, h.List(), int32(j), b, at) {
						want = int32(k)
						break
					}
				}
				got := h.Wait(j-nb, at, 1)
				require.Equal(t, want, got, "%s: joint %d behind %d", name, j-nb, at)
				if got < 0 {
					break
				}
				require.Equal(t, got, h.Wait(j-nb, -1, int(steps)))
				at = got
			}
			require.Equal(t, at, h.Wait(j-nb, -1, 1000), "the last one")
		}
	}
}

// reaches reports whether a path leads from joint j to body b through bodies that are no hubs, or hubs up to a place.
func reaches(p *sparse.Pattern, hubs []int32, j, b, at int32) bool {
	joints := make([][]int32, p.Positive())
	for k := p.Positive(); k < p.Len(); k++ {
		for _, c := range p.Ind[p.Ptr[k]:p.Ptr[k+1]] {
			joints[c] = append(joints[c], int32(k))
		}
	}
	seen, list := make([]bool, p.Len()), []int32{j}
	for len(list) > 0 {
		v := list[len(list)-1]
		if list = list[:len(list)-1]; seen[v] {
			continue
		}
		if seen[v] = true; v == b {
			return true
		}
		switch {
		case int(v) >= p.Positive():
			list = append(list, p.Ind[p.Ptr[v]:p.Ptr[v+1]]...)
		case slices.Index(hubs, v) <= int(at): // −1 for no hub
			list = append(list, joints[v]...)
		}
	}
	return false
}

// TestFindHubs: pendant trees make no hub, loops do.
func TestFindHubs(t *testing.T) {
	require.Nil(t, order.FindHubs(sparsetest.Star(500, 0, 0), 36))
	require.Nil(t, order.FindHubs(sparsetest.Ladder(100), 36))
	require.NotNil(t, order.FindHubs(sparsetest.Star(60, 3, 30), 36))
	require.Nil(t, order.FindHubs(sparsetest.Star(60, 3, 30), 10000))
}

// TestAroundEnds: a search that is no longer wanted ends.
func TestAroundEnds(t *testing.T) {
	p := sparsetest.Star(60, 3, 30)
	ctx, end := context.WithCancel(t.Context())
	end()
	_, err := order.FindHubs(p, 36).Around(ctx, p, nil, order.MinDegree)
	require.ErrorIs(t, err, context.Canceled)
}
