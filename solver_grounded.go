package rung

import (
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/team"
)

// groundPlan is the analysis of a reduced system.
type groundPlan struct {
	ground   *assemble.Ground
	symbolic *factor.Symbolic
}

// newGroundPlan analyses the reduced system of a layout in an order of the given kind. It
// returns nil if too few bodies hang on the ground.
func newGroundPlan(l *assemble.Layout, o factor.Ordering) *groundPlan {
	g := assemble.NewGround(l)
	if g == nil {
		return nil
	}
	perm, _, _ := factor.Choose(g.Pattern, o)
	return &groundPlan{g, factor.Analyze(g.Pattern, perm)}
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
	return &grounded{
		sys: p.ground.NewGroundedOn(t), fac: p.symbolic.NewFactorOn(t),
		x: make([]float64, n), r: make([]float64, n),
	}
}
