package kkt

import (
	"context"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
)

// newGroundPlan analyses the reduced system of p in an order by p's method (orderOf). It
// returns nil if too few bodies hang on the ground, or if there are couplings.
func (p *Plan) newGroundPlan(ctx context.Context) (*groundPlan, error) {
	l := p.layout
	if l.Mech.NumCouplings() > 0 {
		return nil, nil // the rows of couplings are not reduced
	}
	g := assemble.NewGroups(l)
	if g == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	perm, err := p.orderOf(ctx, g.Pattern, g.BodyNode)
	if err != nil {
		return nil, err
	}
	s, err := factor.AnalyzeContext(ctx, g.Pattern, order.BeforeJoints(g.Pattern, perm))
	if err != nil {
		return nil, err
	}
	return &groundPlan{g, s}, nil
}
