//go:build mpi && mumps && cgo

package mumps

/*
#cgo LDFLAGS: -ldmumps
#include <stdlib.h>
#include <string.h>
#include <dmumps_c.h>

// MUMPS numbers its controls and results from 1.
static void set(DMUMPS_STRUC_C *id, int i, int v) { id->icntl[i-1] = v; }
static void setReal(DMUMPS_STRUC_C *id, int i, double v) { id->cntl[i-1] = v; }
static int info(DMUMPS_STRUC_C *id, int i) { return id->infog[i-1]; }
static int nullPivot(DMUMPS_STRUC_C *id, int i) { return id->pivnul_list[i]; }
static void call(DMUMPS_STRUC_C *id, int job) { id->job = job; dmumps_c(id); }

static DMUMPS_STRUC_C *begin(int comm) {
	DMUMPS_STRUC_C *id = calloc(1, sizeof *id);
	if (!id) return NULL;
	id->par = 1;
	id->sym = 2;
	id->comm_fortran = comm;
	call(id, -1);
	return id;
}
*/
import "C"

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/dist/mpi"
	"github.com/rung-mbd/rung/factor"
)

// Available returns nil, as this program has MUMPS.
func Available() error { return nil }

// Controls of MUMPS, by the numbers of its manual.
const (
	errorStream, diagnostics, globalInfo, printLevel = 1, 2, 3, 4 // ICNTL: where it prints, −1: nowhere; how much, 0: nothing

	orderOf     = 7  // 1: PERM_IN
	moreMemory  = 14 // percent
	inParallel  = 13 // 1: no ScaLAPACK, which does not look for null pivots
	distributed = 18 // 3: entries are where they are
	scaling     = 8  // 0: none, as rows are scaled already
	matching    = 6  // 0: none
	nullPivots  = 24 // 1: found
	pairs       = 12 // 1: no 2×2 pivots chosen in advance
	lowRank     = 35 // 2: blocks off the diagonal are compressed, as they are factored and in solves

	threshold = 1 // CNTL: of pivots; with 0 MUMPS 5.5 does not look for null rows
	nullSize  = 3 // negative: the size of a row that is null
	nullFix   = 5 // 0: the pivot of a null row is 1
	dropped   = 7 // of blocks that are compressed

	numNull = 28 // INFOG
)

// leastPivot is the size of a pivot, relative to the largest other entry in its row, below which MUMPS postpones it. The
// system is semidefinite with a diagonal of at most 1, so the other entries in the row of a pivot d are at most √d. Hence
// only null pivots, below 1e-12, are postponed. Semidefinite systems need no pivoting. If rows nearly depend on each
// other, pivoting is even harmful: postponed pivots become as small as the least eigenvalues, and count as null.
const leastPivot = 1e-7

// attempts is the largest number of factorizations of a matrix, each with more memory than the one before.
const attempts = 6

// NewRoot is Options.NewRoot for the zero Options.
func NewRoot(c dist.Comm, h *dist.Held) (dist.Root, error) { return Options{}.NewRoot(c, h) }

// NewRoot returns a Root that all processes of the run share. It is a dist.RootMaker; c is the argument that mpi.Run passes.
//
// Rows are scaled to a unit diagonal, and eliminated in the order of Held.Order. Under factor.WhereWeak a row whose pivot is
// at most 1e3·eps counts as redundant, and its multiplier is the rest of its right side, as in package
// factor.
//
// It returns an error that wraps ErrOption, or one with the code of MUMPS, for example for lack of memory.
func (o Options) NewRoot(c dist.Comm, h *dist.Held) (dist.Root, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &root{comm: c, held: h}
	if h.Size == 0 {
		return r, nil
	}
	r.id = C.begin(C.int(mpi.Fortran()))
	if r.id == nil || C.info(r.id, 1) < 0 {
		return nil, fmt.Errorf("dist/mumps: MUMPS does not begin (%d)", r.code())
	}
	r.share()
	o.control(r.id)
	r.scale = make([]float64, len(h.Rows))
	if c.Rank() == 0 {
		perm := cArray[C.MUMPS_INT](h.Size)
		for i := range perm {
			perm[i] = C.MUMPS_INT(h.Size - i)
		}
		r.rhs, r.all = cArray[float64](h.Size), make([]float64, h.Size)
		r.id.perm_in, r.id.rhs = unsafe.SliceData(perm), (*C.DMUMPS_REAL)(unsafe.SliceData(r.rhs))
		r.free = append(r.free, unsafe.Pointer(unsafe.SliceData(perm)), unsafe.Pointer(unsafe.SliceData(r.rhs)))
	}
	if C.call(r.id, 1); r.code() < 0 {
		return nil, fmt.Errorf("dist/mumps: analysis fails (INFOG %d, %d)", r.code(), int(C.info(r.id, 2)))
	}
	return r, nil
}

