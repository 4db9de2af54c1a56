// Package curves has curves fixed in bodies: lines, circles and arcs, splines through points, and formulas in a parameter u
// ([theory.md (U1)]). It knows no joint and no mechanism.
//
// A [Curve] is C²: the rows of a joint have its tangent, and their right sides its curvature. A spline is cubic in each coordinate, and
// [Curve.Faults] refuses a formula with a jump or a kink, and what has no tangent, with the place:
//
//	c := curves.Curve{Kind: curves.Function, X: "u - sin(u)", Y: "cos(u) - 1", Range: [2]float64{0.1, 6.1}}
//	p := c.Prepared()
//	u := p.Nearest(&spatial.Vec3{3.1, -2, 0}, false) // of the point of the curve that is nearest
//	at := p.At(u)                                    // at.C, at.D, at.DD
//
// A curve that is closed repeats, and its parameter counts the laps. One that is open ends at both ends of its parameter. Beyond them a
// parabola goes on, so that a search may pass there: [Curve.Outside] tells.
//
// Frame: that in which the curve is given. Units: m; u is in m along lines, in rad along circles, and else what the curve says.
//
// [theory.md (U1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#points-on-curves
package curves
