// Package couplings has the laws between coordinates that couplings of rung-model/1 may have: a function f of one coordinate or of
// two, by points or by a formula, with its first and second derivatives ([theory.md (K1)]). It does not depend on mechanisms.
//
// A [Law] is C²: the constraint row has its first derivatives, and the right side of the row its second. A table is
// the cubic spline through its points, a grid the product of such splines, and [Law.Faults] refuses a formula with a
// jump or a kink, and names the place:
//
//	law := couplings.Law{Kind: couplings.Function, Expression: "atan2(sin(x), 0.8*cos(x))",
//		Spans: []couplings.Span{{From: -math.Pi, To: math.Pi, Periodic: true, Advance: 2 * math.Pi}}}
//	v := law.Prepared().At([2]float64{7, 0}) // v.F, v.D, v.DD
//
// A [Span] says where the law holds along a coordinate, and whether it is periodic: whole periods are subtracted from the coordinate, and
// f increases by Advance with each.
//
// [theory.md (K1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#couplings
package couplings
