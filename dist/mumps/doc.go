// Package mumps has a dist.Root that is distributed: MUMPS factors the system of the rows between pieces on all
// processes of an MPI run, from shares that stay where they are. It is built with the tags mpi and mumps; without
// them NewRoot returns ErrNotBuilt. docs/cluster.md says how to build it.
//
// MUMPS adds numbers in the order in which messages arrive, so the last bits of results may differ from one solve to
// the next.
package mumps

import "errors"

// ErrNotBuilt says that the program has no MUMPS.
var ErrNotBuilt = errors.New("dist/mumps: built without MUMPS; build with -tags mpi,mumps, see docs/cluster.md")
