// Package replay reads recorded trajectories row by row, in any order, without loading them whole.
//
// A [Source] is a table of numbers in a file; this package has the Source of CSV files, sim/parquet the Source of Parquet files. A
// [Replay] gives the states of a mechanism at its rows.
//
//	table, err := replay.NewCSV(ctx, file, size, "run.csv")
//	r, err := replay.New(mech, table)
//	err = r.StateTo(st, r.RowAt(0.5)) // the row before 0.5 s
//
// A [Scanner] reads the rows of a CSV trajectory in their order, from any reader, with memory for one row:
//
//	rows, err := replay.NewScanner(os.Stdin, "standard input") // rung simulate four-bar.json --until 10 | program
//	for rows.Scan() {
//		fmt.Println(rows.Row()[0]) // s
//	}
//	err = rows.Err()
package replay