// share gives MUMPS the places of the entries of the share, the lower triangle column by column, and the memory of their values.
func (r *root) share() {
	h := r.held
	n := len(h.Rows)
	k := factor.ShareSize(n)
	r.entries = cArray[float64](k)
	row, col := cArray[C.MUMPS_INT](k), cArray[C.MUMPS_INT](k)
	r.free = []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(r.entries)), unsafe.Pointer(unsafe.SliceData(row)), unsafe.Pointer(unsafe.SliceData(col))}
	r.number = numbers(r.comm, h)
	at := 0
	for j := range n {
		for i := j; i < n; i++ {
			a, b := r.number[h.Rows[i]], r.number[h.Rows[j]]
			row[at], col[at] = C.MUMPS_INT(max(a, b)), C.MUMPS_INT(min(a, b))
			at++
		}
	}
	id := r.id
	id.n, id.nnz_loc = C.MUMPS_INT(h.Size), C.MUMPS_INT8(k)
	id.irn_loc, id.jcn_loc, id.a_loc = unsafe.SliceData(row), unsafe.SliceData(col), (*C.DMUMPS_REAL)(unsafe.SliceData(r.entries))
}

// control sets the controls of MUMPS that stay the same for all values. The comments of the controls tell the meaning of these settings.
func (o Options) control(id *C.DMUMPS_STRUC_C) {
	for _, i := range [...]C.int{errorStream, diagnostics, globalInfo} {
		C.set(id, i, -1)
	}
	C.set(id, printLevel, 0)
	C.set(id, distributed, 3)
	C.set(id, scaling, 0)
	C.set(id, matching, 0)
	C.set(id, pairs, 1)
	C.set(id, inParallel, 1)
	C.set(id, moreMemory, 50)
	C.set(id, orderOf, 1)
	C.setReal(id, threshold, leastPivot)
	C.setReal(id, nullFix, 0)
	if o.LowRank > 0 {
		C.set(id, lowRank, 2)
		C.setReal(id, dropped, C.double(o.LowRank))
	}
}

// root is the part of one process.
type root struct {
	comm    dist.Comm
	held    *dist.Held
	id      *C.DMUMPS_STRUC_C // nil if no row is held
	number  []int             // by row of the root: that of MUMPS
	entries []float64         // of the share
	scale   []float64         // 1/√d by row of the share, with d the scale of the row
	rhs     []float64         // right side and solution, on rank 0
	all     []float64         // 1/√d by row of the root, on rank 0
	free    []unsafe.Pointer  // memory of C, for Close
}

// numbers returns a number of MUMPS for each row of the root, from 1 on; the row that is eliminated first has the largest number.
// Within a front MUMPS eliminates rows from the largest number down, whatever order it is given. So rows are eliminated in
// the order of package factor also within fronts, except in fronts that MUMPS has merged. In the opposite order the last
// pivots of a nearly singular system would be as small as its least eigenvalues.
func numbers(c dist.Comm, h *dist.Held) []int {
	list := make([]float64, h.Size) // of rows, in elimination order
	if c.Rank() > 0 {
		c.Recv(0, list)
	} else {
		for k, i := range h.Order {
			list[k] = float64(i)
		}
		for other := 1; other < c.Size(); other++ {
			c.Send(other, list)
		}
	}
	number := make([]int, h.Size)
	for k, i := range list {
		number[int(i)] = h.Size - k
	}
	return number
}

