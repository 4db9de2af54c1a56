package main

/*
#include "door.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/door/fmu"
)

func main() {}

// version is kept for the life of the process, as callers have its address.
var version = C.CString(rung.Version())

// go_version implements rung_version (rung.h): it returns the version of the library.
//
//export go_version
func go_version() *C.char { return version }

// refuse returns an error of this file with a status.
func refuse(s door.Status, format string, args ...any) error {
	return &door.Error{Status: s, Err: fmt.Errorf(format, args...)}
}

// guarded runs f, and turns an error or a panic into a status and the error of this thread (say). A panic must not reach C,
// where it would end the process.
func guarded(f func() error) (status C.int32_t) {
	defer func() {
		if r := recover(); r != nil {
			status = say(bug(r))
		}
	}()
	if err := f(); err != nil {
		return say(err)
	}
	return C.RUNG_OK
}

// bug returns the error for a panic, with the stack.
func bug(r any) error { return refuse(door.Bug, "bug: %v\n%s", r, debug.Stack()) }

// say stores an error as the last one of this thread, for rung_error, and returns its status. Invalid UTF-8, as from names of files, is
// replaced.
func say(err error) C.int32_t {
	text, details := strings.ToValidUTF8(err.Error(), "\uFFFD"), door.Details(err)
	if text == "" {
		text = "?"
	}
	C.rung_say((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(details))), C.size_t(len(details)))
	return C.int32_t(door.StatusOf(err))
}

// object is the object of a handle.
type object struct {
	value any
	inUse atomic.Bool // a thread uses an object that belongs to one thread at a time
	bad   bool        // a panic has left it half changed; guarded by inUse

	mu      sync.Mutex      // guards the fields below
	ctx     context.Context // of the present calls; nil: the next call makes one
	end     context.CancelCauseFunc
	calls   int  // number of present calls
	more    bool // the last call has returned with the status More
	stopped bool // the next call ends at once
}

// objects has the objects of all handles; last is the last handle. No handle is used twice.
var (
	objects sync.Map // uint64 → *object
	last    atomic.Uint64
)

// keep makes a handle for a value and stores it.
func keep(to *C.rung_handle, value any) error {
	h := last.Add(1)
	objects.Store(h, &object{value: value})
	*to = C.rung_handle(h)
	return nil
}

// find returns the object of a handle.
func find(h C.rung_handle) (*object, error) {
	x, there := objects.Load(uint64(h))
	if !there {
		return nil, refuse(door.Handle, "no such handle: %d", uint64(h))
	}
	return x.(*object), nil
}

// shared returns the object of a handle and its value, without marking it as in use. It returns an error with the status Handle if the
// value is not a T.
func shared[T any](h C.rung_handle) (o *object, v T, err error) {
	if o, err = find(h); err != nil {
		return nil, v, err
	}
	v, fits := o.value.(T)
	if !fits {
		return nil, v, refuse(door.Handle, "handle %d is a %s, and has to be a %s", uint64(h), kind(o.value), kind(any(v)))
	}
	return o, v, nil
}

// kind names a kind of object.
func kind(v any) string {
	switch v.(type) {
	case *door.Model:
		return "plan"
	case *door.Solver:
		return "solver"
	case *door.Run:
		return "run"
	case *door.Batch:
		return "batch"
	case *fmu.Unit:
		return "unit"
	}
	return "solver or a run" // settable
}

// use runs f on the value of a handle that one thread may use at a time, and returns the status.
func use[T any](h C.rung_handle, f func(o *object, v T) error) (status C.int32_t) {
	o, v, err := enter[T](h)
	if err != nil {
		return say(err)
	}
	defer o.done(&status)
	if err := f(o, v); err != nil {
		return say(err)
	}
	return C.RUNG_OK
}

// enter marks the object of a handle as in use and returns it with its value. The caller must defer done. It returns an error with the
// status Busy if another thread uses it.
func enter[T any](h C.rung_handle) (o *object, v T, err error) {
	if o, v, err = shared[T](h); err != nil {
		return nil, v, err
	}
	if !o.inUse.CompareAndSwap(false, true) {
		return nil, v, refuse(door.Busy, "handle %d is in use by another thread", uint64(h))
	}
	if o.bad {
		o.inUse.Store(false)
		return nil, v, refuse(door.Bug, "handle %d is left from a call that ended with a bug: free it", uint64(h))
	}
	return o, v, nil
}

// done must be deferred after enter. It turns a panic into a status, and marks the object as not in use.
func (o *object) done(status *C.int32_t) {
	if r := recover(); r != nil {
		o.bad = true
		*status = say(bug(r))
	}
	o.inUse.Store(false)
}

// during runs f with a context that stop ends.
func (o *object) during(f func(ctx context.Context) error) error {
	ctx, err := o.begin()
	if err != nil {
		return err
	}
	defer func() { o.leave(ctx, door.StatusOf(err) == door.More) }()
	err = f(ctx)
	return err
}

// begin counts a call and returns its context, or ErrStopped if the call has been stopped before it began.
func (o *object) begin() (context.Context, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped { // a stop ends one call only
		o.stopped, o.more = false, false
		return nil, &door.Error{Status: door.Stopped, Err: door.ErrStopped}
	}
	if o.ctx == nil {
		o.ctx, o.end = context.WithCancelCause(context.Background())
	}
	o.calls++
	return o.ctx, nil
}

// leave ends a call with the given context. more says that the caller will continue it by another call. If the
// call has been stopped but returned before it noticed, that other call is stopped instead.
func (o *object) leave(ctx context.Context, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls--
	o.more = more
	o.stopped = o.stopped || more && ctx.Err() != nil
}

// stop ends the present calls. If there is none, but the last one is to be continued by another call, that call
// ends at once. Calls that begin later have a context of their own.
func (o *object) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.calls > 0 && o.end == nil: // an earlier stop has ended their context
	case o.calls > 0:
		o.end(door.ErrStopped)
		o.ctx, o.end = nil, nil
	case o.more:
		o.stopped = true
	}
}

// go_free implements rung_free (rung.h): it frees a handle and ends the calls on its object; 0 is allowed.
//
//export go_free
func go_free(h C.rung_handle) C.int32_t {
	return guarded(func() error {
		if h == 0 {
			return nil
		}
		x, there := objects.LoadAndDelete(uint64(h))
		if !there {
			return refuse(door.Handle, "no such handle: %d", uint64(h))
		}
		x.(*object).stop()
		return nil
	})
}

// go_stop implements rung_stop (rung.h): it ends the calls on an object that are under way, from any thread.
//
//export go_stop
func go_stop(h C.rung_handle) C.int32_t {
	return guarded(func() error {
		o, err := find(h)
		if err != nil {
			return err
		}
		o.stop()
		return nil
	})
}

// told is done once the number of threads has been set, by the caller or by makeRoom.
var told sync.Once

// makeRoom gives the runtime one thread more than there are processors, unless the number has been set. Then rung_stop does not have to
// wait while a batch computes on all processors.
func makeRoom() {
	told.Do(func() {
		if os.Getenv("GOMAXPROCS") == "" {
			runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
		}
	})
}

// go_threads implements rung_threads (rung.h): it bounds the threads that compute at once.
//
//export go_threads
func go_threads(n C.int64_t) C.int32_t {
	return guarded(func() error {
		if n < 1 || n > 1<<16 {
			return refuse(door.Input, "%d threads", int64(n))
		}
		told.Do(func() {})
		runtime.GOMAXPROCS(int(n))
		return nil
	})
}

// go_nothing implements rung_nothing (rung.h): it does nothing, so that the cost of a call can be measured.
//
//export go_nothing
func go_nothing() C.int32_t { return C.RUNG_OK }

// mostNumbers is an upper bound for the length of an array; no caller has a longer one.
const mostNumbers = 1 << 44

// mostBytes is the largest size of a text.
const mostBytes = 1 << 31

// floats returns an array of the caller, which is valid during the call.
func floats(p *C.double, n C.size_t) ([]float64, error) {
	switch {
	case n > mostNumbers:
		return nil, refuse(door.Size, "an array of %d numbers", uint64(n))
	case p == nil && n > 0:
		return nil, refuse(door.Input, "no array of %d numbers", uint64(n))
	case uintptr(unsafe.Pointer(p))%8 != 0:
		return nil, refuse(door.Input, "an array of numbers whose address is no multiple of 8")
	}
	return unsafe.Slice((*float64)(p), int(n)), nil
}

// perhaps is floats for an array that may be left out: it returns nil for a null pointer with the length 0.
func perhaps(p *C.double, n C.size_t) ([]float64, error) {
	if p == nil && n == 0 {
		return nil, nil
	}
	return floats(p, n)
}

// given returns an error if the pointer of an argument, named in the error, is null.
func given[T any](name string, p *T) error {
	if p == nil {
		return refuse(door.Input, "a null pointer for %s", name)
	}
	return nil
}

// options returns the text of options, nil for a null pointer.
func options(p *C.char) []byte {
	if p == nil {
		return nil
	}
	return []byte(C.GoString(p))
}

// hand stores a copy of the text that f returns for the caller, who frees it by rung_release.
func hand(text **C.char, size *C.size_t, f func() ([]byte, error)) error {
	if text == nil || size == nil {
		return refuse(door.Input, "a null pointer for the text")
	}
	b, err := f()
	if err != nil {
		return err
	}
	*text, *size = (*C.char)(C.CBytes(append(b, 0))), C.size_t(len(b))
	return nil
}

// taken returns bytes of the caller, which are valid during the call.
func taken(bytes *C.char, size C.size_t) ([]byte, error) {
	if err := given("the bytes", bytes); err != nil {
		return nil, err
	}
	if size > mostBytes {
		return nil, refuse(door.Size, "%d bytes, and the most are %d", uint64(size), mostBytes)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(size)), nil
}
