//go:build mpi && cgo

package mpi

/*
#include <mpi.h>
static int fortran(void) { return (int)MPI_Comm_c2f(MPI_COMM_WORLD); }
*/
import "C"

// Fortran returns the Fortran handle of the communicator of all processes, for libraries that take it.
func Fortran() int { return int(C.fortran()) }
