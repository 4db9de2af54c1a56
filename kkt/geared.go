package kkt

import (
	"context"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
)

// Armature makes no constraints. So the plan of a mechanism with armature has two systems. The system of its
// constraints serves closing, reports on motions and so on. The system with flywheels
// (assemble.NewGeared) has a plan of its own and serves solvers of the dynamics.

// analyseGeared makes the plan of the system with armature, where there is any.
func (p *Plan) analyseGeared(ctx context.Context) error {
	if !p.isGeared() {
		return nil
	}
	q, err := newPlanOn(ctx, assemble.NewGeared(p.mech), p.epsilon, p.threads)
	if err != nil {
		return err
	}
	if q.symbolic, err = factor.AnalyzeContext(ctx, q.layout.Pattern, p.gearedOrder(q.layout)); err != nil {
		return err
	}
	q.ordering, q.held = p.ordering, p.held
	if p.own != nil {
		q.own = q.symbolic.Order()
	}
	p.geared = q
	return nil
}

// gearedOrder returns the order of p with each flywheel right before its joint, in the nodes of l. The pivots of constraint rows are then
// as small or large as without flywheels.
func (p *Plan) gearedOrder(l *assemble.Layout) []int32 {
	nb := int32(p.mech.NumBodies())
	nodes, _ := l.Flywheels()
	order := make([]int32, 0, l.Pattern.Len())
	for _, v := range p.symbolic.Order() {
		if v < nb {
			order = append(order, v)
			continue
		}
		v += int32(nodes)
		list := l.Pattern.Ind[l.Pattern.Ptr[v]:l.Pattern.Ptr[v+1]]
		if n := len(list); n > 0 && list[n-1] >= nb {
			order = append(order, list[n-1])
		}
		order = append(order, v)
	}
	return order
}
