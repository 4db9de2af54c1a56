// Package order chooses the order in which the nodes of a pattern are
// eliminated, and checks orders that others have chosen.
//
// A body is a node of sign +1, a joint is a node of sign −1 that couples
// bodies. The pattern has the bodies first, then the joints, as package
// assemble makes it. Nothing else is known of either: a body may stand for any
// unknowns with a positive definite block, a joint for any constraint rows on
// them. A body's joint to the world is a joint with that body alone.
//
// Of computes an order by one of five methods. All of them obey the tile rule
// (CheckTileRule), which keeps the pivots of joints away from zero where their
// rows are independent. Revise carries an order over to a pattern in which
// joints have come or gone. Which of the orders causes the least work is for
// package factor to say, which counts it (factor.Choose).
package order
