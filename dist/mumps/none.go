//go:build !mpi || !mumps || !cgo

package mumps

import "github.com/rung-mbd/rung/dist"

// Available returns ErrNotBuilt, as this program has no MUMPS.
func Available() error { return ErrNotBuilt }

// NewRoot returns ErrNotBuilt.
func NewRoot(dist.Comm, *dist.Held) (dist.Root, error) { return nil, ErrNotBuilt }

// NewRoot returns ErrOption as with MUMPS, and ErrNotBuilt for options that are in range.
func (o Options) NewRoot(dist.Comm, *dist.Held) (dist.Root, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return nil, ErrNotBuilt
}
