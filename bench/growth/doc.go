// Package growth measures how the cost of the forward dynamics grows with a family of mechanisms, as rung bench does: the time and
// the memory of each method at each size, and the exponents that fit them.
//
//	doc, err := growth.Measure(ctx, []growth.Family{{Name: "girder", Model: girder, Sizes: []int{10, 20, 40}}}, growth.Options{
//		Methods: []string{"sparse", "tree-direct"}, // growth.Methods has all
//	})
//	for _, f := range doc.Fits {
//		fmt.Println(f.Family, f.Method, *f.Exponent) // time = c·bodies^exponent
//	}
//
// # Families
//
// A [Family] of your own is a function from n to a model. [Generated] makes one of package bench, and [Single] one of a model that
// does not grow.
//
// # What is measured
//
// An evaluation computes accelerations and multipliers from a state: it assembles the system, factors it, and solves it with
// refinement. Times are medians over repeated evaluations after a first one. The analysis is done once for a mechanism and timed
// separately. [Usage] tells whether other processes kept this one waiting for a processor, in which case the times are not to be
// trusted.
//
// [Fits] fits a power law to times, or to the work of a factorization, which is the same on every machine:
//
//	for _, f := range growth.Fits(doc.Records, growth.Flops) {
//		fmt.Println(f.Method, *f.Exponent)
//	}
//
// [Document.WriteJSON] writes what rung bench --json prints, and [Document.WriteCSV] its records as a table.
//
// # Costs and errors
//
// Measure spends at least Options.MinTime on each part of a record; Options.MaxTime leaves out sizes that would take long. It takes
// the memory of the largest mechanism. It ends at the first size that cannot be measured, with a [*SizeError], unless
// Options.OnMissing is set.
package growth
