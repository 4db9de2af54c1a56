// Package kkt computes the accelerations of a mechanism and the reactions in its joints: the forward dynamics
// of bodies with any number of closed loops, from one sparse symmetric system of all bodies and
// joints ([theory.md (2)], RBDA §8.13).
//
//	plan, err := rung.NewPlan(m, kkt.Options{}) // once a model; kkt.NewPlan takes a mechanism
//	solver := plan.NewSolver()                  // once a goroutine
//	st := plan.Initial()                        // a state, to be read and changed
//	err = solver.Solve(st)                      // at each state; then its results:
//	a := solver.ComAcceleration(0)              // of body 0, m/s²
//	f := solver.TotalWrench(1)                  // of joint 1, N and N m; its parts: solver.Reactions()
//	report, err := solver.Report()              // on demand: what the constraints determine
//
// A [Plan] never changes, and goroutines share it. A [Solver] owns memory and belongs to one of
// them. Results hold until the next [Solver.Solve]; asking for them before it is a panic.
//
// Cost: a plan takes little more than linear time in bodies and joints. A Solve takes
// O(bodies + joints) and the flops of the factor ([Plan.Counts]), which grow like the mechanism on
// chains, ladders and trees, and like n^1.5 on grids. It allocates nothing, but for last resorts
// when they are first needed. A Report takes at least two factorizations more.
//
// Errors: Solve names the body or joint of [ErrInconsistent] (motions that contradict each other),
// [ErrInaccurate], [ErrReaction], [ErrJammed] or a bad pivot. Redundant rows and singular poses are
// no errors; Report tells of them. [NewPlanContext] fails beyond Options.MaxFlops or MaxNonZeros.
//
// # What the constraints determine
//
// [Solver.Report] counts rows, rank, mobility and the redundant rows of each joint. It tells which
// reactions are unique, how far the nearest singular pose is, and whether the state satisfies the
// joints at all. Where reactions are not unique it replaces them by those of least norm.
//
//	fmt.Println(report.Mobility, report.Redundant, report.NearSingular)
//	if !report.Unique(1) {
//		fmt.Println(report.UndeterminedComponents(1)) // such as force.z
//	}
//
// [Solver.Holds] tells at little cost whether the state satisfies the joints. [Solver.RankAt] and
// [Plan.RedundantRows] find the rank alone.
//
// # Forces for wanted accelerations
//
// An [Inverse] goes the other way: it finds the forces of chosen freedoms, the actuators, that make
// wanted accelerations.
//
//	inverse, err := plan.NewInverse([]mechanism.Freedom{{Joint: 0}})
//	err = inverse.Solve(st, nil)  // six numbers a body; nil holds still
//	torque := inverse.Forces()[0] // N m
//
// [Inverse.SolveFreedoms] takes second rates of the actuators in place of accelerations of bodies.
// Accelerations that the joints do not allow are replaced by the nearest allowed ones. If the
// actuators do not control all motions the error says so, and [Inverse.Uncontrolled] names the freedoms that still move.
//
// # Other inputs
//
// [Plan.With] gives a plan that reads gravity, forces and parameters from inputs of its own, for
// one goroutine among many that share an analysis. [Plan.Replan] is for joints that come or go.
//
// # How it is solved
//
// The system is factored without pivoting as in [theory.md (15)], in the order with the least work
// that keeps the pivots of joints away from zero, or in that of Options.Order ([docs/orderings.md]). Where many bodies hang on the
// world by few freedoms, a smaller system without these is solved first. Where no factorization
// with doubles is good enough, an orthogonal one is tried, [theory.md (31)], and then one with
// twice the digits, [theory.md (26)]. [Solver.Route] tells which.
//
// Frame: world axes. Accelerations are (ω̇, classical acceleration of the centre of mass); wrenches
// act on a joint's successor, moments about the origin of its successor frame. Units: SI.
//
// [docs/orderings.md]: https://github.com/rung-mbd/rung/blob/main/docs/orderings.md
// [theory.md (2)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#the-system
// [theory.md (15)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#factorization-without-pivoting
// [theory.md (26)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#twice-the-digits
// [theory.md (31)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#unique-reactions-and-least-norm
package kkt
