//go:build mpi && mpich && cgo

package mpi

// #cgo pkg-config: mpich
import "C"
