package kkt

import (
	"context"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
)

// Armature makes no constraints. So the plan of a mechanism has two systems: that of its
// constraints, which closing, reports on motions and so on take, and one with flywheels
// (assemble.NewGeared), a plan of its own, which solvers of the dynamics take.

// isGeared reports whether a freedom that is free has armature.
func (p *Plan) isGeared() bool {
	for _, j := range p.mech.Geared() {
		if p.mech.Joints[j].NumGeared() > 0 {
			return true
		}
	}
	return false
}

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

// gearedOrder returns the order of p with each flywheel right before its joint. The rows of constraints then find what
// they need as without flywheels.
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

// dynamic returns the plan of the system that solvers of the dynamics take.
func (p *Plan) dynamic() *Plan {
	if p.geared != nil {
		return p.geared
	}
	return p
}

// Dynamics returns the plan of the system with the flywheels of armature (assemble.NewGeared), whose solution the
// dynamics are; p itself where there is no armature.
func (p *Plan) Dynamics() *Plan {
	p.mustBe()
	return p.dynamic()
}

// first returns the first scalar of the system that is a constraint row: bodies and flywheels come before.
func (p *Plan) first() int { return int(p.layout.Pattern.Off[p.layout.FirstJoint()]) }

// gears returns the number of rows of armature, and of unknowns of flywheels. They are no constraints.
func (p *Plan) gears() int {
	_, n := p.layout.Flywheels()
	return n
}

// bodiesOf returns the bodies of the joint of a node, without its flywheel.
func (p *Plan) bodiesOf(node int) []int32 {
	q := p.layout.Pattern
	list := q.Ind[q.Ptr[node]:q.Ptr[node+1]]
	if n := len(list); n > 0 && int(list[n-1]) >= p.mech.NumBodies() {
		return list[:n-1]
	}
	return list
}
