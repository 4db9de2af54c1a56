// Package objective computes objectives and their gradients by numbers of the model: functions of one state, of an equilibrium, of the
// modes about it, or of a run, as documents of rung-objective/1 define them.
//
//	o, err := objective.Read(file, "objective.json")
//	g, err := objective.NewProblem(o, "objective.json", objective.Source{Text: text, Name: o.Model})
//	r, err := g.Gradient(ctx)
//	fmt.Println(r.Value, r.Parameters[0].Gradient)
//
// A term is weight·(value − target)^power. The value is a column of a trajectory (rung simulate --list-columns) at the state, at the end of
// a run, or integrated over the run. Gradients are total: the start of a run follows a parameter as rung assemble closes the changed model,
// and so does an equilibrium.
//
// Cost: see Problem.Gradient. Errors: a *model.Problems with everything that is wrong with a document, each with its place; errors of
// derive for parts without derivative, with the name of a joint; ErrNotDifferentiable.
//
// Frame: world axes. Units: as the columns and the numbers in the model. The equations are (V1) to (V7) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#gradients-of-runs
package objective
