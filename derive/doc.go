// Package derive differentiates the dynamics of a mechanism at one state: it computes the changes of accelerations, reactions and
// coordinates with poses, velocities, loads, forces of drives, time, and the numbers of the model.
//
//	d := derive.New(plan, m)                    // plan from rung.NewPlan, m its model
//	err := d.At(st)                             // solves, and keeps the factor
//	p, err := d.Parameter("bodies[crank].mass") // by the path of a study
//	in := d.NewDirections(1)
//	in.AddParameter(0, p, 1)
//	in.SetFollow(0, true) // the joints stay closed
//	out := d.NewChanges(1)
//	err = d.ForwardTo(out, in, derive.Options{})
//	a := out.Body(0, 0).ComAcceleration // m/s² a kilogram
//
// [Derivatives.Named] reads directions by names, and [Changes.Named] returns results by names.
//
// # The equations
//
// With the residual r of the system and its matrix K ([theory.md (D1)]), a direction has K·δx = −∂r: one solve with the factor of the
// accelerations. ∂r is the sum over the parts of the mechanism, each recorded and differentiated exactly ([theory.md (D6)]). No difference
// of two states is taken.
//
// # Which directions have a derivative
//
// A direction is allowed if it opens no joint; [ErrNotAllowed] names a joint that it opens. With [Directions.SetFollow] any direction is
// allowed, as the state follows it ([theory.md (D3)]): by the least change in the metric of the inertias, as rung assemble closes a model
// whose numbers have changed.
//
// Where rows are redundant, changes of some numbers break the loop: [ErrBreaksLoop]. Components of wrenches that the constraints leave
// undetermined have no derivative (JointChange.Undetermined), nor have components that are determined at this pose only.
//
// Cost: At is one solve of the whole system. A direction takes two sweeps and a refined solve, about the cost of At again.
//
// Frame: world axes at centres of mass. Units: SI per unit of the direction. Velocities keep their numbers while a pose turns.
//
// [theory.md (D3)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#derivatives-of-one-state
// [theory.md (D6)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#parts
// [theory.md (D1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#derivatives-of-one-state
package derive
