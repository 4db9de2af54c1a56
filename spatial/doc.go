// Package spatial holds the 3-D and 6-D vector algebra of rigid-body dynamics
// as fixed arrays: vectors, matrices, quaternions, and the spatial vectors,
// Plücker transforms and inertias of RBDA ch. 2.
//
// Spatial vectors carry the angular part (or moment) first. Motions, forces,
// spatial accelerations and classical accelerations are different types, so
// that a product or transform of the wrong kind does not compile.
//
// A rotation matrix E, a quaternion q and a function name such as RotateTo use
// one sense: they take local coordinates to outer ones, and the columns of E
// are the local axes in the outer frame. The one exception is the E inside
// [Transform], which follows the book (RBDA §2.8) and takes coordinates from
// frame A to frame B.
//
//	q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, math.Pi/2)
//	v := q.Rotate(spatial.Vec3{1, 0, 0}) // outer coordinates
//	X := spatial.Translation(spatial.Vec3{3, 0, 0})
//	m := X.Motion(spatial.NewMotion(spatial.Vec3{0, 0, 2}, spatial.Vec3{})) // seen at another point
//	fmt.Println(v, m.Linear())
//
// There is no default frame: a result is in the frame of its arguments.
// Units: SI, radians.
//
// Methods on values are for tests and cold code. Methods whose name ends in To
// take pointers, write the destination given first, and allocate nothing; the
// destination may equal an argument unless the comment says otherwise.
package spatial
