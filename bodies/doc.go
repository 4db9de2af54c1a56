// Package bodies describes single rigid bodies: mass, centre of mass and
// rotational inertia, checked when a body is made, and what follows from them at
// an orientation (RBDA §2.13).
//
// Frame: the fields of [Body] are in the body's own frame, the inertia about its
// centre of mass. A rotation matrix E has the body's axes in the world as its
// columns; functions named World give world axes at the centre of mass. Units:
// SI.
//
//	b, err := bodies.Box(2, spatial.Vec3{0.1, 0.2, 0.3})
//	if err != nil {
//		return err
//	}
//	var I spatial.Sym3
//	b.WorldInertiaTo(&I, &E)
package bodies
