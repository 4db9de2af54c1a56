// Package curves has curves fixed in bodies: lines, circles and arcs, splines through points, and formulas in a parameter u
// ([theory.md (U1)]). It knows no joint and no mechanism.
//
// A [Curve] is C²: the rows of a joint have its tangent, and their right sides its curvature. A spline is cubic in each coordinate, and
// [Curve.Faults] refuses formulas with a jump or a kink, and curves with a place without a tangent, and names the place:
//
//	c := curves.Curve{Kind: curves.Function, X: "u - sin(u)", Y: "cos(u) - 1", Range: [2]float64{0.1, 6.1}}
//	p := c.Prepared()
//	u := p.Nearest(&spatial.Vec3{3.1, -2, 0}, false) // parameter of the nearest point
//	at := p.At(u)                                    // at.C, at.D, at.DD
//
// A closed curve repeats, and its parameter counts the laps. An open curve has ends. Beyond them a parabola continues it, so that a
// search may pass there; [Curve.Outside] reports it.
//
// Frame: the frame in which the curve is given. Units: m; u is in m along lines, in rad along circles, and else as the curve defines it.
//
// [theory.md (U1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#points-on-curves
package curves
