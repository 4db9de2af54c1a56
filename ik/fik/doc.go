// Package fik is feedback inverse kinematics for any linear map: a filter whose output are rates of freedoms that bring rows of
// targets to where they should be, without a pseudoinverse. It knows no mechanism; package ik runs it on one.
//
//	f, err := fik.New(J, fik.Options{Riccati: fik.RiccatiOptions{W: 20}}) // J from rates of freedoms to rates of rows
//	for !there() {
//		err = f.StepTo(dq, dxd) // dxd are the wanted rates of the rows, dq those of the freedoms
//		move(dq, f.Step())      // go on for the time of a step, and put J at the new pose
//	}
//
// # The map
//
// [Linear] is what a [Filter] asks of the Jacobian: its product and that of its transpose at the present pose. [Dense] is a matrix,
// an ik.Solver is one for its task.
//
// # The design
//
// The filter has a weight P, decays A and the time of an iteration. [Riccati] designs P, [Tune] looks for numbers with which a path
// takes the fewest iterations, and [Options] has presets. [New] computes what the options leave out.
//
// # Stability and errors
//
// A filter watches its own stability: [New] and [Filter.StepTo] return an [UnstableError] with what would be stable. An
// [OptionError] names an option that breaks a rule; ErrRank and ErrNoDesign say that a design needs another Jacobian.
//
// Cost: an iteration is two products with the map and allocates nothing. A filter belongs to one goroutine at a time.
//
// Frame: that of the map. Units: rad, m, s.
//
// The recurrences are [inverse-kinematics.md (F1)] and (F2), the test of stability is (F5), the designs are (F6) and (F7).
//
// [inverse-kinematics.md (F1)]: https://github.com/rung-mbd/rung/blob/main/docs/inverse-kinematics.md#feedback-inverse-kinematics
package fik