// cArray allocates n zeros in memory of C, room for one at least, and returns them as a slice.
func cArray[T any](n int) []T {
	var x T
	return unsafe.Slice((*T)(C.calloc(C.size_t(max(n, 1)), C.size_t(unsafe.Sizeof(x)))), max(n, 1))[:n]
}

// code returns the error code of MUMPS, INFOG(1): negative after a failure.
func (r *root) code() int { return int(C.info(r.id, 1)) }

// Factorize implements dist.Root.
func (r *root) Factorize(share, own, scale []float64, eps float64, policy factor.Policy) (factor.Tally, error) {
	if r.id == nil {
		return factor.Tally{}, nil
	}
	for i, d := range own {
		r.scale[i] = inverseRoot(d)
	}
	for i, d := range scale {
		r.all[i] = inverseRoot(d)
	}
	n, at := len(own), 0
	for j := range n {
		for i := j; i < n; i++ {
			r.entries[at] = -share[at] * r.scale[i] * r.scale[j]
			if i == j && policy == factor.Everywhere {
				r.entries[at] += eps / 2 // a row is held by two ranks
			}
			at++
		}
	}
	null := 0
	if policy == factor.WhereWeak {
		null = 1
	}
	C.set(r.id, nullPivots, C.int(null))
	C.setReal(r.id, nullSize, C.double(-factor.WeakPivot*eps))
	more := 50
	for range attempts {
		C.call(r.id, 2)
		if c := r.code(); c != -8 && c != -9 {
			break
		}
		more *= 2
		C.set(r.id, moreMemory, C.int(more))
	}
	var t factor.Tally
	if c := r.code(); c < 0 {
		return t, fmt.Errorf("dist/mumps: factorization fails (INFOG %d, %d)", c, int(C.info(r.id, 2)))
	}
	if policy == factor.WhereWeak {
		t.Weak = int(C.info(r.id, numNull))
	}
	return t, nil // a pivot that rounding has made negative shows in the residuals
}

// inverseRoot returns 1/√d, or 1 if d is not positive because a piece has failed; the result is not used then.
func inverseRoot(d float64) float64 {
	if !(d > 0) {
		return 1
	}
	return 1 / math.Sqrt(d)
}

// SolveTo implements dist.Root.
func (r *root) SolveTo(x, b []float64) error {
	if r.id == nil {
		return nil
	}
	for i, v := range b {
		r.rhs[r.number[i]-1] = -v * r.all[i]
	}
	r.id.nrhs, r.id.lrhs = 1, r.id.n
	if C.call(r.id, 3); r.code() < 0 {
		return fmt.Errorf("dist/mumps: solve fails (INFOG %d, %d)", r.code(), int(C.info(r.id, 2)))
	}
	for i := range x {
		x[i] = r.rhs[r.number[i]-1] * r.all[i]
	}
	return nil
}

// PivotsTo implements dist.Root. It returns false, as MUMPS leaves its pivots on the processes.
func (r *root) PivotsTo([]float64) bool { return false }

// WeakRows implements dist.Root.
func (r *root) WeakRows(visit func(row int)) bool {
	if r.id == nil {
		return true
	}
	rows := make([]int, int(C.info(r.id, numNull)))
	for i := range rows {
		rows[i] = int(r.held.Order[r.held.Size-int(C.nullPivot(r.id, C.int(i)))])
	}
	slices.Sort(rows)
	for _, i := range rows {
		visit(i)
	}
	return true
}

// Close implements dist.Root.
func (r *root) Close() error {
	if r.id == nil {
		return nil
	}
	C.call(r.id, -2)
	code := r.code()
	C.free(unsafe.Pointer(r.id))
	for _, p := range r.free {
		C.free(p)
	}
	r.id, r.free = nil, nil
	if code < 0 {
		return fmt.Errorf("dist/mumps: MUMPS does not end (INFOG %d)", code)
	}
	return nil
}
