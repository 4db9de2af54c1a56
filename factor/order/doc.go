// Package order chooses the order in which the nodes of a pattern are
// eliminated, and checks orders that others have chosen.
//
// A body is a node of sign +1, a joint is a node of sign −1 that couples
// bodies. The pattern has the bodies first, then the joints, as package
// assemble makes it. Nothing else is known of either: a body may stand for any
// unknowns with a positive definite block, a joint for any constraint rows on
// them. A body's joint to the world is a joint with that body alone.
//
//	p := layout.Pattern // assemble.NewLayout
//	perm := order.Of(p, order.MinDegree)
//	err := order.CheckTileRule(p, perm)     // of an order of one's own
//	own := order.OfBodies(p, []int32{2, 0}) // from an order of bodies
//
// [Of] computes an order by one of five methods. All of them obey the tile rule
// ([CheckTileRule]), which keeps the pivots of joints away from zero where their
// rows are independent. [Revise] carries an order over to a pattern in which
// joints have come or gone. [FindHubs] finds bodies that many loops go through;
// orders around them ([Hubs.Around]) do not obey the rule. Package factor counts
// the work of the orders and chooses among them (factor.Choose).
//
// Cost: near-linear in nodes and blocks on graphs of mechanisms. [docs/orderings.md] explains the rule and the orders.
//
// [docs/orderings.md]: https://github.com/rung-mbd/rung/blob/main/docs/orderings.md
package order
