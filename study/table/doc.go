// Package table writes the tables of a sweep as Parquet files: in parts while the sweep goes on, each a Parquet file
// itself, and joined at its end. Tables and parts are sealed, so that one of which a byte has changed is named. The file
// depends on the rows alone, not on when parts were written.
//
//	t, err := table.New("runs.parquet", "example/1", sum, columns)
//	err = t.Write(0, rows) // parts in any order, from any goroutine
//	err = t.Join(1, func() {})
//	err = t.Release()
package table
