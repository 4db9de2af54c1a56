// Package joints holds what is particular to each joint type: the constraint
// force subspace T, the motion subspace S, velocity-product and σ terms,
// coordinates, applied wrenches and position errors (RBDA §3.5, §4.4, §8.3,
// Table 8.1; eq. 3.38, 8.10).
//
// A joint relates its successor frame S to its predecessor frame P. A [Spec] is
// its type with parameters, [Frames] the motion of S and P at one instant, and the
// methods of Spec evaluate the joint at such Frames. They know nothing of bodies.
//
//	s := &joints.Spec{Kind: joints.Revolute}
//	var rows joints.Rows
//	err := s.EvalTo(&rows, &frames, t) // T, σ and σ̇ of all rows
//	var q, qd [6]float64
//	s.CoordinatesTo(&q, &qd, &frames)
//
// Frame: world axes; wrenches and motions about the origin of S; the relative
// velocity is V̂ = (ω_S − ω_P, V), with V the rate of R as seen from P. "Apparent
// derivative" means the derivative seen from P. Units: SI, radians.
//
// Row order: the type's constraints, then the prescribed freedoms in order.
// x, y, z are the axes of P; "force x" is a row with a force along x, "moment x"
// one with a moment about x.
//
//	type                constraint rows                       freedoms (S columns, duals)
//	fixed               moments x y z, forces x y z           –
//	revolute            forces x y z, moments x y             θ
//	prismatic           moments x y z, forces x y             d
//	helical             forces x y, moments x y, screw        θ
//	cylindrical         forces x y, moments x y               θ, d
//	universal           forces x y z, moment y_S×x_P          θ1, θ2
//	planar              force z, moments x y                  θ, x, y
//	spherical           forces x y z                          rotations x y z
//	sphere_in_cylinder  forces x y                            rotations x y z, d
//	point_on_plane      force z                               – (S: rotations, x, y)
//	distance            force along R                         – (S: rotations, 2 tangents)
//	free                –                                     – (S: rotations, x, y, z)
//	rolling             force z, forces along and across      – (S: rotations, slips)
//	no_slip             force z_S                             – (S: rotations, x_S, y_S)
//	composite           complement of its axes                one for each axis
//
// The screw row is a force z with a moment −pitch·z. The forces of a rolling joint act where its wheel touches the plane of P.
// The rows of forces along the plane, and the row of no_slip, constrain velocities alone ([Kind.VelocityRows]).
//
// All methods that take Frames run on fixed arrays, allocate nothing, and may be
// called from any number of goroutines at the same time. Their numbers are
// unspecified where Frames is not finite.
package joints
