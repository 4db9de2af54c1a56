// Package mpi has the processes of an MPI run as ranks of package dist. It is built with the tag mpi, and OpenMPI, or
// with the tags mpi and mpich, and MPICH; without them Available returns ErrNotBuilt. docs/cluster.md says how to
// build and start it.
package mpi

import "errors"

// ErrNotBuilt says that the program has no MPI.
var ErrNotBuilt = errors.New("dist/mpi: built without MPI; build with -tags mpi (and mumps), see docs/cluster.md")
