//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"runtime"

	"github.com/rung-mbd/rung/dist"
)

// early is a run in which the last rank ends before the others are done with it. They are to end, too, with what make
// test-mpi looks for.
func early(c dist.Comm, how string) error {
	const large = 1 << 20 // numbers: a message that MPI does not keep for who takes it later
	last := c.Size() - 1
	v := make([]float64, large)
	switch {
	case how == "unread" && c.Rank() < last:
		c.Send(last, v)
	case c.Rank() < last:
		c.Recv(last, v)
	case how == "goexit":
		runtime.Goexit()
	case how == "panic":
		panic("boom")
	case how == "error":
		return fmt.Errorf("bad luck")
	}
	return nil
}
