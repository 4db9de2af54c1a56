// Package learn has gradients of many short runs, for learning: a law sets forces from what it sees of the state, and each run has what
// it costs, and how that changes with the law and with where it has begun.
//
//	r, err := learn.New(plan, m, learn.Options{
//		Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{"joint.O.q", "joint.O.qd"}, Step: 5e-3, Hold: 2, Acts: 100, Threads: 2,
//	})
//	out := make([]learn.Result, len(starts))
//	err = r.Gradients(ctx, starts, laws, out) // one law a start; laws add up their own gradients
//
// Runs go on by fixed steps of the classical Runge–Kutta method, the joints held by projection, and forces are held between two acts of the
// law. Gradients are exact for the run as it was computed, by the discrete adjoint (package derive/adjoint), whatever the number of
// parameters. Runs are independent: each has the same bits on any number of threads, beside any others.
//
// With Options.Lanes eight runs go side by side, and back, by package derive/many, for mechanisms that have that: in a tenth of the time or
// less.
//
// Cost: a run takes four evaluations a step; its gradient some two or three runs more, and a few evaluations an act.
//
// Errors: [ErrOptions]; a Result has that of its run, *[adjoint.StepError] and those of package derive among them.
//
// Frame: world axes. Cotangents of a start are those of package derive/adjoint. Units: SI. The equations are (V2) to (V4) and (V6) of
// [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#gradients-of-runs
package learn
