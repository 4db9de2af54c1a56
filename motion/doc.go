// Package motion is the link between the solver of package kkt and the integrators of package sim:
// it makes from a plan what they ask for, and has steppers and a follower of its own. Package motion/runs puts it all
// together, and is where most programs begin.
//
//	d, mech := motion.NewDynamics(plan), plan.Mechanism() // once a simulation; plan from rung.NewPlan
//	method := sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{})
//	run := sim.New(mech, method, plan.Initial(), sim.Options{Projector: d})
//	err := run.Run(1) // s
//
// First comes the dynamics, then a stepper of package sim with it, then the simulation, which takes
// the dynamics once more, to close the joints. The methods of a [Dynamics] are for these, not for
// users. It belongs to one goroutine; a plan may have many.
//
// Cost: an evaluation is a kkt.Solver.Solve, without allocation, and a projection some solves with
// the factor of the last one. An evaluation of [Newton] factors a matrix that has rows for
// springs, dampers and contacts too. A [Rattle] factors once a step.
//
// Errors: those of kkt.Solver.Solve, and of closing.Closer where joints cannot be closed, each with
// the body or joint. [ErrStep] is a step of [Rattle] or [Balance] that fails, and [ErrUnsupported] a mechanism that these
// do not know; [ErrFree] and [StuckError] are errors of a [Follower] and of [Reduced]. [New] refuses mechanisms that tree methods
// cannot have.
//
// # Which one
//
//   - [Dynamics] is for sim.RungeKutta, the usual choice without stiff springs.
//   - [Newton] is for sim.GeneralizedAlpha: stiff springs, dampers, stops and contacts. Its matrix
//     is [theory.md (58)].
//   - [Rattle] is a stepper with fixed steps that keeps energies over long times
//     and factors once a step, for mechanisms that are moved in real time.
//   - [Balance] is a stepper for vehicles on wheels, stable with steps of 10 to 40 ms
//     ([ground.md (G41)]).
//   - [New] has the accelerations of a [Method] on a spanning tree, for comparison.
//
// For stiff mechanisms:
//
//	n := motion.NewNewton(plan)
//	method := sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{})
//	run := sim.New(mech, method, plan.Initial(), sim.Options{Projector: n})
//
// # Motions that are prescribed
//
// Where motions prescribe every freedom there is nothing to integrate. A [Follower] goes from time
// to time with exact positions, velocities and accelerations, and stays on its branch.
//
//	f := motion.NewFollower(plan)
//	err := f.Start(ctx)
//	err = f.To(ctx, 0.5) // s
//	st := f.State()
//
// # Users' coordinates
//
// [Reduced] is q̈ = f(t, q, q̇) in independent coordinates, for integrators and controllers from elsewhere.
//
//	x, err := mobility.Independent(plan, plan.Initial(), nil)
//	r, err := motion.NewReduced(plan, plan.Initial(), x.Freedoms)
//	err = r.At(t, q, qd)
//	err = r.AccelerationsTo(qdd)
//	r.Accept() // after each step
//
// Frame: world axes. Units: SI.
//
// [theory.md (58)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#stiff-springs-generalized-α
// [ground.md (G41)]: https://github.com/rung-mbd/rung/blob/main/docs/ground.md#force-balance-steps
package motion
