// Package mpi has the processes of an MPI run as ranks of package dist. It is built with the tag mpi, and OpenMPI, or
// with the tags mpi and mpich, and MPICH; without them [Available] returns [ErrNotBuilt]. [docs/cluster.md] says how to
// build and start it.
//
//	if err := mpi.Available(); err != nil {
//		return err
//	}
//	err := mpi.Run(func(c dist.Comm) error { return rank(c) }) // from main, on all processes
//
// [Run] is like dist.Run. An error of a rank is written by that rank and ends the run; Run itself returns errors of MPI.
//
// [docs/cluster.md]: https://github.com/rung-mbd/rung/blob/main/docs/cluster.md
package mpi

import "errors"

// ErrNotBuilt is the error of a program that was built without MPI.
var ErrNotBuilt = errors.New("dist/mpi: built without MPI; build with -tags mpi (and mumps), see docs/cluster.md")
