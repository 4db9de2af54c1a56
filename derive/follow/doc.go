// Package follow differentiates solutions of inverse kinematics by their targets, their limits and the numbers of the model.
//
//	result, err := solver.Reach(st)                            // of package ik
//	s, err := follow.New(problem, model, st, follow.Options{}) // at the solution
//	changes, err := s.Along([]follow.Direction{{
//		Name: "longer", Parameters: []derive.NamedParameter{{Path: "joints[elbow].predecessor_frame.position[0]", Change: 1}},
//	}})
//	fmt.Println(changes[0].Driven) // rad or m of the driven freedoms, a metre
//
// A solution keeps its levels as it changes: targets that are reached stay reached, the errors of the others stay at their least, and so
// does the deviation from the posture, within the limits that hold freedoms. That determines the derivative by the implicit function
// theorem. Where it does not, an error names the reason: motions that are free (ErrFree), freedoms that touch a limit but are not pressed
// against it (ErrLimit), poses at which targets lose rank (ErrSingular), and targets that cannot be reached any more (ErrLeaves).
//
// Cost: each direction and each driven freedom costs a derive.Derivatives.ForwardTo. Levels at their least, and a posture, take four poses
// more for each motion that the levels before leave. Frame: world axes. Units: SI. The equations are (I1) to (I3) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#solutions-of-inverse-kinematics
package follow
