// Package closing makes states satisfy the joints of a mechanism: poses by damped Gauss–Newton steps,
// [theory.md (37)], velocities by a projection, [theory.md (42)], both with the least change in the metric
// of the inertias.
//
//	c := closing.NewCloser(plan, closing.Options{}) // once a goroutine; plan from rung.NewPlan
//	err := c.ClosePositions(st)                     // first the pose
//	err = c.ProjectVelocities(st)                   // then the velocities at that pose
//	fmt.Println(c.Closing().Steps, c.Closing().Distance)
//
// A [Closer] solves with the system of package kkt, and can share the memory of the factorization with a
// kkt.Solver. A simulation uses one as its projector (package sim).
//
// Cost: O(bodies + joints) where the joints hold; else a factorization a step for poses, and one or none for velocities.
//
// Errors: [ErrCannotClose], as a [CloseError] with the joint that does not hold. A state that cannot be
// closed is unchanged.
//
// Frame: world axes. Units: SI.
//
// [theory.md (37)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#closing-positions-and-velocities
// [theory.md (42)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#closing-positions-and-velocities
package closing
