// Package table keeps the runs of a sweep in Parquet files, as rung sweep does: the same bytes, in parts while the sweep
// goes on, and joined at its end ([docs/sweeps.md]).
//
//	s, err := sweep.Open("car.study.json")
//	counts, err := table.Run(ctx, s, table.Options{Runs: "runs.parquet", Trajectories: "paths.parquet", Threads: 8, Resume: true})
//
// With Resume, Run computes only the parts that a stopped or killed program has not written, and so does rung sweep --resume.
// [Options] has functions for progress, and for warnings of parts that are damaged. A failed run is a row with its reason.
//
// [Read] reads a table by its columns:
//
//	columns := []table.Column{{Name: study.RunColumn, Kind: table.Int}, {Name: "height", Kind: table.Float}}
//	err = table.Read("runs.parquet", study.RunsFormat, columns, func(cells []table.Cell) error {
//		fmt.Println(cells[0].Int, cells[1].Float)
//		return nil
//	})
//
// Tables and parts are sealed: a file of which a byte has changed is refused, by its name. This is a package of its own so that sweeps
// without files need no library of the format.
//
// [docs/sweeps.md]: https://github.com/rung-mbd/rung/blob/main/docs/sweeps.md
package table
