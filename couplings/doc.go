// Package couplings has the laws between coordinates that couplings of rung-model/1 may have: f of one coordinate or of
// two, by points or by a formula, with its first and second derivatives ([theory.md (K1)]). It knows no mechanism.
//
// A [Law] is C²: the constraint row has its first derivatives, and the right side of the row its second. A table is read as
// the cubic spline through its points, a grid as the product of such splines, and [Law.Faults] refuses a formula with a
// jump or a kink, with the place:
//
//	law := couplings.Law{Kind: couplings.Function, Expression: "atan2(sin(x), 0.8*cos(x))",
//		Spans: []couplings.Span{{From: -math.Pi, To: math.Pi, Periodic: true, Advance: 2 * math.Pi}}}
//	v := law.Prepared().At([2]float64{7, 0}) // v.F, v.D, v.DD
//
// A span says where the law holds, and whether it repeats: of a coordinate that counts turns, periods are taken off, and
// the law gains Advance with each.
//
// [theory.md (K1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#couplings
package couplings
