// Package search minimizes objectives over numbers of a model by the exact derivatives of package derive/objective: Fit fits data by least
// squares within bounds, and Optimize minimizes any objective within bounds and constraints.
//
//	p, err := objective.NewProblem(o, "objective.json", source)
//	r, err := search.Fit(ctx, p, search.Options{})
//	fmt.Println(r.Status, r.Parameters[0].Value, r.Parameters[0].Deviation)
//
// Results depend on the document only: the same document has the same bits, and a search that continues a stopped one (Options.From,
// OptimizeOptions.Evaluations) ends with the same bits.
//
// Cost: for each iteration Fit takes the runs of the objective once, with a derivative a stage for each parameter. For each evaluation
// Optimize takes a run and the way back. Both allocate.
//
// Errors: a *ProblemError for a document that does not allow the search, the errors of the objective at the start, and the error of a
// context. A step to parameters with which the mechanism cannot be simulated is not taken.
//
// Units: as in the objective. The equations are (V10) to (V14) of [docs/theory.md].
//
// [docs/theory.md]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#searches
package search
