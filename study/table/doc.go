// Package table writes the tables of a sweep as Parquet files: in parts while the sweep goes on, each a Parquet file
// itself, and joined at its end. Tables and parts are sealed, so that one of which a byte has changed is named. The file
// depends on the rows alone, not on when parts were written.
package table
