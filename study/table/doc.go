// Package table writes the tables of a sweep as Parquet files: in parts while the sweep goes on, each a Parquet file
// itself, and joined at its end. The file depends on the rows alone, not on when parts were written.
package table
