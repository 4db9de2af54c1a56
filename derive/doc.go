// Package derive differentiates what a mechanism does at one state: how accelerations, reactions and coordinates change with poses,
// velocities, loads, forces of drives, time, and the numbers of the model.
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
// [Derivatives.Named] takes directions by names, and [Changes.Named] tells results by names.
//
// # The equations
//
// With r the residual of the system and K its matrix ([theory.md (D1)]), a direction has K·δx = −∂r: one solve with the factor at hand.
// ∂r comes from what each part of the mechanism adds to it, recorded and differentiated exactly ([theory.md (D6)]). Nothing is a
// difference of two states.
//
// # Which directions have a derivative
//
// A direction is allowed if it opens no joint. With [Directions.SetFollow] the state follows any direction ([theory.md (D3)]), as rung
// assemble closes a model whose numbers have changed: the least change in the metric of the inertias. Otherwise [ErrNotAllowed] names the
// joint.
//
// Where rows are redundant, some numbers break the loop: [ErrBreaksLoop]. Components of wrenches that the constraints leave undetermined
// have no derivative (JointChange.Undetermined), and neither have those that are determined at this pose only.
//
// Cost: At is one solve of the whole system. A direction takes two sweeps and a refined solve, about one more.
//
// Frame: world axes at centres of mass. Units: SI, a unit of the direction. Velocities keep their numbers while a pose turns.
//
// [theory.md (D3)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#derivatives-of-one-state
// [theory.md (D6)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#parts
// [theory.md (D1)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#derivatives-of-one-state
package derive
