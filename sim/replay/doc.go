// Package replay reads recorded trajectories row by row, in any order, without loading them whole.
//
// A Source is a table of numbers in a file; the one of CSV files is here, that of Parquet files in sim/parquet. A
// Replay gives the states of a mechanism at its rows.
package replay
