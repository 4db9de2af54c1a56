// Package ik is inverse kinematics of any mechanism: it finds where the driven freedoms have to go
// so that targets are met. The tool is there, both hands hold, the centre of mass is above the
// feet, and all loops are closed exactly.
//
//	task := &ik.Task{Targets: []ik.Target{
//		{Name: "tip", Type: ik.Point, Body: "hand", Position: [3]float64{0.4, 0.2, 1}}, // m
//	}}
//	problem, err := ik.NewProblem(plan, task)     // once a task; plan from rung.NewPlan
//	solver, err := problem.NewSolver(task.Solver) // once a goroutine
//	st := plan.Initial()                          // where the search starts
//	result, err := solver.Reach(st)               // moves st to the pose that was found
//	fmt.Println(result.Status, result.Driven[0].Value)
//
// A [Problem] never changes, and goroutines share it. A [Solver] belongs to one of them. After a
// [Solver.Reach], aim again with [Solver.Aim] and call it once more from where the state is.
//
// Cost: a step evaluates the Jacobian, O(bodies + joints), and decomposes m rows of targets by n
// driven freedoms, O(m·n·min(m, n)); a Reach takes fewer than ten steps where the targets are
// near, which allocate nothing. Large mechanisms take the sparse method: a factor of the whole system
// a step.
//
// Errors: [NewProblem] returns a *model.Problems with all rules that the task breaks. Targets out
// of reach are an [Unreached] error that names the worst, and st is then at the nearest pose found;
// Options.Nearest makes that an answer. An [UnderdrivenError] names motions that nothing drives.
//
// # Follow a path
//
// A task with a [Path] has values of its targets over time. [Solver.Track] calls a function at each
// sample.
//
//	err := solver.Track(ctx, st, func(t float64, st *mechanism.State, r *ik.Result) error {
//		fmt.Println(t, r.Driven[0].Value)
//		return nil
//	})
//
// # Tasks as documents
//
// Package ik/taskfile reads and writes tasks as documents of rung-ik/1, which the command rung ik takes.
//
// # Users' methods
//
// [Solver.Set] brings a solver to a state. There [Solver.JacobianTo], [Solver.MulTo] and
// [Solver.MulTransTo] are the effective Jacobian, from rates of the driven freedoms to rates of the
// targets with all loops closed, and its products. Package ik/fik is feedback inverse kinematics for any
// Jacobian, without a mechanism.
//
// # Methods
//
// Damped least squares with limits and priorities (Options.Method [DLS], [inverse-kinematics.md (L1)]),
// feedback inverse kinematics ([FIKMethod], [inverse-kinematics.md (F1)]), a sparse method for whole
// mechanisms ([Sparse], [inverse-kinematics.md (S1)]), and older ones for comparison. [Auto] chooses.
// Restarts at random begin from Options.Seed, so that results repeat.
//
// Frame: targets are in the frame of a body or the world. Units: SI, radians.
//
// [inverse-kinematics.md (L1)]: https://github.com/rung-mbd/rung/blob/main/docs/inverse-kinematics.md#damped-least-squares
// [inverse-kinematics.md (F1)]: https://github.com/rung-mbd/rung/blob/main/docs/inverse-kinematics.md#feedback-inverse-kinematics
// [inverse-kinematics.md (S1)]: https://github.com/rung-mbd/rung/blob/main/docs/inverse-kinematics.md#the-sparse-method
package ik
