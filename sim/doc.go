// Package sim moves a mechanism through time: integrators, error control, projection on the
// joints, events, controllers, recording and checkpoints. These are the parts of a run; runs.New, of package
// motion/runs, puts them together, and is where most programs begin.
//
//	d, mech := motion.NewDynamics(plan), plan.Mechanism() // accelerations, and closed joints; plan from rung.NewPlan
//	method := sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8})
//	run := sim.New(mech, method, plan.Initial(), sim.Options{Projector: d})
//	err := run.Run(10) // up to 10 s; a later Run continues from there
//	fmt.Println(run.State().Time, run.Stats().Steps, run.Stopped())
//
// The parts are, in this order: a [Dynamics], which computes accelerations (package motion makes it from a
// plan), a [Stepper] that does one step with it, and a [Simulation] that drives the stepper. A
// Simulation starts from a copy of the state, owns its memory and belongs to one goroutine.
//
// Cost: [DormandPrince] computes accelerations six times a step, [RungeKutta4] four times. Error
// control takes more steps where bodies turn fast and where springs are stiff. For stiff springs
// there is [GeneralizedAlpha]. Steps allocate nothing.
//
// Errors: Run refuses a first state that violates the joints, with a *mechanism.ViolationError;
// Options.Start closes it instead. Later errors come from the dynamics, or are a contact that has left
// the ground, and [ErrStepTooSmall]. The run is then at its last good state, and may continue.
//
// # Rows of numbers
//
// A [Recorder] gets a row at the start and every Options.Every seconds, between the steps.
// [NewColumns] makes the columns of a mechanism; [NewCSV] writes them as text, package sim/parquet in binary.
//
//	rows, err := sim.NewCSV(file, sim.NewColumns(mech, nil)) // nil: all bodies
//	run := sim.New(mech, method, st, sim.Options{Projector: d, Recorder: rows, Every: 0.01})
//	err = run.Run(10)
//	err = rows.Flush()
//
// # Events
//
// An [Event] is a zero crossing of a function of the state, found within a step. Its action may
// look, change the state and restart, or stop the run.
//
//	o := sim.Options{Events: []sim.Event{{
//		Name:     "level",
//		Function: func(st *mechanism.State) float64 { return st.Bodies[1].Position[1] },
//		Action:   func(st *mechanism.State) (sim.Response, error) { return sim.Stop, nil },
//	}}}
//
// # Controllers
//
// A [Controller] is called at exact multiples of its period, where steps end. The values that it sets in the
// mechanism.Inputs of the plan (kkt.Plan.With) hold until its next sample.
//
// # Interrupt and resume
//
// [Simulation.RunContext] ends with its context. A [Checkpoint] is all that a run needs to continue
// with the same bits as a run without interruption.
//
//	c, err := run.Checkpoint()
//	err = sim.WriteCheckpoint("run.checkpoint", c)
//	c, err = sim.ReadCheckpoint("run.checkpoint") // in another process
//	err = again.Restore(c)                        // a Simulation made in the same way
//
// # Methods
//
// [RungeKutta] is explicit: the classical method of order 4, or the pair of order 5(4) of Dormand &
// Prince (1980). Steps are fixed, or chosen by a PI controller (Gustafsson 1991; Hairer,
// Nørsett & Wanner 1993). After each step the [Projector] projects a state that violates the joints
// by more than a tolerance. [Baumgarte] is the older remedy, feedback of the
// violations (RBDA §8.3), for comparison.
//
// [GeneralizedAlpha] is implicit, of order 2, for stiff springs and dampers, with the joints at
// position level (Brüls, Cardona & Arnold 2012; [theory.md (52)]). It needs
// [ImplicitDynamics], which motion.Newton is. Package motion has other steppers, RATTLE and
// force balance.
//
// # Coordinates of a step
//
// The state is a mechanism.State: pose of the body frames, velocity of their origins. A step is
// computed in exponential coordinates around its start, as by Munthe-Kaas (1999): for each body
// the rotation vector Θ from its orientation at the start,
//
//	R(t) = exp(Θ(t))·R₀,   dΘ/dt = dexp⁻¹(Θ)·ω,
//
// the displacement of its centre of mass, the angular velocity and the velocity of the centre of
// mass. These are plain vectors, in which a Runge–Kutta method, its error
// estimate and its continuous extension have their full order. No quaternion is ever interpolated or renormalized by
// more than rounding, and no angle is singular as long as no body makes half a turn in one step
// (such a step is refused). Only displacements within a step are summed up, so that rounding does not
// grow with the distance from the world's origin.
//
// Equal binary, input and settings give equal bits.
//
// Frame: world axes. Units: SI.
//
// [theory.md (52)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#stiff-springs-generalized-α
package sim
