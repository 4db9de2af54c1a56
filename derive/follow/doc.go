// Package follow has how a solution of inverse kinematics follows its targets, its limits and the numbers of the model.
//
//	result, err := solver.Reach(st)                            // of package ik
//	s, err := follow.New(problem, model, st, follow.Options{}) // at the solution
//	changes, err := s.Along([]follow.Direction{{
//		Name: "longer", Parameters: []derive.NamedParameter{{Path: "joints[elbow].predecessor_frame.position[0]", Change: 1}},
//	}})
//	fmt.Println(changes[0].Driven) // rad or m of the driven freedoms, a metre
//
// A solution is where its levels are: targets that are reached stay reached, and the errors of others stay least, as does what the
// posture leaves, within the limits that hold it. That determines the derivative, by the implicit function theorem. What it does not
// determine is refused by name: motions that are free (ErrFree), limits that touch and do not press (ErrLimit), poses at which targets lose
// their rank (ErrSingular), and targets that cannot be reached any more (ErrLeaves).
//
// Cost: each direction and each driven freedom costs a derive.Derivatives.ForwardTo. Errors that are least, and a posture, take four poses
// more for each motion that the levels before leave. Frame: world axes. Units: SI. The equations are (I1) to (I3) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#solutions-of-inverse-kinematics
package follow
