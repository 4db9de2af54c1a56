// Package ranks runs subcommands of rung on the ranks of a run: goroutines of this process, or the processes of mpirun
// (docs/cluster.md). Rank 0 alone prints.
package ranks
