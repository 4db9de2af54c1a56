package linear

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// columnOf is a column of n rods of mass and length 1 that stands on the world, on hinges
// half as stiff again as it takes.
func columnOf(t *testing.T, n int) *System {
	t.Helper()
	const g = 9.81
	b := rung.NewBuilder("column").Gravity(0, 0, -g)
	length := float64(n)
	up, at := rung.World, spatial.Vec3{}
	for i := range n {
		next := at.Add(spatial.Vec3{0, 0, 1})
		body := b.Rod(fmt.Sprint("b", i), 1, 1e-3, at, next)
		b.Revolute(fmt.Sprint("j", i), up, body, at, spatial.Vec3{0, 1, 0}).Stiffness = []float64{1.5 * g * length * length * length / 7.837}
		up, at = body, next
	}
	m, err := b.Model()
	require.NoError(t, err)
	return systemOf(t, m)
}

func systemOf(t *testing.T, m *model.Model) *System {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	s, st := NewSystem(p), p.Initial()
	st.Rest()
	require.NoError(t, s.Linearize(st))
	return s
}

// shiftedPattern returns the pattern of a shifted system of s.
func shiftedPattern(s *System) *sparse.Pattern {
	z, err := s.splitOf(0, 1)
	if err != nil {
		panic(err)
	}
	return s.pattern(z.terms, groupsOf(z.terms))
}

// TestOutwardFillsNoMore orders mechanisms of all kinds, as they are and with the springs of
// their stiffness: the graph is the same, so that fill may differ only by the sizes of blocks.
func TestOutwardFillsNoMore(t *testing.T) {
	check.Long(t)
	const sizes = 1
	turned := 0
	look := func(name string, p *sparse.Pattern) {
		for _, o := range []order.Ordering{order.Natural, order.LeafFirst, order.Banded, order.MinDegree, order.NestedDissection} {
			perm := order.Of(p, o)
			q := outward(p, perm, nil)
			require.NoError(t, order.CheckTileRule(p, q), "%s %v", name, o)
			before, after := factor.CountOrder(p, perm), factor.CountOrder(p, q)
			assert.LessOrEqual(t, float64(after.NonZeros), sizes*float64(before.NonZeros), "%s %v", name, o)
			if &q[0] != &perm[0] {
				turned++
			}
		}
	}
	for _, name := range check.GoldenModels(t) {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		s := systemOf(t, m)
		look(name, s.plan.Layout().Pattern)
		look(name+" with springs", shiftedPattern(s))
	}
	for _, name := range bench.Families() {
		m, err := bench.Generate(name, 12, 1)
		require.NoError(t, err)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		look(name, p.Layout().Pattern)
	}
	assert.Positive(t, turned)
}

// TestOutwardFromTheWorld starts at the foot of a column and ends at its top, whatever the
// order that it is made from.
func TestOutwardFromTheWorld(t *testing.T) {
	const n = 50
	p := shiftedPattern(columnOf(t, n))
	for _, o := range []order.Ordering{order.LeafFirst, order.Banded, order.MinDegree, order.NestedDissection} {
		body := int32(0) // the highest so far
		for _, v := range outward(p, order.Of(p, o), nil) {
			if p.Sign[v] > 0 {
				continue
			}
			bodies := p.Ind[p.Ptr[v]:p.Ptr[v+1]]
			if len(bodies) > 2 {
				bodies = bodies[:2] // the last one is the coordinate of a spring
			}
			top := bodies[len(bodies)-1]
			assert.GreaterOrEqual(t, top, body, "%v", o)
			body = top
		}
		assert.EqualValues(t, n-1, body)
	}
}

// TestTallColumnHolds factors the stiffness of a tall column with the least weights in the
// first way: no pivot of a row is so small that the row could be taken for redundant.
func TestTallColumnHolds(t *testing.T) {
	n := 10000
	if testing.Short() {
		n = 1000
	}
	s := columnOf(t, n)
	b := s.stiffnessMetric()
	for _, shift := range []float64{1e9, 1e3} {
		z, err := s.modified(0, b, flipNegative)
		require.NoError(t, err)
		h, err := s.shift(z, shift, nil)
		require.NoError(t, err, "shift %v", shift)
		off, err := h.k.try(h.x, h.r, h.b, kkt.DropWeak)
		require.NoError(t, err, "shift %v", shift)
		assert.LessOrEqual(t, off, holdTol, "shift %v", shift)
		assert.Zero(t, h.k.Weak, "shift %v", shift)
		assert.True(t, h.holds(), "shift %v", shift)
	}
}

// TestWeightsAnew starts each shift with the least weights, although the shift before has raised them.
func TestWeightsAnew(t *testing.T) {
	s := columnOf(t, 100)
	z, err := s.splitOf(0, 1)
	require.NoError(t, err)
	v := &inverse{sys: s, z: z}
	require.NoError(t, v.useModified(1e3))
	least := v.metric.floor
	require.True(t, v.metric.raise())
	require.Greater(t, v.metric.floor, least)
	require.NoError(t, v.useModified(1e2))
	assert.Equal(t, least, v.metric.floor)
}
