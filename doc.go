// Package rung solves the forward dynamics of mechanisms with many kinematic
// loops by the sparse KKT method of Featherstone, Rigid Body Dynamics
// Algorithms (2008), §8.13: all bodies and joints in one sparse symmetric
// system, factored without pivoting in an order that keeps it banded on
// ladder-like mechanisms, with redundant and nearly singular constraints
// solved and explained by name.
//
// The front door has four steps:
//
//	m, err := rung.Open("four-bar.json")         // or a Builder
//	plan, err := rung.NewPlan(m, rung.Options{}) // graph, order, pattern
//	solver := plan.NewSolver()                   // memory of one goroutine
//	err = solver.Solve(plan.Initial())           // accelerations and multipliers
//
// A [Plan] is immutable and may be shared between goroutines; each has its own
// [Solver]. Solve allocates nothing. Solver.Report explains the constraints:
// rank, redundant rows by joint, which reactions are unique, distance to a
// singularity. Plan, Solver, Report and Options are defined in package kkt, which
// documents their cost and errors.
//
// # One model, all results
//
// [Accelerate] does all of it for one model and returns a [Result] with names, the
// document that the command "rung accel --json" prints. Package results has its parts, and
// results.New makes it of a solver that has solved.
//
//	r, err := rung.Accelerate(m, rung.Options{})
//	fmt.Println(r.Bodies[0].AngularAcceleration, r.Constraints.Mobility)
//
// # A run over time
//
// [NewSimulation] sets up a run with the bits of "rung simulate": the start is checked, steps are chosen
// by their error, drift is projected away.
//
//	s, err := rung.NewSimulation(plan, rung.SimulationOptions{})
//	err = s.Run(10) // s
//	st, stats := s.State(), s.Stats()
//
// Its options select the output: rows, files, checkpoints for resuming. Package motion/runs has more.
//
// # A model in Go
//
// A [Builder] places bodies and joints where they are in the world; a [Joint] is then given springs, motions and limits,
// and a [Coupling] an offset.
//
//	b := rung.NewBuilder("pendulum").Gravity(0, 0, -9.81)
//	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
//	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
//	m, err := b.Model()
//
// # Other tasks
//
// They have packages of their own that take a Plan:
//
//   - motion/runs, sim and motion: motion over time
//   - closing: joints that are open
//   - linear: equilibrium, vibration
//   - ik: poses and paths for targets
//   - batch: many states at once
//   - mobility: variable mobility, joints to release
//   - scene and its packages: pictures and pages
//
// [docs/go.md] has a table of the command's subcommands and the calls that do the same.
//
// Frame: world axes. Accelerations are (ω̇, classical acceleration of the centre
// of mass); wrenches act on a joint's successor, moments about the origin of its
// successor frame. Units: SI.
//
// [docs/go.md]: https://github.com/rung-mbd/rung/blob/main/docs/go.md
package rung
