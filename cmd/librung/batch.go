package main

// #include "door.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/rung-mbd/rung/door"
)

// go_batch implements rung_batch (rung.h): it creates a batch of a plan.
//
//export go_batch
func go_batch(plan C.rung_handle, opts *C.char, batch *C.rung_handle) C.int32_t {
	return guarded(func() error {
		_, m, err := shared[*door.Model](plan)
		if err != nil {
			return err
		}
		if err := given("the batch", batch); err != nil {
			return err
		}
		b, err := m.NewBatch(options(opts))
		if err != nil {
			return err
		}
		makeRoom()
		return keep(batch, b)
	})
}

// table returns the array of rows states of the caller, n numbers each. It refuses another n than the model's.
func table(m *door.Model, states *C.double, rows, n C.size_t) ([]float64, error) {
	if width := m.Sizes().State; n != C.size_t(width) {
		return nil, refuse(door.Size, "a state has %d numbers, not %d", width, uint64(n))
	}
	if rows > mostNumbers/n {
		return nil, refuse(door.Size, "%d states", uint64(rows))
	}
	return floats(states, rows*n)
}

// mostUnasked is the largest number of bytes that is allocated without asking whether the system has them.
const mostUnasked = 1 << 26

// room refuses a number of states for which the system has no memory, as Go's runtime would end the process.
func room(b *door.Batch, rows C.size_t) error {
	z := b.Model().Sizes()
	bytes := 8 * float64(rows) * float64(z.State+6*z.Bodies)
	if bytes > mostUnasked && bytes < 1<<62 && C.rung_room(C.size_t(bytes)) == 0 {
		return refuse(door.Size, "%d states, for which there is no memory: they take %.1f GB", uint64(rows), bytes/1e9)
	}
	return nil
}

// rowsOf are the arrays of a call of a batch.
type rowsOf struct {
	states, forces []float64
	failed         []byte
}

// newRows checks the arrays of the caller and returns them. A state has n numbers, and its forces are b.Forces() numbers.
func newRows(b *door.Batch, states *C.double, rows, n C.size_t, forces *C.double, status *C.uint8_t) (x rowsOf, err error) {
	if x.states, err = table(b.Model(), states, rows, n); err != nil {
		return x, err
	}
	if forces != nil {
		if x.forces, err = floats(forces, rows*C.size_t(b.Forces())); err != nil {
			return x, err
		}
	}
	if status == nil && rows > 0 {
		return x, refuse(door.Input, "a null pointer for the status")
	}
	x.failed = unsafe.Slice((*byte)(status), int(rows))
	return x, nil
}

// go_batch_accel implements rung_batch_accel (rung.h): it computes accelerations of the rows states.
//
//export go_batch_accel
func go_batch_accel(batch C.rung_handle, states *C.double, rows, n C.size_t, forces, acc *C.double, status *C.uint8_t) C.int32_t {
	return use(batch, func(o *object, b *door.Batch) error {
		x, err := newRows(b, states, rows, n, forces, status)
		if err != nil {
			return err
		}
		a, err := floats(acc, rows*C.size_t(6*b.Model().Sizes().Bodies))
		if err != nil {
			return err
		}
		if err := room(b, rows); err != nil {
			return err
		}
		return o.during(func(ctx context.Context) error {
			return b.AccelerationsTo(ctx, a, int(rows), x.states, x.forces, x.failed)
		})
	})
}

// go_batch_rollout implements rung_batch_rollout (rung.h): it moves the rows states by a rollout.
//
//export go_batch_rollout
func go_batch_rollout(
	batch C.rung_handle, states *C.double, rows, n C.size_t, forces, into *C.double, m C.size_t, status *C.uint8_t, opts *C.char,
) C.int32_t {
	return use(batch, func(o *object, b *door.Batch) error {
		x, err := newRows(b, states, rows, n, forces, status)
		if err != nil {
			return err
		}
		to, err := floats(into, m)
		if err != nil {
			return err
		}
		if err := room(b, rows); err != nil {
			return err
		}
		return o.during(func(ctx context.Context) error {
			return b.Rollout(ctx, int(rows), x.states, x.forces, to, x.failed, options(opts))
		})
	})
}

// go_batch_vary implements rung_batch_vary (rung.h): it sets varied parameters of rows from first on.
//
//export go_batch_vary
func go_batch_vary(batch C.rung_handle, rows, first C.size_t, values *C.double, m C.size_t) C.int32_t {
	return use(batch, func(_ *object, b *door.Batch) error {
		x, err := floats(values, m)
		if err != nil {
			return err
		}
		if rows > mostNumbers || first > mostNumbers {
			return refuse(door.Size, "states from %d of %d", uint64(first), uint64(rows))
		}
		if err := room(b, rows); err != nil {
			return err
		}
		return b.Vary(int(rows), int(first), x)
	})
}

// go_batch_error implements rung_batch_error (rung.h): it returns the error of a row as its own.
//
//export go_batch_error
func go_batch_error(batch C.rung_handle, row C.size_t) C.int32_t {
	return use(batch, func(_ *object, b *door.Batch) error {
		if row > mostNumbers {
			return refuse(door.Input, "no state %d", uint64(row))
		}
		return b.Error(int(row))
	})
}
