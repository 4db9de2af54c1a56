// Package fik is feedback inverse kinematics for any linear map: a filter that computes the rates of freedoms for wanted rates of rows of
// targets, without a pseudoinverse. It does not depend on mechanisms; package ik runs it on one.
//
//	f, err := fik.New(J, fik.Options{Riccati: fik.RiccatiOptions{W: 20}}) // J from rates of freedoms to rates of rows
//	for !there() {
//		err = f.StepTo(dq, dxd) // dxd are the wanted rates of the rows, dq the rates of the freedoms
//		move(dq, f.Step())      // move for the time of a step, and evaluate J at the new pose
//	}
//
// # The map
//
// A [Filter] needs a [Linear] for the Jacobian: its products, and the products of its transpose, at the present pose. [Dense] is one as a
// matrix; an ik.Solver is one for its task.
//
// # The design
//
// The filter has a weight P, decays A and the time of an iteration. [Riccati] designs P, [Tune] searches for numbers with which a path
// takes the fewest iterations, and [Figure], [Gyro] and [Robot] are presets. [New] computes P, A and the time if the options leave them
// out.
//
// # Stability and errors
//
// A filter tests its own stability: [New] and [Filter.StepTo] return an [UnstableError] with a stable value. An
// [OptionError] names an option that breaks a rule; ErrRank and ErrNoDesign say that a design fails for the Jacobian.
//
// Cost: an iteration is two products with the map and allocates nothing. Only one goroutine may use a filter at a time.
//
// Frame: as the map. Units: rad, m, s.
//
// The recurrences are [inverse-kinematics.md (F1)] and (F2), the test of stability is (F5), the designs are (F6) and (F7).
//
// [inverse-kinematics.md (F1)]: https://github.com/rung-mbd/rung/blob/main/docs/inverse-kinematics.md#feedback-inverse-kinematics
package fik
