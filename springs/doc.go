// Package springs has the laws of springs, dampers and bushings ([docs/springs.md]). It does not depend on mechanisms.
//
// A [Law] is a force as a function of a coordinate x and its rate y, by a table or a formula. [Laws] are the spring and
// the damper of one coordinate, with derivatives and potential.
//
//	laws := springs.Laws{Damper: (&springs.Law{Kind: springs.Function, Expression: "5*y + 20*y^3"}).Prepared()}
//	f, stiffness, damping, err := laws.At(0.15, 0.5) // m, m/s
//
// A [Relative] is the pose of a frame B relative to a frame A in six coordinates:
// the rotation vector, and the line between the origins in the axes half-way between
// the two frames, [springs.md (E4)]. A bushing is a potential of these coordinates. So its forces
// are conservative, exact for large rotations, and the same if the frames are exchanged.
//
// Units: SI, radians. Six-vectors have the angular part first.
//
// [docs/springs.md]: https://github.com/rung-mbd/rung/blob/main/docs/springs.md
// [springs.md (E4)]: https://github.com/rung-mbd/rung/blob/main/docs/springs.md#bushings
package springs
