//go:build mpi && !mpich && cgo

package mpi

// #cgo pkg-config: ompi-c
import "C"
