// Package search moves numbers of a model to where an objective is least, by the exact derivatives of package derive/objective: Fit
// meets data, by least squares, and Optimize anything else, within bounds and constraints.
//
//	p, err := objective.NewProblem(o, "objective.json", source)
//	r, err := search.Fit(ctx, p, search.Options{})
//	fmt.Println(r.Status, r.Parameters[0].Value, r.Parameters[0].Deviation)
//
// Both are functions of the document alone: the same one gives the same bits, and a search that goes on from the iterates of one that was
// stopped (Options.From) ends at the same bits.
//
// Cost: Fit takes for each iteration the runs of the objective once, with a derivative a stage for each parameter; Optimize takes for each
// evaluation a run and the way back. Both allocate.
//
// Errors: a *ProblemError for what the document does not allow a search to do; those of the objective at the start; that of a context.
// Steps to where the mechanism cannot be simulated are not taken.
//
// Units: those of the objective. The equations are (V10) to (V14) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#searches
package search
