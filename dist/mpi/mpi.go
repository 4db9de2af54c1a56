//go:build mpi && cgo

package mpi

/*
#include <mpi.h>

// Some of MPI's names are macros, which cgo does not see.
static int begin(int *given) { return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, given); }
static int funneled(void) { return MPI_THREAD_FUNNELED; }

// Numbers have tag 7. The last message from a rank to each other one has tag 8 and nothing in it.
static MPI_Comm ranks;
static int apart(void) { return MPI_Comm_dup(MPI_COMM_WORLD, &ranks); }
static int rankOf(void) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); return r; }
static int sizeOf(void) { int n; MPI_Comm_size(MPI_COMM_WORLD, &n); return n; }
static int sendTo(const double *v, int n, int to) { return MPI_Send(v, n, MPI_DOUBLE, to, 7, ranks); }
static int recvFrom(double *v, int n, int from, int *got, int *last) {
	MPI_Status s;
	int e = MPI_Recv(v, n, MPI_DOUBLE, from, MPI_ANY_TAG, ranks, &s);
	if (e == MPI_SUCCESS) e = MPI_Get_count(&s, MPI_DOUBLE, got);
	*last = s.MPI_TAG == 8;
	return e;
}

// Says to a rank that nothing more comes. It does not wait for that rank.
static int sayLast(int to) {
	MPI_Request r;
	int e = MPI_Isend(NULL, 0, MPI_DOUBLE, to, 8, ranks, &r);
	return e == MPI_SUCCESS ? MPI_Request_free(&r) : e;
}
// Takes the last message of some rank. Of a rank that sends numbers it takes nothing; unread is that rank then, else -1.
static int hearLast(int *unread) {
	MPI_Status s;
	int e = MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks, &s);
	*unread = -1;
	if (e == MPI_SUCCESS && s.MPI_TAG != 8) *unread = s.MPI_SOURCE;
	else if (e == MPI_SUCCESS) e = MPI_Recv(NULL, 0, MPI_DOUBLE, s.MPI_SOURCE, 8, ranks, MPI_STATUS_IGNORE);
	return e;
}
static void stop(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
static int end(void) { return MPI_Finalize(); }
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/rung-mbd/rung/dist"
)

// MPI has to be called from the thread that has initialized it, which is the main one.
func init() { runtime.LockOSThread() }

// Available returns nil, as this program has MPI.
func Available() error { return nil }

// most is the largest number of values of one message; longer ones are sent in parts.
const most = 1 << 28

// Run begins MPI, calls rank with the processes of the run, and ends MPI. It has to be called once, from the main
// goroutine, and rank stays on it.
//
// If rank returns an error or panics, the process writes it to standard error and ends the run by MPI_Abort, with status 1 for an error
// and 2 for a panic. The status is also 2 if rank is ended by runtime.Goexit, and if it returns while another rank waits for its numbers
// or has sent it numbers that it has not taken. For the error of another rank (dist.RankError) the process first waits for that rank to
// end the run. If a process is killed, mpirun ends the others.
func Run(rank func(dist.Comm) error) error {
	var given C.int
	if e := C.begin(&given); e != 0 || given < C.funneled() {
		return fmt.Errorf("dist/mpi: MPI does not begin (code %d, threads %d)", int(e), int(given))
	}
	if e := C.apart(); e != 0 {
		return fmt.Errorf("dist/mpi: MPI has no communicator (code %d)", int(e))
	}
	c := &comm{rank: int(C.rankOf()), size: int(C.sizeOf())}
	returned := false
	defer func() {
		if x := recover(); x != nil {
			fmt.Fprintf(os.Stderr, "dist/mpi: rank %d: panic: %v\n%s", c.rank, x, debug.Stack())
			C.stop(2)
		} else if !returned {
			fmt.Fprintf(os.Stderr, "dist/mpi: rank %d: ended by runtime.Goexit\n", c.rank)
			C.stop(2)
		}
	}()
	err := rank(c)
	returned = true
	if err != nil {
		var other *dist.RankError
		if errors.As(err, &other) {
			time.Sleep(patience) // the other rank ends the run
		}
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", c.rank, err)
		C.stop(1)
	}
	c.leave()
	if e := C.end(); e != 0 {
		return fmt.Errorf("dist/mpi: MPI does not end (code %d)", int(e))
	}
	return nil
}

// patience is the time that a rank waits for the rank that has an error to end the run.
const patience = 3 * time.Second

// comm is a process of the run as a dist.Comm.
type comm struct{ rank, size int }

func (c *comm) Rank() int { return c.rank }
func (c *comm) Size() int { return c.size }

// mustBe panics unless other is another rank.
func (c *comm) mustBe(other int) {
	if other < 0 || other >= c.size || other == c.rank {
		panic("dist/mpi: not another rank of the run")
	}
}

// leave tells all other ranks that this one sends no more, and waits until they have said the same. If one of them has sent numbers that
// this rank has not received, leave ends the run with status 2.
func (c *comm) leave() {
	for r := range c.size {
		if r == c.rank {
			continue
		}
		if e := C.sayLast(C.int(r)); e != 0 {
			c.lost("send to", r, int(e))
		}
	}
	for range c.size - 1 {
		var unread C.int
		if e := C.hearLast(&unread); e != 0 {
			c.lost("part from", c.rank, int(e))
		}
		if unread >= 0 {
			fmt.Fprintf(os.Stderr, "dist/mpi: rank %d has ended and has not taken what rank %d has sent it\n", c.rank, int(unread))
			C.stop(2)
		}
	}
}

// Send implements dist.Comm. It sends messages of most numbers, and a last one with fewer numbers, perhaps none.
func (c *comm) Send(to int, v []float64) {
	c.mustBe(to)
	for {
		n := min(len(v), most)
		var p *C.double
		if n > 0 {
			p = (*C.double)(&v[0])
		}
		if e := C.sendTo(p, C.int(n), C.int(to)); e != 0 {
			c.lost("send to", to, int(e))
		}
		if v = v[n:]; n < most {
			return
		}
	}
}

// Recv implements dist.Comm. It ends the whole run if the other rank has ended, and panics if the other rank has sent another number of
// numbers.
func (c *comm) Recv(from int, v []float64) {
	c.mustBe(from)
	for {
		n := min(len(v), most)
		var p *C.double
		if n > 0 {
			p = (*C.double)(&v[0])
		}
		var got, last C.int
		if e := C.recvFrom(p, C.int(n), C.int(from), &got, &last); e != 0 {
			c.lost("receive from", from, int(e))
		}
		if last != 0 {
			fmt.Fprintf(os.Stderr, "dist/mpi: rank %d waits for rank %d, which has ended\n", c.rank, from)
			C.stop(2)
		}
		if int(got) != n {
			panic(fmt.Sprintf("%d numbers from rank %d where %d were expected", int(got), from, n))
		}
		if v = v[n:]; n < most {
			return
		}
	}
}

// lost writes the failed call of MPI with its error code, and ends the run with status 3.
func (c *comm) lost(what string, other, code int) {
	fmt.Fprintf(os.Stderr, "dist/mpi: rank %d cannot %s rank %d (code %d)\n", c.rank, what, other, code)
	C.stop(3)
}
