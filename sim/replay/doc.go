// Package replay reads recorded trajectories row by row, in any order, without loading them whole.
//
// A [Source] is a table of numbers in a file; the one of CSV files is here, that of Parquet files in sim/parquet. A
// [Replay] gives the states of a mechanism at its rows.
//
//	table, err := replay.NewCSV(ctx, file, size, "run.csv")
//	r, err := replay.New(mech, table)
//	err = r.StateTo(st, r.RowAt(0.5)) // the row before 0.5 s
package replay
