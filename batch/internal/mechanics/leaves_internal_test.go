package mechanics

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	problems "github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/tape/places"
)

// TestLeavesLate: each leaf stands right before the first node that it is coupled to, or before other leaves of that node. The scales of
// joints are the squares of their rows, also where something else has changed the block of a joint before its last leaf.
func TestLeavesLate(t *testing.T) {
	mixed := 0
	for _, c := range []struct {
		family string
		n      int
	}{{"jansen", 6}, {"hoberman", 8}, {"scissor", 4}, {"miura", 2}} {
		m, err := problems.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		w := benchOf(t, m)
		s := w.c.sys
		require.NotNil(t, s.lean, c.family)
		for k, v := range s.order {
			if s.leaf[v] && len(s.below[v]) > 0 && !s.leaf[s.order[k+1]] {
				require.Equal(t, s.below[v][0], s.order[k+1], "%s, leaf %d", c.family, v)
			}
		}
		w.w = w.c.Workspace()
		for i, b := range w.plan.Initial().Bodies {
			for k, x := range append(append([]float64(nil), b.Position[:]...), b.Rotation[:]...) {
				for l := range w.lane(0) {
					w.lane(w.c.input.At(Bodies + places.State*i + k))[l] = x
				}
			}
		}
		w.run(w.c.OfConstants())
		w.run(w.stage)
		p := s.pattern
		for i := p.Positive(); i < p.Len(); i++ {
			if slices.ContainsFunc(p.Ind[p.Ptr[i]:p.Ptr[i+1]], func(b int32) bool { return s.group[b] }) {
				continue // whose scales are those of all bodies
			}
			if s.mixed[i] {
				mixed++
			}
			size := int(p.Size[i])
			for a := range size {
				sum := 0.0
				for k, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
					n := int(p.Size[b])
					for x := range n {
						v := w.lane(s.rows[i][k].At(a*n + x))[0]
						sum += v * v
					}
				}
				check.Close(t, w.lane(s.scale[i].At(a))[0], sum, 1e-13, sum, "%s, row %d of node %d", c.family, a, i)
			}
		}
	}
	require.NotZero(t, mixed)
}

// TestTake: places of a block that has served are taken again by the next one of that size, and by one only.
func TestTake(t *testing.T) {
	s := mast(t).c.sys
	e := s.elimination(s.right, 1)
	v := s.order[len(s.order)-1]
	for _, x := range s.order {
		if !s.leaf[x] && len(s.below[x]) > 0 {
			v = x
			break
		}
	}
	u := s.below[v][0]
	n := s.size(u) * s.size(v)
	for _, x := range s.below[v] {
		e.blocks[[2]int32{x, v}] = e.take(s.size(x) * s.size(v))
	}
	at := e.blocks[[2]int32{u, v}]
	e.giveBack(v)
	require.Contains(t, e.spent[n], at)
	places := map[place]bool{}
	for range len(e.spent[n]) + 1 {
		next := e.take(n)
		require.False(t, places[next])
		places[next] = true
	}
	require.True(t, places[at])
}
