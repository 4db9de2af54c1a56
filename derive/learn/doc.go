// Package learn computes gradients of many short runs, for learning: a law sets forces from observations of the state, and each run has a
// cost, with its derivatives by the law's parameters and by the start.
//
//	r, err := learn.New(plan, m, learn.Options{
//		Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{"joint.O.q", "joint.O.qd"}, Step: 5e-3, Hold: 2, Acts: 100, Threads: 2,
//	})
//	out := make([]learn.Result, len(starts))
//	err = r.Gradients(ctx, starts, laws, out) // one law a start; laws add up their own gradients
//
// Runs take fixed steps of the classical Runge–Kutta method. Projection closes the joints after each step, and forces are constant between
// two acts of the law. Gradients are exact for the run as it was computed, by the discrete adjoint (package derive/adjoint), at a cost that
// does not depend on the number of parameters. Runs are independent: each has the same bits on any number of threads, among any others.
//
// With Options.Lanes eight runs are computed together, forwards and back, by package derive/many, if the mechanism allows it: in a tenth of
// the time or less.
//
// Cost: a run takes four evaluations a step. Its gradient takes the time of two or three runs more, and a few evaluations an act.
//
// Errors: [ErrOptions]. A Result has the error of its run, such as *[adjoint.StepError] or an error of package derive.
//
// Frame: world axes. Cotangents of a start are as in package derive/adjoint. Units: SI. The equations are (V2) to (V4) and (V6) of
// [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#gradients-of-runs
package learn
