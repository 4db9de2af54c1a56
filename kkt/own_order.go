package kkt

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/sparse"
)

// take analyses the whole system of p in the order perm of the user.
//
// If a node is at fault it returns a *mechanism.Error at its body, joint or coupling, with the *order.NodeError. For a wrong length the
// error wraps order.ErrNoPermutation. Other errors are a *factor.CostError, and the cause for which ctx has ended.
func (p *Plan) take(ctx context.Context, perm []int32, l factor.Limits) (err error) {
	if err := order.CheckTileRule(p.layout.Pattern, perm); err != nil {
		var at *order.NodeError
		if errors.As(err, &at) && uint(at.Node) < uint(p.layout.Pattern.Len()) {
			return p.layout.At(at.Node, -1, err)
		}
		return err
	}
	p.own, p.ordering = append([]int32(nil), perm...), order.Own
	p.symbolic, err = factor.AnalyzeWithin(ctx, p.layout.Pattern, p.own, l)
	if err == nil {
		p.candidates = []factor.Candidate{{Ordering: order.Own, Counts: p.symbolic.Counts}}
	}
	return err
}

// OrderOf returns an elimination order of q, a pattern in which nodes of sign +1 are bodies of p, or groups of bodies. node
// returns the node of a body, −1 for none; nil says that it is the number of the body. The order is by the method of p, Ordering.
// If the user has given an order (Options.Order), nodes come in the order of their first bodies there (order.OfBodies).
//
// Cost: near-linear in nodes and blocks; allocates. It panics if q is not of the form that order.Of takes.
func (p *Plan) OrderOf(q *sparse.Pattern, node func(body int) int) []int32 {
	p.mustBe()
	if q == nil {
		panic("kkt: no pattern")
	}
	perm, _ := p.orderOf(context.Background(), q, node)
	return perm
}

// orderOf is OrderOf, and returns the cause for which ctx has ended.
func (p *Plan) orderOf(ctx context.Context, q *sparse.Pattern, node func(body int) int) ([]int32, error) {
	if p.own == nil {
		return order.OfContext(ctx, q, p.ordering, 1)
	}
	nb := p.mech.NumBodies()
	list, listed := make([]int32, 0, nb), make([]bool, q.Len())
	for _, v := range p.own {
		if int(v) >= nb {
			continue
		}
		at := int(v)
		if node != nil {
			at = node(at)
		}
		if at >= 0 && !listed[at] {
			listed[at] = true
			list = append(list, int32(at))
		}
	}
	return order.OfBodies(q, list), nil
}
