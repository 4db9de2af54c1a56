//go:build !mpi || !mumps || !cgo

package mumps

import "github.com/rung-mbd/rung/dist"

// Available returns ErrNotBuilt, as this program has no MUMPS.
func Available() error { return ErrNotBuilt }

// NewRoot returns ErrNotBuilt.
func NewRoot(dist.Comm, *dist.Held) (dist.Root, error) { return nil, ErrNotBuilt }

// NewRoot returns ErrNotBuilt.
func (Options) NewRoot(dist.Comm, *dist.Held) (dist.Root, error) { return nil, ErrNotBuilt }
