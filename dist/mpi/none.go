//go:build !mpi || !cgo

package mpi

import "github.com/rung-mbd/rung/dist"

// Available returns ErrNotBuilt, as this program has no MPI.
func Available() error { return ErrNotBuilt }

// Run returns ErrNotBuilt.
func Run(func(dist.Comm) error) error { return ErrNotBuilt }
