// Package mumps has a dist.Root that is distributed: MUMPS factors the system of the rows between pieces on all
// processes of an MPI run, from shares that stay where they are. It is built with the tags mpi and mumps; without
// them [NewRoot] returns [ErrNotBuilt]. [docs/cluster.md] says how to build it.
//
//	o := dist.Options{Root: mumps.Options{LowRank: 1e-10}.NewRoot}
//	err := mpi.Run(func(c dist.Comm) error { return rank(c, o) })
//
// MUMPS adds numbers in the order in which messages arrive, so the last bits of results may differ from one solve to
// the next.
//
// [docs/cluster.md]: https://github.com/rung-mbd/rung/blob/main/docs/cluster.md
package mumps

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
)

// ErrNotBuilt is the error of a program that was built without MUMPS.
var ErrNotBuilt = errors.New("dist/mumps: built without MUMPS; build with -tags mpi,mumps, see docs/cluster.md")

// ErrOption is wrapped by errors about Options.
var ErrOption = errors.New("dist/mumps: option out of range")

// Options are settings of MUMPS. Their NewRoot is a dist.RootMaker.
type Options struct {
	// LowRank lets MUMPS approximate blocks off the diagonal by low rank (block low rank, Amestoy et al. 2015). It is the largest
	// change of a block, with rows scaled to a unit diagonal; 0 keeps blocks whole. It saves memory and work
	// on separators of many thousands of rows. The factor is then not exact. Up to some 1e-6 refinement compensates for that, with one
	// or a few more corrections an evaluation.
	LowRank float64
}

// check returns an error that wraps ErrOption if a number is out of range.
func (o Options) check() error {
	if !(o.LowRank >= 0 && o.LowRank < 1) {
		return fault.Errorf("%w: LowRank %v", ErrOption, o.LowRank)
	}
	return nil
}
