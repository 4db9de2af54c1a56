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

//export go_version
func go_version() *C.char { return version }

// refuse returns an error of this file with a status.
func refuse(s door.Status, format string, args ...any) error {
	return &door.Error{Status: s, Err: fmt.Errorf(format, args...)}
}

// guarded runs f, and turns errors and panics into a status and the text of this thread. No panic goes on into C,
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

// bug is the error of a panic.
func bug(r any) error { return refuse(door.Bug, "bug: %v\n%s", r, debug.Stack()) }

// say keeps an error for this thread, and returns its status. Its text is UTF-8, whatever the names of files in it are.
func say(err error) C.int32_t {
	text, details := strings.ToValidUTF8(err.Error(), "\uFFFD"), door.Details(err)
	if text == "" {
		text = "?"
	}
	C.rung_say((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(details))), C.size_t(len(details)))
	return C.int32_t(door.StatusOf(err))
}

// object is what a handle stands for.
type object struct {
	value any
	inUse atomic.Bool // of what belongs to one thread at a time
	bad   bool        // a panic has left it half changed; for who has it in use

	mu      sync.Mutex
	ctx     context.Context // of the calls that are under way; nil: none was made yet
	end     context.CancelCauseFunc
	calls   int  // that are under way
	more    bool // the last call has given back in its middle
	stopped bool // the next call ends at once
}

// objects are those of all handles. Numbers are never used twice.
var (
	objects sync.Map // uint64 → *object
	last    atomic.Uint64
)

// keep gives a value a handle.
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

// shared returns the value of a handle that any number of threads may use.
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
	return "solver or a run" // what has knobs
}

// use runs f on the value of a handle that one thread may use at a time.
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

// enter returns the value of a handle for a call, which ends with done.
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

// done is deferred by who has entered, and turns a panic into a status.
func (o *object) done(status *C.int32_t) {
	if r := recover(); r != nil {
		o.bad = true
		*status = say(bug(r))
	}
	o.inUse.Store(false)
}

// during runs f with a context that stop ends. more says that f has given back in its middle, so that a caller is still within it.
func (o *object) during(f func(ctx context.Context) error) error {
	ctx, err := o.begin()
	if err != nil {
		return err
	}
	defer func() { o.leave(ctx, door.StatusOf(err) == door.More) }()
	err = f(ctx)
	return err
}

// begin counts a call, unless it has been stopped before.
func (o *object) begin() (context.Context, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		o.stopped, o.more = false, false
		return nil, &door.Error{Status: door.Stopped, Err: door.ErrStopped}
	}
	if o.ctx == nil {
		o.ctx, o.end = context.WithCancelCause(context.Background())
	}
	o.calls++
	return o.ctx, nil
}

// leave ends a call with the given context. more says that it is one of a row, between which the caller has control. If the
// call has been stopped but returned before it noticed, the next call of the row is stopped instead.
func (o *object) leave(ctx context.Context, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls--
	o.more = more
	o.stopped = o.stopped || more && ctx.Err() != nil
}

// stop ends the calls that are under way. If there is none, but the last one is to be continued by another, that other one
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

// told is done when somebody has said how many threads compute, or there is room for one more than there are processors.
var told sync.Once

// makeRoom gives the runtime one thread more than there are processors, unless somebody has said how many: rung_stop then
// does not wait until a batch that computes on all of them gives way.
func makeRoom() {
	told.Do(func() {
		if os.Getenv("GOMAXPROCS") == "" {
			runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
		}
	})
}

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

//export go_nothing
func go_nothing() C.int32_t { return C.RUNG_OK }

// mostNumbers is the length of an array that no caller has.
const mostNumbers = 1 << 44

// mostBytes is the largest text.
const mostBytes = 1 << 31

// floats returns an array of the caller, for the time of the call.
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

// perhaps is floats where no array, with the length 0, stands for none.
func perhaps(p *C.double, n C.size_t) ([]float64, error) {
	if p == nil && n == 0 {
		return nil, nil
	}
	return floats(p, n)
}

// given refuses a null pointer.
func given[T any](what string, p *T) error {
	if p == nil {
		return refuse(door.Input, "a null pointer for %s", what)
	}
	return nil
}

// options returns a text that may be null.
func options(p *C.char) []byte {
	if p == nil {
		return nil
	}
	return []byte(C.GoString(p))
}

// hand gives the text that f makes to the caller, who frees it by rung_release.
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

// taken returns the bytes of the caller, for the time of the call.
func taken(bytes *C.char, size C.size_t) ([]byte, error) {
	if err := given("the bytes", bytes); err != nil {
		return nil, err
	}
	if size > mostBytes {
		return nil, refuse(door.Size, "%d bytes, and the most are %d", uint64(size), mostBytes)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(size)), nil
}
