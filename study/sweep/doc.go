// Package sweep does the runs of a study from Go, as rung sweep does: one model with many values of its numbers, on any number of
// goroutines with equal bits ([docs/sweeps.md]).
//
//	s, err := sweep.Open("car.study.json")
//	results, err := s.Run(ctx, sweep.Options{Threads: 8})
//	fmt.Println(results[17].Outputs) // of run 17, in the order of the study
//
// A run that fails is a result with its error, and the others go on. Options.Index and Options.Of choose a share, for job arrays.
// A Store keeps results in parts while the sweep goes on; parts that it has are not computed again. Package [table] has a Store that
// writes the Parquet files of rung sweep.
//
// A study in Go, without a document, is a study.Study; New prepares it.
//
// [table]: https://pkg.go.dev/github.com/rung-mbd/rung/study/table
// [docs/sweeps.md]: https://github.com/rung-mbd/rung/blob/main/docs/sweeps.md
package sweep
