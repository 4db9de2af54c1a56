package kkt

import (
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/sparse"
)

// groundPlan is the analysis of a reduced system.
type groundPlan struct {
	ground   *assemble.Ground
	symbolic *factor.Symbolic
}

// newGroundPlan analyses the reduced system of a layout in an order of the given kind. It
// returns nil if too few bodies hang on the ground.
func newGroundPlan(l *assemble.Layout, o order.Ordering) *groundPlan {
	g := assemble.NewGround(l)
	if g == nil {
		return nil
	}
	return &groundPlan{g, factor.Analyze(g.Pattern, beforeJoints(g.Pattern, order.Of(g.Pattern, o)))}
}

// beforeJoints returns perm with groups, and what else a joint has, moved right before the joint where
// only groups of fewer than six freedoms have come before it. The rows of a joint are independent on a body, but not on
// a group.
func beforeJoints(p *sparse.Pattern, perm []int32) []int32 {
	out := make([]int32, 0, len(perm))
	done := make([]bool, len(perm))
	add := func(v int32) {
		if !done[v] {
			done[v] = true
			out = append(out, v)
		}
	}
	for _, v := range perm {
		list := p.Ind[p.Ptr[v]:p.Ptr[v+1]]
		if !slices.ContainsFunc(list, func(b int32) bool { return done[b] && p.Size[b] == sparse.MaxBlock }) {
			for _, b := range list {
				add(b)
			}
		}
		add(v)
	}
	return out
}

// grounded is the memory of a reduced system.
type grounded struct {
	sys *assemble.Grounded
	fac *factor.Factor
	x   []float64 // solution, in weighted coordinates
	r   []float64 // residual
}

func (p *groundPlan) newGrounded(t *team.Team) *grounded {
	n := p.ground.Pattern.Dim()
	g := &grounded{
		sys: p.ground.NewGroundedOn(t), fac: p.symbolic.NewFactorOn(t),
		x: make([]float64, n), r: make([]float64, n),
	}
	g.fac.SetParts(g.sys.Parts)
	return g
}
